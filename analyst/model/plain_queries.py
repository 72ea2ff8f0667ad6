"""Words that a model brings in by way of a query: its name, names of result columns, texts in it and its errors."""

import re
from collections.abc import Sequence

from datasets.schema import SchemaCard

MOST_CHARS = 160
_MARKUP = re.compile(r"[*`#|<>\[\]{}]|https?://\S*|www\.\S*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GLUED = re.compile(r"(?<=[A-Za-z])\d{1,2}(?!\d)")
"""Of a name such as p95, q3 or top10."""
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_RESULT_TEXT = re.compile(
    r"(?:\bSELECT|\bTHEN|\bELSE|\|\|)\s*'((?:[^']|'')*)'|,\s*'((?:[^']|'')*)'(?=\s*(?:AS\b|,|FROM\b|\|\|))",
    re.IGNORECASE,
)
_LIST = re.compile(r"\bIN\s*\([^()]*\)", re.IGNORECASE)
_MOST_TEXT_CHARS = 60
_YEAR = re.compile(r"(?:19|20)\d\d")
_CLASS = re.compile(r"\b(?P<class>[A-Z][A-Za-z]*(?: [A-Za-z]+)*) Error: ")
_ON_NAMES = frozenset({"Binder", "Catalog", "Parser"})
"""Classes of errors of DuckDB that come before any cell is read: they quote names and the query itself."""


def about_of(shows: str, question: str) -> str:
    """Return what a query shows in plain words; numbers are let through only where the question has them."""
    words = " ".join(_MARKUP.sub(" ", shows).split())[:MOST_CHARS]
    asked = set(_NUMBER.findall(question))
    return words if words and set(_NUMBER.findall(words)) <= asked else "a query of the model"


def unplain(sql: str, columns: Sequence[str], card: SchemaCard) -> str | None:
    """Return why the names or the texts of a result would say more than was measured, or None.

    A number in them must be part of a column's name, of a name such as p95, a year that the query is about, or, in a
    text, one that the query compares with ("over 100").
    """
    bare = set(_NUMBER.findall(_QUOTED.sub(" ", sql)))
    dated = {y for q in _QUOTED.findall(sql) if q[0] == "'" for y in _YEAR.findall(q)}
    for name in columns:
        rest = _without_known(name, card)
        if _MARKUP.search(rest) or any(
            n not in dated | (bare & set(_YEAR.findall(rest))) for n in _NUMBER.findall(rest)
        ):
            return "each result column needs a short plain name without numbers and markup"
    for text in (one or other for one, other in _RESULT_TEXT.findall(_LIST.sub(" ", sql))):
        if _MARKUP.search(text) or len(text) > _MOST_TEXT_CHARS or not set(_NUMBER.findall(text)) <= bare | dated:
            return "a text with a number is written into the query, not measured; read it from analysis"
    return None


def without_cells(error: str) -> str:
    """An error as it may leave without values: of one that the data raised only the class, as its text quotes cells."""
    found = _CLASS.search(error)
    return error if found is None or found["class"] in _ON_NAMES else error[: found.end()].rstrip(": ")


def told_of(error: str) -> str:
    """An error as a report tells it: without cells, and without what the query wrote that holds a number."""
    return _QUOTED.sub(lambda m: "\u2026" if _NUMBER.search(m.group()) else m.group(), without_cells(error))


def _without_known(name: str, card: SchemaCard) -> str:
    """A name without the names of columns in it, and without digits that are part of a word."""
    for column in sorted((c.name for c in card.columns), key=len, reverse=True):
        name = re.sub(re.escape(column), " ", name, flags=re.IGNORECASE) if len(column) > 1 else name
    return _GLUED.sub("", name)
