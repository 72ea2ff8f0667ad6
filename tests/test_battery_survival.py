"""How long until something happens, with rows to which it has not happened yet.

The leukaemia times in weeks are those of Freireich et al., Blood 21 (1963) 699-716, as in Gehan, Biometrika 52 (1965).
"""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight, survdiff

from benchmarks.recomputing import File, judge
from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.battery._statistics.survival import Curve, log_rank
from datasets.directives import ExcludeRecent
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TREATED = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"
RELAPSE = {"duration": "weeks", "event": {"column": "relapse", "values": [1]}}
DATED = {"start": "opened_at", "end": "closed_at"}


def curve(times: Any, came: Any) -> Curve:
    """Count a sample."""
    times, came = np.asarray(times, dtype=float), np.asarray(came, dtype=bool)
    at = np.unique(times)
    counts = [[float(((times == t) & (came == e)).sum()) for t in at] for e in (True, False)]
    return Curve(at, *map(np.array, counts))


def survival(file: Path, directives: Any = (), **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        return run_step(make_step("survival", params), dataset.view(directives))


@pytest.fixture
def leukaemia(tmp_path: Path) -> Path:
    file = tmp_path / "leukaemia.csv"
    arms = (("6-MP", TREATED), ("placebo", PLACEBO))
    rows = [f"{t.rstrip('+')},{int('+' not in t)},{arm}" for arm, times in arms for t in times.split()]
    file.write_text("\n".join(["weeks,relapse,arm", *rows]) + "\n", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """900 tickets over 300 days that stay open for 30 days on average, those of team slow for 60; cut at the end."""
    rng = np.random.default_rng(3)
    rows = []
    for i in range(900):
        team = ("quick", "slow")[i % 2]
        opened = date(2024, 1, 1) + timedelta(days=i // 3)
        closed = opened + timedelta(days=int(rng.exponential(30 if team == "quick" else 60)))
        rows.append(f"{opened},{closed if closed <= date(2024, 10, 26) else ''},{team}")
    file = tmp_path_factory.mktemp("tickets") / "tickets.csv"
    file.write_text("\n".join(["opened_at,closed_at,team", *rows]) + "\n", encoding="utf-8")
    return file


def test_the_curve_is_that_of_scipy_and_statsmodels() -> None:
    rng = np.random.default_rng(1)
    times, came = np.round(rng.exponential(20, 300)) + 1, rng.random(300) < 0.7
    mine = curve(times, came)
    theirs = stats.ecdf(stats.CensoredData(uncensored=times[came], right=times[~came])).sf
    band = theirs.confidence_interval(method="log-log")
    for at in (3, 10, 25):
        place = np.searchsorted(theirs.quantiles, at, side="right") - 1
        expected = (theirs.probabilities, band.low.probabilities, band.high.probabilities)
        assert mine.share_at(at) == pytest.approx([float(e[place]) for e in expected])
    fitted = SurvfuncRight(times, came.astype(int))
    assert mine.median()[0] == fitted.quantile(0.5)
    assert mine.median()[1] == fitted.quantile_ci(0.5)[0]


def test_the_log_rank_test_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(2)
    groups = np.repeat([0, 1, 2], 80)
    times, came = np.round(rng.exponential(10 + 5 * groups)) + 1, rng.random(240) < 0.8
    found = log_rank([curve(times[groups == g], came[groups == g]) for g in range(3)])
    chi2, p = survdiff(times, came.astype(int), groups)
    assert found is not None
    assert (found.chi2, found.p) == pytest.approx((chi2, p))
    assert log_rank([curve([1, 2], [False, False]), curve([1, 2], [False, False])]) is None


def test_published_figures(leukaemia: Path) -> None:
    (found,) = survival(leukaemia, **RELAPSE, by="arm").candidates
    assert "23 weeks (95% interval from 13 on) in 6-MP (n = 21) and 8 weeks" in found.statement
    assert "log-rank chi-square(1) = 16.79, p < 0.001" in found.statement
    assert found.claim.value.text == "6-MP"
    assert not found.null
    (whole,) = survival(leukaemia, **RELAPSE, at=[10], filters=[{"column": "arm", "values": ["6-MP"]}]).candidates
    assert whole.claim.value.number == pytest.approx(0.7529, abs=1e-4)
    assert whole.claim.subject.period == "after 10 weeks"


def test_rows_that_still_wait_make_it_longer(tickets: Path) -> None:
    (found,) = survival(tickets, **DATED).candidates
    assert found.claim.value.unit == "days"
    assert found.claim.value.number is not None
    assert found.claim.value.number > 25
    assert "were still waiting at 2024-10-26, where the data end" in found.statement
    assert any("is too short as an answer" in c for c in found.caveats)
    (grouped,) = survival(tickets, **DATED, by="team").candidates
    assert grouped.claim.value.text == "slow"
    assert grouped.effect is not None
    assert grouped.effect.value == pytest.approx(2.0, rel=0.2)


def test_what_is_said_can_be_recomputed(tickets: Path, leukaemia: Path) -> None:
    of_tickets = [
        survival(tickets, **DATED),
        survival(tickets, **DATED, filters=[{"column": "team", "values": ["slow"]}]),
    ]
    told = judge(File(tickets), [r.candidates[0].statement for r in of_tickets])
    assert not told.wrong
    assert len(told.right) == 2
    both = [survival(leukaemia, **RELAPSE), survival(leukaemia, **RELAPSE, by="arm")]
    told = judge(File(leukaemia), [r.candidates[0].statement for r in both])
    assert not told.wrong
    assert len(told.right) == 2
    wrong = judge(File(leukaemia), [both[0].candidates[0].statement.replace("within 12 weeks", "within 14 weeks")])
    assert wrong.wrong


def test_a_known_lag_ends_the_waiting_earlier(tickets: Path) -> None:
    (known,) = survival(tickets, [("lag", ExcludeRecent(column="opened_at", days=20))], **DATED).candidates
    (plain,) = survival(tickets, **DATED).candidates
    assert "at 2024-10-06, where the data end" in known.statement
    assert known.n < plain.n


def test_no_difference_is_not_shown_as_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    rows = [f"{int(t)},{int(t < 40)},{'ab'[i % 2]}" for i, t in enumerate(np.minimum(rng.exponential(20, 400), 40))]
    file = tmp_path / "same.csv"
    file.write_text("\n".join(["weeks,relapse,arm", *rows]) + "\n", encoding="utf-8")
    (found,) = survival(file, **RELAPSE, by="arm").candidates
    assert found.null
    assert "is not shown to differ by arm" in found.statement
    assert "is ruled out, at 95% confidence" in found.statement


def test_what_cannot_be_told_is_said(leukaemia: Path, tickets: Path) -> None:
    turned = survival(tickets, start="closed_at", end="opened_at", filters=[{"column": "team", "values": ["slow"]},
                      {"column": "closed_at", "op": "gt", "values": ["2024-02-01"]},
                      {"column": "opened_at", "op": "lt", "values": ["2024-01-20"]}])  # fmt: skip
    assert turned.skipped is not None
    assert "reach opened_at do so before closed_at" in turned.skipped
    late = survival(leukaemia, **RELAPSE, at=[90])
    assert late.skipped is not None
    assert "nothing was observed for as long as 90 weeks" in late.skipped
    none = survival(leukaemia, **RELAPSE, filters=[{"column": "weeks", "op": "gt", "values": [24]}])
    assert none.skipped is not None
    assert "no row has reached" in none.skipped


def test_how_far_enough_are_seen_and_the_area_below_the_curve() -> None:
    seen = curve([1, 2, 2, 5, 8], [True, True, False, False, True])
    assert [seen.reach(n) for n in (5, 3, 2, 1, 6)] == [1, 2, 5, 8, 0]
    assert seen.mean_up_to(4) == pytest.approx(1 * 1 + 0.8 * 1 + 0.6 * 2)


def test_a_difference_too_small_to_matter_is_told_as_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    times = np.ceil(rng.exponential(np.where(np.arange(40_000) % 2, 100.0, 106.0)))
    rows = [f"{int(t)},1,{'ab'[i % 2]}" for i, t in enumerate(times)]
    file = tmp_path / "small.csv"
    file.write_text("\n".join(["weeks,relapse,arm", *rows, "5,0,a"]) + "\n", encoding="utf-8")
    (found,) = survival(file, **RELAPSE, by="arm").candidates
    assert found.p_value is not None
    assert found.p_value < 0.05
    assert found.null
    assert "hardly differs by arm" in found.statement
