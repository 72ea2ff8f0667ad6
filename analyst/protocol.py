"""The seam for judgement: what an analyst is asked, and the typed replies it gives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from datasets.evidence import Candidate, StepResult
from datasets.measures import Filter, Grain, Metric, Window
from datasets.schema import SchemaCard
from datasets.steps import Step

Mode = Literal["fresh", "extend", "revalidate", "re-run"]
Label = Literal["confirmatory", "exploratory", "exploratory_divergent"]
AskKind = Literal[
    "value", "extreme", "trend", "change", "compare", "share", "relation", "distribution", "outliers", "quality",
    "list", "retention", "survival", "funnel", "experiment", "forecast", "leads", "open", "query",
]  # fmt: skip


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Ask(_Reply):
    """One thing that the question wants to know; a question may hold several."""

    kind: AskKind
    metrics: tuple[Metric, ...] = ()
    dimensions: tuple[str, ...] = ()
    columns: tuple[str, ...] = Field(default=(), description="columns named where no metric is meant")
    filters: tuple[Filter, ...] = ()
    window: Window | None = None
    versus: Window | None = None
    grain: Grain | None = None
    order: Literal["asc", "desc"] | None = None
    top: int | None = None
    options: dict[str, str] = Field(default_factory=dict, description="method=iqr, test=shapiro, what=missing, ...")
    text: str = Field(default="", description="the words it was read from")
    proposed: bool = Field(default=False, description="added by a model to what the code read from the question")


class Intent(_Reply):
    """What a question means on this dataset."""

    question: str
    asks: tuple[Ask, ...] = ()
    relevance: dict[str, float] = Field(
        default_factory=dict, description="column → 0..1, how much the question is about it"
    )
    open: bool = Field(default=False, description="an open exploration is wanted besides, or instead of, the asks")
    unclear: str | None = Field(
        default=None, description="one sentence when the question cannot be read on this dataset"
    )
    statements: tuple[str, ...] = Field(
        default=(), description="sentences that state a preference or a rule, not a question"
    )
    notes: tuple[str, ...] = Field(
        default=(),
        description="one sentence each: words that no ask used, or what a word with several meanings was taken for",
    )
    standalone: str | None = Field(default=None, description="the question in one sentence that needs no earlier turn")
    earlier_sql: tuple[str, ...] = Field(default=(), description="what the last answer was measured with")


class Known(_Reply):
    """A recalled unit in the analyst's words; plain JSON, no ledger types."""

    memory_id: str
    memory_type: Literal["finding", "data_quality", "user_preference", "domain_pattern"]
    summary: str
    claim: dict[str, Any] | None = None
    step: dict[str, Any] | None = Field(default=None, description="the Step that produced it, as JSON")
    signature: str | None = None
    label: Label | None = None
    confidence: float = 0.0
    age_days: float = 0.0
    score: float = 0.0
    required: bool = False
    rival: str | None = Field(
        default=None, description="of a chosen finding: another one that the question fits as well, in its words"
    )


class Plan(_Reply):
    """An ordered battery with what was left out."""

    steps: tuple[Step, ...]
    skipped: tuple[dict[str, str], ...] = Field(default=(), description='[{"what": ..., "reason": ...}]')
    without: tuple[str, ...] = Field(
        default=(), description="names of directives that would hide what the question is about (dedupe, of repeats)"
    )


class Suggestion(_Reply):
    """Which mode the analyst would choose at the gate."""

    mode: Mode
    confidence: float = Field(ge=0, le=1)
    reason: str = Field(description="one sentence that a person would say")


class LabelledFinding(_Reply):
    """A candidate with its label, ready for the report."""

    step: Step
    candidate: Candidate
    label: Label
    confidence: float
    q_value: float | None = None
    relevance_0_1: float = 0.5


class Report(_Reply):
    """The words of the answer. `findings` are indexes into the labelled findings, best first."""

    answer: str = Field(description="the direct answer first; plain Markdown without tables")
    findings: tuple[int, ...]
    dropped: tuple[dict[str, str], ...] = ()
    labels: dict[int, Label] = Field(
        default_factory=dict, description="index → a weaker label than the evidence allows"
    )


class Note(_Reply):
    """Something a person said that should hold later: a preference or a working pattern."""

    memory_type: Literal["user_preference", "domain_pattern"]
    subject: str = Field(description="slot: grain, filter, format, chart, method, definition, calendar, code, ...")
    value: str
    statement: str = Field(description="one sentence that stands alone")
    directive: dict[str, Any] | None = None
    scope: Literal["this_dataset", "all"] = "this_dataset"
    polarity: Literal["do", "avoid"] = "do"
    withdraws: bool = Field(default=False, description="takes back what was said on this subject; nothing replaces it")
    quote: str = Field(description="verbatim words of the user")
    turn: int = Field(description="index into the turns handed in")


class Turn(_Reply):
    """One message of the talk."""

    role: Literal["user", "assistant"]
    content: str
    sql: tuple[str, ...] = Field(default=(), description="of an answer: the queries behind its first findings")


class Probed(NamedTuple):
    """What a query gave on trial: its column names and how many rows, or why it did not run."""

    columns: tuple[str, ...]
    rows: int
    error: str | None = None


Probe = Callable[[str], Probed]
"""Tries a query on the analysis view and keeps nothing."""


class Analyst(Protocol):
    """Judgement in four phases. Implementations are stateless towards the caller and never touch stores."""

    def understand(self, question: str, card: SchemaCard, *, history: Sequence[Turn] = ()) -> Intent:
        """Read a question on a schema card. Never raises on odd questions: `Intent.unclear` says what is missing."""
        ...

    def suggest_mode(
        self,
        question: str,
        intent: Intent,
        prior: Sequence[Known],
        *,
        data_changed: bool,
        days_since_last: float | None,
    ) -> Suggestion:
        """Say which mode fits the question."""
        ...

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
        """Plan a battery; with `known`, explored signatures are skipped and open ends are drilled into.

        `facts`: data-quality facts of this run as JSON; `grain`: the preferred grain of time series; `standing`: units
        that hold in every mode (data quality, preferences, patterns); `probe`: tries a query before it becomes a step.
        """
        ...

    def choose_prior(self, question: str, intent: Intent, prior: Sequence[Known]) -> Known | None:
        """Return the prior finding that the question is about, or None when none fits."""
        ...

    def report(
        self,
        intent: Intent,
        card: SchemaCard,
        findings: Sequence[LabelledFinding],
        results: Sequence[StepResult],
        *,
        context: Mapping[str, Any],
    ) -> Report:
        """Order the findings and write the answer. No number enters that is not in the evidence.

        Read from `context`, each optional: `plan` (steps as JSON with their signature) and `skipped` (of the plan), to
        say which asked step could not be measured or is already known.
        """
        ...

    def transcript(self, turns: Sequence[Turn], card: SchemaCard | None) -> list[Note]:
        """Return what the user said that should hold later, and what he took back; only words of the user count."""
        ...

    def model_calls(self, mode: Mode) -> int:
        """Return how many calls of a model a turn in that mode makes, where nothing has to be repaired."""
        ...
