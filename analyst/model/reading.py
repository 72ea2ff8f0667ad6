"""understand with a model: its reading is anchored in the words of the question and joins what the code has read."""

from collections.abc import Sequence
from dataclasses import dataclass

from analyst.model.asks import ask_of, column_of, names_of
from analyst.model.card import card_block
from analyst.protocol import Ask, Intent, Turn
from analyst.questions.kinds import wants_exploration, wants_overview
from analyst.reading.words import tokens
from datasets.schema import SchemaCard
from prompts import Block, Meter, Prompt, Rejected
from prompts.framing import json_line
from prompts.understand import INSTRUCTIONS, UnderstandReply
from prompts.vocabulary import AskReply

MOST_ADDED = 3
_HISTORY_TURNS = 6
_ANSWER_CHARS = 700
_SQL_CHARS = 600
_QUESTION_CHARS = 2_000
_RELATED = 0.3
_QUERY_WORDS = 3
_NAMED_BY_MODEL = 0.6


@dataclass(frozen=True)
class Reading:
    """The intent, and what a person should know about how it came about."""

    intent: Intent
    remarks: tuple[str, ...]


def reading_prompt(question: str, card: SchemaCard, built: Intent, history: Sequence[Turn], meter: Meter) -> Prompt:
    """Return the prompt. With nothing but the schema shared, of earlier turns only the person's own words go out."""
    shares = meter.settings.shares
    turns = [t for t in history if shares == "values" or t.role == "user"][-_HISTORY_TURNS:]
    blocks = (
        Block("Question", [json_line(question[:_QUESTION_CHARS])], weight=2.0),
        card_block(card, built.relevance, shares),
        Block("Earlier turns, oldest first", [json_line(_turn(t, shares == "values")) for t in turns]),
    )
    return Prompt("understand", INSTRUCTIONS, blocks, meter.settings.context_tokens)


def check_reading(reply: UnderstandReply, question: str, card: SchemaCard) -> None:
    """Hold a reading against the card and the question.

    :raises Rejected: for unknown names, for words that the question does not hold, or when nothing is said.
    """
    for given in reply.asks:
        if given.kind != "query":
            ask_of(given, card)
        if not _said(given, question):
            raise Rejected(f"the question does not hold the words {given.words!r}; copy them letter by letter")
    if not reply.asks and not reply.open and not (reply.unclear or "").strip():
        raise Rejected("there is neither an ask, nor `open`, nor a sentence in `unclear`")


def settled_reading(reply: UnderstandReply, built: Intent, card: SchemaCard, history: Sequence[Turn]) -> Reading:
    """Join the model's asks to those that the code read.

    What the code read from the names in the question stays and comes first: a model can add to it, not talk it away.
    Beside it, and in an exploration, an ask of the model counts where the question is about its columns: what is asked
    counts as stated before looking. A query for what the question wants besides is added, unless it explores. Where the
    code could read nothing, the model's reading stands, and the remarks say how it read the words.
    """
    definite = any(a.kind != "open" for a in built.asks) and not built.unclear
    given = [_ask(a, card) for a in reply.asks]
    if definite or built.open:
        queries = [a for a in given if a.kind == "query" and len(a.text.split()) >= _QUERY_WORDS][:1]
        given = [a for a in given if a.kind != "query" and _related(a, built) and not _read_already(a, built.asks)]
        explores = wants_exploration(built.question) or wants_overview(built.question)
        given = [*given[:MOST_ADDED], *([] if explores else queries)]
        given = [a.model_copy(update={"proposed": True}) for a in given]
    asks = (*built.asks, *given)
    opened = built.open or (reply.open and not asks)
    relevance = dict(built.relevance)
    if not built.asks and not built.open:
        # Only here: where the code reads or explores, other weights would explore other ground in its place.
        for name in [*names_of(given), *_columns(reply, card)]:
            relevance[name] = max(relevance.get(name, 0.0), _NAMED_BY_MODEL)
    update = {
        "asks": asks or ((Ask(kind="open", text=built.question),) if opened else ()),
        "open": opened,
        "unclear": None if given or opened else built.unclear,
        "relevance": relevance,
        "standalone": reply.standalone.strip()[:_QUESTION_CHARS] or None,
        "earlier_sql": tuple(s[:_SQL_CHARS] for t in reversed(history) for s in t.sql)[:2],
    }
    remarks = tuple(_remark(a) for a in given if built.unclear and a.kind != "query")
    return Reading(built.model_copy(update=update), remarks)


def _turn(turn: Turn, with_sql: bool) -> dict[str, object]:
    told: dict[str, object] = {turn.role: turn.content[:_ANSWER_CHARS]}
    if with_sql and turn.sql:
        told["sql"] = [s[:_SQL_CHARS] for s in turn.sql[:2]]
    return told


def _ask(given: AskReply, card: SchemaCard) -> Ask:
    return Ask(kind="query", text=given.words) if given.kind == "query" else ask_of(given, card)


def _said(given: AskReply, question: str) -> bool:
    """Whether the words stand in the question and mean something there."""
    words = " ".join(given.words.split()).casefold().strip(" .?!\"'")
    return bool(words) and words in " ".join(question.split()).casefold() and any(
        t.is_word and not t.is_stop for t in tokens(words)
    )  # fmt: skip


def _related(ask: Ask, built: Intent) -> bool:
    """Whether the question is about every column of an ask, as far as its words tell."""
    names = names_of([ask])
    return bool(names) and all(built.relevance.get(n, 0.0) >= _RELATED for n in names)


def _read_already(ask: Ask, asks: Sequence[Ask]) -> bool:
    """Whether the code has read an ask that measures the same, or the same in another way."""
    mine = (set(names_of([ask])), {f.key for f in ask.filters})
    return any(mine[0] <= set(names_of([a])) and mine[1] <= {f.key for f in a.filters} for a in asks)


def _columns(reply: UnderstandReply, card: SchemaCard) -> list[str]:
    found = []
    for name in reply.columns[:8]:
        try:
            found.append(column_of(name, card).name)
        except Rejected:
            continue
    return found


def _remark(ask: Ask) -> str:
    what = ", ".join(m.words for m in ask.metrics) or ", ".join(ask.columns) or ask.kind
    by = f" by {', '.join(ask.dimensions)}" if ask.dimensions else ""
    return f"The model read “{' '.join(ask.text.split())[:80]}” as {what}{by}."
