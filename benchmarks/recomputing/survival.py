"""Statements on how long it takes until something happens, those still waiting counted."""

import re
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.recomputing.forms import UnreadError, form, must, p_is, rows_of, same
from benchmarks.recomputing.reading import NUMBER, File, number

_SECONDS = {"minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0, "month": 30.4375 * 86400.0,
            "year": 365.25 * 86400.0}  # fmt: skip
_N = rf"({NUMBER})"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
_EVENT = r"(?:reach (?P<end>\S+)|have (?P<event>\S+) (?P<value>\S+))"
_CUT = (
    rf"(?: (?P<waiting>{NUMBER}) (?:was|were) still waiting(?: at (?P<until>\S+), where the data end| when last seen),"
    r" and count as long as they were seen \(Kaplan-Meier\)\.)?"
)


_Yes: TypeAlias = "pd.Series[bool]"
_Seen: TypeAlias = "pd.Series[float]"


def _sample(file: File, m: re.Match[str], start: str) -> tuple[_Seen, _Yes, _Yes]:
    """How long each row was seen, whether the event came, and which rows count."""
    rows = rows_of(file, m["scope"])
    unit = _SECONDS[m["unit"]]
    if m["end"] is None:
        if start not in file.data or m["event"] not in file.data:
            raise UnreadError
        seen = file.data[start].astype(float)
        return seen, file.names(m["event"]) == m["value"].lower(), rows & seen.notna()
    if m["end"] not in file.dates or start not in file.dates:
        raise UnreadError
    begin, end = file.dates[start], file.dates[m["end"]]
    until = max(begin[rows].max(), end[rows].max())
    must(m["until"] is None or m["until"] == f"{until:%Y-%m-%d}", f"the data end at {until}")
    seen = (end.fillna(until) - begin).dt.total_seconds() / unit
    return seen, end.notna(), rows & begin.notna() & (seen >= 0)


def _curve(seen: _Seen, came: _Yes, rows: _Yes) -> Any:
    sample = stats.CensoredData(uncensored=seen[rows & came], right=seen[rows & ~came])
    return stats.ecdf(sample).sf


def _share(curve: Any, at: float) -> float:
    return float(curve.evaluate(at + 0.004))


@form(
    rf"Half of (?P<n>{NUMBER}) rows(?: where (?P<scope>.+?))? {_EVENT} within (?P<median>{NUMBER}) {_UNIT} of"
    rf" (?P<start>\S+?)(?: \(95% interval [^)]*\))?\.(?: Not there yet are (?P<shares>.+?)\.(?= \d|$))?{_CUT}"
)
def half(file: File, m: re.Match[str]) -> None:
    seen, came, rows = _sample(file, m, m["start"])
    same(m["n"], int(rows.sum()), "rows")
    curve = _curve(seen, came, rows)
    below = curve.quantiles[curve.probabilities <= 0.5]
    must(len(below), "half never get there")
    must(abs(number(m["median"]) - below[0]) <= 0.006 + 0.006 * below[0], f"the median is {below[0]:g}")
    for share, at in re.findall(rf"({NUMBER})% after ({NUMBER})", m["shares"] or ""):
        true = 100 * _share(curve, number(at))
        must(abs(number(share) - true) <= 0.06, f"after {at} it is {true:g}%, said {share}")
    if m["waiting"]:
        same(m["waiting"], int((rows & ~came).sum()), "still waiting")


@form(
    rf"It takes longest to {_EVENT}(?: where (?P<scope>.+?))? in (?P<first>.+?): half are there after (?P<list>.+)"
    rf" \(log-rank chi-square\(1\) = (?P<chi2>{NUMBER}), (?P<p>p [=<] [\d.]+)\)\..*?(?P<unit>$)"
)
def two_groups(file: File, m: re.Match[str]) -> None:
    if m["event"] is None:
        raise UnreadError
    numbers = [c for c in file.data if pd.api.types.is_numeric_dtype(file.data[c]) and c != m["event"]]
    came, rows = file.names(m["event"]) == m["value"].lower(), rows_of(file, m["scope"])
    best = np.inf
    for by in (c for c in file.data if file.data[c].nunique() == 2 and c != m["event"]):
        if m["first"].lower() not in set(file.names(by).dropna()):
            continue
        inside = file.names(by) == m["first"].lower()
        for column in numbers:
            seen = file.data[column]
            arms = [stats.CensoredData(uncensored=seen[rows & came & a], right=seen[rows & ~came & a])
                    for a in (inside, ~inside)]  # fmt: skip
            found = stats.logrank(*arms)
            if abs(found.statistic**2 - number(m["chi2"])) < abs(best):
                best = found.statistic**2 - number(m["chi2"])
                p_is(m["p"], float(found.pvalue)) if abs(best) <= 0.006 else None
    must(abs(best) <= 0.006, f"chi-square is off by {best:g}")


CHECKS = (half, two_groups)
