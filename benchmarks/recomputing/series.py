"""Statements on a metric over time: trends, steps, levels, spikes, and groups that move unlike the others."""

import re

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.recomputing.forms import MistakeError, UnreadError, form, in_any, must, rows_of, same
from benchmarks.recomputing.reading import (
    MONTHS,
    PERIOD,
    VALUE,
    File,
    bucket,
    number,
    periods,
    unit_of,
    written,
)

_WHERE = r"(?: where (?P<scope>.+?))?"
_VERBS = "where |over |spikes|dips|rises|falls|steps|shows|is |increases|decreases"
_WHAT = (
    r"(?P<kind>average|median|total|share with|number of rows with|number of rows)"
    rf"(?: (?!{_VERBS})(?P<what>.+?))?"
)
_V = rf"({VALUE})"
_MK = r"Mann-Kendall (?P<p>p [=<] [\d.]+)"
_INCOMPLETE = r"\S+(?: \S+){0,4}? is incomplete: .+?; it is left out of the trend"
_TAIL = rf"(?P<tail>(?: (?:It is one step .+?|{_INCOMPLETE}|Of the rows since .+?)\.)*)"
_GRAINS = {
    "month": "January 2000",
    "week": "the week of 2000-01-03",
    "day": "2000-01-01",
    "quarter": "Q1 2000",
    "year": "2000",
}


class Over:
    """A metric by period, for any time column that fits: `values` in order, `labels` beside them."""

    def __init__(
        self, file: File, time: str, label: str, m: re.Match[str], extra: "pd.Series[bool] | None" = None
    ) -> None:
        rows = rows_of(file, m["scope"])
        rows = rows if extra is None else rows & extra
        kind, times = m["kind"], file.dates[time]
        self.factor = 100.0 if kind == "share with" else 1.0
        measured = None
        if kind == "number of rows":
            values = pd.Series(1.0, index=file.data.index)
        else:
            measured = file.measure(m["what"] or "", unit_of(m.string))
            if measured is None:
                raise UnreadError(m["what"])
            values, self.factor = measured.values, measured.factor if kind != "number of rows with" else 1.0
        how = {"average": "mean", "share with": "mean", "median": "median"}.get(kind, "sum")
        found = values[rows].groupby(bucket(times, label)[rows]).agg(how)
        order = list(periods(times.dropna(), label))
        additive = how == "sum"
        self.labels = [p for p in order if additive or (p in found.index and not pd.isna(found[p]))]
        self.values = self.factor * np.array([float(found.get(p, 0.0)) for p in self.labels])
        self.additive, self.order = additive, order

    def at(self, label: str) -> float:
        """The value of one period."""
        must(label in self.labels, f"nothing in {label}")
        return float(self.values[self.labels.index(label)])

    def cuts(self, *, even: bool = False) -> "list[np.ndarray[tuple[int], np.dtype[np.float64]]]":
        """All periods, and those without the first or the last, which may be incomplete.

        `even`: totals of months as if all were of one length.
        """
        days = np.ones(len(self.values))
        if even and self.additive and re.match(rf"(?:{MONTHS}) ", self.labels[0]):
            days = np.array([pd.Timestamp(label).days_in_month / 30.44 for label in self.labels])
        values = self.values / days
        return [values[a : len(values) - b] for a, b in ((0, 0), (0, 1), (1, 0), (1, 1))]


def _spans(over: Over, low: str, high: str) -> None:
    ends = [(v.min(), v.max()) for v in over.cuts() if len(v)]
    must(any(written(low, a) and written(high, b) for a, b in ends), f"{ends[0][0]:g} to {ends[0][1]:g}")


def _p(said: str, over: Over) -> None:
    """The p-value told allows for autocorrelation: never clearly below that of the plain rank test."""
    plain = min(float(stats.kendalltau(range(len(v)), v).pvalue) for v in over.cuts() if len(v) >= 4)
    given = 0.001 if said.startswith("p <") else float(said.removeprefix("p ="))
    must(given >= 0.5 * plain - 0.005, f"the plain rank test has p = {plain:g}")


def _tail(file: File, tail: str) -> None:
    for m in re.finditer(rf"({PERIOD}) is incomplete: (\d+) of (\d+) days, data (begin|end) (\d{{4}}-\d\d-\d\d)", tail):
        day = pd.Timestamp(m[5])
        ends = [t.max().normalize() for t in file.dates.values()] + [t.min().normalize() for t in file.dates.values()]
        must(day in ends, f"no data end on {m[5]}")
        must(int(m[2]) == (day.day if m[4] == "end" else day.days_in_month - day.day + 1) or " " not in m[1], m[0])


@form(
    rf"The {_WHAT}{_WHERE} (?P<way>increases|decreases) over time, (?P<along>along the trend line )?from (?:about"
    rf" )?{_V} in"
    rf" (?P<first>{PERIOD}) to (?:about )?{_V} in (?P<last>{PERIOD}) \((?:about (?P<pace>[-+]?{VALUE})"
    rf"(?: percentage points)? a (?P<grain>\w+), )?{_MK}\)\.{_TAIL}"
)
def trend(file: File, m: re.Match[str]) -> None:
    first, last = m.group(6), m.group(8)

    def check(time: str) -> None:
        over = Over(file, time, m["first"], m)
        slope = float(stats.theilslopes(over.values).slope)
        must(slope > 0 if m["way"] == "increases" else slope < 0, f"slope {slope:g}")
        if not m["along"]:
            same(first, over.at(m["first"]), m["first"])
            same(last, over.at(m["last"]), m["last"])
        else:
            line = stats.theilslopes(over.values)
            ends = [over.labels.index(m[k]) for k in ("first", "last")]
            room = 0.25 * np.ptp(over.values) + 1e-9
            must(
                all(
                    abs(number(s) - (line.intercept + line.slope * i)) <= room
                    for s, i in zip((first, last), ends, strict=True)
                )
            )
        if m["pace"] and "%" not in m["pace"]:
            paces = [float(stats.theilslopes(v).slope) for v in over.cuts() if len(v) > 3]
            must(any(abs(number(m["pace"]) - p) <= max(0.1 * abs(p), 0.006) for p in paces), f"a pace of {paces[0]:g}")
        _p(m["p"], over)
        _tail(file, m["tail"])
        _step_in(file, over, m["tail"])

    in_any(list(file.dates), check)


@form(
    rf"The {_WHAT}{_WHERE} (?P<verb>is stable over time, no trend|is practically flat over time|shows no clear"
    rf" trend over time): between {_V}"
    rf" and {_V}"
    rf"(?: (?:a|by) (?P<grain>\w+)) \({_MK}\); a change of (?P<more>more than|up to) {_V} over the whole time is"
    rf" (?:not )?ruled"
    rf" out, at 95% confidence\.{_TAIL}"
)
def level(file: File, m: re.Match[str]) -> None:
    low, high, room = m.group(5), m.group(6), m.group(10)

    def check(time: str) -> None:
        over = Over(file, time, _GRAINS[m["grain"]], m)
        _spans(over, low, high)
        _p(m["p"], over)
        slopes = [stats.theilslopes(v) for v in over.cuts(even=True) if len(v) > 3]
        rooms = [max(abs(s.low_slope), abs(s.high_slope)) * (len(over.labels) - 1) for s in slopes]
        must(0.7 * min(rooms) <= number(room) <= 2.7 * max(rooms), f"room {rooms[0]:g}")
        must(m["more"] == "up to" or max(over.cuts()[0]) <= 2.7 * abs(over.values).mean())
        _tail(file, m["tail"])

    in_any(list(file.dates), check)


@form(rf"The {_WHAT}{_WHERE} steps (?P<step>(?:up|down) in .+?) \(level shift p [=<] [\d.]+\)\.{_TAIL}")
def step(file: File, m: re.Match[str]) -> None:
    place = re.search(PERIOD, m["step"])
    if place is None:
        raise UnreadError(m["step"])

    def check(time: str) -> None:
        _step_in(file, Over(file, time, place.group(), m), f" It is one step {m['step']}.")

    in_any(list(file.dates), check)


def _step_in(file: File, over: Over, text: str) -> None:
    m = re.search(
        rf"one step (up|down) in ({PERIOD}): {_V}(?: to {_V})?(?: a \w+)? before, {_V}(?: to {_V})? since", text
    )
    if m is None:
        return
    at = over.labels.index(m[2])
    for part, (low, high) in ((slice(0, at), (m[3], m[4])), (slice(at, None), (m[5], m[6]))):
        values = over.values[part]
        cuts = [v for v in (values, values[1:], values[:-1]) if len(v)]
        must(any(written(low, v.min()) and written(high or low, v.max()) for v in cuts), values.tolist())
    before, since = over.values[:at], over.values[at:]
    must((since.mean() > before.mean()) == (m[1] == "up"))


@form(
    rf"(?:(?P<name>.+?): t|T)he {_WHAT}{_WHERE} (?P<way>spikes|dips) in (?P<when>.+?): (?P<values>.+?) against"
    rf" {_V}(?: to {_V})?"
    rf" in (?:the other \w+s|\w+s without such a \w+)\."
)
def spike(file: File, m: re.Match[str]) -> None:
    low, high = m.group(8), m.group(9)
    when = m["when"]
    year = re.search(r"\d{4}$", when)
    names = re.findall(PERIOD, when)
    if year and re.search(rf"(?:{MONTHS})\b(?! \d)", when):
        names = [f"{x} {year.group()}" for x in re.findall(MONTHS, when)]
    said = re.findall(VALUE, m["values"].replace(" and ", " & "))

    def at(time: str) -> None:
        columns = list(file.columns_with(m["name"])) if m["name"] else [""]

        def check(column: str) -> None:
            extra = (file.names(column) == file.key(column, m["name"])) if column else None
            over = Over(file, time, names[0], m, extra)
            must([written(s, over.at(n)) for s, n in zip(said, names, strict=True)] == [True] * len(names), "values")
            rest = np.array([v for v, n in zip(over.values, over.labels, strict=True) if n not in names])
            must(
                all(
                    over.at(n) > max(np.sort(rest)[:-3]) if m["way"] == "spikes" else over.at(n) < np.sort(rest)[3]
                    for n in names
                )
            )
            least, most = np.sort(rest)[:4], np.sort(rest)[-4:]
            ends = any(written(low, v) for v in least) and any(written(high or low, v) for v in most)
            must(ends, f"others {rest.min():g} to {rest.max():g}")

        in_any(columns, check)

    in_any(list(file.dates), at)


@form(
    rf"(?:(?P<name>.+?) stands out|Only (?P<only>.+?) shows a clear trend): the {_WHAT}{_WHERE}"
    rf" (?P<way>rises|falls) (?P<along>along the trend"
    rf" line )?from (?:about )?{_V} in (?P<first>{PERIOD}) to (?:about )?{_V} in (?P<last>{PERIOD}), while"
    rf" (?P<rest>.+?) (?:at) {_V}(?: to {_V})?"
    rf" \({_MK}\)(?:; a change of more than {_V} over the whole time is ruled out for .+?, at 95%"
    rf" confidence)?\.{_TAIL}"
)
def one_moves(file: File, m: re.Match[str]) -> None:
    name = m["name"] or m["only"]
    values = [m.group(i) for i in (8, 10, 13, 14)]
    by = re.search(r"groups of (\S+) ", m["rest"] + " ")

    def at(time: str) -> None:
        def check(column: str) -> None:
            over = Over(file, time, m["first"], m, file.names(column) == file.key(column, name))
            if not m["along"]:
                same(values[0], over.at(m["first"]))
                same(values[1], over.at(m["last"]))
            slope = float(stats.theilslopes(over.values).slope)
            must((slope > 0) == (m["way"] == "rises"), f"slope {slope:g}")
            others = [g for g in file.names(column).value_counts().index[:12] if g != file.key(column, name)]
            cells = [v for g in others for v in Over(file, time, m["first"], m, file.names(column) == g).values[:-1]]
            every = [v for g in others for v in Over(file, time, m["first"], m, file.names(column) == g).values]
            must(
                any(written(values[2], min(c)) and written(values[3] or values[2], max(c)) for c in (cells, every)),
                f"{min(every)} to {max(every)}",
            )

        in_any([by[1]] if by else list(file.columns_with(name)), check)

    in_any(list(file.dates), at)


@form(
    rf"The (?P<noun>growth|decline) of the {_WHAT}{_WHERE} is strongest in (?P<name>.+?) \(from {_V} to {_V}(?: a"
    rf" (?P<grain>\w+))?\)"
    rf"(?:, followed by (?P<then>.+?))?(?P<more>; the decline of .+?)?\.(?P<quiet> .+?\.)*"
)
def several_move(file: File, m: re.Match[str]) -> None:
    pairs = [(m["name"], m.group(6), m.group(7))]
    pairs += [(n, a, b) for n, a, b in re.findall(rf"(?:^|, | and )(.+?) \(from {_V} to {_V}\)", m["then"] or "")]

    def at(time: str) -> None:
        def check(column: str) -> None:
            for name, low, high in pairs:
                over = Over(file, time, _GRAINS[m["grain"] or "month"], m, file.names(column) == file.key(column, name))
                firsts, lasts = over.values[:3], over.values[-3:]
                must(any(written(low, v) for v in firsts), f"{name} starts with {firsts}")
                must(any(written(high, v) for v in lasts), f"{name} ends with {lasts}")

        in_any(list(file.columns_with(m["name"])), check)

    in_any(list(file.dates), at)


@form(
    rf"The {_WHAT}{_WHERE} (?P<verb>shows no clear trend over time in any of the|stays flat over time in all)"
    rf" (?P<k>\d+) groups of (?P<by>.+?):"
    rf" between {_V} and {_V}(?: a \w+)? \(smallest corrected (?P<p>p [=<] [\d.]+)\); a change of (?:more than|up"
    rf" to) {_V} over the"
    rf" whole time is (?:not )?ruled out(?: in .+?)?, at 95% confidence\."
)
def none_moves(file: File, m: re.Match[str]) -> None:
    low, high = m.group(7), m.group(8)
    if m["by"] not in file.data:
        raise UnreadError(m["by"])

    def check(time: str) -> None:
        for grain in ("month", "week", "quarter", "day", "year"):
            names = file.names(m["by"]).value_counts().index[: int(m["k"]) + 3]
            seen = [Over(file, time, _GRAINS[grain], m, file.names(m["by"]) == g).values for g in names]
            for cut in (slice(None), slice(0, -1), slice(1, None), slice(1, -1)):
                for k in range(int(m["k"]), len(seen) + 1):
                    every = np.concatenate([s[cut] for s in seen[:k]]) if seen[:k] else np.array([])
                    if len(every) and written(low, every.min()) and written(high, every.max()):
                        return
        raise MistakeError("another span")

    in_any(list(file.dates), check)


CHECKS = (spike, one_moves, several_move, none_moves, trend, level, step)
