"""The state of a session: flat, small, plain JSON values that every checkpointer can keep."""

from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

Json = dict[str, Any]
Mode = Literal["fresh", "extend", "revalidate", "re-run"]
MODES: tuple[Mode, ...] = ("fresh", "extend", "revalidate", "re-run")


class Context(BaseModel):
    """Settings of one run."""

    model_config = ConfigDict(extra="forbid")

    max_steps: int = Field(
        default=24, ge=1, le=200, description="most steps that a planned battery may have; a model may add 6 to it"
    )
    budget_seconds: float = Field(default=60.0, gt=0, description="no new step starts after this time in the battery")
    recall_tokens: int = Field(default=1500, ge=0, description="most tokens of memory handed to the plan")
    charts_in_messages: int = Field(
        default=0, ge=0, le=10, description="how many charts the report's message carries as pictures, for Studio"
    )


class Input(TypedDict, total=False):
    """What a person hands in: a question about a dataset, in fields or as the last chat message."""

    question: Annotated[
        str,
        Field(
            title="Question",
            description="What you want to know, in your own words",
            examples=["Why did revenue change in Q3, and where?"],
        ),
    ]
    dataset: Annotated[
        str,
        Field(title="Dataset", description="A catalogue key; in the terminal also a path", examples=["shop_orders"]),
    ]
    mode: Annotated[
        str,
        Field(
            title="Mode",
            description="fresh, extend, revalidate, re-run or auto; leave empty to be asked",
            json_schema_extra={"enum": ["", *MODES, "auto"]},
        ),
    ]
    messages: Annotated[list[AnyMessage], add_messages]
    """The talk, for chat views: the last message is the question, where the form has none."""


class State(TypedDict, total=False):
    """Everything a session knows. Keys of a question are reset by `understand`; the rest outlives it."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The talk: questions by the person, reports by Recallyst."""
    question: str
    """The question being answered."""
    dataset: str
    """Key of the dataset that the session is about."""
    mode: str | None
    """Mode asked for with this question: one of the four, `auto`, or nothing."""

    session_id: str
    """The session: the thread's id where the host has threads."""
    requested: str | None
    """The mode asked for, taken over from `mode` by `understand`."""
    data_source: str
    """Key under which memory keeps what belongs to this dataset."""
    asked: int
    """How many messages had been read when the question was taken; a later one is a new message."""
    run_id: str
    """Identity of this question's run; memory writes are idempotent by it."""
    waiting: Json | None
    """The question that waits at an open gate, with its run."""
    session_mode: str | None
    """Mode chosen earlier in this session; the gate does not ask again."""
    summary: str
    """Rolling summary of the session, used to build recall queries."""
    noted: int
    """How many messages the transcript pass has read."""

    request: Json | None
    """A wish about memory itself (list, forget, correct), with the units that it means."""
    shown: list[str]
    """Ids of the units that the last answer spoke of, in its order; "forget the second" refers to them."""
    said: list[str]
    """Ids of the units that the last answer itself said; "forget that" and "that is wrong" refer to them."""
    intent: Json
    """What the question means on this dataset: its asks with metrics, dimensions, filters and periods."""
    stated: list[Json]
    """Rules said along with the question, which hold for its answer already: slot, directive, statement, withdraws."""
    fingerprint: Json
    """Schema hash, rows, content hash and newest event time of the data."""
    shape: Json
    """Rows and columns of the dataset."""
    recalled: Json
    """What memory handed on: findings, data_quality, preferences, patterns, each with its reason."""
    prior: list[Json]
    """Prior findings on this dataset from earlier sessions, newest first."""
    options: list[Json]
    """What each mode would do and cost."""
    suggested: Json | None
    """The suggested mode with its confidence and reason."""
    data_id: str
    """Which data the key stands for: the run that met it first."""
    data_changed: Json | None
    """What changed in the data since the last session."""
    gate: Json | None
    """The payload of the gate where it fired."""
    chosen_mode: Mode
    """The mode this question runs in."""
    mode_source: str
    """Who chose it: default, user, auto or gate."""
    wanted: str | None
    """The prior finding that the person chose to revalidate where the question fits two: its memory_id."""
    target: Json | None
    """The prior finding that a revalidation tests."""
    plan: list[Json]
    """The battery: kind, signature, parameters and reason of each step."""
    skipped: list[Json]
    """What was left out of the battery, with reasons."""
    quality: list[Json]
    """Data-quality facts found in this run, or carried by memory."""
    powered: list[Json]
    """Which detectors had the power to find their fact: [kind, column]."""
    directives: list[Json]
    """Directives to compile into the analysis view, with the unit each came from."""
    results: list[Json]
    """What the steps measured."""
    applied: list[Json]
    """Directives that acted on the data, with the unit each came from."""
    findings: list[Json]
    """Labelled findings, best first."""
    answer: str
    """The answer in words."""
    verdict: Json | None
    """The verdict of a revalidation."""
    comparison: list[Json]
    """Of a re-run: what each finding of the stored battery was then and is now."""
    memory: Json
    """What became of each candidate memory: stored, reconfirmed, superseded, resolved, forgotten, dropped."""
    usage: Json
    """Seconds per phase, steps, rows and cells read, model calls and tokens."""
    warnings: list[str]
    """What the person should know about how this answer came about."""


def fresh_keys() -> Json:
    """Return the keys of a question at their empty values, so that nothing of the previous one shines through."""
    return {
        "waiting": None,
        "request": None,
        "intent": {},
        "stated": [],
        "fingerprint": {},
        "shape": {},
        "recalled": {},
        "prior": [],
        "options": [],
        "suggested": None,
        "data_id": "",
        "data_changed": None,
        "gate": None,
        "wanted": None,
        "target": None,
        "plan": [],
        "skipped": [],
        "quality": [],
        "powered": [],
        "directives": [],
        "results": [],
        "applied": [],
        "findings": [],
        "answer": "",
        "verdict": None,
        "comparison": [],
        "memory": {"stored": [], "reconfirmed": [], "superseded": [], "resolved": [], "forgotten": [],
                   "dropped": []},
        "usage": {"seconds": {}, "steps": 0, "rows_scanned": 0, "cells_read": 0,
                  "model": {"calls": 0, "input_tokens": 0, "output_tokens": 0}},
        "warnings": [],
    }  # fmt: skip
