"""Column names that are periods: 2019, "Jan 2024", "2024-Q1", "wk 3", "1/22/20", and "Sales 2019", "2019 [YR2019]"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

PeriodKind = Literal["date", "quarter", "month", "year", "month of the year", "week"]
_FEWEST = 3
_MONTHS = {
    r"jan(?:uary|uar|v|vier)?": 1, r"feb(?:ruary|ruar)?|f[ée]vr?(?:ier)?": 2, r"mar(?:ch|s)?|m[äa]rz|mrz|mär": 3,
    r"apr(?:il)?|avr(?:il)?": 4, r"may|mai": 5, r"june?|juni|juin": 6, r"july?|juli|juil(?:let)?": 7,
    r"aug(?:ust)?|ao[ûu]t": 8, r"sept?(?:ember|embre)?": 9, r"oct(?:ober|obre)?|okt(?:ober)?": 10,
    r"nov(?:ember|embre)?": 11, r"dec(?:ember)?|dez(?:ember)?|d[ée]c(?:embre)?": 12,
}  # fmt: skip
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})\.?"
_YEAR = r"(?P<year>(?:1[89]|20)[0-9]{2})"
_EITHER_YEAR = r"(?:(?P<year>(?:1[89]|20)[0-9]{2})|'?(?P<short>[0-9]{2}))"
_EDGE, _END = r"(?<![0-9A-Za-z])", r"(?![0-9A-Za-z])"
_GAP = r"[ _./-]?"
_WHOLE: tuple[tuple[PeriodKind, re.Pattern[str]], ...] = (
    ("date", re.compile(r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[ T]00:00(?::00)?)?")),
    ("date", re.compile(r"[0-9]{1,2}([-/.])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})")),
    ("month", re.compile(rf"(?i){_MONTH}[ _./-]*{_EITHER_YEAR}")),
    ("month of the year", re.compile(rf"(?i){_MONTH}")),
    ("week", re.compile(r"(?i)(?:week|wk|kw)[ _.-]*(?P<number>[0-9]{1,2})")),
)
"""Names that are nothing but a period."""
_WITHIN: tuple[tuple[PeriodKind, re.Pattern[str]], ...] = (
    ("quarter", re.compile(rf"(?i){_EDGE}(?:{_YEAR}{_GAP}q(?P<number>[1-4])){_END}")),
    ("quarter", re.compile(rf"(?i){_EDGE}(?:q(?P<number>[1-4]){_GAP}{_YEAR}){_END}")),
    ("month", re.compile(rf"(?i){_EDGE}{_YEAR}(?:[-/._]|m|-m)(?P<number>0[1-9]|1[0-2]){_END}")),
    ("month", re.compile(rf"(?i){_EDGE}(?P<number>0[1-9]|1[0-2])[-/._]{_YEAR}{_END}")),
    ("month", re.compile(rf"(?i){_EDGE}{_MONTH}[ _./-]*{_YEAR}{_END}")),
    ("year", re.compile(rf"(?i){_EDGE}{_YEAR} ?\[YR[0-9]{{4}}\]")),
    ("year", re.compile(rf"(?i){_EDGE}(?:yr|fy|y|x)?{_YEAR}{_END}")),
)
"""Periods that may stand in a longer name; an underscore ends a word."""


class _Read(NamedTuple):
    kind: PeriodKind
    label: str
    """Cell of the column of periods: a year, a number, or the first day as YYYY-MM-DD; a date as it is written."""
    order: tuple[int, ...] | None
    measure: str


@dataclass(frozen=True)
class Periods:
    """Columns that are the periods of one or more measures.

    `places`: for each measure the positions of its columns, period by period as in `labels`.
    """

    kind: PeriodKind
    labels: tuple[str, ...]
    places: dict[str, tuple[int, ...]]

    @property
    def positions(self) -> frozenset[int]:
        """All columns that are periods."""
        return frozenset(i for places in self.places.values() for i in places)


def periods_among(names: Sequence[str]) -> Periods | None:
    """Find three or more periods of one kind among column names, rising or falling; None where there are none.

    Several measures ("Sales 2019", "Profit 2019", ...) have to share all of their periods.
    """
    found = [(i, read) for i, name in enumerate(names) if (read := _read(name.strip()))]
    for kind in dict.fromkeys(read.kind for _, read in found):
        measures: dict[str, list[tuple[int, _Read]]] = {}
        for i, read in found:
            if read.kind == kind:
                measures.setdefault(read.measure, []).append((i, read))
        long = {m: reads for m, reads in measures.items() if len(reads) >= _FEWEST}
        if not long or not all(_in_order([r for _, r in reads]) for reads in long.values()):
            continue
        labels = {tuple(r.label for _, r in reads) for reads in long.values()}
        if len(labels) == 1:
            return Periods(kind, labels.pop(), {m: tuple(i for i, _ in reads) for m, reads in long.items()})
    return None


def _in_order(reads: Sequence[_Read]) -> bool:
    if len({r.label for r in reads}) < len(reads):
        return False
    orders = [r.order for r in reads if r.order is not None]
    if reads[0].kind == "month of the year":  # a business year may begin in any of them
        first = orders.index(min(orders))
        orders = orders[first:] + orders[:first]
    return not orders or orders in (sorted(orders), sorted(orders, reverse=True))


def _read(name: str) -> _Read | None:
    for kind, pattern in _WHOLE:
        if match := pattern.fullmatch(name):
            return _measured(kind, match, name, "")
    spaced = name.replace("_", " ")
    for kind, pattern in _WITHIN:
        if match := pattern.search(spaced):
            rest = f"{spaced[: match.start()]} {spaced[match.end() :]}"
            return _measured(kind, match, name, " ".join(re.sub(r"[(\[] *[)\]]", " ", rest).split()).strip(" -:/,"))
    return None


def _measured(kind: PeriodKind, match: re.Match[str], name: str, measure: str) -> _Read:
    parts = match.groupdict()
    if kind == "date":
        return _Read(kind, name, None, measure)
    number = int(parts["number"]) if parts.get("number") else None
    if parts.get("name"):
        number = next(n for words, n in _MONTHS.items() if re.fullmatch(f"(?i:{words})", parts["name"]))
    if kind in {"week", "month of the year"}:
        return _Read(kind, str(number), (number or 0,), measure)
    year = int(parts["year"]) if parts.get("year") else 2000 + int(parts["short"])
    if kind == "year":
        return _Read(kind, str(year), (year,), measure)
    month = 3 * (number or 1) - 2 if kind == "quarter" else number or 1
    return _Read(kind, f"{year}-{month:02d}-01", (year, month), measure)
