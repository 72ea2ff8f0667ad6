"""Each rule finds what it is for, and leaves alone what only looks like it."""

from pathlib import Path

import numpy as np
import pytest

from datasets.directives import FilterRows, NullSentinel
from datasets.quality import Detection
from detecting import look, of_kind
from simulated import RULES, Judged, accounts, by_region, closed_when_done, odd_dates, order_lines


@pytest.mark.parametrize("rule", RULES, ids=lambda r: f"{r.kind}: {r.name}")
def test_a_rule_finds_its_fault_and_nothing_like_it(rule: Judged, tmp_path: Path) -> None:
    detection = look(tmp_path, rule.make(np.random.default_rng(7)))
    assert not detection.failed
    assert bool(of_kind(detection, rule.kind)) is rule.present


def found(detection: Detection, kind: str, tmp_path: Path) -> str:
    (fact,) = of_kind(detection, kind)
    return fact.statement


def test_total_rows_are_left_out_by_a_filter(tmp_path: Path) -> None:
    (fact,) = of_kind(look(tmp_path, by_region(True)(np.random.default_rng(1))), "total_rows")
    assert fact.directive is not None
    assert isinstance(fact.directive, FilterRows)
    assert (fact.directive.predicate.column, fact.directive.predicate.op) == ("region", "ne")
    assert fact.directive.predicate.values == ("All",)
    assert "60 rows with region 'All'" in fact.statement


def test_impossible_dates_are_read_as_missing(tmp_path: Path) -> None:
    (fact,) = of_kind(look(tmp_path, odd_dates("2204-05-01")(np.random.default_rng(1))), "impossible_dates")
    assert fact.directive == NullSentinel(column="booked_on", values=("2204-05-01",))


def test_an_identity_counts_its_exceptions(tmp_path: Path) -> None:
    (fact,) = of_kind(look(tmp_path, order_lines(True)(np.random.default_rng(3))), "identity")
    assert fact.statement.startswith("line_total = units × unit_cost holds in 9")
    assert not fact.informational


def test_facts_come_by_consequence(tmp_path: Path) -> None:
    table = {**accounts("balance")(np.random.default_rng(2))}
    table["note"] = ["" if i % 120 < 90 else "x" for i in range(len(table["day"]))]
    facts = look(tmp_path, table).facts
    assert facts[0].kind == "balance"
    assert [f.informational for f in facts] == sorted(f.informational for f in facts)


def test_an_open_case_is_named_as_a_rule_not_as_a_gap(tmp_path: Path) -> None:
    detection = look(tmp_path, closed_when_done(np.random.default_rng(4)))
    assert "fee is missing where status is Open" in found(detection, "structural_null", tmp_path)
