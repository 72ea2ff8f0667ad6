"""The spans of time a clause speaks of, as windows over a time column or filters on a column of years."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from analyst.reading.durations import OUTCOMES
from analyst.reading.mentions import Mention
from analyst.reading.words import name_words, tokens
from analyst.times.calendar_units import Span, Unit, newest_day, period, period_label
from analyst.times.expressions import OVER_A_YEAR, spans
from analyst.times.year_columns import year_column
from datasets.measures import Filter, Window
from datasets.schema import Column, SchemaCard

_VERSUS = re.compile(
    r"\b(?:versus|vs\.?|against|compared? (?:to|with)|relative to"
    r"|than(?: in)?|from)\s+(?:the\s+)?$|\bover\s+(?:the\s+)?$",
    re.I,
)
_RELATIVE = re.compile(r"\b(?:previous|prior|preceding|last)\s+(?P<u>day|week|month|quarter|year)\b", re.I)
_TO = re.compile(r"\s*(?:to|and)\s+(?:the\s+)?", re.I)
_COMPARING = re.compile(r"\b(?:compar\w+|chang\w+|differ\w+|between|from|versus|vs)\b", re.I)
_MOVED = re.compile(
    r"\b(?:ris|rose|grow|grew|fall|fell|drop|declin|decreas|increas|gain|los[et]|improv|worsen|jump|shr[aiu]nk"
    r"|up|down|higher|lower|more|less|better|worse)\w*\b",
    re.I,
)
_EARLIER_YEAR = re.compile(
    r"\b(?:(?:same|corresponding) \w+ (?:last|the previous|the prior"
    r"|a) year(?: ago| before)?|(?:the )?(?:year|12 months) (?:before"
    r"|earlier|ago)|last year|previous year|prior year|year[- ](?:over"
    r"|on)[- ]year|yoy)\b",
    re.I,
)
_EARLIER = re.compile(
    r"\b(?:(?:the )?(?:previous|prior|preceding) (?:\w+)|(?:the )?(?:month"
    r"|quarter|week|period|day) before|month[- ](?:over|on)[- ]month"
    r"|mom|qoq|wow)\b",
    re.I,
)

_ENDS = re.compile(
    r"\b(?:from|between)\s+the\s+(?:very\s+)?(?:first|earliest|oldest|beginning|start)\b(?:\s+(?P<one>day|date|row|record"
    r"|entry|observation|value|week|month|quarter|year))?[^.?!;]{0,30}?\s(?:to|and|until)\s+(?:the\s+)?(?:very\s+)?"
    r"(?:last|latest|newest|most\s+recent|end)\b(?:\s+(?P<two>day|date|row|record|entry|observation|value|week|month"
    r"|quarter|year))?(?:\s+(?:of|in)\s+the\s+(?:data\w*|dataset|file|table|series|period))?",
    re.I,
)
_UNITS: dict[str, Unit] = {"week": "week", "month": "month", "quarter": "quarter", "year": "year"}


@dataclass
class Periods:
    """What a clause says of time. `places`: where its words stand.

    `states`: two conditions on a column of years, the earlier first, where the clause compares them.
    """

    window: Window | None = None
    versus: Window | None = None
    filters: list[Filter] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    states: tuple[Filter, Filter] | None = None


def periods_in(text: str, card: SchemaCard, newest: date | None, mentions: Sequence[Mention]) -> Periods:
    """Read the time expressions of a clause on a card."""
    whole = _ENDS.search(text)
    column = _time_column(text, card, mentions) if whole else None
    if whole and column:
        return _first_to_last(whole, card.column(column))
    found = [
        s
        for s in spans(text, newest)
        if not any(m.how in {"quoted", "name"} and m.start < s.end and s.start < m.end for m in mentions)
    ]
    if not found:
        return Periods()
    column = _time_column(text, card, mentions)
    if column is None:
        year = year_column(card)
        return _on_years(text, found, year) if year else Periods()
    main, other = _sides(text, found)
    result = Periods(window=main.window(column), places=[(s.start, s.end) for s in found])
    if other is not None and not _RELATIVE.search(text[main.start : main.end]):
        relative = _RELATIVE.search(text[other.start : other.end])
        if relative:
            yearly = relative["u"].lower() == "year" and main.unit != "year"
            other = main.year_before() if yearly else main.before() or other
    if other is None:
        earlier = _implied(text, main)
        if earlier:
            other, place = earlier
            result.places.append(place)
    if other:
        result.versus = other.window(column)
    return result


def _first_to_last(said: re.Match[str], column: Column) -> Periods:
    """ "from the first to the last day": the ends of the data, set against each other."""
    first, last = newest_day(column.minimum), newest_day(column.maximum)
    if first is None or last is None:
        return Periods()
    unit = _UNITS.get((said["two"] or said["one"] or "").lower(), "day")
    before, after = (Window(column=column.name, start=s, end=e, label=period_label(s, unit))
                     for s, e in (period(unit, first), period(unit, last)))  # fmt: skip
    return Periods(window=after, versus=before, places=[said.span()])


def _sides(text: str, found: list[Span]) -> tuple[Span, Span | None]:
    """The span asked about and the one that it is compared with."""
    first = found[0]
    if len(found) == 1:
        if re.search(r"\bover\s+(?:the\s+)?$", text[: first.start], re.I) and OVER_A_YEAR.search(text[: first.start]):
            return first, None
        if _VERSUS.search(text[: first.start]) and not re.search(r"\bfrom\s+$", text[: first.start], re.I):
            later = (
                None if first.until is None else Span(first.start, first.end, first.until, None, f"after {first.label}")
            )
            return (later, first) if later and first.since else (first, None)
        return first, None
    second = found[1]
    between = text[first.end : second.start]
    if _VERSUS.search(text[first.end : second.start]):
        return first, second
    if (_TO.fullmatch(between) or set(between.split()) & {"to", "with", "and", "against"}) and _COMPARING.search(text):
        earlier = first.since and second.since and first.since < second.since
        return (second, first) if earlier else (first, second)
    return first, None


def _with_lead(text: str, span: Span) -> tuple[int, int]:
    """The place of a year with the "between" or "from" before it, so that no column takes it for its bounds."""
    lead = re.search(r"\b(?:between|from|in|to|since)\s+(?:the\s+)?(?:year\s+)?$", text[: span.start], re.I)
    return (lead.start() if lead else span.start), span.end


def _implied(text: str, main: Span) -> tuple[Span, tuple[int, int]] | None:
    for pattern, made in ((_EARLIER_YEAR, main.year_before()), (_EARLIER, main.before())):
        match = pattern.search(text)
        if match and made and not (match.start() < main.end and main.start < match.end()):
            return made, match.span()
    return None


def _time_column(text: str, card: SchemaCard, mentions: Sequence[Mention]) -> str | None:
    """The time column that the clause names, else the one of the dataset."""
    for mention in mentions:
        if mention.how != "value" and card.column(mention.column).temporal:
            return mention.column
    spoken = {t.word for t in tokens(text) if t.is_word}
    for column in card.columns:
        parts = set(name_words(column.name))
        if column.temporal and any(group & parts and group & spoken for group in OUTCOMES):
            return column.name
    if card.time_column and card.column(card.time_column).temporal:
        return card.time_column
    return None


def _on_years(text: str, found: list[Span], column: Column) -> Periods:
    result = Periods()
    single = [s for s in found if s.unit == "year" and s.since is not None]
    if len(single) == 2 and len(found) == 2 and (_COMPARING.search(text) or _MOVED.search(text)):
        years = sorted(s.since.year for s in single if s.since)
        result.places = [_with_lead(text, s) for s in single]
        result.states = (
            Filter(column=column.name, values=(years[0],)),
            Filter(column=column.name, values=(years[1],)),
        )
        return result
    for span in found:
        whole = all(d is None or (d.month, d.day) == (1, 1) for d in (span.since, span.until))
        if not whole:
            continue
        first = span.since.year if span.since else None
        last = span.until.year - 1 if span.until else None
        if first is not None and last is not None:
            condition = (
                Filter(column=column.name, values=(first,))
                if first == last
                else Filter(column=column.name, op="between", values=(first, last))
            )
        elif first is not None:
            condition = Filter(column=column.name, op="ge", values=(first,))
        else:
            condition = Filter(column=column.name, op="le", values=(last or 0,))
        result.filters.append(condition)
        result.places.append((span.start, span.end))
    return result
