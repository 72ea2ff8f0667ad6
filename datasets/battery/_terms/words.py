"""From texts to words: which column holds free text, and the SQL that takes its words apart."""

from collections.abc import Sequence

from datasets.errors import DatasetError
from datasets.measures import Filter, Window, where
from datasets.schema import Column, SchemaCard
from datasets.sql import ident, literals

_FUNCTION_WORDS = (
    "about above across after again all also am an and any are as at be been before being below between both but by "
    "can cannot could did do does doing don down due during each etc few for from further get had has have having he "
    "her here his how if in into is isn it its just let may me more most must my need needs no nor not of "
    "off on once only or other our out over own per same she should so some such than that the their them then there "
    "these they this those through to too under until up upon us very via was we were what when where which while who "
    "whom why will with within without would yet you your id ids"
)  # fmt: skip
STOPWORDS = tuple(_FUNCTION_WORDS.split())
_CODE = "\\b\\p{Lu}{2,5}[-_#]?\\p{N}+"
_WORDS_AT_LEAST = 3.0
_TEXTS_AT_LEAST = 15


def text_column(card: SchemaCard, name: str | None) -> str:
    """Return the named column, else the one with the longest texts.

    :raises DatasetError: when the named column does not exist, or no column holds free text.
    """
    if name is not None:
        return card.column(name).name
    columns = [c for c in card.columns if c.role in {"text", "dimension"} and c.distinct >= _TEXTS_AT_LEAST]
    best = max(columns, key=_words_per_value, default=None)
    if best is None or _words_per_value(best) < _WORDS_AT_LEAST:
        raise DatasetError(f"no column of {card.called} holds free text")
    return best.name


def _words_per_value(column: Column) -> float:
    if column.sql_type != "VARCHAR" or not column.values:
        return 0.0
    return sum(sum(p.isalpha() for p in v.split()) for v in column.values) / len(column.values)


def words_cte(column: str, filters: Sequence[Filter], window: Window | None, *extra: str, keep: str = "") -> str:
    """ "WITH texts AS (...), words AS (SELECT i, text, word, term ...)".

    A word is a run of letters, or letters with a number behind them, perhaps after a hyphen (Printer546, SCN-77). The
    former is also a printer; the capitals of a code such as the latter are no word by themselves. `term` is the word
    in lower case without a plural s. `keep`: a further select expression of `texts`, handed on as `kept`.
    """
    c = ident(column)
    kept, handed = (f", {keep} AS kept", ", kept") if keep else ("", "")
    scope = where(tuple(filters), window, f"{c} IS NOT NULL", *extra)
    return (
        f"WITH texts AS (SELECT row_number() OVER () AS i, {c}::VARCHAR AS text{kept} FROM analysis{scope}), "
        "apart AS (SELECT i, text, unnest(list_concat("
        f"regexp_extract_all(regexp_replace(text, '{_CODE}', ' ', 'g'), '\\p{{L}}{{3,}}'), "
        f"regexp_extract_all(text, '\\p{{L}}{{2,}}[-_#]?\\p{{N}}+'))) AS word{handed} FROM texts), "
        "words AS (SELECT i, text, word, "
        f"regexp_replace(lower(word), '([^suiy])s$', '\\1') AS term{handed} FROM apart "
        f"WHERE lower(word) NOT IN {literals(STOPWORDS)})"
    )
