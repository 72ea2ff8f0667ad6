"""report with a model: its sentences are kept where they are grounded, its labels where they claim no more."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyst.grounding.cells import evidence_of, fits
from analyst.grounding.numbers import numbers_in
from analyst.grounding.sentences import ungrounded
from analyst.protocol import Intent, Label, LabelledFinding, Report
from analyst.reports.ranking import same_finding
from datasets.schema import SchemaCard
from prompts import Block, Meter, Prompt, Rejected
from prompts.framing import json_line
from prompts.reading import read_partial
from prompts.report import INSTRUCTIONS, ReportReply

_TABLE_ROWS = 8
_CELL_CHARS = 60
_SENTENCE_CHARS = 500
_TELLING = 2
KEPT = 12
"""So many of the findings that the built-in analyst shows first are shown whatever a model adds."""
_MADE_ROOM = "made room for findings that tell more"
_RANK: dict[Label, int] = {"exploratory_divergent": 0, "exploratory": 1, "confirmatory": 2}
_MARKUP = re.compile(r"[*_`#|<>\[\]{}]|https?://\S+")
Json = dict[str, Any]


@dataclass(frozen=True)
class Settled:
    """A report, and what a person should know about how it came about."""

    report: Report
    remarks: tuple[str, ...]


class SentenceGate:
    """Lets grounded sentences through, one by one, as the reply grows; keeps count of those it held back."""

    def __init__(self, base: Report, findings: Sequence[LabelledFinding], card: SchemaCard) -> None:
        """`base`: the built-in report, whose order gives the findings their ids."""
        self._ids = {f"f{n}": findings[i] for n, i in enumerate(base.findings, 1)}
        self._card = card
        self._judged: dict[tuple[str, tuple[str, ...]], str | None] = {}

    def judge(self, text: str, cited: Sequence[str]) -> str | None:
        """Return why a sentence cannot be shown, or None. Judged once, however often it is handed in."""
        key = (text, tuple(cited))
        if key not in self._judged:
            self._judged[key] = self._why_not(text, cited)
        return self._judged[key]

    def listener(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """Return a function for the growing text of a reply: each finished sentence that stands is said once."""
        said: set[str] = set()

        def hear(text: str) -> None:
            answer = read_partial(text).get("answer")
            entries = answer if isinstance(answer, list) else []
            finished = text.rstrip().endswith("}")
            for entry in entries if finished else entries[:-1]:
                if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
                    continue
                cited = [str(c) for c in entry.get("findings") or []]
                sentence = clean(entry["text"])
                if sentence and sentence not in said and self.judge(sentence, cited) is None:
                    said.add(sentence)
                    say(sentence)

        return hear

    def _why_not(self, text: str, cited: Sequence[str]) -> str | None:
        known = [self._ids[c] for c in cited if c in self._ids]
        if not known:
            return "it cites no finding"
        return ungrounded(text, known, self._card)


def with_kept(base: Report, alone: Sequence[int], findings: Sequence[LabelledFinding]) -> Report:
    """Return a report that holds the first `KEPT` findings of `alone`, which the built-in analyst shows by itself.

    What a model had measured besides makes room for them: what says the same, then the last.
    """
    kept = list(alone[:KEPT])
    shown = list(base.findings)
    for index in (i for i in kept if i not in base.findings):
        same = (n for n, i in enumerate(shown) if i not in kept and same_finding(findings[i], findings[index]))
        place = next(same, None)
        if place is None:
            shown.append(index)
        else:
            shown[place] = index
    spare = [i for i in shown if i not in kept]
    out = set(spare[len(spare) - (len(shown) - len(base.findings)) :]) if len(shown) > len(base.findings) else set()
    places = [i for i in shown if i not in out]
    back = {findings[i].candidate.statement for i in places}
    dropped = [d for d in base.dropped if d["statement"] not in back]
    dropped += [{"statement": findings[i].candidate.statement, "reason": _MADE_ROOM} for i in shown if i in out]
    return base.model_copy(update={"findings": tuple(places), "dropped": tuple(dropped)})


def report_prompt(
    intent: Intent,
    findings: Sequence[LabelledFinding],
    base: Report,
    context: Mapping[str, Any],
    meter: Meter,
) -> Prompt:
    """Return the prompt: the question, what was applied, and the findings with their evidence, best first."""
    told = [_told(f"f{n}", findings[i]) for n, i in enumerate(base.findings, 1)]
    applied = [json_line(str(a.get("effect", ""))[:200]) for a in context.get("applied") or ()]
    known = [json_line(str(k.get("summary", ""))[:200]) for k in context.get("known") or ()]
    blocks = (
        Block("Question", [json_line((intent.standalone or intent.question)[:2_000])], weight=2.0),
        Block("Findings, one a line", [json_line(t) for t in told], weight=6.0),
        Block("Applied to the data before measuring", applied),
        Block("Known before (context only; cite nothing of it)", known),
    )
    return Prompt("report", INSTRUCTIONS, blocks, meter.settings.context_tokens)


def check_report(reply: ReportReply, base: Report) -> None:
    """Hold a report against the findings.

    :raises Rejected: for ids that are none, or an answer without a sentence.
    """
    ids = {f"f{n}" for n in range(1, len(base.findings) + 1)}
    cited = [*(c for s in reply.answer for c in s.findings), *reply.ranking, *(x.finding for x in reply.labels)]
    unknown = next((c for c in cited if c not in ids), None)
    if unknown is not None:
        raise Rejected(f"there is no finding {unknown!r}; the ids are f1 to f{len(ids)}")
    if not any(clean(s.text) for s in reply.answer):
        raise Rejected("the answer holds no sentence")


def settled_report(
    reply: ReportReply, base: Report, findings: Sequence[LabelledFinding], gate: SentenceGate, built_answer: str
) -> Settled:
    """Return the report: grounded sentences, the direct answer first, labels no stronger than the evidence.

    A sentence that is not grounded is dropped and counted. Where the sentences that stand do not give the direct
    answer, its own statement leads them. The built-in answer stands where none is left, or in an exploration fewer than
    two with figures.
    """
    sentences, held = _sentences(reply, gate)
    lead = _missing_lead(base, findings, sentences)
    kept = [text for text, _ in sentences]
    if not _answers(base, findings) and sum(bool(numbers_in(text)) for text in kept) < min(
        _TELLING, len(base.findings)
    ):
        kept = []
    answer = " ".join([lead, *kept] if lead else kept) if kept else built_answer
    labels, too_strong = _labels(reply, base, findings)
    remarks = []
    if held:
        first = held[0]
        count = "1 sentence of the model was" if len(held) == 1 else f"{len(held)} sentences of the model were"
        remarks.append(f"{count} left out because the evidence does not carry it: {first}.")
    if not kept:
        remarks.append("The sentences of the model that stood say too little; the built-in analyst worded the answer.")
    if too_strong:
        remarks.append(
            f"The model claimed more than the evidence allows for {too_strong} "
            f"{'finding' if too_strong == 1 else 'findings'}; the labels follow the evidence."
        )
    ranked = [base.findings[int(i[1:]) - 1] for i in dict.fromkeys(reply.ranking)]
    order = (*ranked, *(i for i in base.findings if i not in ranked))
    return Settled(base.model_copy(update={"answer": answer, "findings": order, "labels": labels}), tuple(remarks))


def clean(text: str) -> str:
    """Return a sentence as plain text on one line, closed with a full stop."""
    plain = " ".join(_MARKUP.sub(" ", text).split())[:_SENTENCE_CHARS].strip()
    return plain if not plain or plain.endswith((".", "!", "?")) else f"{plain}."


def _sentences(reply: ReportReply, gate: SentenceGate) -> tuple[list[tuple[str, tuple[str, ...]]], list[str]]:
    kept: list[tuple[str, tuple[str, ...]]] = []
    held: list[str] = []
    for given in reply.answer:
        text = clean(given.text)
        if not text or text in {k for k, _ in kept}:
            continue
        why = gate.judge(text, given.findings)
        if why is None:
            kept.append((text, tuple(given.findings)))
        else:
            held.append(why)
    return kept, held


def _missing_lead(
    base: Report, findings: Sequence[LabelledFinding], sentences: Sequence[tuple[str, tuple[str, ...]]]
) -> str | None:
    """The statement of the finding that answers first, where no kept sentence tells it, nor the result of a query."""
    answers = _answers(base, findings)
    if not answers:
        return None
    told = [(n, i) for n, i in answers if _tells(n, findings[i], sentences)]
    if any((n, i) == answers[0] or findings[i].step.kind == "sql" for n, i in told):
        return None
    return clean_statement(findings[answers[0][1]].candidate.statement)


def _tells(number: int, finding: LabelledFinding, sentences: Sequence[tuple[str, tuple[str, ...]]]) -> bool:
    """Whether a kept sentence gives the figure, or the name, of a finding."""
    value = finding.candidate.claim.value
    cells = [c for c in evidence_of([finding]).cells if value.number is not None and c.value == value.number]
    for text in (t for t, cited in sentences if f"f{number}" in cited):
        named = bool(value.text) and str(value.text).casefold() in text.casefold()
        told = numbers_in(text)
        if named or any(fits(s, c) for s in told for c in cells) or (not cells and (told or not value.text)):
            return True
    return False


def _answers(base: Report, findings: Sequence[LabelledFinding]) -> list[tuple[int, int]]:
    """Number and index of the findings that the question asked for, best first; none in an exploration."""
    stated = [(n, i, findings[i].step) for n, i in enumerate(base.findings, 1)]
    return [(n, i) for n, i, step in stated if step.stated and not step.builds_on]


def clean_statement(text: str) -> str:
    """Return a statement on one line, closed with a full stop."""
    plain = " ".join(text.split())
    return plain if plain.endswith((".", "!", "?")) else f"{plain}."


def _labels(reply: ReportReply, base: Report, findings: Sequence[LabelledFinding]) -> tuple[dict[int, Label], int]:
    """Labels that claim less than the evidence allows, and how many claimed more.

    One step down at most: "divergent" says that the evidence is contradicted or fails a check, and only the evidence
    can say that.
    """
    weaker: dict[int, Label] = {}
    too_strong = 0
    for given in reply.labels:
        index = base.findings[int(given.finding[1:]) - 1]
        allowed = findings[index].label
        if _RANK[given.label] > _RANK[allowed]:
            too_strong += 1
        elif _RANK[given.label] < _RANK[allowed] and allowed == "confirmatory":
            weaker[index] = "exploratory"
    return weaker, too_strong


def _told(finding_id: str, finding: LabelledFinding) -> Json:
    candidate = finding.candidate
    told: Json = {
        "id": finding_id,
        "label": finding.label,
        "asked": finding.step.stated,
        "says": candidate.statement,
        "n": candidate.n,
    }
    if candidate.test:
        told |= {"test": candidate.test, "p": _short(candidate.p_value), "corrected_p": _short(finding.q_value)}
    if candidate.caveats:
        told["caveats"] = candidate.caveats[:3]
    if candidate.table:
        told["table"] = [{k: _short(v) for k, v in row.items()} for row in candidate.table[:_TABLE_ROWS]]
    return told


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value[:_CELL_CHARS] if isinstance(value, str) else value
