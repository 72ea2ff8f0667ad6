"""What a number is used for: a level, a change, a part, a limit, a count; it must be that in the evidence."""

import re
from collections.abc import Sequence
from itertools import pairwise

from analyst.grounding.cells import Cell, Evidence
from analyst.grounding.directions import clauses
from analyst.grounding.elsewhere import MEANS, TOTALS, measure_named
from analyst.grounding.numbers import Stated
from analyst.grounding.words import DOWN, UP
from datasets.schema import SchemaCard

_INTERVAL = re.compile(r"\binterval|\bCI\b|confiden|\b95\b|plausib|compatible|uncertain|margin", re.IGNORECASE)
_AT_MOST = re.compile(
    r"more than|at most|less than|within|up to|exceed|limit|beyond|above|below|over\b|under\b|outside|threshold|fence|"
    r"(?:larg|small|high|low|long|short|old|young)er than|>|<",
    re.IGNORECASE,
)
_OF_OUTLIERS = re.compile(r"outl(?:ier|y)|extreme|they\b|them\b|these\b|those\b", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\b(?:without|excluding|leaving out|left out|removed|instead of)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:no|none|not|never|nothing|without|within|between|all)\b|n't\b", re.IGNORECASE)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|against|not) $", re.IGNORECASE)
_SUMMED = re.compile(r"\b(?:in total|altogether|in sum|all told|a total of)\b", re.IGNORECASE)
_MEDIANS = re.compile(r"\bmedians?\b", re.IGNORECASE)
_CHANGES = re.compile(
    r"contribut|chang|differ|moved|comes? |came |account|against|balanc|less|more|shift|swing|effect|lower|higher|"
    r"offset",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"overall|altogether|\ball\b|on the whole|whole|total|in general|average", re.IGNORECASE)
_OF_ALL = re.compile(
    r"\b(?:overall|altogether|all|whole|general|total|against|than|above|below|compared|versus|mean of)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"\brest\b|other|elsewhere|outside|otherwise|remain|without", re.IGNORECASE)
_OF_REST = re.compile(r"\brest of the data\b|\bother rows\b|\belsewhere\b", re.IGNORECASE)
_APART = re.compile(
    r"^(?: \w+)? (?:more|higher|longer|slower|larger|older|less|lower|shorter|faster|smaller|fewer|younger) than\b",
    re.IGNORECASE,
)
_DAILY = re.compile(
    r"\b(?:per|a|each|every) (?:day|week|month|quarter|year|hour)\b|\b(?:dai|week|month)ly\b", re.IGNORECASE
)
_IN_TOTAL = re.compile(r"\bin total\b|\baltogether\b", re.IGNORECASE)
_MORE_BY = re.compile(
    r"^\s*(?:points? )?(?:(?P<up>more|higher|greater|larger|above|up|longer|older)|"
    r"(?P<down>less|lower|fewer|smaller|below|down|shorter|younger))\b(?! than half)",
    re.IGNORECASE,
)
_BY = re.compile(
    r"^\W*(?:\w+ )?(?:by )?(?:about |around |roughly |some |almost |nearly |over |more than )?$", re.IGNORECASE
)
_ROWS = re.compile(
    r"^\s*(?:of )?(?:(?:all|the|total)\s)*(?:rows|records|orders|cases|entries|observations|lines|items)\b", re.I
)
_COUNTED = re.compile(r"(?<!\d )\brows?\b", re.IGNORECASE)
_NOUN = re.compile(r"^ (?P<noun>[a-z]{4,}s)\b")
_FROM_TO = re.compile(r"\bfrom\s*$", re.IGNORECASE)


def misused(
    sentence: str, matched: Sequence[tuple[Stated, Sequence[Cell]]], evidence: Evidence, card: SchemaCard | None
) -> str | None:
    """Return why a number is used for what it is not in the evidence, or None.

    `matched`: the numbers of the sentence with the cells they were traced to.
    """
    spans = clauses(sentence)
    for number, found in matched:
        start, end = next(((a, b) for a, b in spans if a <= number.start < b), (0, len(sentence)))
        cells = [c for c in found if c.row] or list(found)
        wrong = (
            _wrong_kind(number, cells, found, sentence, sentence[start:end], evidence)
            or _wrong_change(number, found, sentence, start)
            or _wrong_measure(number, cells, found, sentence, sentence[start:end], card)
        )
        if wrong:
            return wrong
    return _wrong_order(sentence, [n for n, _ in matched], evidence)


def _wrong_kind(
    number: Stated, cells: Sequence[Cell], found: Sequence[Cell], sentence: str, clause: str, evidence: Evidence
) -> str | None:
    kinds = {c.kind for c in cells}
    if {c.kind for c in found} <= {"edge"} and not _INTERVAL.search(sentence):
        return f"{number.text!r} is the edge of an interval"
    if {c.kind for c in found} <= {"limit"} and not _AT_MOST.search(sentence):
        return f"{number.text!r} is a limit that nothing exceeds"
    if {c.kind for c in found} <= {"limit"} and "none of the" in evidence.statements and not _DENIES.search(sentence):
        return f"nothing exceeds {number.text!r}"
    told = {c.kind for c in found}
    if told <= {"outlying"} and not _OF_OUTLIERS.search(sentence):
        return f"{number.text!r} is a figure of the outliers"
    if "without" in told and told <= {"without", "overall"} and not _LEFT_OUT.search(sentence):
        return f"{number.text!r} is the figure without the outliers"
    without = re.match(r"\W*(?:without|excluding|leaving out)\b", clause, re.IGNORECASE)
    if without and "with" in told and "without" not in told and not _INSTEAD.search(sentence[: number.start]):
        return f"{number.text!r} is the figure with the outliers"
    if {c.kind for c in found} <= {"overall"} and not _WHOLE.search(sentence):
        return f"{number.text!r} is the figure of all rows"
    if {c.kind for c in found} <= {"overall"} and _of_a_group(number, clause, sentence, evidence):
        return f"{number.text!r} is the figure of all rows, not of a group"
    if {c.kind for c in found} <= {"rest"} and not _ELSEWHERE.search(clause):
        return f"{number.text!r} is the figure of the rest"
    if (
        _OF_REST.search(clause)
        and any(c.kind == "rest" for c in evidence.cells)
        and "rest" not in {c.kind for c in found}
    ):
        return f"{number.text!r} is not the figure of the rest"
    if _APART.match(sentence[number.end :]) and number.unit != "%" and any(c.row and c.kind != "change" for c in cells):
        return f"{number.text!r} is a figure, not a difference"
    moving = _CHANGES.search(sentence) or UP.search(sentence) or DOWN.search(sentence)
    if kinds <= {"change"} and not moving:
        return f"{number.text!r} is a change, not a level"
    if kinds == {"rated"} and not _DAILY.search(sentence):
        return f"{number.text!r} is a figure per day"
    rated = any(c.kind == "rated" for c in evidence.cells)
    if rated and kinds == {"figure"} and cells[0].row and _DAILY.search(clause) and not _IN_TOTAL.search(clause):
        return f"{number.text!r} is no figure per day"
    return None


def _of_a_group(number: Stated, clause: str, sentence: str, evidence: Evidence) -> bool:
    """Whether a clause gives a number to a group that it names, without a word for the whole."""
    named = any(evidence.places_of(label, clause) for label in evidence.labels)
    return named and not _OF_ALL.search(clause) and not _OF_ALL.match(sentence[number.end :].lstrip())


def _wrong_change(number: Stated, cells: Sequence[Cell], sentence: str, start: int) -> str | None:
    """Why "7% more" or "fell by 7%" does not follow: it takes a change, of that sign."""
    if number.unit != "%":
        return None
    after = _MORE_BY.match(sentence[number.end :])
    way = 0 if after is None else 1 if after["up"] else -1
    for sign, pattern in ((1, UP), (-1, DOWN)):
        last = [
            m for m in pattern.finditer(sentence, start, number.start) if _BY.match(sentence[m.end() : number.start])
        ]
        way = sign if last else way
    if not way:
        return None
    changes = [c for c in cells if c.change]
    if not changes:
        return f"{number.text!r} is no change"
    return None if any((c.value > 0) == (way > 0) for c in changes) else f"{number.text!r} goes the other way"


def _wrong_measure(
    number: Stated,
    cells: Sequence[Cell],
    found: Sequence[Cell],
    sentence: str,
    clause: str,
    card: SchemaCard | None,
) -> str | None:
    """Why a number stands for another measure: a total for an average, revenue for rows."""
    if any(c.unit == "p" or c.kind in {"part", "change"} for c in cells):
        return None
    wrong = _wrong_aggregate(number, found, clause)
    if wrong:
        return wrong
    if number.unit is None and any(c.row for c in cells) and not any(c.kind == "count" for c in cells):
        if MEANS.search(clause) and not any(re.search(r"averag|mean", c.about) for c in cells):
            return f"{number.text!r} is no average"
        if (TOTALS.search(clause) or _SUMMED.search(clause)) and not any(
            re.search(r"total|sum\(", c.about) for c in cells
        ):
            return f"{number.text!r} is no total"
    after = sentence[number.end :]
    rows_meant = _ROWS.match(after) is not None
    counted = any(
        c.kind == "count" or "count(" in c.about or re.search(r"of [\d,]+ rows", c.about) for c in (*cells, *found)
    )
    if rows_meant and not counted and any(c.row for c in cells):
        return f"{number.text!r} does not count rows"
    if card is None or number.unit == "x":
        return None
    named = [c for c in card.columns if measure_named(clause, c)]
    if named and not any(measure_named(cell.about, c) for c in named for cell in cells):
        return f"{number.text!r} is no figure of {named[0].name!r}"
    if not named and not counted and _COUNTED.search(clause) and any(c.row for c in cells) and not rows_meant:
        return f"{number.text!r} does not count rows"
    if named and cells and all(c.kind == "count" for c in cells) and measure_named(after[:40], named[0]):
        return f"{number.text!r} counts rows"
    noun = _NOUN.match(after)
    if (
        noun
        and number.exact
        and all(c.kind == "count" for c in cells)
        and noun["noun"] not in " ".join(c.about for c in cells)
    ):
        stem = noun["noun"].removesuffix("s")
        if any(re.split(r"[\s_]", c.name.casefold())[0] == stem for c in card.columns):
            return f"{number.text!r} does not count {noun['noun']}"
    return None


def _wrong_aggregate(number: Stated, found: Sequence[Cell], clause: str) -> str | None:
    """Why a mean is called a total, or a median: what its statement calls it, where the table does not hold it."""
    called = {c.said_as for c in found}
    said = {
        name
        for name, pattern in (("mean", MEANS), ("total", TOTALS), ("median", _MEDIANS))
        if pattern.search(clause)
    }  # fmt: skip
    if len(said) != 1 or None in called or any(c.row for c in found) or said & called:
        return None
    return f"{number.text!r} is no {said.pop()}"


def _wrong_order(sentence: str, numbers: Sequence[Stated], evidence: Evidence) -> str | None:
    """Why "from A to B" is the wrong way round, or no way at all: the findings have it from B to A."""
    for one, other in pairwise(numbers):
        between = sentence[one.end : other.start]
        if not _FROM_TO.search(sentence[: one.start]) or not re.search(r"\bto\s*$", between) or len(between) > 60:
            continue
        told = evidence.statements
        forth, back = f"{one.text} to {other.text}", f"{other.text} to {one.text}"
        if back in told and forth not in told:
            return f"the findings have it from {other.text} to {one.text}"
    return None
