"""Statements that compare the groups of a column by an average, a median, a share or a total."""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.recomputing.forms import UnreadError, form, in_any, must, p_is, rows_of, same
from benchmarks.recomputing.reading import NUMBER, VALUE, File, Measured, number, unit_of, written

_WHERE = r"(?: where (?P<scope>.+?))?"
_KIND = r"(?P<kind>average|median|total|share with|number of rows with|maximum|minimum)"
_TEST = r"(?: \((?P<test>[A-Z][\w -]*?|chi-square|two-proportion score) (?P<p>p [=<] [\d.]+)\))?"
_LEFT = r"(?: Left out(?:: \d+ .+? with fewer than \d+ rows| for fewer than (?P<fewest>\d+) rows: (?P<small>.+?))\.)?"
_BUT = r"(?P<but> But .+?\.)?"
_V = rf"({VALUE})"
_CALENDAR = {"quarter": "Q%q", "month": "%B", "weekday": "%A"}


class Cells(NamedTuple):
    """Values and the names of their groups, row by row; `factor`: what values are written in."""

    values: "pd.Series[float]"
    names: "pd.Series[str]"
    factor: float


def _measured(file: File, words: str, statement: str) -> Measured:
    measured = file.measure(words, unit_of(statement))
    if measured is None:
        raise UnreadError(words)
    return measured


def _grouped(values: "pd.Series[float]", names: "pd.Series[str]", kind: str, fewest: int = 5) -> "pd.Series[float]":
    how = {"average": "mean", "share with": "mean", "median": "median", "total": "sum", "maximum": "max",
           "minimum": "min", "number of rows with": "sum"}[kind]  # fmt: skip
    groups = values.groupby(names)
    found = groups.agg(how)
    return found[groups.count() >= (fewest if kind in {"average", "share with", "median"} else 1)]


def _columns(file: File, *names: str) -> "list[tuple[str, pd.Series[str]]]":
    """Columns, and parts of the calendar of date columns, whose groups have these names."""
    found = [(c, file.names(c)) for c in file.columns_with(*names)]
    for column, times in file.dates.items():
        for part in _CALENDAR:
            text = _calendar(times, part)
            if {n.strip().lower() for n in names} <= set(text.dropna()):
                found.append((column, text))
    return found


def _calendar(times: "pd.Series[pd.Timestamp]", part: str) -> "pd.Series[str]":
    if part == "quarter":
        text = "q" + times.dt.quarter.astype("Int64").astype("string")
    else:
        text = times.dt.strftime(_CALENDAR[part]).str.lower().astype("string")
    return text.where(times.notna())


def _tests(values: "pd.Series[float]", names: "pd.Series[str]", kept: "pd.Series[float]", m: re.Match[str]) -> None:
    """Hold the p-value of the named test over the groups that are compared against the true one."""
    if m["p"] is None:
        return
    parts = [values[names == g].dropna() for g in kept.index]
    test = m["test"]
    if test == "Welch ANOVA":
        p_is(m["p"], float(stats.f_oneway(*parts, equal_var=False).pvalue))
    elif test == "Kruskal-Wallis":
        p_is(m["p"], float(stats.kruskal(*parts).pvalue))
    elif test == "Welch t":
        p_is(m["p"], float(stats.ttest_ind(*parts, equal_var=False).pvalue))
    elif test == "Brunner-Munzel":
        p_is(m["p"], float(stats.brunnermunzel(*parts, distribution="normal").pvalue), slack=0.01)
    elif test in {"chi-square", "Monte Carlo chi-square", "two-proportion score"}:
        table = np.array([[part.sum(), len(part) - part.sum()] for part in parts])
        slack = 0.03 if test.startswith("Monte") else 0.0
        p_is(m["p"], float(stats.chi2_contingency(table, correction=False).pvalue), slack=slack)
    elif test == "Boschloo exact":
        table = np.array([[part.sum(), len(part) - part.sum()] for part in parts]).T
        p_is(m["p"], float(stats.boschloo_exact(table.astype(int)).pvalue))
    elif test == "Fisher exact":
        table = np.array([[part.sum(), len(part) - part.sum()] for part in parts])
        p_is(m["p"], float(stats.fisher_exact(table.astype(int)).pvalue))


def _told(told: str, groups: "pd.Series[float]", column: str, file: File, cells: "Cells") -> None:
    """Hold every "5 in East", "East (5, 3 of 7)" and "5 for East" of a text against the groups."""
    told = re.sub(
        rf"^[,;]? ?(?:against (?={VALUE}))?",
        "",
        re.sub(rf"(?:against )?{_V}(?: to {_V})? in the other .*?(?:, |$)", "", told),
    )
    pairs = [
        (m[3], m[1], m[2])
        for m in re.finditer(rf"{_V}(?: \(([\d,]+ of [\d,]+)\))? (?:in|for) (.+?)(?=, {VALUE}| and {VALUE}|;|$)", told)
    ]
    if not pairs:
        listed = re.finditer(rf"(?:^|, | and |by |; )([^,;()]+?) \({_V}(?:, ([\d,]+ of [\d,]+))?\)", told)
        pairs = [(m[1], m[2], m[3]) for m in listed]
    for name, value, basis in pairs:
        plain = re.sub(r"^(?:followed by|and|against|the (?:lowest|highest|longest|shortest) is) ", "", name.strip())
        key = file.key(column, re.sub(r" has the (?:lowest|highest|longest|shortest)$", "", plain))
        if key not in groups.index:
            raise UnreadError(name)
        same(value, cells.factor * groups[key], key)
        if basis:
            _basis(basis, cells.values, cells.names, key)


def _small(m: re.Match[str], file: File, column: str, cells: Cells) -> None:
    """Hold "Left out for fewer than 5 rows: Rare (3)" against the rows of each."""
    must(m["fewest"] in {None, "5"}, "another limit")
    for name, rows in re.findall(r"(?:^|, | and )(.+?) \((\d+)\)", m["small"] or ""):
        held = int((cells.names == file.key(column, name))[cells.values.notna()].sum())
        must(held == int(rows) < 5, f"{name} has {held}")


def _spans(text: str, groups: "pd.Series[float]", leaders: set[str], factor: float) -> None:
    if t := re.search(rf"(?:against )?{_V}(?: to {_V})? in the other (\d+)", text):
        others = groups.drop(list(leaders & set(groups.index)))
        must(len(others) == int(t[3]), f"{len(others)} others")
        ends = (t[1], t[2] or t[1])
        must(all(written(s, factor * v) for s, v in zip(ends, (others.min(), others.max()), strict=True)),
             f"others {factor * others.min():g} to {factor * others.max():g}")  # fmt: skip


@form(
    rf"(?P<names>.+?) (?:has|have|share) (?:by far )?the (?P<side>highest|longest|lowest|shortest) {_KIND}"
    rf" (?P<what>.+?){_WHERE}"
    rf"(?:: (?P<value>{VALUE})(?P<each> each)?(?: \((?P<basis>[^()]*)\))?|(?=, against))(?P<then>.*?)(?:;"
    rf" (?P<overall>{VALUE})"
    rf" overall)?{_TEST}\.{_BUT}{_LEFT}"
)
def stands_out(file: File, m: re.Match[str]) -> None:
    measured = _measured(file, m["what"], m.string)
    rows = rows_of(file, m["scope"])
    values, factor = measured.values.where(rows), measured.factor
    high = m["side"] in {"highest", "longest"}
    leaders = re.split(r", | and ", m["names"])
    leaders = (
        [re.sub(rf" \({VALUE}.*", "", n) for n in re.split(r"(?<=\)), | and ", m["names"])]
        if "(" in m["names"]
        else [m["names"]]
        if not m["each"]
        else leaders
    )

    def check(found: "tuple[str, pd.Series[str]]") -> None:
        column, names = found
        keys = {file.key(column, n) for n in leaders}
        groups = _grouped(values, names[rows], m["kind"])
        groups = groups if keys <= set(groups.index) else _grouped(values, names[rows], m["kind"], 1)
        must(keys <= set(groups.index), groups.index.tolist()[:5])
        best = groups.nlargest(len(keys)) if high else groups.nsmallest(len(keys))
        must(set(best.index) == keys or np.allclose(sorted(groups[list(keys)]), sorted(best)), best.to_dict())
        if m["value"]:
            same(m["value"], factor * groups[next(iter(keys))], "the first")
        if m["basis"]:
            _basis(m["basis"], values, names, next(iter(keys)))
        cells = Cells(values, names, factor)
        _told(m["names"] if "(" in m["names"] else "", groups, column, file, cells)
        _told(m["then"], groups, column, file, cells)
        _spans(m["then"], groups, keys, factor)
        if m["overall"]:
            same(m["overall"], factor * values[rows].mean(), "overall")
        if largest := re.search(rf"\((.+?), the largest, has {_V}: ([\d,]+ of [\d,]+)\)", m["then"]):
            same(largest[2], factor * groups[file.key(column, largest[1])], "the largest")
            _basis(largest[3], values, names, file.key(column, largest[1]))
        _small(m, file, column, cells)
        _tests(values[rows], names[rows], groups, m)

    every = _columns(file, *leaders)
    if not every:
        raise UnreadError(m["names"])
    in_any_of(every, check)


def in_any_of(found: "list[tuple[str, pd.Series[str]]]", check: "Callable[[tuple[str, pd.Series[str]]], None]") -> None:
    """As `in_any`, for groups that are no column of their own."""
    by_place = dict(enumerate(found))
    in_any([str(i) for i in by_place], lambda i: check(by_place[int(i)]))


def _basis(basis: str, values: "pd.Series[float]", names: "pd.Series[str]", key: str) -> None:
    mine = values[(names == key) & values.notna()]
    if t := re.fullmatch(rf"({NUMBER}) of ({NUMBER})", basis):
        must((mine.sum(), len(mine)) == (number(t[1]), number(t[2])), (mine.sum(), len(mine)))
    elif t := re.fullmatch(rf"({NUMBER}) rows?", basis):
        must(len(mine) == number(t[1]), len(mine))
    elif t := re.fullmatch(rf"({NUMBER})% of the total", basis):
        same(t[1], 100 * mine.sum() / values[names.notna()].sum())


@form(
    rf"(?P<a>.+?) has a (?:longer|higher) {_KIND} (?P<what>.+?) than (?P<b>.+?){_WHERE}: {_V}(?: \(({NUMBER}) of"
    rf" ({NUMBER})\))?"
    rf" against {_V}(?: \(({NUMBER}) of ({NUMBER})\))?(?:, ({NUMBER}) times as much)?(?:; the difference is"
    rf" {_V}(?: percentage points)? \(95% CI ({NUMBER}) to ({NUMBER})\))?{_TEST}\.{_BUT}{_LEFT}"
)
def of_two(file: File, m: re.Match[str]) -> None:
    measured = _measured(file, m["what"], m.string)
    rows = rows_of(file, m["scope"])
    values, factor = measured.values.where(rows), measured.factor
    first, hits_a, n_a, second, hits_b, n_b, times, gap, low, high = (m.group(i) for i in range(6, 16))

    def check(found: "tuple[str, pd.Series[str]]") -> None:
        column, names = found
        groups = _grouped(values, names[rows], m["kind"])
        a, b = (file.key(column, n) for n in (m["a"], m["b"]))
        must({a, b} == set(groups.index), groups.index.tolist()[:5])
        same(first, factor * groups[a], a)
        same(second, factor * groups[b], b)
        must(groups[a] >= groups[b])
        for key, hits, n in ((a, hits_a, n_a), (b, hits_b, n_b)):
            if n:
                _basis(f"{hits} of {n}", values, names, key)
        if times:
            same(times, groups[a] / groups[b])
        if gap:
            parts = [values[names == k].dropna() for k in (a, b)]
            points = "percentage points" in m.string and not measured.share
            same(gap, factor * (groups[a] - groups[b]), "difference")
            if not measured.share and m["kind"] == "average":
                ci = stats.ttest_ind(*parts, equal_var=False).confidence_interval()
                same(low, ci.low, "low" if not points else "low points")
                same(high, ci.high, "high")
        _tests(values[rows], names[rows], groups, m)

    in_any_of(_columns(file, m["a"], m["b"]), check)


@form(
    rf"The {_KIND} (?P<what>.+?){_WHERE} (?P<verb>is about the same in|is practically the same in|shows no clear"
    rf" difference"
    rf" between) (?:(?:all|the) (?P<k>\d+) (?P<noun>.+?)|(?P<a>.+?) and (?P<b>.+?)): (?:between (?P<low>{VALUE}) and"
    rf" (?P<high>{VALUE})|(?P<va>{VALUE})(?: \([^()]*\))? in .+? and (?P<vb>{VALUE})(?: \([^()]*\))? in"
    rf" .+?){_TEST}(?P<room>;.+?)?"
    rf"\.{_BUT}{_LEFT}"
)
def alike(file: File, m: re.Match[str]) -> None:
    measured = _measured(file, m["what"], m.string)
    rows = rows_of(file, m["scope"])
    values, factor = measured.values.where(rows), measured.factor
    if m["noun"]:
        column = file.column_called(m["noun"])
        part = re.fullmatch(r"(quarter|month|weekday)s of (.+)", m["noun"])
        if column is not None:
            every = [(column, file.names(column))]
        elif part and part[2] in file.dates:
            every = [(part[2], _calendar(file.dates[part[2]], part[1]))]
        else:
            raise UnreadError(m["noun"])
    else:
        every = _columns(file, m["a"], m["b"])

    def check(found: "tuple[str, pd.Series[str]]") -> None:
        column, names = found
        groups = _grouped(values, names[rows], m["kind"])
        must(len(groups) == int(m["k"] or 2), len(groups))
        ends = (m["low"] or m["vb"], m["high"] or m["va"])
        must(all(written(s, factor * v) for s, v in zip(ends, (groups.min(), groups.max()), strict=True)),
             f"{factor * groups.min():g} to {factor * groups.max():g}")  # fmt: skip
        _small(m, file, column, Cells(values, names, factor))
        if gap := re.search(rf" differ by ({NUMBER}).*? \(95% CI ({NUMBER}) to ({NUMBER})\)", m["room"] or ""):
            same(gap[1], factor * (groups.max() - groups.min()), "difference")
            must(number(gap[2]) <= number(gap[1]) <= number(gap[3]))
        _tests(values[rows], names[rows], groups, m)
        _room(m, values[rows], names[rows], groups, measured)

    in_any_of(every, check)


def _room(
    m: re.Match[str],
    values: "pd.Series[float]",
    names: "pd.Series[str]",
    groups: "pd.Series[float]",
    measured: Measured,
) -> None:
    """What is ruled out, or not, is more than what is seen and no more than all intervals together allow."""
    room = re.search(rf"(?:no two differ by more than|a difference of up to) ({NUMBER})", m["room"] or "")
    if room is None:
        return
    said = number(room[1]) / measured.factor
    parts = [values[names == g].dropna() for g in groups.index]
    error = [math.sqrt(max(p.var(), 1e-12) / len(p)) for p in parts]
    z = float(stats.norm.isf(0.025 / math.comb(len(parts), 2)))
    seen, errors = groups.max() - groups.min(), sorted(error)[-2:]
    most = seen + 1.35 * z * math.hypot(*errors)
    must(seen <= said * 1.01 and said <= 1.3 * most, f"between {seen:g} and {most:g}")


@form(
    rf"(?P<name>.+?) has (?:by far )?the highest total (?P<what>.+?){_WHERE}: {_V} \({_V} of the total\)(?P<then>.*)\."
)
def largest_total(file: File, m: re.Match[str]) -> None:
    measured = _measured(file, m["what"], m.string)
    rows = rows_of(file, m["scope"])

    def check(found: "tuple[str, pd.Series[str]]") -> None:
        column, names = found
        sums = measured.values[rows].groupby(names[rows]).sum()
        key = file.key(column, m["name"])
        must(sums[key] == sums.max(), sums.nlargest(3).to_dict())
        same(m.group(4), sums[key])
        same(m.group(5), 100 * sums[key] / sums.sum())
        _told(m["then"], sums, column, file, Cells(measured.values, names, 1.0))
        _spans(m["then"], sums, {key}, 1.0)

    in_any_of(_columns(file, m["name"]), check)


CHECKS = (largest_total, stands_out, of_two, alike)
