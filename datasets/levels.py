"""Conditions that compare a row with a level of all rows: above the mean, below the median, in the top tenth."""

from datasets.sql import literal

LEVEL_OPS = {"above_level": ">", "below_level": "<", "top_share": ">=", "bottom_share": "<="}
"""The ops of such conditions with their signs. Their value is "mean", or a share of the rows between 0 and 1."""


def level_sql(expression: str, op: str, value: object) -> str:
    """SQL predicate on a row-level expression; the level is that of all rows of the view, whatever a step looks at."""
    if value == "mean":
        return f"{expression} {LEVEL_OPS[op]} (SELECT avg({expression}) FROM analysis)"
    share = round(1 - _share(value), 9) if op == "top_share" else _share(value)
    return f"{expression} {LEVEL_OPS[op]} (SELECT quantile_cont({expression}, {literal(share)}) FROM analysis)"


def level_words(name: str, op: str, value: object) -> str:
    """ "fare above the median of all rows", "fare in the top 10%"."""
    if op in {"top_share", "bottom_share"}:
        return f"{name} in the {op.removesuffix('_share')} {100 * _share(value):g}% of all rows"
    level = (
        "mean"
        if value == "mean"
        else "median"
        if _share(value) == 0.5
        else f"{_ordinal(100 * _share(value))} percentile"
    )
    return f"{name} {op.removesuffix('_level')} the {level} of all rows"


def _share(value: object) -> float:
    return float(str(value))


def _ordinal(number: float) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    plain = number % 1 == 0 and number % 100 not in {11, 12, 13}
    return f"{number:g}{ends.get(int(number % 10), 'th') if plain else 'th'}"
