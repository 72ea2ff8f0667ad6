"""Transforms, steps along time, named tests and repeats under other keys give the numbers that pandas would."""

import math
import statistics
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.battery._statistics.series import spikes
from datasets.evidence import StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CLOSE = [100.0 + 7 * math.sin(i) + i / 3 for i in range(40)]
ARM = ["a" if i % 3 else "b" for i in range(40)]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 days of prices in two arms, with a gap in `fee`; the newest day first."""
    path = tmp_path_factory.mktemp("made") / "prices.csv"
    rows = [
        f"{date(2024, 1, 1) + timedelta(days=i)},{CLOSE[i]!r},{ARM[i]},{'' if i % 10 == 0 else i}" for i in range(40)
    ]
    path.write_text("day,close,arm,fee\n" + "\n".join(reversed(rows)) + "\n", encoding="utf-8")
    return path


def run(file: Path, kind: str, **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        result = run_step(make_step(kind, params), dataset.view())
    assert result.skipped is None, result.skipped
    return result


def value(file: Path, aggregate: str, **measure: Any) -> float:
    metric = {"aggregate": aggregate, "measure": measure}
    number = run(file, "answer", metrics=[metric]).candidates[0].claim.value.number
    assert number is not None
    return number


def test_transforms(file: Path) -> None:
    column = {"kind": "transformed", "columns": ["close"]}
    low, high = min(CLOSE), max(CLOSE)
    assert value(file, "mean", **column, values=["minmax"]) == pytest.approx(
        statistics.mean((c - low) / (high - low) for c in CLOSE)
    )
    assert value(file, "std", **column, values=["log10"]) == pytest.approx(
        statistics.stdev(math.log10(c) for c in CLOSE)
    )
    assert value(file, "max", **column, values=["zscore"]) == pytest.approx(
        (high - statistics.mean(CLOSE)) / statistics.pstdev(CLOSE)
    )
    known = [i for i in range(40) if i % 10]
    filled = [statistics.median(known) if i % 10 == 0 else i for i in range(40)]
    fee = {"kind": "transformed", "columns": ["fee"], "values": ["filled_median"]}
    assert value(file, "mean", **fee) == pytest.approx(statistics.mean(filled))


def test_steps_follow_time_and_not_the_order_of_the_file(file: Path) -> None:
    returns = [100 * (b - a) / a for a, b in pairwise(CLOSE)]
    step = {"kind": "in_order", "columns": ["close", "day"]}
    assert value(file, "mean", **step, values=["change_pct"]) == pytest.approx(statistics.mean(returns))
    logs = [math.log(b / a) for a, b in pairwise(CLOSE)]
    assert value(file, "std", **step, values=["change_ln"]) == pytest.approx(statistics.stdev(logs))
    moving = [statistics.mean(CLOSE[i - 6 : i + 1]) for i in range(6, 40)]
    assert value(file, "max", **step, values=["moving", 7]) == pytest.approx(max(moving))
    metric = {"aggregate": "max", "measure": {**step, "values": ["change_pct"]}}
    found = run(file, "answer", metrics=[metric], order="desc", show=["day"]).candidates[0]
    best = date(2024, 1, 2) + timedelta(days=returns.index(max(returns)))
    assert best.isoformat() in found.statement


def test_a_named_test_tells_its_statistic(file: Path) -> None:
    a, b = ([c for c, arm in zip(CLOSE, ARM, strict=True) if arm == name] for name in "ab")
    metric = {"aggregate": "mean", "measure": {"kind": "column", "columns": ["close"]}}
    for test, expected, letter in (
        ("anova", stats.f_oneway(a, b), "F(1, 38)"),
        ("ttest", stats.ttest_ind(a, b), "t(38)"),
        ("mannwhitney", stats.mannwhitneyu(a, b, method="asymptotic"), "U ="),
        ("kruskal", stats.kruskal(a, b), "H(1)"),
    ):
        said = run(file, "compare", metric=metric, dimension="arm", test=test).candidates[0].statement
        assert letter in said
        assert f"p = {expected.pvalue:.4f}" in said


def test_the_line_of_a_regression(file: Path) -> None:
    x, y = {"kind": "column", "columns": ["fee"]}, {"kind": "column", "columns": ["close"]}
    known = [i for i in range(40) if i % 10]
    line = stats.linregress(known, [CLOSE[i] for i in known])
    said = run(file, "relation", x=x, y=y, line=True).candidates[0]
    assert f"slope {line.slope:.4f}".rstrip("0") in said.statement
    assert said.table[-1]["intercept"] == pytest.approx(line.intercept)


def test_one_record_under_many_keys_is_told(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    rows = [f"X{i:04d},{100 + 7.13 * i:.2f},u{i % 40}" for i in range(200)]
    rows += [f"Y{i:04d},4321.50,u777" for i in range(30)]
    path.write_text("no,amount,account\n" + "\n".join(rows) + "\n", encoding="utf-8")
    first, exact = run(path, "quality_facts", what="duplicates").candidates
    assert first.statement.startswith("One record occurs 30 times under a different no each time: 30 of 230 rows")
    assert "amount 4,321.50, account u777" in first.statement
    assert exact.statement.startswith("No row repeats another one")


def test_a_code_is_one_word_and_its_capitals_are_none(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    rows = [f'{i},"Paper jam at device SCN-{77 if i % 2 else 10 + i}"' for i in range(60)]
    rows += [f'{100 + i},"Slow connection to file share"' for i in range(60)]
    path.write_text("id,note\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = [c.statement for c in run(path, "terms", column="note").candidates]
    assert any(s.startswith("SCN-77 stands out: it is mentioned in 30 of 120") for s in said)
    assert any("no other SCN is mentioned in more than 1." in s for s in said)
    assert not any('"scn"' in s for s in said)


def test_an_absence_stands_out_among_small_counts() -> None:
    there = [13.0, 14, 19, 17, 12, 0, 1, 12, 15, 20, 17, 17]
    found = spikes(there, noise=[math.sqrt(14)] * 12, counts=True, days=[30] * 12)
    assert [(s.first, s.last, s.up) for s in found] == [(5, 6, False)]
    busy = [13.0, 14, 19, 17, 9, 8, 7, 12, 15, 20, 17, 17]
    assert spikes(busy, noise=[math.sqrt(14)] * 12, counts=True, days=[30] * 12) == []


def test_a_ratio_of_totals_is_not_the_mean_of_the_ratios(tmp_path: Path) -> None:
    file = tmp_path / "web.csv"
    rows = ["a,100,10", "a,1,1", "b,50,1", "b,,5", "b,0,0"]
    file.write_text("\n".join(["channel,visits,orders", *rows * 8]) + "\n", encoding="utf-8")
    ratio = {"kind": "ratio_of", "columns": ["orders", "visits"]}
    assert value(file, "pooled", **ratio) == pytest.approx(12 / 151)
    assert value(file, "mean", **ratio) == pytest.approx((0.1 + 1 + 0.02) / 3)
    metric = {"aggregate": "pooled", "measure": ratio}
    (found,) = run(file, "answer", metrics=[metric], by=["channel"], order="desc", top=1).candidates
    assert found.claim.value.text == "a"
    assert "the highest overall orders / visits: 0.1089" in found.statement
