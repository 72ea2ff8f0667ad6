"""What rows lack or hold: "no children", "without a discount", "paid no fare", "zero units"."""

import re

from analyst.reading.conditions import two_sided
from analyst.reading.mentions import Mention
from datasets.measures import Filter
from datasets.schema import Column

_NONE_OF = re.compile(
    r"\b(?:no|without(?: any| an?)?|zero|not? any|(?:not|n't) (?:have|had|got|get|paid|pay)(?: any| an?)?|lack\w*"
    r"|missing)\s+(?P<known>(?:known|recorded|given|stated|valid)\s+)?(?:number of\s+)?[\"'`]?$",
    re.I,
)
_OF_VALUES = re.compile(r"\W*(?:values?|data|entries)\b", re.I)


def lacking(text: str, mention: Mention, column: Column) -> tuple[Filter, int, int] | None:
    """The condition that a column named after "no" or "without" sets, and its place; None where nothing is denied.

    A column of numbers that holds zeros is zero; any other is missing. "No known age" is always a missing one.
    """
    lead = _NONE_OF.search(text[: mention.start])
    if lead is None or mention.how == "value" or two_sided(column) or _OF_VALUES.match(text, mention.end):
        return None
    zero = column.numeric and _holds_zero(column) and not lead["known"]
    if zero and lead.group().lower().startswith("missing"):
        return None
    if not zero and not column.nulls and not lead.group().lower().startswith(("no", "without")):
        return None
    found = Filter(column=column.name, values=(0,)) if zero else Filter(column=column.name, op="is_null")
    return found, lead.start(), mention.end


def _holds_zero(column: Column) -> bool:
    ends = [v for v in (column.minimum,) if v is not None]
    return any(float(v) == 0 for v in ends) or any(v in {"0", "0.0"} for v in column.values)
