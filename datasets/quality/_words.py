"""Small pieces of sentences that several detectors share."""

from collections.abc import Sequence


def days_words(days: int) -> str:
    """Write a number of days after "the last": "day", "3 days"."""
    return "day" if days == 1 else f"{days:,} days"


def rows_words(rows: int) -> str:
    """Write a number of rows: "1 row", "1,234 rows"."""
    return "1 row" if rows == 1 else f"{rows:,} rows"


def percent(share_0_1: float) -> str:
    """Write a share: "12.3%", "0.04%"; never rounds a share that is neither 0 nor 1 to 0% or 100%."""
    text = f"{100 * share_0_1:.1f}"
    if (text == "0.0" and share_0_1 > 0) or (text == "100.0" and share_0_1 < 1):
        text = f"{100 * share_0_1:.2g}" if share_0_1 < 0.5 else "over 99.9"
    return f"{text}%"


def listing(items: Sequence[str], *, most: int = 7) -> str:
    """Join with commas and "and"; beyond `most` says how many more there are."""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"{len(items) - most:,} more")
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
