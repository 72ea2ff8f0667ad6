"""Calculations that a question names and that are not read: said plainly, instead of a number of something else."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from analyst.protocol import Ask
from analyst.questions.scene import Scene
from analyst.reading.transforms import OF_GROUP
from datasets.levels import LEVEL_OPS

_ORDERED = frozenset({"in_order"})
_TWO_SIDES = frozenset({"two sides"})
_TRAINING = "training and scoring a machine-learning model is not one of the calculations"
_RANKED = "a part of the rows by percent of their rank is not read"
_AVERAGED = "a condition that compares with an average is not read; name the number"
_LEVELS = frozenset({_RANKED, _AVERAGED})
"""What is not read only where no condition was made of it."""
_BEYOND: tuple[tuple[re.Pattern[str], str, frozenset[str]], ...] = tuple(
    (re.compile(pattern, re.I), words, made)
    for pattern, words, made in (
        (
            r"\b(?:train(?:ing)?[ -](?:and[ -])?(?:set|data|test|split)|train_test_split|test(?:ing)? set|rmse"
            r"|random forests?|decision trees?|neural net\w*|gradient boost\w*|logistic regression|k-?means|k-?nearest"
            r"|cross[- ]validat\w*|principal component\w*|support vector|mean squared error|accuracy score"
            r"|machine learning (?:model|technique|algorithm)s?)\b",
            _TRAINING,
            frozenset(),
        ),
        (
            r"\b(?:moving|rolling) (?:\w+ )?(?:average|mean|median|sum|std|window)s?\b",
            "a moving average needs one row for each time",
            _ORDERED,
        ),
        (
            r"\bcumulative\b|\brunning (?:sum|total|count)s?\b",
            "a running total up to a date is not read; ask for the total of a period",
            _ORDERED,
        ),
        (
            r"\b(?:day|daily|month|year)[- ](?:over|to|on)[- ](?:day|daily)\b|\bdaily returns?\b"
            r"|\b(?:from|since) the (?:previous|preceding|prior) (?:day|row|trading day)\b|\bone-day\b",
            "a change from one row to the next needs one row for each time",
            _ORDERED,
        ),
        (
            r"\b(?:top|bottom|first|last|highest|lowest)\s+\d+(?:\.\d+)?\s*(?:%|percent)(?! (?:decile|quantile))",
            _RANKED,
            frozenset(),
        ),
        (
            r"\b(?:top|first|\d+|two|three|four|five|ten)\s+(?:\w+\s+){0,3}(?:within|in|of|for|per)\s+(?:each|every)\b"
            r"|\bfor (?:each|every) [\w ]{2,30}, (?:which|what|who)\b",
            "the first few within each group are not read; ask for one group at a time",
            frozenset(),
        ),
        (
            r"\b(?:above|below|over|under|exceed\w*|(?:higher|lower|greater|less|more|larger|smaller) than)\s+"
            r"(?:the |their |its )?(?:overall |global |general )?(?:average|mean|median)\b",
            _AVERAGED,
            frozenset(),
        ),
        (
            r"\b(?:of|for|among) (?:the )?(?:\d+|two|three|four|five|ten) (?!decimal)[\w ]{2,30}? (?:with|having)"
            r" the (?:highest|lowest|largest|smallest|most|fewest)\b",
            "a number over the first few of a ranking is not read; ask for the ranking",
            frozenset(),
        ),
        (
            r"\b(?:sum|total)\b[^?.]*\bdivided by\b[^?.]*\b(?:sum|total)\b",
            "a ratio of two totals is not read; ask for the two totals",
            frozenset(),
        ),
        (r"\b(?:per|by|each|every) decade\b|\bdecades?\b", "decades are not read; name the years", frozenset()),
        (
            r"\bchang\w*\b.{0,40}\bfrom the (?:first|earliest) to the (?:last|latest)\b",
            "a change from the first row to the last needs a column of dates; name the two sides",
            _TWO_SIDES,
        ),
    )
)
_FILL = re.compile(r"\b(?:fill|imput|replac)\w*\b.*\b(?:missing|null|nan|mean|median)\b", re.I)
_MAKES = re.compile(
    r"\W*(?:then,? )?(?:create|generate|add|define|make|derive|engineer|compute)\b[^.?]{0,40}?"
    r"\b(?:(?:new|additional|derived|extra) (?:feature|column|variable|field)s?"
    r"|(?:feature|column|variable|field) (?:called|named))\b",
    re.I,
)


def _levels(asks: Sequence[Ask]) -> int:
    """How many different conditions of the asks compare a row with a level of all rows."""
    filters = {f.key for ask in asks for f in ask.filters if f.op in LEVEL_OPS}
    measured = {m.measure.key for ask in asks for m in ask.metrics if set(map(str, m.measure.values)) & set(LEVEL_OPS)}
    return len(filters | measured)


class Beyond(NamedTuple):
    """What is not read: the sentence that asks for it, one sentence on why, and whether all asks rest on it.

    `trains`: it asks for a model to be trained; the columns named beside it are what goes into it, and no asks.
    """

    sentence: str
    why: str
    carries_all: bool
    trains: bool = False


def beyond(sentences: Sequence[str], asks: Sequence[Ask], scene: Scene) -> Beyond | None:
    """The sentence that asks for what is not read; None where there is none.

    `sentences`: questions first, then instructions. A sentence that names a column so is about that column.
    """
    kinds: set[str] = {m.measure.kind for ask in asks for m in ask.metrics}
    kinds |= _TWO_SIDES if any(ask.versus for ask in asks) else frozenset()
    levels = _levels(asks)
    for sentence in sentences:
        named = [m for m in scene.matcher.mentions(sentence) if m.how in {"quoted", "name"}]
        for pattern, words, made in _BEYOND:
            found = pattern.search(sentence)
            if found is None or made & kinds:
                continue
            if words in _LEVELS and len(pattern.findall(sentence)) <= levels:
                continue
            if not any(m.start <= found.start() and found.end() <= m.end for m in named):
                why = f"{words[0].upper()}{words[1:]}."
                return Beyond(sentence, why, carries_all=False, trains=words == _TRAINING)
        if _FILL.search(sentence) and OF_GROUP.search(sentence) and not scene.changes:
            why = "Missing values are filled with the value of all rows only, not with that of a group."
            return Beyond(sentence, why, carries_all=True)
    made_up = next((s for s in sentences if _MAKES.match(s)), None)
    if made_up and not scene.features and not scene.changes:
        why = "How the new column is made could not be read; say it as one calculation on named columns."
        return Beyond(made_up, why, carries_all=True)
    return None
