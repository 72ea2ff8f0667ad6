"""A finding that was tested on what came since stays about that stretch, also under new column names."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from recallyst import Recallyst

START, BREAK = date(2025, 1, 1), date(2025, 4, 1)
QUESTION = "Is the average hours still highest in Billing?"


def deliver(folder: Path, until: date, *, header: str = "opened,queue,hours") -> Path:
    """Tickets of three queues a day; Billing takes longest, and from April on shortest."""
    rng, lines, day = random.Random(5), [header], START
    while day <= until:
        for n in range(12):
            queue = ("Billing", "Login", "Shipping")[n % 3]
            shift = 0 if queue != "Billing" else -9 if day >= BREAK else 6
            lines.append(f"{day},{queue},{20 + shift + rng.gauss(0, 3):.1f}")
        day += timedelta(days=1)
    (folder / "tickets.csv").write_text("\n".join(lines) + "\n")
    return folder / "tickets.csv"


@pytest.fixture
def reversed_since_april(asker: Callable[..., Recallyst], tmp_path: Path) -> Path:
    file = deliver(tmp_path, date(2025, 3, 31))
    asker(now=datetime(2025, 4, 1, 9, tzinfo=UTC)).ask(file, "Does the average hours differ between queues?")
    deliver(tmp_path, date(2025, 5, 31))
    turn = asker(now=datetime(2025, 6, 1, 9, tzinfo=UTC)).ask(file, QUESTION, mode="revalidate")
    assert turn.verdict is not None
    assert turn.verdict["verdict"] == "reversed"
    return file


def test_the_same_data_and_a_few_rows_more_leave_the_verdict_as_it_was(
    asker: Callable[..., Recallyst], reversed_since_april: Path
) -> None:
    for day, until in ((2, date(2025, 5, 31)), (3, date(2025, 6, 2))):
        deliver(reversed_since_april.parent, until)
        turn = asker(now=datetime(2025, 6, day, 9, tzinfo=UTC)).ask(reversed_since_april, QUESTION, mode="revalidate")
        assert turn.verdict is not None
        assert (turn.verdict["verdict"], turn.verdict["span"]["since"]) == ("holds", "2025-04-01")
        assert turn.findings[0].claim["value"]["direction"] == "lower"


def test_a_renamed_group_and_measure_are_tested_under_their_new_names(
    asker: Callable[..., Recallyst], reversed_since_april: Path
) -> None:
    deliver(reversed_since_april.parent, date(2025, 6, 2), header="opened,team,effort")
    later = asker(now=datetime(2025, 6, 3, 9, tzinfo=UTC))
    turn = later.ask(reversed_since_april, "Is the average effort still lowest in Billing?", mode="revalidate")
    assert turn.data_changed is not None
    assert turn.data_changed["columns_renamed"] == {"queue": "team", "hours": "effort"}
    assert turn.verdict is not None
    assert turn.verdict["verdict"] == "holds"
    assert turn.findings[0].claim["subject"]["dimension"] == "team"
    assert [len(turn.memory[k]) for k in ("stored", "resolved")] == [1, 1]
