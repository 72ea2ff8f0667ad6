"""The answer: direct first, only sentences of the evidence, plain where nothing was measured."""

from typing import Any

import pytest

from analyst.protocol import Ask, Intent, Label, LabelledFinding
from analyst.reports.wording import write_report
from datasets.evidence import Candidate, Claim, ClaimValue, Relation, StepResult, Subject
from datasets.measures import Filter, Measure, Metric
from datasets.schema import Column, SchemaCard
from datasets.steps import Step

CARD = SchemaCard(
    dataset="tickets",
    rows=200,
    columns=(
        Column(
            name="team", sql_type="VARCHAR", role="dimension", rows=200, nulls=0, distinct=3, values=("a", "b", "c")
        ),
        Column(name="hours", sql_type="DOUBLE", role="measure", rows=200, nulls=0, distinct=90),
    ),
)


def finding(
    statement: str,
    *,
    stated: bool = False,
    relation: Relation = "share",
    metric: str = "count(*)",
    dimension: str = "team",
    text: str | None = None,
    label: Label = "exploratory",
    **candidate: Any,
) -> LabelledFinding:
    """A labelled finding whose step is told apart by its statement."""
    return LabelledFinding(
        step=Step(kind="share", params={"dimension": dimension, "name": statement}, stated=stated),
        candidate=Candidate(
            claim=Claim(
                subject=Subject(relation=relation, metric=metric, dimension=dimension), value=ClaimValue(text=text)
            ),
            statement=statement,
            n=200,
            **candidate,
        ),
        label=label,
        confidence=0.7,
    )


def test_a_direct_question_gets_the_sentence_of_its_finding_and_no_more() -> None:
    intent = Intent(question="How many rows per team?", asks=(Ask(kind="value"),), relevance={"team": 1.0})
    findings = [
        finding("Hours rise over time.", relation="trend", metric="mean(hours)"),
        finding("Team a has 120 rows, b 50 and c 30", stated=True),
    ]
    report = write_report(intent, CARD, findings, [], {})
    assert report.answer == "Team a has 120 rows, b 50 and c 30."
    assert report.findings[0] == 1


def test_an_open_question_gets_a_few_best_sentences() -> None:
    intent = Intent(question="What stands out?", open=True, relevance={"team": 1.0})
    findings = [finding(f"Statement {i} says {i}.", dimension=f"d{i}", text=str(i)) for i in range(20)]
    report = write_report(intent, CARD, findings, [], {})
    assert 3 <= report.answer.count("- Statement") <= 5
    assert len(report.findings) == 15
    assert {d["reason"] for d in report.dropped} == {"beyond the 15 most relevant"}


def test_every_sentence_of_the_answer_comes_from_the_evidence() -> None:
    intent = Intent(question="Explore", open=True)
    findings = [finding(f"Sentence number {i} of {i * 7}.", dimension=f"d{i}") for i in range(6)]
    answer = write_report(intent, CARD, findings, [], {}).answer
    statements = {f.candidate.statement for f in findings}
    assert {line.removeprefix("- ") for line in answer.splitlines() if line} <= statements


def test_nothing_measured_is_said_plainly_with_the_reason() -> None:
    intent = Intent(question="trend?", asks=(Ask(kind="trend"),))
    results = [StepResult(kind="trend", signature="trend{}", skipped="there is no time column")]
    answer = write_report(intent, CARD, [], results, {}).answer
    assert "there is no time column" in answer


def test_an_asked_step_without_a_finding_is_named_beside_those_that_were_answered() -> None:
    intent = Intent(question="rows by team, and the trend?", asks=(Ask(kind="value"), Ask(kind="trend")))
    step = {"kind": "trend", "signature": "trend{}", "stated": True, "reason": "trend of rows"}
    results = [StepResult(kind="trend", signature="trend{}", skipped="there is no time column")]
    answer = write_report(intent, CARD, [finding("Team a has 120.", stated=True)], results, {"plan": [step]}).answer
    assert answer.startswith("Team a has 120.")
    assert "Trend of rows could not be measured: there is no time column." in answer


def test_an_unclear_question_is_answered_with_what_can_be_asked() -> None:
    intent = Intent(question="profit?", unclear="There is no column about profit")
    answer = write_report(intent, CARD, [], [], {}).answer
    assert answer.startswith("There is no column about profit.")
    assert "team" in answer
    assert "hours" in answer


def test_what_is_already_known_is_cited_when_the_question_asks_for_it() -> None:
    intent = Intent(question="share of teams?", asks=(Ask(kind="share"),))
    skipped = [{"what": "share", "reason": "already known: Team a holds 60%", "memory_id": "m1", "asked": "yes"}]
    answer = write_report(intent, CARD, [], [], {"skipped": skipped}).answer
    assert answer == "Already known: Team a holds 60%."


def test_a_statement_that_is_no_question_is_acknowledged() -> None:
    intent = Intent(question="Always use weeks.", statements=("Always use weeks.",))
    assert write_report(intent, CARD, [], [], {}).answer == "Noted: Always use weeks."


def test_repeated_rows_that_were_set_aside_are_said_where_the_question_asks_for_them() -> None:
    intent = Intent(question="Any duplicates?", asks=(Ask(kind="quality", options={"what": "duplicates"}),))
    none_left = finding("No row repeats another one.", stated=True, relation="quality", null=True)
    none_left = none_left.model_copy(
        update={"step": Step(kind="quality_facts", params={"what": "duplicates"}, stated=True)}
    )
    facts = [{"kind": "duplicates", "statement": "4 of 111 rows repeat an earlier row exactly."}]
    report = write_report(intent, CARD, [none_left], [], {"quality": facts})
    assert report.answer == "4 of 111 rows repeat an earlier row exactly."
    assert report.findings == ()
    assert report.dropped[0]["reason"] == "the repeated rows were set aside before"


def test_a_revalidation_answers_with_its_verdict_and_both_statements() -> None:
    verdict = {
        "verdict": "weakened",
        "reason": "12 now against 20 before: same direction, smaller.",
        "statement": "Team a takes 20 hours more",
        "after": {"statement": "Team a takes 12 hours more."},
    }
    answer = write_report(Intent(question="still true?"), CARD, [], [], {"verdict": verdict}).answer
    assert answer.startswith("The finding still points the same way, but it is weaker. 12 now against 20 before")
    assert "- Before: Team a takes 20 hours more." in answer
    assert "- Now: Team a takes 12 hours more." in answer


def test_the_rule_of_the_question_is_applied_to_what_was_measured() -> None:
    rules = '[{"say": "linear", "when": [["abs_r", ">=", 0.5]]}, {"say": "nonlinear", "when": [["abs_r", "<", 0.5]]}]'
    hours, days = (Measure(kind="column", columns=(c,)) for c in ("hours", "days"))
    ask = Ask(
        kind="relation",
        metrics=tuple(Metric(aggregate="mean", measure=m) for m in (hours, days)),
        options={"rules": rules, "report": "r_squared"},
    )
    related = LabelledFinding(
        step=Step(kind="relation", params={"x": 1}, stated=True),
        candidate=Candidate(
            claim=Claim(
                subject=Subject(relation="correlation", metric="hours", against="days"), value=ClaimValue(number=0.8)
            ),
            statement="days grow with hours: r = 0.8.",
            n=200,
            p_value=0.001,
        ),
        label="confirmatory",
        confidence=0.9,
    )
    answer = write_report(Intent(question="linear?", asks=(ask,)), CARD, [related], [], {}).answer
    assert "R² is 0.64." in answer
    assert answer.endswith("By the rule in the question: linear.")


def test_the_segment_that_moved_most_is_named_first() -> None:
    def answer(moved: str, *deltas: float) -> str:
        table = [{"segment": name, "contribution": delta} for name, delta in zip("abc", deltas, strict=True)]
        split = finding("By team, hours change.", stated=True, relation="contribution", text="a", table=table)
        ask = Ask(kind="change", dimensions=("team",), options={"moved": moved})
        return write_report(Intent(question="q", asks=(ask,)), CARD, [split], [], {}).answer

    assert answer("down", 9.0, -4.0, -1.0) == "b falls most. By team, hours change."
    assert answer("up", 9.0, -4.0, -1.0).startswith("a rises most.")
    assert answer("most", 2.0, -4.0, 1.0).startswith("b changes most.")
    assert answer("down", 9.0, 4.0, 1.0).startswith("No group of team falls.")


def test_a_battery_of_which_nothing_fits_says_so_and_why() -> None:
    intent = Intent(question="Repeat it", unclear="The question names no column.")
    missing = [StepResult(kind="compare", signature=f"c{n}", skipped="no column 'queue' in tickets") for n in range(2)]
    results = [*missing, StepResult(kind="trend", signature="t", skipped="no time column in tickets")]
    said = write_report(intent, CARD, [], results, {"mode": "re-run"}).answer
    assert said == (
        "None of the 3 steps of the stored battery can run on today's data: no column 'queue' in tickets (2 steps); no "
        "time column in tickets (1 step). Choose fresh to analyse the data as it is now."
    )


def test_an_extension_says_that_nothing_is_left_behind_what_is_known() -> None:
    skipped = [{"what": "x", "reason": "already known: North leads.", "asked": "yes"}]
    said = write_report(Intent(question="Go deeper"), CARD, [], [], {"mode": "extend", "skipped": skipped}).answer
    assert said.startswith("Already known: North leads.\n\nEverything that this question leads to was explored before")


@pytest.mark.parametrize(
    ("question", "relation", "value", "yes"),
    [
        ("Does a still have the most hours?", "extreme", ClaimValue(text="a", direction="higher"), True),
        ("Does b still have the most hours?", "extreme", ClaimValue(text="a", direction="higher"), False),
        ("Does a still have the fewest hours?", "extreme", ClaimValue(text="a", direction="higher"), False),
        ("Does b still take less than a?", "difference", ClaimValue(text="a", direction="higher"), True),
        ("Is b still ahead of a?", "difference", ClaimValue(text="a", direction="higher"), False),
        ("Does a still take more?", "difference", ClaimValue(text="team a", direction="higher"), True),
        ("Does a still take less?", "difference", ClaimValue(text="Team A", direction="higher"), False),
        ("Are hours still growing?", "trend", ClaimValue(direction="up"), True),
        ("Are hours still growing?", "trend", ClaimValue(direction="flat"), False),
        ("Are hours still level?", "trend", ClaimValue(direction="flat"), True),
        ("Do hours still differ by team?", "difference", ClaimValue(text="a", direction="none"), False),
        ("Are hours still the same in all teams?", "difference", ClaimValue(text="a", direction="none"), True),
        ("Are hours still unrelated to age?", "correlation", ClaimValue(direction="positive"), False),
        ("Does team c still have the most hours?", "extreme", ClaimValue(text="a", direction="higher"), False),
        ("Does team c still have the most hours?", "difference", ClaimValue(text="a", direction="none"), False),
        ("Is that still so?", "extreme", ClaimValue(text="a", direction="higher"), True),
    ],
)
def test_a_question_that_expects_the_contrary_of_the_finding_is_not_told_yes(
    question: str, relation: Relation, value: ClaimValue, yes: bool
) -> None:
    named = [w for w in question.split() if w.rstrip("?") in {"a", "b"}]
    teams = Filter(column="team", op="in", values=tuple(w.rstrip("?") for w in named))
    asks = (Ask(kind="value", filters=(teams,)),) if named else ()
    claim = Claim(subject=Subject(relation=relation, dimension="team"), value=value).model_dump(mode="json")
    context = {"verdict": {"verdict": "holds", "reason": "Unchanged."}, "claim": claim}
    answer = write_report(Intent(question=question, asks=asks), CARD, [], [], context).answer
    assert answer.startswith("Yes, the finding still holds." if yes else "No, the finding says otherwise")
