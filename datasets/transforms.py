"""Numbers made of columns: logarithms, scales, gaps filled, steps along an order; each as SQL and in words."""

from collections.abc import Sequence
from typing import Literal

from datasets.sql import literal

Transform = Literal["log10", "ln", "log2", "sqrt", "minmax", "zscore", "filled_mean", "filled_median", "filled_value"]
_LOGARITHMS = {"log10": "log10", "ln": "ln", "log2": "log2"}
_WORDS = {
    "log10": "log10 of {c}",
    "ln": "natural logarithm of {c}",
    "log2": "log2 of {c}",
    "sqrt": "square root of {c}",
    "minmax": "{c} scaled to 0..1",
    "zscore": "z-score of {c}",
    "filled_mean": "{c} with missing values filled by the mean",
    "filled_median": "{c} with missing values filled by the median",
    "filled_value": "{c} with missing values filled by {extra}",
}


def transformed_sql(c: str, values: Sequence[object]) -> str:
    """SQL of a transform of the row-level expression `c`; `values`: its name, then a constant where it takes one.

    The constant is added before a logarithm, and fills the gaps of `filled_value`. Scales and fills are those of all
    rows of the view, whatever rows a step looks at. A logarithm of what is not positive is NULL.
    """
    how, extra = str(values[0]), values[1:]
    if how in _LOGARITHMS:
        x = f"({c} + {literal(_number(extra[0]))})" if extra else c
        return f"CASE WHEN {x} > 0 THEN {_LOGARITHMS[how]}({x}) END"
    if how == "sqrt":
        return f"CASE WHEN {c} >= 0 THEN sqrt({c}) END"
    if how == "minmax":
        return (
            f"(({c} - (SELECT min({c}) FROM analysis))::DOUBLE / nullif((SELECT max({c}) - min({c}) FROM analysis), 0))"
        )
    if how == "zscore":
        return f"(({c} - (SELECT avg({c}) FROM analysis)) / nullif((SELECT stddev_pop({c}) FROM analysis), 0))"
    if how == "filled_value":
        return f"coalesce({c}, {literal(_number(extra[0]))})"
    return f"coalesce({c}, (SELECT {'avg' if how == 'filled_mean' else 'median'}({c}) FROM analysis))"


def transformed_words(c: str, values: Sequence[object]) -> str:
    """ "log10 of price", "age with missing values filled by the mean"."""
    text = _WORDS[str(values[0])].format(c=c, extra=values[1] if len(values) > 1 else "")
    added = str(values[0]) in _LOGARITHMS and len(values) > 1
    return text.replace(f"of {c}", f"of ({c} + {values[1]})") if added else text


def ratio_sql(parts: Sequence[str], values: Sequence[object] = ()) -> str:
    """SQL of the first expression divided by the second, to which a constant may be added; NULL for a divisor of 0."""
    divisor = f"{parts[1]} + {literal(_number(values[0]))}" if values else parts[1]
    return f"({parts[0]}::DOUBLE / nullif({divisor}, 0))"


def stepped_sql(c: str, order: str, values: Sequence[object]) -> str:
    """Window expression of a step of `c` along `order`; `values`: its name, and the rows that a mean moves over.

    change: from the row before · change_pct: the same in percent · change_ln: the change of the natural logarithm, NULL
    where a number is not positive · moving: the mean of so many rows, NULL until there
    are so many · running: the sum so far.
    """
    how = str(values[0])
    over = f"OVER (ORDER BY {order}"
    if how == "running":
        return f"sum({c}) {over} ROWS UNBOUNDED PRECEDING)"
    if how == "moving":
        rows = int(_number(values[1]))
        frame = f"{over} ROWS BETWEEN {rows - 1} PRECEDING AND CURRENT ROW)"
        return f"CASE WHEN count({c}) {frame} = {rows} THEN avg({c}) {frame} END"
    before = f"lag({c}) {over})"
    if how == "change_ln":
        return f"CASE WHEN {c} > 0 AND {before} > 0 THEN ln({c} / {before}) END"
    return f"({c} - {before})" if how == "change" else f"(100.0 * ({c} - {before}) / nullif({before}, 0))"


def stepped_words(c: str, values: Sequence[object]) -> str:
    """ "percentage change of Close from one row to the next", "7-row moving average of Close"."""
    how = str(values[0])
    if how == "moving":
        return f"{values[1]}-row moving average of {c}"
    if how == "running":
        return f"running total of {c}"
    return f"{_CHANGES[how]} of {c} from one row to the next"


_CHANGES = {"change": "change", "change_pct": "percentage change", "change_ln": "log return"}


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the constant of a transform must be a number, not {value!r}")
    return value
