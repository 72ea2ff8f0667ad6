"""The transcript pass without a model: what a user said that should hold later."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyst.heads import Embeds
from analyst.notes.conditions import Condition
from analyst.notes.exclusions import READMITS
from analyst.notes.judge import Judgement, judge
from analyst.notes.revision import Withdrawal, keep_standing
from analyst.notes.rules import Rule, rules_of_turn
from analyst.notes.slots import preference_slot
from analyst.notes.text import Sentence, sentences
from analyst.notes.wording import condition_of, notes_of
from analyst.protocol import Note, Turn
from datasets.schema import SchemaCard

WINDOW_TURNS = 40
_REVERTS = re.compile(r"\b(?:again|after all|back to|is fine|are fine)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """What the last turns of a talk leave standing, and which subjects were taken back without a successor."""

    notes: list[Note]
    withdrawn: list[Withdrawal]

    @property
    def said(self) -> list[Note]:
        """The notes, and after them what was taken back, as notes that say so."""
        return [*self.notes, *(withdrawal.note() for withdrawal in self.withdrawn)]


def transcript(turns: Sequence[Turn], card: SchemaCard | None, embedder: Embeds | None = None) -> list[Note]:
    """Return standing preferences and working patterns from the user's words in the last 40 turns, in order.

    The last statement of a subject wins. Works without an embedder, with a little less recall.
    """
    return read_talk(turns, card, embedder).notes


def read_talk(turns: Sequence[Turn], card: SchemaCard | None, embedder: Embeds | None = None) -> Reading:
    """Return what `transcript` returns, and the subjects of rules that were withdrawn."""
    start = max(0, len(turns) - WINDOW_TURNS)
    spoken: list[Sentence] = []
    for index in range(start, len(turns)):
        if turns[index].role == "user":
            spoken.extend(sentences(index, turns[index].content))
    judged = list(zip(spoken, judge(spoken, card, embedder), strict=True))
    found: list[tuple[Rule, Note]] = []
    recent: Condition | None = None
    for index in range(start, len(turns)):
        mine = [pair for pair in judged if pair[0].turn == index]
        rules = rules_of_turn(index, mine, turns) if mine else []
        said = {n.subject for _, n in found}
        for rule in [*rules, *_readmission(index, mine, rules), *_reversal(index, mine, rules, said, card)]:
            quote = rule.quote(turns[index].content)
            found.extend((rule, n.model_copy(update={"quote": quote})) for n in notes_of(rule, card, recent))
            recent = condition_of(rule, card) or recent
    notes, withdrawn = keep_standing(found, spoken, card, embedder)
    return Reading(notes, withdrawn)


def _readmission(index: int, mine: Sequence[tuple[Sentence, Judgement]], rules: Sequence[Rule]) -> list[Rule]:
    """A turn that lets rows back in counts even where its words are too plain to be judged a rule."""
    covered = {s for rule in rules for s in rule.said}
    plain = [s for s, j in mine if j.veto is None and s not in covered and READMITS.search(s.read)]
    said = tuple(s for s, j in mine if j.veto is None) if plain else ()
    return [Rule(turn=index, said=said, preference=1.0, pattern=0.0, forced=True)] if said else []


def _reversal(
    index: int,
    mine: Sequence[tuple[Sentence, Judgement]],
    rules: Sequence[Rule],
    said: set[str],
    card: SchemaCard | None,
) -> list[Rule]:
    """A short "English again, please." counts when a rule on the same subject stands earlier in the talk."""
    if rules:
        return []
    for sentence, judgement in mine:
        back = judgement.veto is None and sentence.words <= 10 and _REVERTS.search(sentence.read)
        if back and preference_slot(sentence.read, card) in said:
            return [Rule(turn=index, said=(sentence,), preference=1.0, pattern=0.0, core=(sentence,))]
    return []
