"""Labels: the strongest one that the evidence allows, after correction for every test that was run.

Two families: what was stated before looking (Holm: not one false claim in it), and what a scan turned up
(Benjamini-Hochberg: few false claims among those reported). A family counts the tests run, shown or not.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from datasets.evidence import Candidate, StepResult

Label = Literal["confirmatory", "exploratory", "exploratory_divergent"]
ALPHA = 0.05


def label_of(candidate: Candidate, *, stated: bool, q_value: float | None, contradicts: bool) -> Label | None:
    """Return the label, or None where the candidate is no finding: a test that failed and that proves no absence.

    `q_value`: from `adjust`; without one the raw p-value decides. `contradicts`: a prior finding says otherwise.
    """
    exact = candidate.p_value is None and candidate.test is None
    raw = candidate.p_value is not None and candidate.p_value <= ALPHA
    corrected = q_value if q_value is not None else candidate.p_value
    passed = exact or (corrected is not None and corrected <= ALPHA)
    if not (candidate.null or passed or raw):
        return None
    if contradicts or candidate.robust is False:
        return "exploratory_divergent"
    stated = stated and candidate.limit is None
    if candidate.null:
        bounded = exact or (candidate.effect is not None and None not in (candidate.effect.low, candidate.effect.high))
        return "confirmatory" if stated and bounded and not candidate.inconclusive else "exploratory"
    if not passed:
        return "exploratory_divergent"
    return "confirmatory" if stated else "exploratory"


def adjust(results: Sequence[StepResult], stated_signatures: Iterable[str]) -> dict[tuple[str, int], float]:
    """Return the corrected p-value of each tested candidate, by (step signature, index of the candidate).

    Steps in `stated_signatures` form the Holm family, all others the Benjamini-Hochberg family. A step that ran more
    tests than it lists p-values for enlarges its family by tests that found nothing.
    """
    stated = set(stated_signatures)
    corrected: dict[tuple[str, int], float] = {}
    for family, correct in (
        ([r for r in results if r.signature in stated], _holm),
        ([r for r in results if r.signature not in stated], _benjamini_hochberg),
    ):
        tests = [p for result in family for p in _tests_of(result)]
        q_of = dict(zip(tests, correct(tests), strict=True))
        for result in family:
            for index, candidate in enumerate(result.candidates):
                if candidate.p_value is not None:
                    corrected[(result.signature, index)] = q_of[candidate.p_value]
    return corrected


def _tests_of(result: StepResult) -> list[float]:
    """The tests of a step. Candidates may share one test; one that is not listed counts as a test of its own."""
    shown = [c.p_value for c in result.candidates if c.p_value is not None]
    tests = list(result.raw_p_values)
    for p in shown:
        near = next((i for i, t in enumerate(tests) if math.isclose(t, p, rel_tol=1e-9, abs_tol=1e-300)), None)
        if near is not None:
            tests[near] = p
    listed = set(tests)
    tests += [p for p in shown if p not in listed]
    return tests + [1.0] * (result.tests_run - len(tests))


def _holm(tests: Sequence[float]) -> list[float]:
    order = sorted(range(len(tests)), key=tests.__getitem__)
    corrected = [1.0] * len(tests)
    highest = 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, tests[i] * (len(tests) - rank)))
        corrected[i] = highest
    # Equal p-values share the correction of the first of them.
    first = {tests[i]: corrected[i] for i in reversed(order)}
    return [first[p] for p in tests]


def _benjamini_hochberg(tests: Sequence[float]) -> list[float]:
    # Imported here: labels are known to the graph before SciPy is loaded.
    from datasets.battery._statistics.groups import q_values

    return q_values(tests)
