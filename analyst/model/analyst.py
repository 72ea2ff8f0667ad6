"""The model analyst: a model proposes in every phase, the code disposes, and the built-in analyst stands behind it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel

from analyst.builtin import BuiltinAnalyst
from analyst.model.modes import mode_prompt, settled_mode
from analyst.model.notes import check_transcript, settled_notes, transcript_prompt
from analyst.model.planning import as_read, check_plan, planning_prompt, settled_plan
from analyst.model.queries import Queries, query_steps
from analyst.model.reading import check_reading, reading_prompt, settled_reading
from analyst.model.reporting import SentenceGate, check_report, report_prompt, settled_report, with_kept
from analyst.protocol import (
    Intent,
    Known,
    LabelledFinding,
    Mode,
    Note,
    Plan,
    Probe,
    Report,
    Suggestion,
    Turn,
)
from datasets.evidence import StepResult
from datasets.measures import Grain
from datasets.schema import SchemaCard
from prompts import Meter, ModelTrouble, ask
from prompts.modes import ModeReply
from prompts.plan import PlanReply
from prompts.report import ReportReply
from prompts.transcript import TranscriptReply
from prompts.understand import UnderstandReply

_CALLS: dict[Mode, int] = {"fresh": 3, "extend": 3, "revalidate": 0, "re-run": 2}


class ModelAnalyst:
    """Implements `Analyst` by asking a model through `prompts.ask`.

    Each phase first lets the built-in analyst work; the model's reply is validated, repaired once, and joined to that
    work or, where it cannot stand, left out with a warning on the meter. It never raises for what a model says.
    """

    def __init__(
        self,
        chat: BaseChatModel,
        builtin: BuiltinAnalyst,
        meter: Meter,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """`meter`: budget and account of this turn. `say`: gets each grounded sentence of the answer as it comes."""
        self._chat = chat
        self._builtin = builtin
        self._meter = meter
        self._say = say

    def understand(self, question: str, card: SchemaCard, *, history: Sequence[Turn] = ()) -> Intent:
        """See `Analyst.understand`."""
        built = self._builtin.understand(question, card, history=history)
        if not card.columns or not question.strip() or (built.statements and not built.asks and not built.open):
            return built
        try:
            reply = ask(
                self._chat,
                reading_prompt(question, card, built, history, self._meter),
                UnderstandReply,
                meter=self._meter,
                check=lambda r: check_reading(r, question, card),
            )
        except ModelTrouble as trouble:
            self._meter.note("to read the question", trouble)
            return built
        reading = settled_reading(reply, built, card, history)
        for remark in reading.remarks:
            self._meter.warn(remark)
        return reading.intent

    def suggest_mode(
        self,
        question: str,
        intent: Intent,
        prior: Sequence[Known],
        *,
        data_changed: bool,
        days_since_last: float | None,
    ) -> Suggestion:
        """See `Analyst.suggest_mode`."""
        built = self._builtin.suggest_mode(
            question, intent, prior, data_changed=data_changed, days_since_last=days_since_last
        )
        if not prior or not question.strip():
            return built
        prompt = mode_prompt(
            question, prior, data_changed=data_changed, days_since_last=days_since_last, meter=self._meter
        )
        try:
            reply = ask(self._chat, prompt, ModeReply, meter=self._meter)
        except ModelTrouble as trouble:
            self._meter.note("to suggest a mode", trouble)
            return built
        chosen = self._builtin.choose_prior(question, intent, prior)
        return settled_mode(reply, built, question, chosen.summary if chosen else None, data_changed=data_changed)

    def plan(
        self,
        intent: Intent,
        card: SchemaCard,
        *,
        known: Sequence[Known] = (),
        facts: Sequence[Mapping[str, Any]] = (),
        grain: Grain | None = None,
        max_steps: int = 24,
        standing: Sequence[Known] = (),
        probe: Probe | None = None,
    ) -> Plan:
        """See `Analyst.plan`."""
        drafted = self._builtin.plan(as_read(intent), card, known=known, facts=facts, grain=grain, max_steps=max_steps)
        if not card.columns or not (intent.asks or intent.open):
            return drafted
        try:
            reply = ask(
                self._chat,
                planning_prompt(intent, card, drafted, known, standing, facts, self._meter),
                PlanReply,
                meter=self._meter,
                check=lambda r: check_plan(r, drafted, card),
            )
        except ModelTrouble as trouble:
            self._meter.note("to plan the battery", trouble)
            reply = PlanReply(order=[], add=[], queries=[])
        queries = Queries([], [])
        if probe is not None:
            queries = query_steps(reply.queries, intent, card, probe, self._chat, self._meter)
        plan = settled_plan(
            reply,
            drafted,
            queries.steps,
            queries.skipped,
            intent,
            card,
            known=known,
            facts=facts,
            grain=grain,
            max_steps=max_steps,
        )
        return plan if any(s.kind == "sql" for s in plan.steps) or queries.skipped else _unanswered(plan, intent)

    def choose_prior(self, question: str, intent: Intent, prior: Sequence[Known]) -> Known | None:
        """See `Analyst.choose_prior`. The code chooses: what is tested must not depend on a mood."""
        return self._builtin.choose_prior(question, intent, prior)

    def report(
        self,
        intent: Intent,
        card: SchemaCard,
        findings: Sequence[LabelledFinding],
        results: Sequence[StepResult],
        *,
        context: Mapping[str, Any],
    ) -> Report:
        """See `Analyst.report`. A verdict keeps the code's words, and without findings there is nothing to word.

        Where only the schema may leave, the built-in analyst words the answer: evidence is made of cells.
        """
        base = self._builtin.report(intent, card, findings, results, context=context)
        own = [i for i, f in enumerate(findings) if not f.step.proposed]
        if len(own) < len(findings):
            alone = self._builtin.report(as_read(intent), card, [findings[i] for i in own], results, context=context)
            base = with_kept(base, [own[i] for i in alone.findings], findings)
        if context.get("verdict") or not base.findings or self._meter.settings.shares == "schema":
            return base
        gate = SentenceGate(base, findings, card)
        try:
            reply = ask(
                self._chat,
                report_prompt(intent, findings, base, context, self._meter),
                ReportReply,
                meter=self._meter,
                check=lambda r: check_report(r, base),
                on_text=gate.listener(self._say) if self._say else None,
            )
        except ModelTrouble as trouble:
            self._meter.note("to write the answer", trouble)
            return base
        settled = settled_report(reply, base, findings, gate, base.answer)
        for remark in settled.remarks:
            self._meter.warn(remark)
        return settled.report

    def transcript(self, turns: Sequence[Turn], card: SchemaCard | None) -> list[Note]:
        """See `Analyst.transcript`."""
        built = self._builtin.read_talk(turns, card)
        if not any(t.role == "user" for t in turns):
            return built.said
        try:
            reply = ask(
                self._chat,
                transcript_prompt(turns, card, self._meter),
                TranscriptReply,
                meter=self._meter,
                check=lambda r: check_transcript(r, turns),
            )
        except ModelTrouble as trouble:
            self._meter.note("to pick up what should hold later", trouble)
            return built.said
        settled = settled_notes(reply, built, turns, card, self._builtin.embedder)
        return [*settled, *(withdrawal.note() for withdrawal in built.withdrawn)]

    def model_calls(self, mode: Mode) -> int:
        """See `Analyst.model_calls`: plan, report and transcript; a mode that brings its own steps plans nothing.

        A revalidation asks nothing of the model, unless the message states a rule besides.
        """
        return _CALLS[mode]


def _unanswered(plan: Plan, intent: Intent) -> Plan:
    """Say of each ask that needs a query, and got none, that it is not answered."""
    missed = tuple(
        {"what": f"“{a.text}”", "reason": "it needs a query, and no query came", "stated": "yes"}
        for a in intent.asks
        if a.kind == "query"
    )
    return plan.model_copy(update={"skipped": (*plan.skipped, *missed)}) if missed else plan
