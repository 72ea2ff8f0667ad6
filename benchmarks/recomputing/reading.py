"""The file as pandas reads it, and the words of a statement read back into rows, values and periods."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
UNIT = r"(?:%| days?| hours?| minutes?| EUR| USD| percentage points)?"
VALUE = rf"[$€£]?{NUMBER}{UNIT}"
PERIOD = rf"(?:(?:{MONTHS}) \d{{4}}|Q[1-4] \d{{4}}|the week of \d{{4}}-\d\d-\d\d|\d{{4}}-\d\d-\d\d|\d{{4}})"
_NUMBER = re.compile(rf"{NUMBER}\s*%?")
_NEARLY_ALL = 0.95
_DATE = re.compile(r"\d{1,4}[-/. ](?:\d{1,2}|[A-Z][a-z]{2})[-/. ]\d{1,4}|[A-Z][a-z]{2,8} \d{1,2},")
_SECONDS = {"days": 86_400.0, "hours": 3_600.0, "minutes": 60.0}


def number(text: str) -> float:
    """The number in a text."""
    found = re.search(NUMBER, text)
    if found is None:
        raise ValueError(f"no number in {text!r}")
    return float(found.group().replace(",", ""))


def written(text: str, true: float) -> bool:
    """Whether a number as written is the true one, rounded to its digits or to three to five significant ones."""
    digits = re.search(NUMBER, text)
    if digits is None or pd.isna(true):
        return False
    said, decimals = number(text), len(digits.group().partition(".")[2])
    if abs(said - true) <= 0.5001 * 10.0**-decimals + 1e-9 * abs(true):
        return True
    return any(float(f"{true:.{n}g}") == said for n in (3, 4, 5))


@dataclass(frozen=True)
class Measured:
    """Values row by row; `share`: of yes and no, written as percentages."""

    values: "pd.Series[float]"
    share: bool = False

    @property
    def factor(self) -> float:
        """What a value is written in: percent of shares."""
        return 100.0 if self.share else 1.0


@dataclass
class File:
    """A delimited file; cells as numbers, dates or text."""

    path: Path
    data: pd.DataFrame = field(init=False)

    def __post_init__(self) -> None:
        self.data = pd.read_csv(self.path)
        for name in self.data.columns:
            if pd.api.types.is_numeric_dtype(self.data[name]):
                continue
            bare = self.data[name].astype("string").str.replace(r"[%,\s]", "", regex=True)
            numbers = pd.to_numeric(bare, errors="coerce")
            grouped = self.data[name].dropna().astype(str).map(lambda v: bool(_NUMBER.fullmatch(v.strip())))
            if len(grouped) and grouped.mean() >= _NEARLY_ALL:
                self.data[name] = numbers.astype(float)

    @cached_property
    def dates(self) -> dict[str, "pd.Series[pd.Timestamp]"]:
        """Columns of which nearly all cells are dates."""
        found = {}
        for name in self.data.columns:
            known = self.data[name].dropna()
            first = str(known.iloc[0]) if len(known) else ""
            if pd.api.types.is_numeric_dtype(known) or not _DATE.match(first):
                continue
            parsed = pd.to_datetime(
                self.data[name], errors="coerce", format="mixed", dayfirst="." in first and "-" not in first
            )
            if parsed.notna().sum() >= 0.95 * len(known):
                found[str(name)] = parsed
        return found

    def names(self, column: str) -> "pd.Series[str]":
        """The cells of a column as they are named in statements, lower case; missing ones stay missing."""
        cells = self.data[column]
        if pd.api.types.is_float_dtype(cells) and (cells.dropna() % 1 == 0).all():
            cells = cells.astype("Int64")
        text = cells.astype("string").str.strip().str.lower()
        return text.where(cells.notna())

    def key(self, column: str, name: str) -> str:
        """A group's name in a statement as its cell: "quarter 4" is the 4 of quarter."""
        name = name.strip().lower()
        return name.removeprefix(f"{column.lower()} ")

    def rows(self, scope: str | None) -> "pd.Series[bool] | None":
        """The rows of "department is IT and state is Closed or Done"; None where the words cannot be read back."""
        mask = pd.Series(data=True, index=self.data.index)
        if not scope:
            return mask
        columns = "|".join(re.escape(str(c)) for c in sorted(self.data.columns, key=lambda c: -len(str(c))))
        parts = list(re.finditer(rf"(?:^| and )({columns}) (is not|is|at or above|at or below|above|below) ", scope))
        if not parts or parts[0].start() != 0:
            return None
        ends = [p.start() for p in parts[1:]] + [len(scope)]
        for part, end in zip(parts, ends, strict=True):
            column, verb, said = part.group(1), part.group(2), scope[part.end() : end].strip()
            if verb in {"is", "is not"}:
                held = self.names(column).isin([self.key(column, v) for v in re.split(r" or ", said)])
                mask &= held if verb == "is" else ~held
            elif re.fullmatch(VALUE, said) and pd.api.types.is_numeric_dtype(self.data[column]):
                cells, limit = self.data[column], number(said)
                mask &= {
                    "above": cells > limit, "below": cells < limit, "at or above": cells >= limit,
                    "at or below": cells <= limit,
                }[verb]  # fmt: skip
            else:
                return None
        return mask

    def measure(self, words: str, unit: str = "days") -> Measured | None:
        """The values that words such as "time from a to b" or "state = Done" stand for; None where not understood."""
        words = words.strip()
        if (m := re.fullmatch(r"[tT]ime from (.+) to (.+)", words)) and {m[1], m[2]} <= set(self.dates):
            gap = (self.dates[m[2]] - self.dates[m[1]]).dt.total_seconds()
            return Measured(gap / _SECONDS[unit])
        if (m := re.fullmatch(r"(.+?) = (.+)", words)) and m[1] in self.data:
            held = self.names(m[1]).isin([self.key(m[1], v) for v in m[2].split(" or ")])
            return Measured(held.astype(float).where(self.data[m[1]].notna()), share=True)
        if (m := re.fullmatch(r"(.+) at or above (.+)", words)) and {m[1], m[2]} <= set(self.data.columns):
            a, b = self.data[m[1]], self.data[m[2]]
            return Measured((a >= b).astype(float).where(a.notna() & b.notna()), share=True)
        if words in self.data and pd.api.types.is_bool_dtype(self.data[words]):
            return Measured(self.data[words].astype(float), share=True)
        if words in self.data and pd.api.types.is_numeric_dtype(self.data[words]):
            return Measured(self.data[words].astype(float))
        return None

    def columns_with(self, *names: str) -> Iterator[str]:
        """Columns that hold all of these names."""
        for column in map(str, self.data.columns):
            held = set(self.names(column).dropna())
            if len(held) <= 5_000 and all(self.key(column, n) in held for n in names):
                yield column

    def column_called(self, noun: str) -> str | None:
        """The column behind "departments" or "values of assigned_to"."""
        noun = noun.strip().removeprefix("values of ")
        forms = {str(c): {str(c), f"{c}s", f"{c}es", f"{str(c)[:-1]}ies"} for c in self.data.columns}
        return next((c for c, called in forms.items() if noun in called), None)


def unit_of(text: str) -> str:
    """The unit of durations in a statement."""
    found = re.search(rf"{NUMBER} (days?|hours?|minutes?)\b", text)
    return f"{found.group(1).removesuffix('s')}s" if found else "days"


def named_values(text: str) -> list[tuple[str, str]]:
    """ "A (3), B (4) and C (5)" as pairs of name and value."""
    return [(m[1].strip(), m[2]) for m in re.finditer(rf"(?:^|, | and )(.+?) \(({VALUE})[^()]*\)", text)]


def bucket(times: "pd.Series[pd.Timestamp]", label: str) -> "pd.Series[str]":
    """Each time as the label of its period, of the same kind as `label`; missing times stay missing."""
    if label.startswith("the week"):
        monday = times - pd.to_timedelta(times.dt.weekday, unit="D")
        text = "the week of " + monday.dt.strftime("%Y-%m-%d")
    elif re.fullmatch(r"\d{4}-\d\d-\d\d", label):
        text = times.dt.strftime("%Y-%m-%d")
    elif label.startswith("Q"):
        text = "Q" + times.dt.quarter.astype("Int64").astype("string") + " " + times.dt.strftime("%Y")
    else:
        text = times.dt.strftime("%Y" if label.isdigit() else "%B %Y")
    return text.where(times.notna())


def periods(times: "pd.Series[pd.Timestamp]", label: str) -> Sequence[str]:
    """All periods from the first time to the last, in order, as labels like `label`."""
    days = pd.Series(pd.date_range(times.min().normalize(), times.max().normalize(), freq="D"))
    return list(dict.fromkeys(bucket(days, label)))
