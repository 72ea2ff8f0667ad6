"""A world with known events: a daily sales file in 12 deliveries, each with what an analyst that remembers must say.

    python benchmarks/world.py --out DIR [--seed 7] [--play]

Writes DIR/delivery-01.csv ... and DIR/expected.json. `--play` puts each delivery in the place of the one before it,
asks Recallyst about it and prints what it said beside what is expected.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from graph.settings import Settings
from recallyst import Recallyst, Turn

FIRST = date(2024, 1, 1)
CUTOFFS = [date(2024 + (6 + k) // 12, (6 + k) % 12 + 1, 10) for k in range(11)] + [date(2025, 8, 5)]
LAG_SHARES = (0.6, 0.35, 0.1)
"""What a delivery holds of its last three days."""
DECLINE = date(2024, 9, 1)
RESTATED = (date(2024, 8, 1), date(2024, 8, 31))
RESTATED_FROM, RENAMED_AT, REPLACED_AT = 5, 6, 9
REVERSAL = date(2025, 5, 11)
REGIONS = ("North", "South", "East", "West")
USUAL, REVERSED = (0.36, 0.24, 0.22, 0.18), (0.05, 0.75, 0.12, 0.08)
FRESH = "Which region has the highest revenue, and how is revenue developing?"
OPEN = "What stands out?"
STILL = "Does North still have the highest total revenue by region?"
Row = tuple[int, date, str, str, int, float]


@dataclass(frozen=True)
class Expected:
    """What holds of one delivery, against the last one of the same data."""

    delivery: int
    file: str
    delivered: str
    event: str
    mode: str
    """The mode that the play asks for."""
    kind: str | None = None
    """Kind of the snapshot comparison."""
    restated_days: list[str] = field(default_factory=list)
    filled_days: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    measured_lag_days: int | None = None
    """What this delivery and the last one of the same data measure; None: they cannot tell."""
    known_lag_days: int | None = None
    """The lag that must act on the analysis; None: there is none, or it is only suspected."""
    verdict: str | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--orders", type=float, default=600.0, help="orders a day before the decline (default 600)")
    parser.add_argument("--play", action="store_true", help="play the deliveries through Recallyst")
    options = parser.parse_args()
    expected = write_world(options.out, options.seed, options.orders)
    if options.play:
        play(options.out, expected)


def write_world(folder: Path, seed: int, orders_a_day: float = 30.0) -> list[Expected]:
    """Write the deliveries and expected.json; the same seed and size write the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    sales = _sales(rng, orders_a_day)
    for n, cutoff in enumerate(CUTOFFS, 1):
        file = folder / f"delivery-{n:02d}.csv"
        if n == REPLACED_AT:
            _write(file, ("ticket", "opened_on", "priority", "minutes"), _tickets(rng, cutoff))
        else:
            money = "net_revenue" if n == RENAMED_AT else "revenue"
            header = ("order_id", "order_date", "region", "channel", "units", money)
            _write(file, header, _delivered(sales, cutoff, restated=n >= RESTATED_FROM))
    expected = _expected()
    (folder / "expected.json").write_text(json.dumps([asdict(e) for e in expected], indent=1) + "\n", encoding="utf-8")
    return expected


def _sales(rng: np.random.Generator, orders_a_day: float) -> list[Row]:
    """All sales as they truly were: a level that falls by 40 % for a while, and at last another leading region."""
    rows: list[Row] = []
    day = FIRST
    while day <= CUTOFFS[-1]:
        late = day >= REVERSAL
        level = orders_a_day * (1.0 if day < DECLINE or late else 0.6)
        for _ in range(max(10, int(rng.poisson(level * (0.85 if day.weekday() >= 5 else 1.0))))):
            region = REGIONS[int(rng.choice(4, p=REVERSED if late else USUAL))]
            units = int(rng.integers(1, 9))
            revenue = round(float(units * rng.lognormal(2.5, 0.25)), 2)
            channel = ("Web", "Store", "Phone")[int(rng.choice(3, p=(0.5, 0.35, 0.15)))]
            rows.append((10_000 + len(rows), day, region, channel, units, revenue))
        day += timedelta(days=1)
    return rows


def _delivered(sales: Sequence[Row], cutoff: date, *, restated: bool) -> list[Row]:
    """What has arrived by the evening of the cutoff."""
    by_day: dict[date, list[Row]] = {}
    for row in sales:
        if row[1] <= cutoff:
            by_day.setdefault(row[1], []).append(row)
    for back, share in enumerate(reversed(LAG_SHARES)):
        day = cutoff - timedelta(days=back)
        by_day[day] = by_day[day][: max(1, int(share * len(by_day[day])))]
    rows = [row for day in sorted(by_day) for row in by_day[day]]
    if restated:
        low, high = RESTATED
        rows = [(*r[:5], round(r[5] * 1.2, 2)) if low <= r[1] <= high else r for r in rows]
    return rows


def _tickets(rng: np.random.Generator, cutoff: date) -> list[tuple[object, ...]]:
    """Another table altogether, put under the name of the sales by mistake."""
    return [
        (f"T{n}", cutoff - timedelta(days=300 - n // 12), ("low", "high")[n % 2], int(rng.integers(5, 240)))
        for n in range(3_600)
    ]


def _write(file: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])


def _expected() -> list[Expected]:
    events = {
        1: "first delivery; its last 3 days are incomplete",
        4: "true decline: from September 2024 on 40 % fewer orders",
        RESTATED_FROM: "August 2024 restated: revenue 20 % higher",
        RENAMED_AT: "revenue is called net_revenue",
        RENAMED_AT + 1: "revenue has its name again",
        REPLACED_AT: "the file was replaced by other data",
        REPLACED_AT + 1: "the sales are back, and what was known of them counts again",
        12: "a quarter is appended in which South leads by far",
    }
    found = []
    for n, cutoff in enumerate(CUTOFFS, 1):
        other = n == REPLACED_AT
        back = n == REPLACED_AT + 1
        names = {RENAMED_AT: {"revenue": "net_revenue"}, RENAMED_AT + 1: {"net_revenue": "revenue"}}.get(n, {})
        kind = "replaced" if other else "schema" if names else "restated" if n == RESTATED_FROM else "appended"
        known = CUTOFFS[n - 3 if back else n - 2]
        filled = [known - timedelta(days=d) for d in (2, 1, 0)] if n > 1 and not other else []
        august = [RESTATED[0] + timedelta(days=d) for d in range(31)] if n == RESTATED_FROM else []
        mode = "re-run" if n == RENAMED_AT else "fresh" if n == 1 or other else "revalidate"
        found.append(
            Expected(
                delivery=n,
                file=f"delivery-{n:02d}.csv",
                delivered=cutoff.isoformat(),
                event=events.get(n, "a month is appended"),
                mode=mode,
                kind=kind if n > 1 else None,
                restated_days=[d.isoformat() for d in august],
                filled_days=[d.isoformat() for d in filled],
                renamed=names,
                measured_lag_days=3 if filled else None,
                known_lag_days=None if n in {1, REPLACED_AT} else 3,
                verdict=None if mode != "revalidate" else "reversed" if n == 12 else "holds",
            )
        )
    return found


def play(folder: Path, expected: Sequence[Expected]) -> None:
    """Ask about each delivery in a session of its own, and print what was said beside what is expected.

    Whoever revalidates is set beside two others who analyse the same delivery fresh: the same question, and all of it.
    """
    with tempfile.TemporaryDirectory() as scratch:
        wrong = 0
        spent: dict[str, list[dict[str, Any]]] = {}
        for e in expected:
            file = Path(shutil.copy(folder / e.file, Path(scratch) / "sales.csv"))
            asked = {"as due": (STILL if e.mode == "revalidate" else FRESH, e.mode)}
            if e.mode == "revalidate":
                asked |= {"fresh, same question": (STILL, "fresh"), "fresh, all of it": (OPEN, "fresh")}
            for who, (question, mode) in asked.items():
                home = Path(scratch) / who.replace(" ", "-")
                now = datetime.fromisoformat(e.delivered).replace(hour=20, tzinfo=UTC)
                with Recallyst(Settings(home=home, user="ana", org="acme", now=now)) as recallyst:
                    turn = recallyst.ask(file, question, mode=mode)
                if e.mode == "revalidate":
                    spent.setdefault(who, []).append(turn.usage)
                if who == "as due":
                    wrong += not _as_expected(e, turn)
        print(f"{len(expected) - wrong} of {len(expected)} deliveries as expected")
        _compare_costs(spent)


def _as_expected(e: Expected, turn: Turn) -> bool:
    changed = turn.data_changed or {}
    lags = [a["directive"]["days"] for a in turn.applied if a["directive"]["name"] == "exclude_recent"]
    status = next((q["status"] for q in turn.data_quality if q["kind"] == "reporting_lag"), None)
    verdict = (turn.verdict or {}).get("verdict")
    due_lags = [e.known_lag_days] if e.known_lag_days else lags if e.delivery == 1 else []
    days = [changed.get("restated_days", []), changed.get("filled_days", [])]
    said = (changed.get("kind"), lags, verdict, days)
    right = said == (e.kind, due_lags, e.verdict, [e.restated_days, e.filled_days])
    print(f"{'ok   ' if right else 'WRONG'} {e.delivery:>2} {e.event}: {turn.mode}, {said[:3]}, lag {status}")
    return right


def _compare_costs(spent: dict[str, list[dict[str, Any]]]) -> None:
    cells = {who: sum(u["cells_read"] for u in uses) for who, uses in spent.items()}
    seconds = {who: sum(sum(u["seconds"].values()) for u in uses) for who, uses in spent.items()}
    for who in list(spent)[1:]:
        print(
            f"revalidate against {who}: {cells['as due'] / cells[who]:.3f} of the cells, "
            f"{seconds['as due'] / seconds[who]:.2f} of the time"
        )


if __name__ == "__main__":
    main()
