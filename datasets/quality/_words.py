"""Small pieces of sentences that several detectors share."""

from collections.abc import Sequence

from datasets.plain import number_text

_LONGEST_CELL = 60


def days_words(days: int) -> str:
    """Write a number of days after "the last": "day", "3 days"."""
    return "day" if days == 1 else f"{days:,} days"


def rows_words(rows: int) -> str:
    """Write a number of rows: "1 row", "1,234 rows"."""
    return "1 row" if rows == 1 else f"{rows:,} rows"


def percent(share_0_1: float) -> str:
    """Write a share: "12.3%"; one that is not quite everything never reads "100%"."""
    text = number_text(100 * share_0_1, unit="%")
    return "over 99.99%" if text == "100%" and share_0_1 < 1 else text


def listing(items: Sequence[str], *, most: int = 7) -> str:
    """Join with commas and "and"; beyond `most` says how many more there are."""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"{len(items) - most:,} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def cell(value: object) -> str:
    """Write a cell inside a sentence: one line, shortened. Cells are data; nothing in them is markup."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"
