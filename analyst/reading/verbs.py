"""Measures that a verb speaks of: one earns a salary, pays a charge, weighs a weight."""

import re

from analyst.reading.words import lemma, name_words
from datasets.schema import Column, SchemaCard

_VERBS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"\b(?:{verbs})\b", re.I), frozenset(nouns.split()))
    for verbs, nouns in (
        (r"earn\w*", "salary wage income pay earnings compensation"),
        (r"cost\w*|priced|worth|expensive|cheap\w*", "cost price amount value fare charge"),
        (r"pa(?:y|ys|id|ying)|charged|spen[dt]\w*|bill(?:s|ed)?", "charge fare amount price cost paid spend payment"),
        (r"weigh\w*|heav\w+|light(?:er|est)", "weight mass"),
        (r"sold|bought|ordered|sells?|buys?", "quantity qty unit"),
        (r"scor(?:e|es|ed|ing)|rated", "score rating grade mark point"),
        (r"stay(?:s|ed)?", "stay"),
        (r"tall\w*", "height"),
    )
)


def measure_of_verb(text: str, card: SchemaCard, *, at_end: bool = False) -> Column | None:
    """The measure that a verb in the text means, where one column only is called so.

    `at_end`: only a verb that ends the text, with at most one word behind it.
    """
    for pattern, nouns in _VERBS:
        match = next(iter(pattern.finditer(text)), None)
        if match is None or (at_end and not re.fullmatch(r"(?:\s+\w+)?\s*", text[_last(pattern, text) :])):
            continue
        named = [c for c in card.by_role("measure") if {lemma(w) for w in name_words(c.name)} & nouns]
        if len(named) == 1:
            return named[0]
    return None


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max(m.end() for m in pattern.finditer(text))
