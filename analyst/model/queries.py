"""Queries of a model: each is tried on the view first, corrected once where it fails, and given up after that."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.language_models.chat_models import BaseChatModel

from analyst.model.card import card_block
from analyst.model.plain_queries import about_of, told_of, unplain, without_cells
from analyst.protocol import Intent, Probe, Probed
from datasets import DatasetError
from datasets.battery import make_step
from datasets.schema import SchemaCard
from datasets.steps import Step
from prompts import Block, Meter, ModelTrouble, Prompt, ask
from prompts.framing import json_line
from prompts.plan import QueryReply
from prompts.query import INSTRUCTIONS, CorrectedReply

MOST_QUERIES = 3


@dataclass(frozen=True)
class Queries:
    """The steps of the queries that ran on trial, and why others are left out."""

    steps: list[Step]
    skipped: list[dict[str, str]]


def query_steps(
    given: Sequence[QueryReply], intent: Intent, card: SchemaCard, probe: Probe, chat: BaseChatModel, meter: Meter
) -> Queries:
    """Turn proposed queries into steps.

    A query for an ask of kind `query` is stated by the question; any other adds to it. One that fails or returns no
    row is sent back to the model once.
    """
    asked = any(a.kind == "query" for a in intent.asks)
    steps: list[Step] = []
    skipped: list[dict[str, str]] = []
    for query in given[:MOST_QUERIES]:
        about = about_of(query.shows, intent.question)
        probed = _tried(query.sql, probe, card)
        if _failed(probed):
            query, probed = _corrected(query, probed, intent, card, probe, chat, meter)
        if _failed(probed):
            entry = {"what": about, "reason": told_of(probed.error or "the query returns nothing")}
            skipped.append(entry | ({"stated": "yes"} if asked and query.answers else {}))
            continue
        try:
            step = make_step(
                "sql", {"sql": query.sql.strip().rstrip(";"), "shows": about}, reason=about,
                stated=asked and query.answers,
            )  # fmt: skip
        except DatasetError as error:
            skipped.append({"what": about, "reason": str(error)})
            continue
        if step.signature not in {s.signature for s in steps}:
            steps.append(step)
    return Queries(steps, skipped)


def _failed(probed: Probed) -> bool:
    return probed.error is not None or probed.rows == 0


def _corrected(
    query: QueryReply, probed: Probed, intent: Intent, card: SchemaCard, probe: Probe, chat: BaseChatModel, meter: Meter
) -> tuple[QueryReply, Probed]:
    """Ask once for a correction; where none comes, the first try stands with its error."""
    shares = meter.settings.shares
    happened = probed.error or "it returned no row"
    if shares == "schema":
        happened = without_cells(happened)
    blocks = (
        Block("Question", [json_line((intent.standalone or intent.question)[:2_000])], weight=2.0),
        Block("Query", [json_line(query.sql[:4_000])], weight=2.0),
        Block("What happened", [json_line(happened[:800])]),
        card_block(card, intent.relevance, shares),
    )
    prompt = Prompt("query", INSTRUCTIONS, blocks, meter.settings.context_tokens)
    try:
        again = ask(chat, prompt, CorrectedReply, meter=meter)
    except ModelTrouble as trouble:
        meter.note("to correct a query", trouble)
        return query, probed
    return again, _tried(again.sql, probe, card)


def _tried(sql: str, probe: Probe, card: SchemaCard) -> Probed:
    """Try a query; one whose names or texts say what was not measured has failed."""
    probed = probe(sql)
    wrong = None if _failed(probed) else unplain(sql, probed.columns, card)
    return Probed((), 0, wrong) if wrong else probed
