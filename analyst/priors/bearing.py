"""Which memories bear on what a person names: a column, a value, or words."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from analyst.reading.matching import Matcher
from analyst.reading.words import lemma, tokens

_SURE = 0.6
_PARTS = re.compile(r"\s*,\s*(?:and |or )?|\s+(?:and|or|as well as)\s+")


def bearing_on(about: str, units: Sequence[Mapping[str, Any]], matcher: Matcher) -> list[int]:
    """Return the places of the units that bear on what is named, in their order.

    Of "kwh in House B" both names have to be in a unit; of "heating and building" either is enough. Where the words
    name nothing of the dataset, they have to stand in the unit's own words. `units` hold summary, claim and directive.
    """
    parts = [part for part in _PARTS.split(about) if part.strip()]
    return [n for n, unit in enumerate(units) if any(_bears(part, unit, matcher) for part in parts)]


def names_in(text: str, matcher: Matcher) -> tuple[str, ...]:
    """Columns and values of the dataset that a text names, each once."""
    named = [m.value or m.column for m in matcher.mentions(text) if m.score >= _SURE]
    return tuple(dict.fromkeys(named))


def _bears(part: str, unit: Mapping[str, Any], matcher: Matcher) -> bool:
    names = names_in(part, matcher)
    held = " ".join((unit["summary"], json.dumps([unit["claim"], unit["directive"]], ensure_ascii=False))).casefold()
    if names:
        return all(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", held) for name in names)
    words = _words(part)
    return bool(words) and words <= _words(unit["summary"])


def _words(text: str) -> set[str]:
    return {lemma(t.word) for t in tokens(text) if t.is_word and not t.is_stop}
