"""What changed between two snapshots, as data and in one sentence."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from datasets.plain import counted, number_text
from datasets.snapshot._taking import Bucket

ChangeKind = Literal["unchanged", "appended", "restated", "schema", "replaced", "changed"]


_TYPE_WORDS = {
    "BIGINT": "a whole number", "INTEGER": "a whole number", "HUGEINT": "a whole number", "DOUBLE": "a number",
    "DECIMAL": "a number", "VARCHAR": "text", "DATE": "a date", "TIMESTAMP": "a time", "BOOLEAN": "yes or no",
}  # fmt: skip


_DATE_FORM = re.compile(r"\d{4}-\d\d-\d\d.*")
_NUMBER_FORM = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_FORMS = {
    "a whole number": _NUMBER_FORM, "a number": _NUMBER_FORM, "a date": _DATE_FORM, "a time": _DATE_FORM,
}  # fmt: skip


class Restated(BaseModel):
    """How far the restated days moved: a total over them, then and now."""

    model_config = ConfigDict(frozen=True)

    measure: str | None = Field(default=None, description="a measure whose sum it is; None: the number of rows")
    before: float
    after: float


class DataChange(BaseModel):
    """What changed in a dataset between two snapshots."""

    model_config = ConfigDict(frozen=True)

    kind: ChangeKind
    rows_before: int
    rows_after: int
    newest_before: str | None = None
    newest_after: str | None = None
    columns_added: list[str] = Field(default_factory=list)
    columns_removed: list[str] = Field(default_factory=list)
    columns_retyped: list[str] = Field(default_factory=list)
    retyped: dict[str, tuple[str, str]] = Field(
        default_factory=dict, description="former and present type of the columns with another type"
    )
    retyped_examples: dict[str, str] = Field(
        default_factory=dict, description="a value that the former type could not hold, of columns that are text now"
    )
    columns_renamed: dict[str, str] = Field(
        default_factory=dict,
        description="former to new name: measures with the same sums on the same days, groups with the same values",
    )
    restated_days: list[str] = Field(
        default_factory=list, description="days (buckets) known before whose numbers are other now, oldest first"
    )
    filled_days: list[str] = Field(
        default_factory=list, description="of the newest days known before: those to which rows or values only came"
    )
    restated_by: list[Restated] = Field(
        default_factory=list, description="rows and measures of those days whose totals are other now"
    )
    summary: str

    def with_examples(self, values: Mapping[str, Sequence[str]]) -> "DataChange":
        """Return the change with a value of each retyped column that its former type could not hold.

        :param values: values of the columns as they are now, most frequent first.
        """
        fits = {c: _FORMS.get(_TYPE_WORDS.get(then.partition("(")[0], "")) for c, (then, _) in self.retyped.items()}
        found = {
            c: next((v for v in values.get(c, ()) if not form.fullmatch(v.strip())), None)
            for c, form in fits.items()
            if form
        }
        told = self.model_copy(update={"retyped_examples": {c: v for c, v in found.items() if v is not None}})
        summary = self.summary
        for column in told.retyped_examples:
            summary = summary.replace(_retyped(self, column), _retyped(told, column), 1)
        return told.model_copy(update={"summary": summary})


def change_sentence(change: DataChange, *, unit: Bucket) -> str:
    """One sentence for each kind of change, with the amounts; `unit`: what a known day of the snapshots stands for."""
    rows = change.rows_after - change.rows_before
    amount = counted(abs(rows), "more row" if rows > 0 else "fewer row") if rows else "the same number of rows"
    newest = ""
    if change.newest_after and change.newest_after != change.newest_before:
        newest = f", data up to {change.newest_after[:10]} (before: {(change.newest_before or 'none')[:10]})"
    days, span = change.restated_days, _span(change.restated_days)
    past = counted(len(days), f"known {unit}")
    late = ""
    if change.filled_days:
        late = f"; {counted(len(change.filled_days), f'known {unit}')} ({_span(change.filled_days)}) filled up"
    if change.kind == "unchanged":
        return "The data is the same, byte for byte."
    if change.kind == "schema":
        past = f"; {past} ({span}) with other numbers{_moved(change.restated_by)}" if days else ""
        return f"The columns changed ({_columns(change)}); {amount}{newest}{past}{late}."
    if change.kind == "replaced":
        if change.columns_removed:
            return f"This is other data under the same name ({_columns(change)}); {amount}{newest}."
        most = f"most known {unit}s are gone or have other numbers"
        return f"This is other data under the same name: {most}; {amount}{newest}."
    if change.kind == "appended":
        return f"Data was added: {amount}{newest}{late}."
    if change.kind == "restated":
        what = f"{past} ({span}) with other numbers now{_moved(change.restated_by)}" if days else "past days were added"
        return f"Past data changed: {what}; {amount}{newest}{late}."
    return f"The file changed: {amount}{newest}."


def _span(days: list[str]) -> str:
    return "" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _columns(change: DataChange) -> str:
    renamed = change.columns_renamed
    added = [c for c in change.columns_added if c not in renamed.values()]
    removed = [c for c in change.columns_removed if c not in renamed]
    parts = [f"renamed: {', '.join(f'{a} is {b} now' for a, b in list(renamed.items())[:5])}"] if renamed else []
    parts += [f"new columns: {', '.join(added[:5])}"] if added else []
    parts += [f"columns gone: {', '.join(removed[:5])}"] if removed else []
    parts += (
        [f"other type: {', '.join(_retyped(change, c) for c in change.columns_retyped[:5])}"]
        if change.columns_retyped
        else []
    )
    return "; ".join(parts)


def _retyped(change: DataChange, column: str) -> str:
    """Say from which type to which, and by which value where one is known that made it text."""
    if column not in change.retyped:
        return column
    then, now = (_TYPE_WORDS.get(kind.partition("(")[0], kind.lower()) for kind in change.retyped[column])
    example = change.retyped_examples.get(column)
    return f"{column} was {then} and is {now} now" + (f", as in {example!r}" if example is not None else "")


def _moved(moved: list[Restated]) -> str:
    """Say how far the totals of the restated days moved, the first three."""
    parts = []
    for m in moved[:3]:
        share = f", {_signed(m)}" if m.before else ""
        parts.append(f"{m.measure or 'rows'} {number_text(m.after)} against {number_text(m.before)}{share}")
    return f" ({'; '.join(parts)})" if parts else ""


def _signed(moved: Restated) -> str:
    percent = number_text(100 * (moved.after / moved.before - 1), unit="%")
    return percent if percent.startswith("-") else f"+{percent}"
