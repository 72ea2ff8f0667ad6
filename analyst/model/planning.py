"""plan with a model: it orders the drafted battery and adds steps; the draft stays whole, within the budget."""

from collections.abc import Mapping, Sequence
from typing import Any

from analyst.model.asks import ask_of
from analyst.model.card import card_block
from analyst.model.memory_blocks import memory_blocks
from analyst.plans.ask_parts import Setting
from analyst.plans.drafts import steps_of
from analyst.plans.focus import focus_of
from analyst.plans.planning import repeated_values
from analyst.plans.steps_for_asks import drafts_for
from analyst.protocol import Ask, Intent, Known, Plan
from datasets.measures import Grain
from datasets.schema import SchemaCard
from datasets.steps import Step
from prompts import Block, Meter, Prompt, Rejected
from prompts.framing import json_line
from prompts.plan import INSTRUCTIONS, PlanReply

MOST_ADDED = 4
MOST_BESIDES = 6
"""Steps that a model may add on top of a full battery: in its place they would cost findings."""
_ABOUT_CHARS = 160


def planning_prompt(
    intent: Intent,
    card: SchemaCard,
    drafted: Plan,
    known: Sequence[Known],
    standing: Sequence[Known],
    facts: Sequence[Mapping[str, Any]],
    meter: Meter,
) -> Prompt:
    """Return the prompt: the workarounds first, then what is known, the question, the card and the draft."""
    shares = meter.settings.shares
    findings = [k for k in known if k.memory_type == "finding"]
    asked = {"question": (intent.standalone or intent.question)[:2_000]}
    queries = [a.text for a in intent.asks if a.kind == "query"]
    question: dict[str, Any] = {**asked, **({"needs_sql": queries} if queries else {})}
    blocks = [
        *memory_blocks(standing, findings, shares, facts),
        Block("Question", [json_line(question)], weight=2.0),
        Block("SQL of the last answer", [json_line(s) for s in intent.earlier_sql] if shares == "values" else []),
        card_block(card, intent.relevance, shares),
        Block("Drafted battery", [json_line(_drafted(i, s, shares == "values")) for i, s in _ids(drafted).items()]),
    ]
    return Prompt("plan", INSTRUCTIONS, tuple(blocks), meter.settings.context_tokens)


def check_plan(reply: PlanReply, drafted: Plan, card: SchemaCard) -> None:
    """Hold a plan against the draft and the card.

    :raises Rejected: for ids that are not drafted, and for unknown names.
    """
    ids = _ids(drafted)
    unknown = [i for i in reply.order if i not in ids]
    if unknown:
        raise Rejected(f"there is no drafted step {unknown[0]!r}; the ids are {', '.join(ids) or 'none'}")
    for given in reply.add:
        if given.kind == "query":
            raise Rejected("a query stands in `queries`, not in `add`")
        ask_of(given, card)


def settled_plan(
    reply: PlanReply,
    drafted: Plan,
    queries: Sequence[Step],
    skipped: Sequence[dict[str, str]],
    intent: Intent,
    card: SchemaCard,
    *,
    known: Sequence[Known],
    facts: Sequence[Mapping[str, Any]],
    grain: Grain | None,
    max_steps: int,
) -> Plan:
    """Return the battery: what the question states, the draft in the model's order, then the model's additions.

    The draft stays whole: the budget is its own, and additions get at most `MOST_BESIDES` steps on top of a full one.
    Additions are explorations, whatever the model calls them: only the question and prior findings state a claim. A
    step that is known already is not added. What the budget does not hold is listed.
    """
    ids = _ids(drafted)
    asked = _asked(intent, card, known, facts, grain)
    stated = [s for s in drafted.steps if s.stated]
    chosen = [ids[i] for i in dict.fromkeys(reply.order) if not ids[i].stated]
    rest = [s for s in drafted.steps if not s.stated and s not in chosen]
    mine = {s.signature for s in drafted.steps} | {k.signature for k in known if k.signature}
    first, last = ([s for s in (*queries, *asked) if s.stated is wanted] for wanted in (True, False))
    besides: dict[str, Step] = {}
    for step in [*first, *last, *_added(reply, intent, card, known, facts, grain)]:
        if step.signature not in mine:
            besides.setdefault(step.signature, step.model_copy(update={"proposed": True}))
    room = max(max_steps - len(drafted.steps), MOST_BESIDES)
    added = list(besides.values())
    beyond = [{"what": s.reason or s.kind, "reason": "beyond the budget of steps"} for s in added[room:]]
    told = [s for s in added[:room] if s.stated]
    steps = [*stated, *told, *chosen, *rest, *(s for s in added[:room] if not s.stated)]
    return Plan(steps=tuple(steps), skipped=(*drafted.skipped, *skipped, *beyond), without=drafted.without)


def as_read(intent: Intent) -> Intent:
    """Return the intent as the built-in analyst reads and plans it: without queries, and what a model added."""
    return intent.model_copy(update={"asks": tuple(a for a in intent.asks if a.kind != "query" and not a.proposed)})


def _added(
    reply: PlanReply,
    intent: Intent,
    card: SchemaCard,
    known: Sequence[Known],
    facts: Sequence[Mapping[str, Any]],
    grain: Grain | None,
) -> list[Step]:
    asks = [ask_of(given, card) for given in reply.add[:MOST_ADDED]]
    return [s.model_copy(update={"stated": False}) for s in _measured(asks, intent, card, known, facts, grain)]


def _asked(
    intent: Intent,
    card: SchemaCard,
    known: Sequence[Known],
    facts: Sequence[Mapping[str, Any]],
    grain: Grain | None,
) -> list[Step]:
    """The steps of what the model read in the question besides; an exploration states nothing."""
    asks = [a for a in intent.asks if a.proposed and a.kind != "query"]
    steps = _measured(asks, intent, card, known, facts, grain)
    return [s.model_copy(update={"stated": s.stated and not intent.open}) for s in steps]


def _measured(
    asks: Sequence[Ask],
    intent: Intent,
    card: SchemaCard,
    known: Sequence[Known],
    facts: Sequence[Mapping[str, Any]],
    grain: Grain | None,
) -> list[Step]:
    dimensions = tuple(name for name, _ in focus_of(intent, card, ()).dimensions)
    setting = Setting(card, grain=grain, repeated=repeated_values(known, facts), dimensions=dimensions)
    return [step for _, step in steps_of([d for a in asks for d in drafts_for(a, setting)])[0]]


def _ids(drafted: Plan) -> dict[str, Step]:
    return {f"s{n}": step for n, step in enumerate(drafted.steps, 1)}


def _drafted(step_id: str, step: Step, with_values: bool) -> dict[str, Any]:
    """A drafted step in few words; its reason may quote values, so without them only its kind and columns are told."""
    told: dict[str, Any] = {"id": step_id, "kind": step.kind, "asked": step.stated}
    if with_values:
        return told | {"measures": step.reason[:_ABOUT_CHARS]}
    params = step.params
    of: dict[str, Any] = {k: params[k] for k in ("by", "dimension", "dimensions", "grain", "time") if k in params}
    metrics: list[dict[str, Any]] = [params["metric"]] if "metric" in params else params.get("metrics") or [{}]
    metric = metrics[0]
    columns = (metric.get("measure") or {}).get("columns") or []
    return told | {"aggregate": metric.get("aggregate", "count"), "columns": columns, **of}
