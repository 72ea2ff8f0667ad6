"""Conditions of a question → filters: named values, yes/no columns, comparisons with numbers, presence."""

import re
from collections.abc import Sequence
from itertools import pairwise

from analyst.reading.lexicon import NEGATIVE, POSITIVE
from analyst.reading.mentions import Mention
from analyst.reading.values import typed
from analyst.reading.words import stem, tokens
from datasets.measures import Filter, FilterOp, Value
from datasets.schema import Column, SchemaCard

_NUMBER = r"[$€£]?(?P<n>-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)(?P<k>\s?(?:k|m|million|thousand|billion)\b)?"
_NUMBER_WORDS = dict(
    zip(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], range(1, 11), strict=True)
)
SPOKEN = _NUMBER.replace("(?P<n>", f"(?P<n>(?:{'|'.join(_NUMBER_WORDS)})\\b|", 1)
"""A number in digits or in a word, for places where only a number can stand."""
COMPARED: tuple[tuple[str, FilterOp], ...] = (
    (r">=|≥|at least|no less than|not less than|greater than or equal to|(?:a )?minimum of|from", "ge"),
    (r"<=|≤|at most|no more than|not more than|less than or equal to|up to|(?:a )?maximum of", "le"),
    (r">|(?:greater|more|higher|larger|older|longer|bigger|heavier|later|taller) than"
        r"|above|over|exceed(?:s|ing)?|after", "gt"),
    (r"<|(?:less|lower|smaller|younger|shorter|fewer|lighter|earlier) than|below|under|before", "lt"),
    (r"!=|<>|(?:is )?not(?: equal to)?|other than", "ne"),
    (r"==?|equals?(?: to)?|is(?: equal to)?|of|are|was|:", "eq"),
)  # fmt: skip
_LINK = (
    r"\s*(?:\"|'|`)?\s*(?:columns?|values?|field|score)?\s*(?:(?:is"
    r"|are|was|were|has been|that is|which is|that are|being|with"
    r"|of|a value|values?)\s+)*"
)
_UNKNOWN = frozenset(
    ["unknown", "n/a", "na", "none", "null", "?", "-", "other", "unsure", "undecided", "not_known", "missing"]
)
_BETWEEN = re.compile(
    rf"{_LINK}(?:is |are )?(?:between|from)\s+{_NUMBER}\s+(?:and"
    rf"|to)\s+{_NUMBER.replace('?P<n>', '?P<n2>').replace('?P<k>', '?P<k2>')}",
    re.I,
)
_AFTER = tuple((re.compile(rf"{_LINK}(?:{words})\s*{_NUMBER}", re.I), op) for words, op in COMPARED)
_OR_MORE = re.compile(
    rf"{_LINK}{_NUMBER}\s*(?:years?(?: old)?|days|units)?\s*(?:(?:and|or) (?:above|over|more|older|higher|up)|\+)", re.I
)
_OR_LESS = re.compile(
    rf"{_LINK}{_NUMBER}\s*(?:years?(?: old)?|days|units)?\s*(?:and|or) (?:below|under|less|younger|lower|fewer)", re.I
)
_ADJACENT = re.compile(rf"\s*(?:=|==|:|is|equals?|equal to|of)?\s*['\"]?{_NUMBER}(?![\d%])['\"]?", re.I)
_BEFORE = tuple((re.compile(rf"(?<!\w)(?:{words})\s*{SPOKEN}\s+$", re.I), op) for words, op in COMPARED[:4])
_EXACTLY = re.compile(rf"\b(?:exactly|just|with|who have|ha(?:s|ve|d)|have only|got)\s+(?:exactly )?{SPOKEN}\s+$", re.I)
_FEW_COUNTS = 30
"""A column of so few numbers counts something, of which one can have exactly two."""
_PRESENT = re.compile(
    rf"{_LINK}(?:not (?:missing|null|empty|blank)|(?<=(?:is|re) )(?:present|known|available|recorded))\b", re.I
)
_ABSENT = re.compile(rf"{_LINK}(?:missing|null|empty|blank|unknown|not (?:available|recorded|known|present))\b", re.I)
_NEGATED = re.compile(
    r"(?:\bnot(?: (?:in|from|on|be|been|a|an|the))?|n't|\bnon-?|\bexcept(?: for)?"
    r"|\bexclud\w+|\bother than|\bwithout|\bnever|\boutside(?: of)?"
    r"|\bno|\bun|\bis not|<>|!=)\s*(?:the |an? |\w+ed )?['\"]?$",
    re.I,
)
_AGE_WORDS = re.compile(
    rf"\b(?P<c>older|younger|aged?)\s+(?:than\s+|over\s+|above\s+|under\s+|below\s+)?{_NUMBER}", re.I
)


_MISSING_BEFORE = re.compile(r"\b(?:missing|without(?: an?| any)?|null|no known|unknown)\s+(?:the\s+)?[\"'`]?$", re.I)


_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_ORDINAL = re.compile(rf"\b(?P<o>{'|'.join(_ORDINALS)})[- ](?P<n>[a-z]{{3,}})\b", re.I)
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ON_DAYS = re.compile(
    rf"\b(?:on|during|at|for|only) (?:the )?(?:a )?"
    rf"(?P<d>(?:{'|'.join(_DAY_NAMES)})s?|weekends?|weekdays|working days)\b",
    re.I,
)
_WEEKEND = re.compile(r"\bweek-?ends?\b", re.I)
_WEEKDAY = re.compile(r"\b(?:weekdays|working days|business days)\b", re.I)
_COMPARES = re.compile(
    r"\W*(?:column |price |value |is |was |are |were |that |being |of )*"
    r"(?:(?P<up>above|higher than|greater than|more than|over|exceed(?:s|ed|ing)?|>|larger than)"
    r"|(?:below|lower than|less than|smaller than|fewer than|under|<))"
    r"\s+(?:the |its |their |that of |those of )*[\"'`]?",
    re.I,
)


def negated(text: str, start: int) -> bool:
    """Whether the words before a place deny what follows."""
    return _NEGATED.search(text[:start]) is not None


def numeric_filter(text: str, mention: Mention, column: Column) -> tuple[Filter, int, int] | None:
    """The comparison of a mentioned column with a number, and the places that it takes in the text."""
    if not column.numeric:
        return _presence(text, mention, column)
    after = text[mention.end :]
    match = _BETWEEN.match(after)
    if match:
        low, high = number_of(match["n"], match["k"]), number_of(match["n2"], match["k2"])
        return Filter(column=column.name, op="between", values=(low, high)), mention.start, mention.end + match.end()
    for pattern, op in ((_OR_MORE, "ge"), (_OR_LESS, "le"), *_AFTER):
        match = pattern.match(after)
        if match and not (op == "eq" and (column.role == "measure" and "=" not in match.group())):
            found = Filter(column=column.name, op=op, values=(number_of(match["n"], match["k"]),))
            return found, mention.start, mention.end + match.end()
    for pattern, op in _BEFORE:
        match = pattern.search(text[: mention.start])
        number = number_of(match["n"], match["k"]) if match else 0
        spoken_of_age = match is not None and re.match(r"older|younger", match.group(), re.I)
        if match and not spoken_of_age and not (two_sided(column) and number not in {0, 1}):
            found = Filter(column=column.name, op=op, values=(number,))
            return found, match.start(), mention.end
    counted = _EXACTLY.search(text[: mention.start])
    if counted and column.distinct <= _FEW_COUNTS and not two_sided(column):
        number = number_of(counted["n"], counted["k"])
        return Filter(column=column.name, values=(number,)), counted.start(), mention.end
    match = _ADJACENT.match(after)
    if match and (
        column.role in {"dimension", "boolean", "identifier", "constant"} or _numbered(text, mention, column)
    ):
        value = number_of(match["n"], match["k"])
        if any(_same_number(value, v) for v in column.values) or not column.values:
            found = Filter(column=column.name, op="ne" if negated(text, mention.start) else "eq", values=(value,))
            return found, mention.start, mention.end + match.end()
    return _presence(text, mention, column)


_OF_WHICH = re.compile(r"\b(?:with|having|of|in|for|from|where(?: the)?)\s+(?:an? |the )?[\"'`]?$", re.I)
_STATISTIC_OF = re.compile(
    r"\b(?:mean|average|median|sum|total|percentile|quantile|deviation|variance)\s+of\s+[\"'`]?$", re.I
)


def _numbered(text: str, mention: Mention, column: Column) -> bool:
    """Whether "with model year 76" says which of few whole numbers a measure is, and not that it is wanted."""
    lead = text[: mention.start]
    few = column.role == "measure" and column.distinct <= _FEW_COUNTS and column.sql_type.endswith("INT")
    return few and _OF_WHICH.search(lead) is not None and _STATISTIC_OF.search(lead) is None


def between_years(condition: Filter) -> bool:
    """Whether a condition is one between two numbers that can be years."""
    return condition.op == "between" and all(isinstance(v, int) and 1900 <= v <= 2100 for v in condition.values)


def years_elsewhere(condition: Filter, column: Column) -> bool:
    """Whether "from 1985 to 1999" is said of time, since the column holds no such number."""
    try:
        low, high = float(column.minimum or ""), float(column.maximum or "")
    except ValueError:
        return False
    numbers = [float(v) for v in condition.values if isinstance(v, int | float)]
    return between_years(condition) and not (low <= numbers[-1] and numbers[0] <= high)


def ordinal_filters(text: str, card: SchemaCard) -> list[tuple[Filter, int, int]]:
    """ "first class", "third floor" → the number in the column that ends in such a word and holds it."""
    found: list[tuple[Filter, int, int]] = []
    for match in _ORDINAL.finditer(text):
        number = _ORDINALS[match["o"].lower()]
        noun = stem(match["n"].lower())
        for column in card.by_role("dimension"):
            name = column.name.casefold()
            fits = (name.endswith(noun) and name != noun) or stem(name) == noun
            if (
                column.numeric
                and column.distinct <= 20
                and fits
                and any(_same_number(number, v) for v in column.values)
            ):
                found.append((Filter(column=column.name, values=(number,)), match.start(), match.end()))
                break
    return found


def weekday_filter(text: str, card: SchemaCard) -> tuple[Filter, int, int] | None:
    """ "on Mondays", "on weekends" → the days of the week of the time column."""
    time = next((c for c in card.columns if c.name == card.time_column and c.temporal), None)
    match = _ON_DAYS.search(text)
    if time is None or match is None:
        return None
    return Filter(column=time.name, op="weekday", values=_days(match["d"])), match.start(), match.end()


def weekday_ranges(text: str, card: SchemaCard) -> tuple[tuple[str, Filter], ...]:
    """ "weekends versus weekdays": both as named conditions; empty where not both are named."""
    time = next((c for c in card.columns if c.name == card.time_column and c.temporal), None)
    if time is None or not (_WEEKEND.search(text) and _WEEKDAY.search(text)):
        return ()
    return tuple(
        (name, Filter(column=time.name, op="weekday", values=_days(name))) for name in ("weekends", "weekdays")
    )


def column_filter(text: str, mentions: Sequence[Mention], card: SchemaCard) -> tuple[Filter, Mention, Mention] | None:
    """ "close above its open" → a condition between two numeric columns."""
    for one, two in pairwise([m for m in mentions if m.how != "value"]):
        between = _COMPARES.fullmatch(text[one.end : two.start])
        if between is None or one.column == two.column:
            continue
        if card.column(one.column).numeric and card.column(two.column).numeric:
            op: FilterOp = "above_column" if between["up"] else "below_column"
            return Filter(column=one.column, op=op, values=(two.column,)), one, two
    return None


def _days(word: str) -> tuple[Value, ...]:
    lowered = word.lower()
    if lowered.startswith("weekend"):
        return (6, 7)
    if lowered.startswith(("weekday", "working")):
        return (1, 2, 3, 4, 5)
    return (1 + next(i for i, name in enumerate(_DAY_NAMES) if lowered.startswith(name)),)


def age_filter(text: str, card: SchemaCard) -> tuple[Filter, int, int] | None:
    """ "older than 30" where a column holds ages."""
    match = _AGE_WORDS.search(text)
    ages = [c for c in card.columns if c.numeric and stem(c.name.casefold()) == "age"]
    if match is None or not ages:
        return None
    words = match.group().lower()
    op: FilterOp = (
        "lt" if re.search(r"younger|under|below", words) else "gt" if re.search(r"older|over|above", words) else "eq"
    )
    return Filter(column=ages[0].name, op=op, values=(number_of(match["n"], match["k"]),)), match.start(), match.end()


def value_filters(text: str, found: Sequence[tuple[Mention, str]], card: SchemaCard) -> list[Filter]:
    """Filters from named values, each with the column it was read on; values of one column are alternatives."""
    wanted: dict[str, list[Value]] = {}
    refused: dict[str, list[Value]] = {}
    for mention, name in found:
        column = card.column(name)
        stored = _stored(column, mention)
        side = refused if negated(text, mention.start) else wanted
        if stored not in side.setdefault(name, []):
            side[name].append(stored)
    filters = [_one_of(name, tuple(values)) for name, values in wanted.items()]
    for name, values in refused.items():
        filters.append(Filter(column=name, op="ne" if len(values) == 1 else "not_in", values=tuple(values)))
    return filters


def merged(filters: Sequence[Filter]) -> list[Filter]:
    """Equal conditions once; several "is" on one column become alternatives."""
    result: list[Filter] = []
    for condition in {f.key: f for f in filters}.values():
        twin = next((f for f in result if f.column == condition.column and {f.op, condition.op} <= {"eq", "in"}), None)
        if twin is None:
            result.append(condition)
            continue
        values = tuple(dict.fromkeys((*twin.values, *condition.values)))
        result[result.index(twin)] = Filter(column=twin.column, op="in", values=values)
    return result


def positive_values(column: Column) -> tuple[Value, ...]:
    """The values of a two-sided column that mean yes; empty when none does."""
    if column.sql_type == "BOOLEAN":
        return (True,)
    if column.numeric:
        sides = {float(v) for v in column.values}
        return (1,) if sides == {0.0, 1.0} or (sides == {1.0} and column.distinct == 1) else ()
    yes = [v for v in column.values if v.casefold().strip() in POSITIVE]
    return tuple(yes) if yes and column.distinct <= 20 else ()


def two_sided(column: Column) -> bool:
    """Whether a column says yes or no, in whatever spellings, perhaps with words for unknown."""
    yes = positive_values(column)
    if not yes or column.numeric or column.sql_type == "BOOLEAN":
        return bool(yes)
    known = POSITIVE | NEGATIVE | _UNKNOWN
    return all(v.casefold().strip() in known for v in column.values)


def known_sides(column: Column) -> Filter | None:
    """The condition that a two-sided column is known; None where every present value says yes or no."""
    unknown = [v for v in column.values if v.casefold().strip() in _UNKNOWN]
    if not unknown or column.sql_type != "VARCHAR":
        return None
    return Filter(column=column.name, op="not_in", values=tuple(unknown))


def negative_values(column: Column) -> tuple[Value, ...]:
    """The values of a two-sided column that are not yes."""
    yes = {str(v) for v in positive_values(column)}
    if column.sql_type == "BOOLEAN":
        return (False,)
    if column.numeric:
        return (0,) if yes else ()
    return tuple(v for v in column.values if v.casefold().strip() in NEGATIVE) if yes else ()


def yes_filter(text: str, mention: Mention, column: Column) -> Filter | None:
    """A two-sided column used as a condition ("who survived", "did not survive", "non-smokers")."""
    sides = (
        negative_values(column) if negated(text, mention.start) or _denied(text, mention) else positive_values(column)
    )
    return _one_of(column.name, sides) if sides else None


def _denied(text: str, mention: Mention) -> bool:
    return re.match(r"\s*(?:=|is|==)?\s*(?:0|no|false)\b", text[mention.end :], re.I) is not None


def _presence(text: str, mention: Mention, column: Column) -> tuple[Filter, int, int] | None:
    after = text[mention.end :]
    if _MISSING_BEFORE.search(text[: mention.start]) and not re.match(r"\W*(?:values?|data|entries)\b", after, re.I):
        return Filter(column=column.name, op="is_null"), mention.start, mention.end
    for pattern, op in ((_PRESENT, "not_null"), (_ABSENT, "is_null")):
        match = pattern.match(after)
        if match and not re.match(r"\s*(?:values?|entries|data)", after[match.end() :]):
            return Filter(column=column.name, op=op), mention.start, mention.end + match.end()
    return None


def _one_of(name: str, values: tuple[Value, ...]) -> Filter:
    return Filter(column=name, op="eq" if len(values) == 1 else "in", values=values)


def _stored(column: Column, mention: Mention) -> Value:
    wanted = (mention.value or mention.text).casefold().strip()
    exact = next((v for v in column.values if v.casefold().strip() == wanted), None)
    return typed(column, exact if exact is not None else mention.value or mention.text)


def number_of(text: str, scale: str | None) -> int | float:
    """The number that digits and a word for their scale ("k", "million") write."""
    number = float(_NUMBER_WORDS.get(text.lower()) or text.replace(",", ""))
    word = (scale or "").strip().lower()
    number *= {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "billion": 1e9}.get(word, 1)
    return int(number) if number.is_integer() else number


def _same_number(value: float, stored: str) -> bool:
    try:
        return float(stored) == float(value)
    except ValueError:
        return False


def words_left(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Content words of a text outside some places."""
    return [
        t.word
        for t in tokens(text)
        if t.is_word and not t.is_stop and not any(s < t.end and t.start < e for s, e in spans)
    ]
