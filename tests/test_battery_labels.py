"""Labels follow the evidence: exactness, corrected tests, intervals, robustness and contradiction."""

import pytest

from datasets.battery import adjust, label_of
from datasets.evidence import Candidate, Claim, ClaimValue, Effect, StepResult, Subject


def candidate(
    p: float | None = None,
    *,
    null: bool = False,
    robust: bool | None = None,
    interval: tuple[float | None, float | None] = (0.1, 0.3),
) -> Candidate:
    return Candidate(
        claim=Claim(subject=Subject(relation="difference"), value=ClaimValue(number=1.0)),
        statement="A differs from B.",
        n=100,
        test=None if p is None else "welch_t",
        p_value=p,
        effect=None if p is None else Effect(name="hedges_g", value=0.2, low=interval[0], high=interval[1]),
        null=null,
        robust=robust,
    )


def result(signature: str, *ps: float | None, raw: tuple[float, ...] = (), tests_run: int = 0) -> StepResult:
    return StepResult(
        kind="compare",
        signature=signature,
        candidates=[candidate(p) for p in ps],
        raw_p_values=list(raw),
        tests_run=tests_run,
    )


@pytest.mark.parametrize(
    ("given", "stated", "q_value", "contradicts", "label"),
    [
        (candidate(), True, None, False, "confirmatory"),
        (candidate(), False, None, False, "exploratory"),
        (candidate(), True, None, True, "exploratory_divergent"),
        (candidate(0.001), True, 0.004, False, "confirmatory"),
        (candidate(0.001), False, 0.02, False, "exploratory"),
        (candidate(0.03), False, 0.2, False, "exploratory_divergent"),
        (candidate(0.03), True, 0.2, False, "exploratory_divergent"),
        (candidate(0.2), True, 0.4, False, None),
        (candidate(0.2), False, 0.4, True, None),
        (candidate(0.05), True, 0.05, False, "confirmatory"),
        (candidate(0.001), True, 0.001, True, "exploratory_divergent"),
        (candidate(0.001, robust=False), True, 0.001, False, "exploratory_divergent"),
        (candidate(0.001, robust=True), True, 0.001, False, "confirmatory"),
        (candidate(0.6, null=True), True, 0.9, False, "confirmatory"),
        (candidate(0.6, null=True, interval=(None, None)), True, 0.9, False, "exploratory"),
        (candidate(0.6, null=True), False, 0.9, False, "exploratory"),
        (candidate(0.6, null=True), True, 0.9, True, "exploratory_divergent"),
        (candidate(0.01), True, None, False, "confirmatory"),
    ],
)
def test_label(given: Candidate, stated: bool, q_value: float | None, contradicts: bool, label: str | None) -> None:
    assert label_of(given, stated=stated, q_value=q_value, contradicts=contradicts) == label


def test_stated_family_is_corrected_by_holm() -> None:
    q = adjust([result("a", 0.01), result("b", 0.04), result("c", 0.03)], {"a", "b", "c"})
    assert q == {("a", 0): pytest.approx(0.03), ("b", 0): pytest.approx(0.06), ("c", 0): pytest.approx(0.06)}


def test_exploratory_family_is_corrected_by_benjamini_hochberg() -> None:
    q = adjust([result("a", 0.01, 0.04), result("b", 0.03, None)], set())
    assert q == {("a", 0): pytest.approx(0.03), ("a", 1): pytest.approx(0.04), ("b", 0): pytest.approx(0.04)}


def test_families_do_not_pay_for_each_other() -> None:
    scan = result("scan", 0.04, raw=(0.04, *[0.9] * 99))
    q = adjust([result("asked", 0.04), scan], {"asked"})
    assert q[("asked", 0)] == pytest.approx(0.04)
    assert q[("scan", 0)] > 0.9 - 1e-9


def test_tests_that_are_not_shown_enlarge_the_family() -> None:
    assert adjust([result("a", 0.01, raw=(0.01, 0.5, 0.6, 0.7))], set())[("a", 0)] == pytest.approx(0.04)
    assert adjust([result("a", 0.01, raw=(0.01,), tests_run=10)], set())[("a", 0)] == pytest.approx(0.1)


def test_equal_p_values_get_one_correction() -> None:
    q = adjust([result("a", 0.02, 0.02)], {"a"})
    assert q[("a", 0)] == q[("a", 1)] == pytest.approx(0.04)


def test_exact_candidates_have_no_correction() -> None:
    assert adjust([result("a", None)], {"a"}) == {}
    assert adjust([], set()) == {}
