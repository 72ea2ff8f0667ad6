"""The document of one turn: what `ask` returns, what `--json` prints and what the HTML report shows."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from recallyst.notebook import finding_bundle

Json = dict[str, Any]


class DatasetInfo(BaseModel):
    """Which data was looked at."""

    key: str
    rows: int
    columns: int
    fingerprint: Json
    notes: list[str] = Field(default_factory=list, description="load report")


class Gate(BaseModel):
    """The open or answered question of what to do with prior findings."""

    prior_findings: list[Json]
    suggested: Json | None
    data_changed: Json | None
    options: list[Json]
    note: str | None = Field(default=None, description="why the last answer was not taken")


class Finding(BaseModel):
    """A labelled statement with the evidence that carries it."""

    id: str
    statement: str
    label: str
    confidence: float
    claim: Json
    evidence: Json
    memory_id: str | None = None
    chart: Json | None = None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Render in a notebook: the statement with its chart, its numbers and its SQL."""
        return finding_bundle(self)


class Document(BaseModel):
    """One turn, whole. New keys may be added; these keep their meaning."""

    model_config = ConfigDict(extra="forbid")

    session_id: str
    status: Literal["done", "waiting"]
    question: str
    dataset: DatasetInfo
    mode: str | None
    mode_source: str | None
    gate: Gate | None
    data_changed: Json | None = Field(default=None, description="what changed in the data since the last session")
    answer: str
    findings: list[Finding]
    data_quality: list[Json]
    applied: list[Json]
    skipped: list[Json]
    plan: list[Json]
    verdict: Json | None
    comparison: list[Json] = Field(
        default_factory=list,
        description="of a re-run, per finding: statement_before, statement_now, then, now, change, verdict, reason",
    )
    memory: Json
    usage: Json
    report: str | None = None
    warnings: list[str]


def document_from(state: Json, *, waiting: Json | None = None) -> Document:
    """Build the document from the state of a session and, where the gate is open, its payload."""
    shown = waiting or state.get("gate")
    return Document(
        session_id=state["session_id"],
        status="waiting" if waiting else "done",
        question=state["question"],
        dataset=DatasetInfo(key=state["data_source"], fingerprint=state["fingerprint"], **state["shape"]),
        mode=None if waiting else state.get("chosen_mode"),
        mode_source=None if waiting else state.get("mode_source"),
        gate=Gate.model_validate({k: shown.get(k) for k in Gate.model_fields}) if shown else None,
        data_changed=state.get("data_changed"),
        answer=state.get("answer") or "",
        findings=[Finding.model_validate(f) for f in state.get("findings") or []],
        data_quality=[_quality(q) for q in state.get("quality") or []],
        applied=state.get("applied") or [],
        skipped=state.get("skipped") or [],
        plan=[
            {k: s.get(k) for k in ("kind", "signature", "params", "reason", "builds_on")}
            for s in state.get("plan") or []
        ],
        verdict=state.get("verdict"),
        comparison=state.get("comparison") or [],
        memory=state["memory"],
        usage=state["usage"],
        warnings=state.get("warnings") or [],
    )


def _quality(fact: Json) -> Json:
    keys = ("kind", "column", "statement", "directive", "durative", "memory_id", "status", "informational")
    return {k: fact.get(k) for k in keys} | {"durative": bool(fact.get("durative"))}
