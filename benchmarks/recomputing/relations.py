"""Statements on two columns: correlations, also group by group, and whether categories belong together."""

import math
import re

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.recomputing.forms import UnreadError, form, must, p_is, rows_of, same
from benchmarks.recomputing.reading import NUMBER, VALUE, File, number, unit_of

_WHERE = r"(?: where (?P<scope>.+?))?"
_R = r"(-?\d\.\d+)"


def _pair(file: File, a: str, b: str, m: re.Match[str]) -> "tuple[pd.Series[float], pd.Series[float]]":
    """The values of two measures, of the rows that have both; dates in days."""
    rows = rows_of(file, m["scope"])
    first, second = (_values(file, words, m.string)[rows] for words in (a, b))
    known = first.notna() & second.notna()
    return first[known].astype(float), second[known].astype(float)


def _values(file: File, words: str, statement: str) -> "pd.Series[float]":
    measured = file.measure(words, unit_of(statement))
    if measured is not None:
        return measured.values
    if words in file.dates:
        return (file.dates[words] - pd.Timestamp("1970-01-01")).dt.total_seconds() / 86_400
    raise UnreadError(words)


def _interval(r: float, n: int) -> tuple[float, float]:
    half = float(stats.norm.isf(0.025)) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


@form(
    rf"(?P<b>.+?) (?:grows with (?P<a>.+?)|falls as (?P<c>.+?) grows){_WHERE}(?P<bent>, but not in a straight"
    rf" line)?: (?P<name>correlation r|Spearman rho)"
    rf" = {_R} \(95% CI {_R} to {_R}, (?P<p>p [=<] [\d.]+); (?:R² = (?P<r2>[\d.]+), Spearman rho ="
    rf" (?P<rho>-?[\d.]+)|Pearson r ="
    rf" (?P<r>-?[\d.]+)); n = (?P<n>{NUMBER})\), a (?P<word>[a-z ]+) relation\.(?P<bins> (?:It averages|Above)"
    rf" .+?\.)?(?P<far> But it rests on .+?\.)?"
)
def related(file: File, m: re.Match[str]) -> None:
    x, y = _pair(file, m["a"] or m["c"], m["b"], m)
    r, rho = float(stats.pearsonr(x, y).statistic), float(stats.spearmanr(x, y).statistic)
    main = r if m["name"] == "correlation r" else rho
    said = [m.group(i) for i in (7, 8, 9)]
    must(len(x) == number(m["n"]), len(x))
    same(said[0], main, "r")
    if m["name"] == "correlation r" and abs(r) < 1 - 1e-9:
        low, high = _interval(r, len(x))
        must(abs(number(said[1]) - low) < 0.002 and abs(number(said[2]) - high) < 0.002, f"CI {low:.4f} to {high:.4f}")
        same(m["r2"], r * r, "R²")
        same(m["rho"], rho, "rho")
        p_is(m["p"], float(stats.pearsonr(x, y).pvalue))
    must((m["a"] is not None) == (main > 0))
    floors = ((0.9, "very strong"), (0.7, "strong"), (0.5, "clear"), (0.3, "moderate"), (0.1, "weak"))
    must(m["word"] == next((w for f, w in floors if abs(main) >= f), "very weak"), m["word"])
    if m["bins"] and (
        t := re.fullmatch(rf" Above ({VALUE}) it averages ({VALUE}), up to ({VALUE}) ({VALUE})\.", m["bins"])
    ):
        above, below = y[x > number(t[1])].mean(), y[x <= number(t[3])].mean()
        same(t[2], above, "above")
        same(t[4], below, "below")
    elif m["bins"] and (
        t := re.fullmatch(rf" It averages ({VALUE}) at ({VALUE}) and ({VALUE}) at ({VALUE})\.", m["bins"])
    ):
        same(t[1], y[np.isclose(x, number(t[2]))].mean(), t[2])
        same(t[3], y[np.isclose(x, number(t[4]))].mean(), t[4])


@form(
    rf"There is (?P<how>neither a linear nor a monotone|no clear linear or monotone|no linear|no noteworthy"
    rf" linear) relation between (?P<a>.+?) and"
    rf" (?P<b>.+?){_WHERE}: r = {_R} \(95% CI {_R} to {_R}, (?P<p>p [=<] [\d.]+); Spearman rho = (?P<rho>-?[\d.]+)\);"
    rf" one of (?P<more>more than|up to) {_R} is (?:not )?ruled out, at 95% confidence\."
)
def unrelated(file: File, m: re.Match[str]) -> None:
    x, y = _pair(file, m["a"], m["b"], m)
    r, rho = float(stats.pearsonr(x, y).statistic), float(stats.spearmanr(x, y).statistic)
    said = [m.group(i) for i in (5, 6, 7)]
    same(said[0], r, "r")
    same(m["rho"], rho, "rho")
    low, high = _interval(r, len(x))
    must(abs(number(said[1]) - low) < 0.002 and abs(number(said[2]) - high) < 0.002, f"CI {low:.4f} to {high:.4f}")
    p_is(m["p"], float(stats.pearsonr(x, y).pvalue))
    room = max(abs(low), abs(high))
    must(number(m.group(11)) >= room - 0.001, f"room {room:g}")
    must(m["more"] == "up to" or number(m.group(11)) <= 0.2, "not shown")


@form(rf"By (?P<by>.+?), the correlation of (?P<a>.+?) and (?P<b>.+?){_WHERE} is (?P<list>.+); over all rows {_R}\.")
def by_group(file: File, m: re.Match[str]) -> None:
    x, y = _pair(file, m["a"], m["b"], m)
    same(m.group(6), float(stats.pearsonr(x, y).statistic), "all rows")
    if m["by"] not in file.data:
        raise UnreadError(m["by"])
    names = file.names(m["by"])[x.index]
    for r, name in re.findall(rf"{_R} in (.+?)(?: \(not significant\))?(?=, -?\d\.| and -?\d\.|$)", m["list"]):
        mine = names == file.key(m["by"], name)
        same(r, float(stats.pearsonr(x[mine], y[mine]).statistic), name)


@form(
    rf"(?P<b>.+?) (?:is distributed alike in (?:all \d+|both) (?P<all>.+?)|differs only slightly between the \d+"
    rf" (?P<slight>.+?)|shows no clear"
    rf" difference between the (?:\d+|two) (?P<unclear>.+?)){_WHERE}: Cramér's V (?P<v>[\d.]+)(?: \((?:at most|up"
    rf" to) (?P<most>[\d.]+)[^)]*\))?,"
    rf" (?P<test>[\w -]+?) (?P<p>p [=<] [\d.]+), (?P<n>{NUMBER}) rows\."
)
def distributed(file: File, m: re.Match[str]) -> None:
    column = file.column_called(m["all"] or m["slight"] or m["unclear"])
    if column is None or m["b"] not in file.data:
        raise UnreadError(m.string)
    rows = rows_of(file, m["scope"])
    table = pd.crosstab(file.names(column)[rows], file.names(m["b"])[rows])
    total = int(table.to_numpy().sum())
    must(total == number(m["n"]), total)
    if max(table.shape) > 25:
        return
    found = stats.chi2_contingency(table, correction=False)
    p_is(
        m["p"],
        float(found.pvalue),
        slack=0.03 if m["test"].startswith("Monte") else 0.0 if m["test"] == "chi-square" else 1.0,
    )
    df, (r, k) = found.dof, table.shape
    v = math.sqrt(
        max(0.0, found.statistic / total - df / (total - 1))
        / max(min(r - (r - 1) ** 2 / (total - 1), k - (k - 1) ** 2 / (total - 1)) - 1, 1e-9)
    )
    if df == 1:
        v = math.sqrt(found.statistic / total)
    must(abs(v - float(m["v"])) <= 0.006, f"V = {v:.3f}")
    if m["most"]:
        must(float(m["most"]) >= v - 0.006)
        must(not m["all"] or float(m["most"]) * math.sqrt(min(r, k) - 1) <= 0.31, "not shown")


@form(
    rf"(?P<a>\S+) and (?P<b>\S+) are related{_WHERE} \(Cramér's V = (?P<v>[\d.]+), 95% CI [\d.]+ to [\d.]+,"
    rf" (?P<test>[\w -]+?) (?P<p>p [=<] [\d.]+)\)\."
    rf" Most telling: ({VALUE}) of (?P<x>.+?) \(({NUMBER}) of ({NUMBER})\) are (?P<y>.+?), against ({VALUE}) overall\."
)
def associated(file: File, m: re.Match[str]) -> None:
    if not {m["a"], m["b"]} <= set(file.data.columns):
        raise UnreadError(m["a"])
    rows = rows_of(file, m["scope"]) & file.data[m["a"]].notna() & file.data[m["b"]].notna()
    share, held, of, overall = (m.group(i) for i in (7, 9, 10, 12))
    for one, other in ((m["a"], m["b"]), (m["b"], m["a"])):
        x = file.names(one)[rows] == file.key(one, m["x"])
        y = file.names(other)[rows] == file.key(other, m["y"])
        if (x.sum(), (x & y).sum()) == (number(of), number(held)):
            same(share, 100 * number(held) / number(of))
            same(overall, 100 * y.mean(), "overall")
            return
    must(holds=False, why="other counts")


@form(
    rf"(?:Exactly one pair|{NUMBER} pairs) of the (?P<k>{NUMBER}) numeric columns (?:is|are) related{_WHERE}:"
    rf" (?P<list>.+?) \(\d+ pairs? tested,"
    r" Benjamini-Hochberg correction\)\.(?: Not used: .+\.)?"
)
def screened(file: File, m: re.Match[str]) -> None:
    rows = rows_of(file, m["scope"])
    names = sorted(map(str, file.data.columns), key=len, reverse=True)
    one = "|".join(map(re.escape, names))
    pairs = re.findall(rf"({one}) and ({one}) \(r = (-?[\d.]+)\)", m["list"])
    must(pairs, "no pair")
    for a, b, r in pairs:
        same(r, float(file.data[a][rows].astype(float).corr(file.data[b][rows].astype(float))), f"{a} and {b}")


CHECKS = (screened, unrelated, by_group, distributed, associated, related)
