"""The built-in analyst: deterministic judgement without a model, a key or a network."""

from collections.abc import Mapping, Sequence
from typing import Any

from analyst.heads import Embeds
from analyst.modes.suggestion import suggest_mode
from analyst.notes.transcript import Reading, read_talk
from analyst.plans.planning import plan_battery
from analyst.priors.choosing import choose_prior
from analyst.priors.ground import new_ground
from analyst.protocol import Intent, Known, LabelledFinding, Mode, Note, Plan, Probe, Report, Suggestion, Turn
from analyst.questions.understanding import understand
from analyst.reading.derived import derived_measures
from analyst.reading.matching import Matcher
from analyst.reports.wording import write_report
from datasets.evidence import StepResult
from datasets.measures import Grain
from datasets.schema import SchemaCard


class BuiltinAnalyst:
    """Implements `Analyst` by matching, statistics and templates. Stateless; the same input gives the same reply.

    `embedder` adds nearness of meaning to the matching of words; without one, only words count.
    """

    def __init__(self, embedder: Embeds | None = None) -> None:
        self.embedder = embedder

    def understand(self, question: str, card: SchemaCard, *, history: Sequence[Turn] = ()) -> Intent:
        """See `Analyst.understand`."""
        return understand(question, card, embedder=self.embedder, history=history)

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
        chosen = choose_prior(question, intent, prior, self.embedder)
        return suggest_mode(
            question,
            [k.summary for k in prior],
            data_changed=data_changed,
            days_since_last=days_since_last,
            embedder=self.embedder,
            about=chosen.summary if chosen else None,
            nearest=not any(k.claim for k in prior),
            new_ground=new_ground(intent, prior),
        )

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
        """See `Analyst.plan`. What stands is enforced by the view, so it changes no plan; no query is written."""
        derived = derived_measures(card, intent.question, Matcher(card, self.embedder))
        return plan_battery(intent, card, derived, known=known, facts=facts, grain=grain, max_steps=max_steps)

    def choose_prior(self, question: str, intent: Intent, prior: Sequence[Known]) -> Known | None:
        """See `Analyst.choose_prior`."""
        return choose_prior(question, intent, prior, self.embedder)

    def report(
        self,
        intent: Intent,
        card: SchemaCard,
        findings: Sequence[LabelledFinding],
        results: Sequence[StepResult],
        *,
        context: Mapping[str, Any],
    ) -> Report:
        """See `Analyst.report`."""
        return write_report(intent, card, findings, results, context, derived_measures(card, intent.question))

    def transcript(self, turns: Sequence[Turn], card: SchemaCard | None) -> list[Note]:
        """See `Analyst.transcript`."""
        return self.read_talk(turns, card).said

    def read_talk(self, turns: Sequence[Turn], card: SchemaCard | None) -> Reading:
        """Return the notes of `transcript`, and what the user took back."""
        return read_talk(turns, card, self.embedder)

    def model_calls(self, mode: Mode) -> int:
        """See `Analyst.model_calls`."""
        return 0
