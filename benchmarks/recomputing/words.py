"""Statements on the words of texts, and on values far from the others."""

import re

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.recomputing.forms import UnreadError, form, must, p_is, rows_of, same
from benchmarks.recomputing.reading import NUMBER, VALUE, File, number, unit_of, written

_WHERE = r"(?: where (?P<scope>.+?))?"
_N = rf"({NUMBER})"
_CODE = re.compile(r"\b[A-Z]{2,5}[-_#]?\d+")


def _mentions(text: str, word: str) -> bool:
    """Whether a text has the word, also in the plural or as the name of a numbered thing; not inside a code."""
    if re.search(r"\d", word):
        return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None
    plain = _CODE.sub(" ", text).lower()
    return any(w in {word, f"{word}s"} or w.removesuffix("s") == word for w in re.findall(r"[^\W\d_]{3,}", plain))


def _texts(file: File, column: str, rows: "pd.Series[bool]") -> "pd.Series[str]":
    if column not in file.data:
        raise UnreadError(column)
    return file.data[column][rows].dropna().astype(str)


@form(
    rf"(?:Most rows{_WHERE} mention \"(?P<word>[^\"]+)\" in (?P<column>\S+)|Many rows(?: where (?P<scope2>.+?))?"
    rf" have the word \"(?P<word2>[^\"]+)\" in"
    rf" common in (?P<column2>\S+)): {_N} of {_N} \({_N}%\)(?: against (?P<outside>{NUMBER})% in the rest of the"
    rf" data)?(?:; other frequent words are"
    r" (?P<others>.+))?\."
)
def frequent(file: File, m: re.Match[str]) -> None:
    word, column = m["word"] or m["word2"], m["column"] or m["column2"]
    rows = rows_of(file, m["scope"] or m["scope2"])
    texts = _texts(file, column, rows)
    held = texts.map(lambda t: _mentions(t, word)).sum()
    must((held, len(texts)) == (number(m.group(7)), number(m.group(8))), (held, len(texts)))
    same(m.group(9), 100 * held / len(texts))
    if m["outside"] is not None:
        same(m["outside"], 100 * _texts(file, column, ~rows).map(lambda t: _mentions(t, word)).mean(), "the rest")
    for other, share in re.findall(rf"\"([^\"]+)\" \({_N}%\)", m["others"] or ""):
        same(share, 100 * texts.map(lambda t, o=other: _mentions(t, o)).mean(), other)


@form(
    rf"(?P<word>\S+) stands out: it is mentioned in {_N} of {_N} (?P<column>\S+) texts{_WHERE} \({_N}%\); no"
    rf" other (?P<kind>\S+) is mentioned in"
    rf" more than {_N}\."
)
def numbered(file: File, m: re.Match[str]) -> None:
    texts = _texts(file, m["column"], rows_of(file, m["scope"]))
    held = int(texts.map(lambda t: _mentions(t, m["word"])).sum())
    must((held, len(texts)) == (number(m.group(2)), number(m.group(3))), (held, len(texts)))
    same(m.group(6), 100 * held / len(texts))
    kind = re.sub(r"\d+$", "", m["word"]).lower()
    every = texts.str.lower().str.findall(rf"(?<![^\W_]){re.escape(kind)}\d+").map(set).explode().value_counts()
    rest = every.drop(m["word"].lower(), errors="ignore")
    must((int(rest.max()) if len(rest) else 0) == number(m.group(8)), rest.head(2).to_dict())


@form(
    rf"Rows{_WHERE} whose (?P<column>\S+) mentions \"(?P<word>[^\"]+)\"(?: \((?P<told>.+?)\))? have a"
    rf" (?:higher|lower|longer|shorter)"
    rf" (?P<kind>average|share with) (?P<what>.+?): ({VALUE}) against ({VALUE}) in the other rows \({_N} and {_N}"
    rf" rows; difference 95% CI"
    rf" ({VALUE}) to ({VALUE})(?: percentage points)?, Welch t (?P<p>p [=<] [\d.]+)\)\."
)
def effect(file: File, m: re.Match[str]) -> None:
    rows, measured = rows_of(file, m["scope"]), file.measure(m["what"], unit_of(m.string))
    if measured is None:
        raise UnreadError(m["what"])
    texts = _texts(file, m["column"], rows & measured.values.notna())
    held = texts.map(lambda t: _mentions(t, m["word"]))
    values = measured.values[texts.index]
    first, second, n, rest, low, high = (m.group(i) for i in range(7, 13))
    must((held.sum(), (~held).sum()) == (number(n), number(rest)), (held.sum(), (~held).sum()))
    same(first, measured.factor * values[held].mean(), "with it")
    same(second, measured.factor * values[~held].mean(), "without it")
    found = stats.ttest_ind(values[held], values[~held], equal_var=False)
    ci = found.confidence_interval()
    same(low, measured.factor * ci.low, "low")
    same(high, measured.factor * ci.high, "high")
    p_is(m["p"], float(found.pvalue))


@form(
    rf"No word of (?P<column>\S+){_WHERE} clearly goes with a higher or lower (?P<what>.+?) \({_N} words tested,"
    rf" smallest corrected"
    rf" (?P<p>p [=<] [\d.]+)\); a difference of up to ({VALUE}) is not ruled out, at 95% confidence\."
)
def no_word(file: File, m: re.Match[str]) -> None:
    """Only that the words are not more than the column has; which are tested is ours to choose."""
    texts = _texts(file, m["column"], rows_of(file, m["scope"]))
    every = texts.str.lower().str.findall(r"[^\W\d_]{3,}").map(set).explode().nunique()
    must(number(m.group(4)) <= every, every)
    given = 0.001 if m["p"].startswith("p <") else float(m["p"].removeprefix("p ="))
    must(given > 0.05)


@form(
    rf"(?P<what>.+?) has {_N} outliers? among {_N} values \({_N}%\){_WHERE} by the robust rule \(3\.5 MADs from"
    rf" the median\)"
    rf"(?P<log> on a log scale)?: (?P<then>.+)\. The mean is ({VALUE}) with (?:it|them) and ({VALUE})"
    rf" without\.(?: So many are no exceptions: .+)?"
)
def outliers(file: File, m: re.Match[str]) -> None:
    values, low, high = _fences(file, m)
    out = values[(values < low) | (values > high)]
    must((len(out), len(values)) == (number(m.group(2)), number(m.group(3))), (len(out), len(values)))
    same(m.group(4), 100 * len(out) / len(values))
    same(m.group(8), values.mean(), "mean")
    same(m.group(9), values.drop(out.index).mean(), "mean without")
    then = m["then"]
    if t := re.match(rf"{_N} below ({VALUE}) and {_N} above ({VALUE})|all (above|below) ({VALUE})", then):
        if t[1]:
            must(((values < low).sum(), (values > high).sum()) == (number(t[1]), number(t[3])))
            same(t[2], low, "fence")
            same(t[4], high, "fence")
        else:
            same(t[6], high if t[5] == "above" else low, "fence")
        if t := re.search(rf"range from ({VALUE}) to ({VALUE}), with mean ({VALUE}) and median ({VALUE})", then):
            for said, true in zip(t.groups(), (out.min(), out.max(), out.mean(), out.median()), strict=True):
                same(said, true)
    else:
        must(
            all(any(written(v, o) for o in out) for v in re.findall(VALUE, re.sub(r" and ", " & ", then))), out.tolist()
        )


@form(
    rf"There are no outliers in (?P<what>.+?){_WHERE} by the robust rule \(3\.5 MADs from the median\)(?P<log> on"
    rf" a log scale)?: none of the {_N} values"
    rf" lies (?:above ({VALUE})|below ({VALUE}) or above ({VALUE}))\."
)
def no_outliers(file: File, m: re.Match[str]) -> None:
    values, low, high = _fences(file, m)
    must(len(values) == number(m.group(4)), len(values))
    must(((values >= low) & (values <= high)).all(), (low, high))
    same(m.group(5) or m.group(7), high, "fence")
    if m.group(6):
        same(m.group(6), low, "fence")


def _fences(file: File, m: re.Match[str]) -> "tuple[pd.Series[float], float, float]":
    measured = file.measure(m["what"], unit_of(m.string))
    if measured is None:
        raise UnreadError(m["what"])
    values = measured.values[rows_of(file, m["scope"])].dropna()
    scale = np.log(values) if m["log"] else values
    middle = float(scale.median())
    reach = 3.5 * 1.4826 * float((scale - middle).abs().median())
    low, high = middle - reach, middle + reach
    return (values, float(np.exp(low)), float(np.exp(high))) if m["log"] else (values, low, high)


CHECKS = (frequent, numbered, effect, no_word, outliers, no_outliers)
