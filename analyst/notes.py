"""The transcript pass without a model: what a user said that should hold later."""

from collections.abc import Sequence

from analyst.heads import Embeds
from analyst.notes_judge import judge
from analyst.notes_rules import Rule, rules_of_turn
from analyst.notes_text import Sentence, sentences
from analyst.notes_wording import note_of
from analyst.protocol import Note, Turn
from datasets.schema import SchemaCard

WINDOW_TURNS = 40


def transcript(turns: Sequence[Turn], card: SchemaCard | None, embedder: Embeds | None = None) -> list[Note]:
    """Return standing preferences and working patterns from the user's words in the last 40 turns, in order.

    The last statement of a subject wins. Works without an embedder, with a little less recall.
    """
    start = max(0, len(turns) - WINDOW_TURNS)
    spoken: list[Sentence] = []
    for index in range(start, len(turns)):
        if turns[index].role == "user":
            spoken.extend(sentences(index, turns[index].content))
    judged = list(zip(spoken, judge(spoken, embedder), strict=True))
    rules: list[Rule] = []
    for index in range(start, len(turns)):
        mine = [pair for pair in judged if pair[0].turn == index]
        if mine:
            rules.extend(rules_of_turn(index, mine, turns))
    return [note_of(rule, card) for rule in rules]
