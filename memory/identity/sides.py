"""Which side a statement takes: up or down, blank or filled, with or without, and what it puts second or rejects."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memory.identity import lexicon, synonyms
from memory.identity.thesaurus import key
from memory.identity.wording import Item, Statement

_CONTRASTIVE = frozenset({"instead", "rather"})
_REFERENCE = frozenset(
    {
        "than",
        "versus",
        "vs",
        "against",
        "compared",
        "outperform",
        "beat",
        "surpass",
        "over",
        "below",
        "above",
        "overtake",
        "overtook",
        "overtaken",
        "outnumber",
        "exceed",
        "outsell",
        "outweigh",
        "precede",
        "trail",
        "lag",
    }
)
_ENDS_REJECTION = frozenset(
    {"for", "when", "if", "before", "after", "while", "in", "but", "and", "to", "because", "on"}
)
_REACH_OF_NEGATION = 5
_REACH_OF_SUBJECT = 9


@cache
def _verbs() -> frozenset[str]:
    """What stands for each verb; made at the first use, as it needs the dictionary."""
    return frozenset(key(verb) for verb in lexicon.VERBS)


class Sides(NamedTuple):
    """The sides that a statement takes."""

    direction: int
    """1 up, -1 down, 0 neither or both; a denied "up" is down."""
    turns: frozenset[str]
    """The words that said so."""
    axes: dict[str, int]
    """1 or -1 on the axes of `synonyms.AXES` that the statement speaks of."""
    negated: bool
    """Denies as a whole, rather than naming what it rejects."""
    steady: bool
    """Says that something did not move."""
    only: bool
    """Restricts, which says much the same as denying the rest."""
    rejected: frozenset[str]
    """Keys of what is named only to be ruled out: "the median, not the mean"."""
    reference: frozenset[str]
    """Keys of what something is compared with: "higher than on weekdays"."""
    affirmed: frozenset[str]
    """Keys of all other words."""


def sides_of(statement: Statement) -> Sides:
    """Read the sides."""
    items = statement.items
    rejected, reference, negations = _spans(items)
    up = down = 0
    axes: dict[str, int] = {}
    absorbed: set[int] = set()
    for position, item in enumerate(items):
        if item.kind != "word" or position in rejected:
            continue
        text = item.text.casefold()
        denials = [at for at in negations if _denies(items, at, position)]
        sign = -1 if denials else 1
        if _closes_off(items, position):
            continue
        if text in lexicon.UP:
            up, down = (up + 1, down) if sign > 0 else (up, down + 1)
        elif text in lexicon.DOWN:
            up, down = (up, down + 1) if sign > 0 else (up + 1, down)
        for name, (plus, minus) in synonyms.AXES.items():
            if item.key in plus or item.key in minus:
                if name == "unique" and _restricted(items, position):
                    sign = -sign  # "only unique together with the year"
                axes[name] = sign if item.key in plus else -sign
                absorbed.update(denials)
    if absorbed and any(items[at].text.casefold() == "never" for at in absorbed):
        axes.pop("usual", None)  # "never include" takes its side on including
    keys = {p: item.key for p, item in enumerate(items) if item.kind != "mark" and item.key not in lexicon.STOP}
    return Sides(
        direction=(up > down) - (up < down),
        turns=frozenset(i.text.casefold() for i in items if i.text.casefold() in lexicon.UP | lexicon.DOWN),
        axes=axes,
        negated=bool(set(negations) - absorbed),
        steady=any(item.text.casefold() in lexicon.STEADY for item in items),
        only=any(item.text.casefold() == "only" for item in items),
        rejected=frozenset(k for p, k in keys.items() if p in rejected),
        reference=frozenset(k for p, k in keys.items() if p in reference),
        affirmed=frozenset(k for p, k in keys.items() if p not in rejected and p not in reference),
    )


def _restricted(items: tuple[Item, ...], position: int) -> bool:
    """Whether a word holds under a condition alone: "only unique ...", "unique only with ..."."""
    return any(item.text.casefold() == "only" for item in items[max(0, position - 1) : position + 2])


def _denies(items: tuple[Item, ...], at: int, position: int) -> bool:
    """Whether a negation reaches a word; that of the subject, "no store of the region", reaches the verb."""
    if not 0 < position - at <= _REACH_OF_SUBJECT:
        return False
    subject = at == 0 and items[0].text.casefold() in {"no", "none", "neither"}
    clear = all(item.kind != "mark" for item in items[at:position])
    return position - at <= _REACH_OF_NEGATION or (subject and clear)


def _closes_off(items: tuple[Item, ...], position: int) -> bool:
    """Whether "over" and "under" close a group off, "tenants over 65", rather than compare."""
    if items[position].text.casefold() not in {"over", "under", "above", "below"} or not 0 < position < len(items) - 1:
        return False
    noun = items[position - 1]
    named = noun.kind == "word" and noun.key not in lexicon.STOP | lexicon.OPPOSED and noun.key not in _verbs()
    return named and items[position + 1].kind == "quantity"


def _spans(items: tuple[Item, ...]) -> tuple[set[int], set[int], list[int]]:
    """Positions of what is rejected, of what is the reference, and of negations of the whole."""
    rejected: set[int] = set()
    reference: set[int] = set()
    negations: list[int] = []
    for position, item in enumerate(items):
        text = item.text.casefold()
        if item.kind != "word":
            continue
        before = items[position - 1].text.casefold() if position else ""
        if text in _CONTRASTIVE and position + 1 < len(items) and items[position + 1].text.casefold() in {"of", "than"}:
            rejected.update(_until_clause_ends(items, position + 2, _ENDS_REJECTION | lexicon.AUXILIARIES))
        elif text == "not" and (but := _next_but(items, position)) is not None:
            rejected.update(range(position + 1, but))  # "not in UTC but in local time"
        elif (
            text in {"not", "never"}
            and before not in lexicon.AUXILIARIES
            and position > 1
            and _names_something(items, position)
        ):
            rejected.update(_until_clause_ends(items, position + 1))
        elif text in lexicon.NEGATIONS or text.endswith("n't"):
            negations.append(position)
        compares = (text in _REFERENCE or item.key in _REFERENCE) and not _is_noun(items, position)
        if (compares or _second_choice(items, position)) and before != "rather":
            reference.update(_until_clause_ends(items, position + 1))
    return rejected, reference - rejected, negations


def _next_but(items: tuple[Item, ...], position: int) -> int | None:
    """Where the "but" of "not ... but ..." stands."""
    reach = enumerate(items[position + 1 : position + 7], start=position + 1)
    return next((at for at, later in reach if later.text.casefold() == "but"), None)


def _names_something(items: tuple[Item, ...], position: int) -> bool:
    """Whether a denial stands before a thing rather than a verb: "..., not the mean"."""
    before = items[position - 1]
    return (
        before.kind != "word" or before.text.casefold() in {"and", "but", "or"} or before.kind in {"column", "quoted"}
    )


def _is_noun(items: tuple[Item, ...], position: int) -> bool:
    """Whether a word such as "lag" or "trail" is the thing itself: "a lag of two days"."""
    return items[position].text != "compared" and any(
        item.text.casefold() == "of" for item in items[position + 1 : position + 2]
    )


def _second_choice(items: tuple[Item, ...], position: int) -> bool:
    """Whether this is the "to" of "prefers tables to charts"."""
    return items[position].text == "to" and any(
        item.text.casefold().startswith("prefer") for item in items[max(0, position - 4) : position]
    )


def _until_clause_ends(items: tuple[Item, ...], start: int, ends: frozenset[str] = _ENDS_REJECTION) -> Iterator[int]:
    for position in range(start, len(items)):
        item = items[position]
        if item.kind == "mark" and item.text in ",.;:":
            return
        if position > start and item.kind == "word" and item.text.casefold() in ends:
            return
        yield position
