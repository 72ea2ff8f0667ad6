"""The words of the answer: sentences of the evidence in a good order, and nothing that is not in it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from analyst.plans.focus import focus_of
from analyst.plans.planning import without
from analyst.protocol import Intent, LabelledFinding, Report
from analyst.questions.conclusions import conclusion
from analyst.reports.premise import contrary
from analyst.reports.ranking import order
from datasets.evidence import StepResult
from datasets.measures import Measure
from datasets.plain import counted, number_text
from datasets.schema import SchemaCard

OPEN_SENTENCES = 5
_ASKED_SENTENCES = 8
_VERDICTS = {
    "holds": "Yes, the finding still holds.",
    "weakened": "The finding still points the same way, but it is weaker.",
    "reversed": "No, the finding has reversed.",
    "gone": "No, the effect is gone.",
    "cannot_tell": "Whether the finding still holds cannot be told from these data.",
}
_OTHERWISE = {
    "holds": "No, the finding says otherwise, and it still holds.",
    "weakened": "No, the finding says otherwise; it still does, but it is weaker.",
    "reversed": "The finding said otherwise, and it has reversed.",
    "gone": "The finding said otherwise, and its effect is gone.",
    "cannot_tell": "The finding says otherwise; whether it still holds cannot be told from these data.",
}
"""Where the question takes the contrary of the finding for granted."""
_ALL_EXPLORED = (
    "Everything that this question leads to was explored before, so nothing new was measured. Choose revalidate to "
    "test a finding again, or re-run to repeat the analysis on today's data."
)
_SIGN_ASKED = re.compile(
    r"positive(?:ly)? or negative|negative(?:ly)? or positive|(?:sign|direction) of", re.IGNORECASE
)
_SHAPE = re.compile(r"normal|gaussian|distributed|skew|uniform", re.IGNORECASE)


def write_report(
    intent: Intent,
    card: SchemaCard,
    findings: Sequence[LabelledFinding],
    results: Sequence[StepResult],
    context: Mapping[str, Any],
    derived: Sequence[tuple[Measure, float]] = (),
) -> Report:
    """Order the findings and write the answer. `derived`: the measures that the question implies, as in planning.

    Read from `context`, all optional: `verdict` of a revalidation, which then is the answer, and the `claim` that it
    tested, against which the question is held; `plan` (steps as JSON with
    their signature) and `skipped` (of the plan), to say what a question asked for and could not be measured or is
    already known; `quality` (facts as JSON), for questions about repeated rows, which the steps no longer see.
    """
    facts = _facts_asked_for(intent, context)
    moot = {i for i, f in enumerate(findings) if facts and _says_no_repeats(f)}
    kept = [i for i in range(len(findings)) if i not in moot]
    ranked, dropped = order(focus_of(intent, card, derived), [findings[i] for i in kept])
    chosen = [kept[i] for i in ranked]
    dropped += [
        {"statement": findings[i].candidate.statement, "reason": "the repeated rows were set aside before"}
        for i in moot
    ]
    tested = _verdict_lines(context.get("verdict"), contrary(intent, card, context.get("claim") or {}))
    lines = tested or _answer_lines(intent, card, findings, results, context, chosen, facts)
    return Report(answer="\n\n".join(lines), findings=tuple(chosen), dropped=tuple(dropped))


def _answer_lines(
    intent: Intent,
    card: SchemaCard,
    findings: Sequence[LabelledFinding],
    results: Sequence[StepResult],
    context: Mapping[str, Any],
    chosen: Sequence[int],
    facts: Sequence[str],
) -> list[str]:
    if context.get("mode") == "re-run" and results and all(r.skipped for r in results):
        return [_none_ran(results)]
    if intent.unclear and not findings and not facts:
        return [_sentence(intent.unclear), columns_sentence(card)]
    asked = [i for i in chosen if findings[i].step.stated and findings[i].step.builds_on is None]
    screened = any(a.options.get("screen") for a in intent.asks)
    telling = [i for i in asked if not (screened and findings[i].step.kind == "compare" and findings[i].candidate.null)]
    if screened:
        telling.sort(key=lambda i: findings[i].candidate.null)
    telling.sort(key=lambda i: not _moved_most(intent, findings[i]))
    direct = [
        _moved_most(intent, findings[i]) + _said(findings[i]) + _concluded(intent, findings[i])
        for i in telling[:_ASKED_SENTENCES]
    ]
    direct += [_sentence(f) for f in facts]
    direct += _known_answers(context) + _not_measured(findings, results, context)
    lines = [_join(direct)] if direct else []
    lines += [" ".join(intent.notes)] if intent.notes else []
    if intent.open or not direct:
        best = [i for i in chosen if i not in asked][: max(3, OPEN_SENTENCES - len(direct))]
        lines += [f"- {_said(findings[i])}" for i in best] if len(best) > 1 else [_said(findings[i]) for i in best]
        if len(best) > 1:
            lines = [*lines[: len(lines) - len(best)], "\n".join(lines[len(lines) - len(best) :])]
    if not lines:
        lines = [_nothing(intent, results, context)]
    if direct and not results and context.get("mode") == "extend":
        lines.append(_ALL_EXPLORED)
    if intent.unclear:
        lines.append(_sentence(intent.unclear))
    return lines


def columns_sentence(card: SchemaCard) -> str:
    """Say what can be asked of the dataset: its columns by role."""
    parts = []
    for words, roles in (
        ("measures", ("measure",)),
        ("dimensions", ("dimension", "boolean")),
        ("times", ("time",)),
        ("other columns", ("identifier", "text")),
    ):
        names = [c.name for c in card.columns if c.role in roles]
        if names:
            listed = ", ".join(names[:8])
            more = f" and {len(names) - 8} more" if len(names) > 8 else ""
            parts.append(f"{words}: {listed}{more}")
    if card.rows == 0:
        return f"{card.called} has a header and no rows: its columns are {', '.join(c.name for c in card.columns[:8])}."
    held = "; ".join(parts) or "no columns that can be analysed"
    apart = next((n for n in card.notes if n.startswith("not joined")), "")
    other = f" {apart[:1].upper()}{apart[1:]}; `recallyst datasets add --table` takes one of them instead."
    return f"{card.called} has {card.rows:,} rows with {held}.{other if apart else ''}"


def _verdict_lines(verdict: Mapping[str, Any] | None, otherwise: bool) -> list[str]:
    """What became of a prior finding: the verdict, why, and both statements."""
    if not verdict:
        return []
    reason, before = str(verdict.get("reason") or ""), str(verdict.get("statement") or "")
    now = str((verdict.get("after") or {}).get("statement") or "")
    words = _OTHERWISE if otherwise else _VERDICTS
    lines = [f"{words.get(str(verdict.get('verdict')), words['cannot_tell'])} {_sentence(reason)}".strip()]
    told = [f"- Before: {_sentence(before)}"] if before else []
    told += [f"- Now: {_sentence(now)}"] if now and now not in reason else []
    return [*lines, "\n".join(told)] if told else lines


def _concluded(intent: Intent, finding: LabelledFinding) -> str:
    """What the question wants concluded from a finding: by its own rule, or as the share of variance explained."""
    claim = finding.candidate.claim
    said = ""
    for ask in intent.asks:
        measures = {m.measure.key for m in ask.metrics}
        key = f"{claim.subject.metric} {claim.subject.against}"
        if ask.kind != finding.step.kind or not any(m in key for m in measures) or claim.subject.segment:
            continue
        if ask.options.get("report") == "r_squared" and claim.subject.relation == "correlation" and claim.value.number:
            said += f" The coefficient of determination R² is {number_text(round(claim.value.number**2, 4))}."
        if _SIGN_ASKED.search(intent.question) and claim.value.direction in {"positive", "negative"}:
            said += f" The correlation is {claim.value.direction}."
        label = conclusion(ask, finding.candidate)
        if label and (ask.kind != "distribution" or _SHAPE.search(label)):
            said += f" By the rule in the question: {label}."
        return said
    return said


def _moved_most(intent: Intent, finding: LabelledFinding) -> str:
    """Which segment fell, rose or changed most, where that is asked; empty for any other finding."""
    subject = finding.candidate.claim.subject
    ask = next((a for a in intent.asks if "moved" in a.options and subject.dimension in a.dimensions), None)
    if ask is None or subject.relation != "contribution":
        return ""
    moved = {str(row["segment"]): float(row["contribution"]) for row in finding.candidate.table}
    way = ask.options["moved"]
    if way == "most":
        moved, verb = {name: abs(delta) for name, delta in moved.items()}, "changes"
    elif way == "down":
        moved, verb = {name: -delta for name, delta in moved.items()}, "falls"
    else:
        verb = "rises"
    leader = max(moved, key=lambda name: moved[name], default=None)
    if leader is None or moved[leader] <= 0:
        return f"No group of {subject.dimension} {verb}. "
    return f"{leader} {verb} most. "


def _facts_asked_for(intent: Intent, context: Mapping[str, Any]) -> list[str]:
    """Statements of facts about repeated rows, where the question asks for them."""
    wanted = {a.options.get("what", "all") for a in intent.asks if a.kind == "quality"} & {"duplicates", "all"}
    found = [f for f in context.get("quality") or () if f.get("kind") in {"duplicates", "double_load"}]
    said = [str(f["statement"]) for f in found if f.get("statement")] if wanted else []
    if "dedupe" in without(intent):
        said = [s.replace("Each is counted once.", "All of them are counted here.") for s in said]
    return said


def _says_no_repeats(finding: LabelledFinding) -> bool:
    subject = finding.candidate.claim.subject
    return (
        subject.relation == "quality"
        and finding.step.params.get("what") == "duplicates"
        and (finding.candidate.null or not finding.candidate.claim.value.number)
    )


def _said(finding: LabelledFinding) -> str:
    return _sentence(finding.candidate.statement)


def _sentence(text: str) -> str:
    clean = " ".join(text.split())
    return clean if clean.endswith((".", "!", "?")) else f"{clean}."


def _join(sentences: Sequence[str]) -> str:
    if len(sentences) <= 3:
        return " ".join(sentences)
    return "\n".join(f"- {s}" for s in sentences)


def _known_answers(context: Mapping[str, Any]) -> list[str]:
    """What a question asks for and an earlier session has already found."""
    said = []
    for entry in context.get("skipped") or ():
        reason = str(entry.get("reason", ""))
        if entry.get("asked") and reason.startswith("already known: "):
            said.append("Already known: " + _sentence(reason.removeprefix("already known: ")))
    return said


def _not_measured(
    findings: Sequence[LabelledFinding], results: Sequence[StepResult], context: Mapping[str, Any]
) -> list[str]:
    """One sentence for each asked step that gave no finding."""
    by_signature = {r.signature: r for r in results}
    answered = {f.step.signature for f in findings}
    said = []
    for step in context.get("plan") or ():
        signature = str(step.get("signature", ""))
        result = by_signature.get(signature)
        if not step.get("stated") or step.get("builds_on") or signature in answered or result is None:
            continue
        about = str(step.get("reason") or step.get("kind") or "this")
        why = result.skipped or "there is nothing in the data that carries a statement"
        said.append(_sentence(f"{about[:1].upper()}{about[1:]} could not be measured: {why}"))
    said += [
        _sentence(f"{entry.get('what')} could not be measured: {entry.get('reason')}")
        for entry in context.get("skipped") or ()
        if entry.get("stated")
    ]
    return said


def _none_ran(results: Sequence[StepResult]) -> str:
    """Say that nothing of a stored battery fits the data any more, and what is missing, each with the steps it hits."""
    reasons = Counter(str(r.skipped).rstrip(".") for r in results)
    told = "; ".join(f"{reason} ({counted(n, 'step')})" for reason, n in reasons.most_common(3))
    which = "The step" if len(results) == 1 else f"None of the {len(results)} steps"
    run = "cannot run" if len(results) == 1 else "can run"
    return (
        f"{which} of the stored battery {run} on today's data: {told}. Choose fresh to analyse the data as it is now."
    )


def _nothing(intent: Intent, results: Sequence[StepResult], context: Mapping[str, Any]) -> str:
    if intent.statements and not intent.asks:
        return "Noted: " + " ".join(_sentence(s) for s in intent.statements)
    reasons = list(dict.fromkeys(r.skipped for r in results if r.skipped))
    if reasons:
        return _sentence(f"Nothing could be measured: {'; '.join(reasons[:3])}")
    if results:
        return "The steps that ran found nothing that the evidence carries as a finding."
    if context.get("mode") == "extend":
        return _ALL_EXPLORED
    return "Nothing was measured."
