"""The other side of a two-sided column, said by its own word: "died" where a column says who survived."""

import re

from analyst.reading.conditions import negated, negative_values, positive_values, two_sided
from analyst.reading.mentions import Mention
from analyst.reading.words import name_words, stem
from datasets.measures import Filter
from datasets.schema import SchemaCard

_PAIRS: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("survived survival survivor survivors alive", "died dead perished killed deceased drowned"),
        ("passed pass", "failed fail"),
        ("won win winner", "lost lose"),
        ("approved accepted approval", "rejected declined refused"),
        ("active", "inactive"),
        ("employed", "unemployed"),
        ("married", "unmarried"),
        ("paid", "unpaid"),
        ("present attended attendance", "absent"),
        ("churned churn left attrition exited quit", "stayed stay remained retained kept"),
        ("returned", "kept"),
    )
)


def opposites(text: str, mentions: tuple[Mention, ...], card: SchemaCard) -> list[tuple[Filter, int, int]]:
    """Conditions that words set on a two-sided column named by their opposite, with their places."""
    found: list[tuple[Filter, int, int]] = []
    for column in card.by_role("boolean", "dimension"):
        if not two_sided(column):
            continue
        own = {stem(w) for w in name_words(column.name)}
        for pair in _PAIRS:
            for mine, theirs in (pair, pair[::-1]):
                if not own & {stem(w) for w in mine}:
                    continue
                pattern = rf"(?<!\w)(?:{'|'.join(sorted(theirs))})(?!\w)"
                for match in re.finditer(pattern, text, re.I):
                    if any(
                        m.start < match.end() and match.start() < m.end for m in mentions if m.column == column.name
                    ):
                        continue
                    no = negated(text, match.start())
                    sides = positive_values(column) if no else negative_values(column)
                    if sides:
                        op = "eq" if len(sides) == 1 else "in"
                        condition = Filter.model_validate({"column": column.name, "op": op, "values": sides})
                        found.append((condition, match.start(), match.end()))
    return found
