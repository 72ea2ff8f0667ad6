"""transcript with a model: a note needs the user's own words, and words that no rule of the code refuses."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from analyst.heads import Embeds
from analyst.model.asks import column_of, filter_of, value_of
from analyst.notes.judge import judge
from analyst.notes.slots import pattern_slot, preference_slot
from analyst.notes.text import sentences
from analyst.notes.transcript import WINDOW_TURNS, Reading
from analyst.protocol import Note, Turn
from datasets.directives import DIRECTIVE
from datasets.schema import SchemaCard
from prompts import Block, Meter, Prompt, Rejected
from prompts.framing import json_line
from prompts.transcript import INSTRUCTIONS, DirectiveReply, NoteReply, TranscriptReply

LIKELY = 0.12
"""A sentence that the code finds less likely to be a rule than this is none, whatever a model says."""
_TURN_CHARS = 1_500
_WORD = re.compile(r"\w+")
_NAMES = 60


def transcript_prompt(turns: Sequence[Turn], card: SchemaCard | None, meter: Meter) -> Prompt:
    """Return the prompt: the last turns, newest first so that a cut leaves them, and the column names."""
    start = max(0, len(turns) - WINDOW_TURNS)
    with_answers = meter.settings.shares == "values"
    told = [
        json_line({"turn": n, t.role: t.content[:_TURN_CHARS]})
        for n, t in enumerate(turns[start:], start)
        if t.role == "user" or with_answers
    ]
    names = [json_line(c.name[:100]) for c in card.columns[:_NAMES]] if card else []
    blocks = (Block("Talk, newest turn first", told[::-1], weight=4.0), Block("Columns of the dataset", names))
    return Prompt("transcript", INSTRUCTIONS, blocks, meter.settings.context_tokens)


def check_transcript(reply: TranscriptReply, turns: Sequence[Turn]) -> None:
    """Hold the notes against the talk.

    :raises Rejected: for a quote that the user did not say in that turn.
    """
    for note in reply.notes:
        if not _quoted(note, turns):
            raise Rejected(
                f"turn {note.turn} holds no words of the user {note.quote[:80]!r}; copy them letter by letter"
            )


def settled_notes(
    reply: TranscriptReply, built: Reading, turns: Sequence[Turn], card: SchemaCard | None, embedder: Embeds | None
) -> list[Note]:
    """Join the model's notes to those that the code found; of one subject the last statement stands.

    A note of the model stands where its words are the user's own, are refused by no rule of the code (a question, a
    one-off, a hypothetical, someone else's wish, pasted text), and are not quite unlike a rule. Its subject is the slot
    that the code reads from the words; its directive must name nothing but what the words name.
    """
    found = {n.subject: n for n in built.notes}
    withdrawn = {w.subject: w.turn for w in built.withdrawn}
    for given in sorted(reply.notes, key=lambda n: n.turn):
        quote = " ".join(given.quote.split())
        if not _quoted(given, turns) or not _is_rule(given, turns, card, embedder):
            continue
        slot = (preference_slot if given.memory_type == "user_preference" else pattern_slot)(quote, card)
        known = found.get(slot)
        if known is not None and known.turn >= given.turn:
            continue
        if withdrawn.get(slot, -1) >= given.turn or any(_same_words(n, given) for n in built.notes):
            continue
        found[slot] = Note(
            memory_type=given.memory_type,
            subject=slot,
            value=_own_value(given.value, quote),
            statement=quote,
            directive=_directive(given.directive, quote, card) if given.directive and card else None,
            scope=given.scope,
            polarity=given.polarity,
            quote=given.quote,
            turn=given.turn,
        )
    return sorted(found.values(), key=lambda n: n.turn)


def _own_value(value: str, quote: str) -> str:
    """The value as the model puts it where every word of it is the user's, else the user's words."""
    own = set(_WORD.findall(quote.casefold()))
    return value[:200] if value.strip() and set(_WORD.findall(value.casefold())) <= own else quote[:200]


def _quoted(note: NoteReply, turns: Sequence[Turn]) -> bool:
    if not 0 <= note.turn < len(turns) or turns[note.turn].role != "user":
        return False
    quote = " ".join(note.quote.split())
    return len(quote.split()) >= 2 and quote in " ".join(turns[note.turn].content.split())


def _is_rule(note: NoteReply, turns: Sequence[Turn], card: SchemaCard | None, embedder: Embeds | None) -> bool:
    """Whether the sentences that hold the words are the user's own and no rule of the code refuses them."""
    quote = " ".join(note.quote.split())
    items = list(sentences(note.turn, turns[note.turn].content))
    held = [
        (s, j)
        for s, j in zip(items, judge(items, card, embedder), strict=True)
        if quote in s.text or s.text in quote
    ]  # fmt: skip
    return bool(held) and all(j.veto is None for _, j in held) and max(j.rule for _, j in held) >= LIKELY


def _same_words(known: Note, given: NoteReply) -> bool:
    one, other = " ".join(known.quote.split()), " ".join(given.quote.split())
    return known.turn == given.turn and (one in other or other in one)


def _directive(given: DirectiveReply, quote: str, card: SchemaCard) -> dict[str, Any] | None:
    """The executable part, where the words name all of it; None for anything that they do not name or that fits not."""
    folded = quote.casefold()
    try:
        draft = _draft(given, card)
        told = DIRECTIVE.validate_python(draft).model_dump(mode="json", exclude_defaults=False)
    except (Rejected, ValidationError):
        return None
    named = [str(v) for v in (*(given.values or []), *(given.predicate.values if given.predicate else []))]
    named += [str(given.days)] if given.days is not None and given.name == "exclude_recent" else []
    named += [given.unit] if given.unit and given.name == "grain" else []
    named = [n.removesuffix(".0") for n in named]
    return told if named and all(n.casefold() in folded for n in named) else None


def _draft(given: DirectiveReply, card: SchemaCard) -> dict[str, Any]:
    if given.name == "filter" and given.predicate is not None:
        return {"name": "filter", "predicate": filter_of(given.predicate, card).model_dump(mode="json")}
    if given.name == "grain":
        return {"name": "grain", "unit": given.unit}
    column = column_of(given.column or card.time_column or "", card)
    if given.name == "exclude_recent":
        if not column.temporal:
            raise Rejected(f"{column.name!r} is no time")
        return {"name": "exclude_recent", "column": column.name, "days": given.days}
    if given.name == "null_sentinel":
        return {"name": "null_sentinel", "column": column.name, "values": [value_of(v, column) for v in given.values]}
    raise Rejected("a filter needs a predicate")
