"""What a step hands back: claims that could become findings, each with the evidence that carries it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Relation = Literal[
    "value", "extreme", "share", "concentration", "evenness", "trend", "period_change", "contribution",
    "difference", "correlation", "association", "distribution", "outliers", "quality", "overview",
    "terms", "seasonality", "retention", "funnel", "experiment", "forecast", "drivers", "lead",
]  # fmt: skip
Direction = Literal["up", "down", "flat", "higher", "lower", "positive", "negative", "none"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Subject(_Frozen):
    """What a claim is about, without its value. Its canonical JSON is the identity of the claim."""

    relation: Relation
    metric: str | None = Field(default=None, description="Metric.key")
    dimension: str | None = None
    segment: str | None = Field(default=None, description="one value of the dimension, where the claim fixes it")
    against: str | None = Field(default=None, description="the other column, segment or period it is compared with")
    period: str | None = Field(default=None, description="Window.key or a grain such as 'by month'")
    filters: str | None = Field(default=None, description="Filter.key values joined by ' & ', sorted")
    column: str | None = None


class ClaimValue(_Frozen):
    """What a claim says of its subject."""

    number: float | None = None
    unit: str | None = None
    direction: Direction | None = None
    text: str | None = Field(default=None, description="a name: the leading segment, a list of outliers, ...")
    low: float | None = Field(default=None, description="lower end of the 95 % interval of `number`")
    high: float | None = None


class Claim(_Frozen):
    """The machine-readable content of a statement."""

    subject: Subject
    value: ClaimValue


class Effect(_Frozen):
    """An effect size with its 95 % interval."""

    name: str = Field(description="hedges_g, omega_squared, cramers_v, spearman_rho, risk_difference, ...")
    value: float
    low: float | None = None
    high: float | None = None


class Candidate(_Frozen):
    """A claim that a step found, before it is labelled."""

    claim: Claim
    statement: str = Field(description="one or two sentences with the numbers in them; plain text, never markup")
    n: int = Field(description="rows (or periods, where the test counts those) behind the number")
    test: str | None = Field(default=None, description="name of the test; None for an exact count or sum")
    p_value: float | None = None
    named_p_value: float | None = Field(
        default=None, description="of a test that the question names, told beside the one that decides the label"
    )
    effect: Effect | None = None
    null: bool = Field(default=False, description="states that there is no difference, trend or relation")
    inconclusive: bool = Field(
        default=False,
        description="of a null: the data leave room for a difference that matters, so no absence is shown",
    )
    robust: bool | None = Field(default=None, description="False where a robustness check flips it; None: not checked")
    interest_0_1: float = Field(default=0.5, description="how much it would surprise or matter; ranks findings")
    chart: dict[str, Any] | None = Field(default=None, description="Vega-Lite v6 spec with inline data")
    table: list[dict[str, Any]] = Field(default_factory=list, description="at most 50 rows of plain JSON values")
    sql: list[str] = Field(default_factory=list)
    caveats: list[str] = Field(default_factory=list)
    limit: Literal["exploratory"] | None = Field(
        default=None, description="the strongest label that the reading of the file leaves, whatever the test says"
    )


class StepResult(_Frozen):
    """All that one step measured. JSON-able; NaN and infinity never appear (None instead, said in a caveat)."""

    kind: str
    signature: str
    candidates: list[Candidate] = Field(default_factory=list)
    tests_run: int = Field(default=0, description="hypothesis tests performed, shown or not; the family for BH")
    raw_p_values: list[float] = Field(default_factory=list, description="p-values of all tests run, shown or not")
    rows_scanned: int = 0
    cells_read: int = Field(default=0, description="rows x columns read from the analysis view")
    seconds: float = 0.0
    skipped: str | None = Field(default=None, description="why nothing was measured")
