"""Ranking: what is asked first, then what matters; no two findings that say the same."""

from dataclasses import replace
from typing import Any

from analyst.plans.focus import Focus
from analyst.plans.signals import signals_of
from analyst.protocol import Label, LabelledFinding
from analyst.reports.ranking import order, same_finding
from datasets.evidence import Candidate, Claim, ClaimValue, Effect, Relation, Subject
from datasets.measures import Measure, Metric
from datasets.steps import Step


def finding(
    relation: Relation,
    statement: str,
    *,
    metric: str = "mean(hours)",
    dimension: str | None = "team",
    text: str | None = None,
    stated: bool = False,
    label: Label = "exploratory",
    **candidate: Any,
) -> LabelledFinding:
    """A labelled finding."""
    subject = Subject(relation=relation, metric=metric, dimension=dimension)
    return LabelledFinding(
        step=Step(kind="compare", params={"s": statement}, stated=stated),
        candidate=Candidate(
            claim=Claim(subject=subject, value=ClaimValue(text=text)), statement=statement, n=100, **candidate
        ),
        label=label,
        confidence=0.7,
    )


def mean(column: str) -> Metric:
    """The average of a column."""
    return Metric(aggregate="mean", measure=Measure(kind="column", columns=(column,)))


FOCUS = Focus(
    dimensions=(("team", 0.9), ("color", 0.25)),
    metrics=((mean("hours"), 1.0), (mean("weight"), 0.25)),
    count_weight=0.55,
    time=None,
    signals=signals_of("hours by team"),
)


def test_relevant_columns_come_before_strong_effects_elsewhere() -> None:
    findings = [
        finding("difference", "colours differ", metric="mean(weight)", dimension="color",
                effect=Effect(name="hedges_g", value=3.0)),
        finding("difference", "teams differ", effect=Effect(name="hedges_g", value=0.6)),
    ]  # fmt: skip
    assert order(FOCUS, findings)[0] == [1, 0]


def test_among_equally_relevant_findings_the_stronger_and_surer_comes_first() -> None:
    findings = [
        finding("difference", "weak", text="a", effect=Effect(name="cramers_v", value=0.1)),
        finding(
            "difference", "unsure", text="b", label="exploratory_divergent", effect=Effect(name="cramers_v", value=1)
        ),
        finding("difference", "strong", text="c", effect=Effect(name="cramers_v", value=0.9)),
    ]
    assert order(FOCUS, findings)[0][0] == 2


def test_what_lies_behind_a_leading_group_counts_as_its_leading_does() -> None:
    inside = finding("share", "ann holds 14 of 19", metric="count(*)", dimension="person", text="ann")
    plain = finding("share", "bob holds 14 of 19", metric="count(*)", dimension="person", text="bob")
    drilled = inside.model_copy(
        update={"step": Step(kind="drill", params={"metric": mean("hours").model_dump(), "dimension": "team"})}
    )
    assert order(FOCUS, [plain, drilled])[0] == [1, 0]


def test_asked_findings_keep_their_order_at_the_top() -> None:
    findings = [
        finding("difference", "found by the way", interest_0_1=1.0),
        finding("value", "second answer", stated=True, metric="sum(a)"),
        finding("value", "third answer", stated=True, metric="sum(b)"),
    ]
    assert order(FOCUS, findings)[0][:2] == [1, 2]


def test_a_share_and_an_extreme_with_the_same_leader_say_the_same() -> None:
    share = finding("share", "a has 60 of 100 rows (60%)", metric="count(*)", text="a")
    extreme = finding("extreme", "a has 60 rows", metric="count(*)", text="a")
    other = finding("extreme", "b has 60 rows", metric="count(*)", text="b")
    assert same_finding(extreme, share)
    assert not same_finding(other, share)
    kept, dropped = order(FOCUS, [share, extreme, other])
    assert sorted(kept) == [0, 2]
    assert [d["reason"] for d in dropped] == ["says the same as another finding"]


def test_null_findings_about_the_question_are_kept() -> None:
    findings = [finding("difference", "no difference of hours between teams", null=True)]
    assert order(FOCUS, findings)[0] == [0]


def test_a_leader_of_every_month_is_said_once() -> None:
    share = finding("share", "A leads in every month", metric="count(*)", text="A")
    extreme = finding("extreme", "A has the most rows in every month", metric="count(*)", text="A")

    def over(found: LabelledFinding, period: str, column: str | None) -> LabelledFinding:
        subject = found.candidate.claim.subject.model_copy(update={"period": period, "column": column})
        claim = found.candidate.claim.model_copy(update={"subject": subject})
        return found.model_copy(update={"candidate": found.candidate.model_copy(update={"claim": claim})})

    assert same_finding(over(share, "in every month", None), over(extreme, "by month", "day"))


def test_what_is_told_of_two_columns_makes_room_for_others() -> None:
    told = [
        finding("association", "women survived", metric="count(*)", dimension="team", text="1"),
        finding("difference", "women survived more often", metric="share(met in [1])", text="f"),
        finding("difference", "colours differ", metric="mean(weight)", dimension="color", text="x"),
    ]
    subject = told[0].candidate.claim.subject.model_copy(update={"against": "met", "segment": "f"})
    claim = told[0].candidate.claim.model_copy(update={"subject": subject})
    first = told[0].model_copy(update={"candidate": told[0].candidate.model_copy(update={"claim": claim})})
    focus = replace(FOCUS, dimensions=(("team", 0.9), ("color", 0.9)), count_weight=1.0)
    assert order(focus, [first, *told[1:]])[0] == [0, 2, 1]


def test_a_spike_of_a_segment_and_of_its_filtered_rows_are_the_same_finding() -> None:
    plain = finding("outliers", "rows of A spike in May: 40 against 3 to 9", dimension=None, text="May")
    segment = finding("outliers", "A: the rows spike in May: 40 against 3 to 9", text="May")
    filtered = Subject(relation="outliers", metric="mean(hours)", filters="team eq [A]")
    of_segment = Subject(relation="outliers", metric="mean(hours)", dimension="team", segment="A")
    both = [_about(plain, filtered), _about(segment, of_segment)]
    assert same_finding(*both)
    assert not same_finding(both[0], _about(segment, of_segment.model_copy(update={"segment": "B"})))


def _about(found: LabelledFinding, subject: Subject) -> LabelledFinding:
    claim = found.candidate.claim.model_copy(update={"subject": subject})
    return found.model_copy(update={"candidate": found.candidate.model_copy(update={"claim": claim})})
