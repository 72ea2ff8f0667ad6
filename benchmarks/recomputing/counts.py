"""Statements on how many rows each value of a column has."""

import re
from collections.abc import Sequence

import pandas as pd
from scipy import stats

from benchmarks.recomputing.forms import MistakeError, UnreadError, form, in_any, must, p_is, rows_of, same
from benchmarks.recomputing.reading import NUMBER, File, bucket, named_values, number, periods

_WHERE = r"(?: where (?P<scope>.+?))?"
_N = rf"({NUMBER})"
_ELSE = rf"(?:; in the rest of the data it is (?P<outside>{NUMBER})%)?"


def _counts(file: File, column: str, rows: "pd.Series[bool]") -> "pd.Series[int]":
    if column not in file.data:
        raise UnreadError(column)
    return file.names(column)[rows].value_counts()


def _holds(file: File, column: str, counts: "pd.Series[int]", name: str, said: str) -> None:
    true = int(counts.get(file.key(column, name), 0))
    must(true == number(said), f"{name} has {true}, said {said}")


def _outside(file: File, column: str, names: Sequence[str], m: re.Match[str]) -> None:
    if m["outside"] is not None:
        rest = file.names(column)[~rows_of(file, m["scope"])].dropna()
        same(m["outside"], 100 * rest.isin([file.key(column, n) for n in names]).mean(), "share of the rest")


@form(
    rf"(?P<name>.+?) is (?:by far )?the most common (?P<column>.+?){_WHERE}: {_N} of {_N} rows \({_N}%\)(?P<then>.*?)"
    rf"{_ELSE}\."
)
def most_common(file: File, m: re.Match[str]) -> None:
    counts = _counts(file, m["column"], rows_of(file, m["scope"]))
    key, total = file.key(m["column"], m["name"]), int(counts.sum())
    held, all_, share = m.group(4), m.group(5), m.group(6)
    must(counts.get(key, 0) == counts.max() == number(held), counts.head(3).to_dict())
    must(total == number(all_), total)
    same(share, 100 * number(held) / total)
    then = m["then"]
    if (t := re.fullmatch(rf" against {_N} for (.+)", then)) is not None:
        _holds(file, m["column"], counts, t[2], t[1])
    elif t := re.fullmatch(rf", {_N} times as many as the next, (.+?) \({_N}\); the other {_N} .+? have (.+)", then):
        same(t[1], counts.iloc[0] / counts.iloc[1])
        _holds(file, m["column"], counts, t[2], t[3])
        must(number(t[4]) == len(counts) - 1, len(counts))
        ends = re.findall(NUMBER, t[5])
        must([number(ends[0]), number(ends[-1])] == [counts.min(), counts.iloc[1]], (counts.min(), counts.iloc[1]))
    elif t := re.fullmatch(r", followed by (.+?)(?:; the least common is (.+))?", then):
        for name, value in named_values(t[1]) + (named_values(t[2]) if t[2] else []):
            _holds(file, m["column"], counts, name, value)
        if t[2]:
            must(counts.min() == number(named_values(t[2])[0][1]))
    elif then:
        raise UnreadError(then)
    _outside(file, m["column"], [m["name"]], m)


@form(
    rf"(?P<names>.+?) account for {_N} of {_N} rows \({_N}%\){_WHERE}(?:, {_N} each| \((?P<values>[\d, and]+)\));"
    rf" no other (?P<column>.+?) has more than {_N}{_ELSE}\."
)
def lead_together(file: File, m: re.Match[str]) -> None:
    counts = _counts(file, m["column"], rows_of(file, m["scope"]))
    held, all_, share = (m.group(i) for i in (2, 3, 4))
    next_ = m.group(9)
    for size in (2, 3):
        top = counts.iloc[:size]
        if int(top.sum()) == number(held):
            said = m["names"].lower()
            must(all(str(n) in said for n in top.index), top.to_dict())
            must(int(counts.sum()) == number(all_), int(counts.sum()))
            same(share, 100 * top.sum() / counts.sum())
            must(counts.iloc[size] == number(next_), counts.iloc[size])
            values = m["values"] or ", ".join([m.group(6)] * size)
            must([number(v) for v in re.findall(NUMBER, values)] == list(top), list(top))
            _outside(file, m["column"], list(map(str, top.index)), m)
            return
    raise MistakeError(counts.head(3).to_dict())


@form(
    rf"Rows are spread (?:nearly )?evenly over (?P<column>.+?){_WHERE}: each of the {_N} has {_N}(?: to {_N})? of {_N}"
    rf" \(chi-square (p [=<] [\d.]+)\); no share is more than {_N} percentage points away from an equal one, at 95%"
    r" confidence\.(?: (?P<list>.+)\.)?"
)
def spread_evenly(file: File, m: re.Match[str]) -> None:
    counts = _counts(file, m["column"], rows_of(file, m["scope"]))
    k, low, high, total, p, room = (m.group(i) for i in range(3, 9))
    must(len(counts) == number(k), len(counts))
    must([counts.min(), counts.max()] == [number(low), number(high or low)], (counts.min(), counts.max()))
    must(counts.sum() == number(total), counts.sum())
    p_is(p, float(stats.chisquare(counts).pvalue))
    n, share = int(counts.sum()), 1 / len(counts)
    z = float(stats.norm.isf(0.025 / len(counts)))
    ends = [stats.binomtest(int(c), n).proportion_ci(1 - 2 * stats.norm.sf(z), "wilson") for c in counts]
    same(room, 100 * max(abs(e - share) for ci in ends for e in ci), "room")
    for name, value in re.findall(rf"(?:^|, | and )(.+?) {_N}(?=,| and |$)", m["list"] or ""):
        _holds(file, m["column"], counts, name, value)


@form(rf"Rows by (?P<column>.+?){_WHERE}: (?P<list>.+) of {_N}; none clearly stands out \((p [=<] [\d.]+)\)\.")
def nobody_leads(file: File, m: re.Match[str]) -> None:
    counts = _counts(file, m["column"], rows_of(file, m["scope"]))
    total, told = int(counts.sum()), re.findall(rf"(?:^|, | and )(.+?) {_N} \({_N}%\)", m["list"])
    must(total == number(m.group(4)), total)
    must(len(told) == len(counts), len(counts))
    for name, value, share in told:
        _holds(file, m["column"], counts, name, value)
        same(share, 100 * number(value) / total)


@form(
    rf"No (?P<column>.+?) clearly stands out{_WHERE} \((p [=<] [\d.]+)\): the {_N} .+? have {_N}(?: to {_N})?(?:"
    rf" each)? of"
    rf" {_N} rows, (?P<name>.+) the most\."
)
def nobody_leads_of_many(file: File, m: re.Match[str]) -> None:
    counts = _counts(file, m["column"], rows_of(file, m["scope"]))
    k, low, high, total = (m.group(i) for i in range(4, 8))
    must(len(counts) == number(k), len(counts))
    must([counts.min(), counts.max()] == [number(low), number(high or low)], (counts.min(), counts.max()))
    must(counts.sum() == number(total), counts.sum())
    must(counts[file.key(m["column"], m["name"])] == counts.max())


@form(
    rf"The {_N} most common of {_N} (?P<noun>.+?) account for {_N} of {_N} rows \({_N}%\){_WHERE}; spread evenly it"
    rf" would be {_N}% \(Herfindahl index {_N}(?:; Gini [^)]+)?\)\."
)
def concentrated_in_few(file: File, m: re.Match[str]) -> None:
    column = file.column_called(m["noun"])
    if column is None:
        raise UnreadError(m["noun"])
    counts = _counts(file, column, rows_of(file, m["scope"]))
    first, k, held, total, share, alike, index = (m.group(i) for i in (1, 2, 4, 5, 6, 8, 9))
    top, n = int(number(first)), int(counts.sum())
    must((len(counts), n) == (number(k), number(total)), (len(counts), n))
    must(counts.iloc[:top].sum() == number(held), counts.iloc[:top].sum())
    same(share, 100 * number(held) / n)
    same(alike, 100 * top / len(counts))
    same(index, float(((counts / n) ** 2).sum()))


@form(
    rf"(?P<name>.+?) rows are concentrated in (?P<against>\S+) (?P<value>.+?){_WHERE}: {_N} of {_N} \({_N}%\) against"
    rf" {_N}% of the other rows\."
)
def concentrated(file: File, m: re.Match[str]) -> None:
    rows, against = rows_of(file, m["scope"]), m["against"]
    if against not in file.data:
        raise UnreadError(against)
    held, size, share, rest = (m.group(i) for i in range(5, 9))

    def check(column: str) -> None:
        both = rows & file.data[column].notna() & file.data[against].notna()
        mine = both & (file.names(column) == file.key(column, m["name"]))
        value = file.names(against) == file.key(against, m["value"])
        must((mine.sum(), (mine & value).sum()) == (number(size), number(held)), (mine.sum(), (mine & value).sum()))
        same(share, 100 * number(held) / number(size))
        same(rest, 100 * value[both & ~mine].mean(), "share of the others")

    in_any([c for c in file.columns_with(m["name"]) if c != against], check)


@form(rf"All {_N} rows{_WHERE} have (?P<column>\S+) (?P<value>.+)\.")
def all_have(file: File, m: re.Match[str]) -> None:
    counts = _counts(file, m["column"], rows_of(file, m["scope"]))
    key = file.key(m["column"], m["value"])
    must(list(counts.index) == [key] and counts.iloc[0] == number(m.group(1)), counts.to_dict())


@form(
    rf"(?P<name>.+?) leads in every (?P<grain>\w+){_WHERE}: in each of the {_N} complete ones from (?P<first>.+?) to"
    rf" (?P<last>.+?) it has more rows than any other (?P<column>.+?) \({_N}(?: to {_N})? a \w+\)\."
)
def leads_in_every_period(file: File, m: re.Match[str]) -> None:
    _throughout(file, m, m["column"], m["first"], m["last"], m.group(4), (m.group(8), m.group(9)))


@form(
    rf"(?P<name>.+?) has (?:the most rows|the largest total (?P<metric>.+?)) of all groups of (?P<column>.+?) in every"
    rf" (?P<grain>\w+){_WHERE}: {_N} to {_N}(?: \w+)? a \w+ over {_N} \w+s\."
)
def largest_in_every_period(file: File, m: re.Match[str]) -> None:
    low, high, k = (m.group(i) for i in range(6, 9))
    label = {"month": "January 2000", "week": "the week of 2000-01-03", "day": "2000-01-01", "quarter": "Q1 2000"}
    _throughout(file, m, m["column"], label.get(m["grain"], "2000"), None, k, (low, high))


def _throughout(
    file: File, m: re.Match[str], column: str, first: str, last: str | None, count: str, ends: tuple[str, str | None]
) -> None:
    rows = rows_of(file, m["scope"])
    if column not in file.data:
        raise UnreadError(column)
    metric = m.groupdict().get("metric")
    values = pd.Series(1.0, index=file.data.index)
    if metric:
        measured = file.measure(metric)
        if measured is None:
            raise UnreadError(metric)
        values = measured.values

    def check(time: str) -> None:
        label = bucket(file.dates[time], first)
        grid = values[rows].groupby([label[rows], file.names(column)[rows]]).sum().unstack(fill_value=0.0)
        order = [p for p in periods(file.dates[time].dropna(), first) if p in grid.index]
        k = int(number(count))
        if last is not None:
            must({first, last} <= set(order), order)
            choices = [order[order.index(first) : order.index(last) + 1]]
        else:
            choices = [order[i : i + k] for i in range(len(order) - k + 1)]
        for chosen in choices:
            part = grid.loc[chosen]
            key = file.key(column, m["name"])
            mine, others = part[key], part.drop(columns=key)
            spans = [mine.min(), mine.max()] == [number(ends[0]), number(ends[1] or ends[0])]
            if len(part) == k and spans and bool((mine > others.max(axis=1)).all()):
                return
        raise MistakeError("it does not lead in each of them, or has other numbers there")

    in_any(list(file.dates), check)


@form(
    rf"(?P<name>.+?) (?:has|have) (?:by far )?the (?P<most>most|fewest) (?P<what>rows|distinct .+?|rows per"
    rf" .+?){_WHERE}:"
    rf" {_N}(?P<then>.+)\."
)
def most_rows(file: File, m: re.Match[str]) -> None:
    what, then = m["what"], m["then"]
    counted = file.column_called(re.sub(r"^(?:distinct|rows per) ", "", what)) if what != "rows" else None
    if what != "rows" and counted is None:
        raise UnreadError(what)

    rows = rows_of(file, m["scope"])
    rows = rows if counted is None else rows & file.data[counted].notna()
    names = re.split(r", | and ", m["name"]) if " each" in then else [m["name"]]

    def check(column: str) -> None:
        groups = file.data[rows].groupby(file.names(column)[rows])
        size = groups.size()
        values = size.astype(float)
        if counted is not None:
            distinct = groups[counted].nunique()
            values = (size / distinct if what.startswith("rows per") else distinct).astype(float)
        keys = [file.key(column, name) for name in names]
        for key in keys:
            same(m.group(5), values[key])
            must(values[key] == (values.max() if m["most"] == "most" else values.min()), values.to_dict())
        _basis(then, size, values, keys[0], int(rows.sum()))
        for name, value in named_values(re.split(r"(?:followed by|The others:) ", then)[-1] if "(" in then else ""):
            if file.key(column, name) in values:
                same(value, values[file.key(column, name)], name)

    in_any([c for c in file.columns_with(*names) if c != counted], check)


def _basis(then: str, size: "pd.Series[int]", values: "pd.Series[float]", key: str, all_rows: int) -> None:
    if t := re.match(rf" of {_N} rows \({_N}%\)", then):
        must(number(t[1]) in {size.sum(), all_rows}, size.sum())
        same(t[2], 100 * size[key] / number(t[1]))
    elif t := re.match(rf" \({_N} rows\)", then):
        must(number(t[1]) == size[key], size[key])
    if t := re.search(rf"against {_N}(?: to {_N})? in the other {_N}", then):
        others = values.drop(key)
        same(t[1], others.min())
        same(t[2] or t[1], others.max())
        must(number(t[3]) == len(others), len(others))


@form(
    rf"(?P<file>\S+) has {_N} rows and {_N} columns(?:; (?P<time>\S+) runs from (\d{{4}}-\d\d-\d\d) to"
    rf" (\d{{4}}-\d\d-\d\d))?\.(?: Main measures: (?P<measures>.+?)\.)?(?: Missing values:"
    rf" (?P<missing>.+?)\.)?(?: Constant: .+\.)?"
)
def overview(file: File, m: re.Match[str]) -> None:
    must((len(file.data), file.data.shape[1]) == (number(m.group(2)), number(m.group(3))), file.data.shape)
    if m["time"] and m["time"] not in file.dates:
        raise UnreadError(m["time"])
    if m["time"]:
        times = file.dates[m["time"]]
        must([f"{times.min():%Y-%m-%d}", f"{times.max():%Y-%m-%d}"] == [m.group(5), m.group(6)], times.max())
    for one in re.split(r"; (?=.+? with mean )", m["measures"] or ""):
        _measured(file, one)
    for name, share in re.findall(rf"(?:^|, | and )(.+?) {_N}%", m["missing"] or ""):
        if name in file.data:
            same(share, 100 * file.data[name].isna().mean(), name)


def _measured(file: File, text: str) -> None:
    """Hold "age with mean 3, total 9, median 2, range 1 to 5" against a column."""
    number_ = r"[-+\d,.e]+"
    t = re.match(
        rf"(.+?) with mean ({number_})(?:, total ({number_}))?, median ({number_}), range ({number_}) to ({number_})",
        text,
    )
    if t is None or (measured := file.measure(t[1])) is None:
        return
    values = measured.values
    true = (values.mean(), values.sum(), values.median(), values.min(), values.max())
    for said, value in zip(t.groups()[1:], true, strict=True):
        if said is not None and "e" not in said and "%" not in text:
            same(said.rstrip(",."), value, t[1])


@form(rf"The share with (?P<what>.+?) is {_N}%{_WHERE} \({_N} of {_N} rows\)\.")
def share_of_rows(file: File, m: re.Match[str]) -> None:
    rows, measured = rows_of(file, m["scope"]), file.measure(m["what"])
    if measured is None:
        raise UnreadError(m["what"])
    values = measured.values[rows].dropna()
    same(m.group(2), 100 * values.mean())
    must((values.sum(), len(values)) == (number(m.group(4)), number(m.group(5))), (values.sum(), len(values)))


CHECKS = (
    most_common,
    lead_together,
    spread_evenly,
    nobody_leads,
    nobody_leads_of_many,
    concentrated_in_few,
    concentrated,
    all_have,
    leads_in_every_period,
    largest_in_every_period,
    most_rows,
    overview,
    share_of_rows,
)
