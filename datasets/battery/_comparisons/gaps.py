"""Which groups stand apart from the others: the largest gap in an ordered list of values."""

from collections.abc import Sequence
from dataclasses import dataclass

_FAR_RATIO = 1.5


@dataclass(frozen=True)
class Apart:
    """The first `size` values of the list (from the top, or from the bottom when not `high`) lie apart from the rest.

    `far`: the gap is also large against the values themselves, so that "by far" is no exaggeration.
    """

    size: int
    high: bool
    far: bool


def apart(values: Sequence[float]) -> Apart | None:
    """Find the split of values, largest first, whose gap is at least the spread on either side of it.

    None below three values and where no gap is that large. The smaller side is the one that stands apart, the upper one
    when both are equal; it never has more than three members.
    """
    k = len(values)
    if k < 3:
        return None
    best: tuple[float, int] | None = None
    for size in range(1, k):
        gap = values[size - 1] - values[size]
        spread = max(values[0] - values[size - 1], values[size] - values[-1])
        if gap > 0 and gap >= spread and min(size, k - size) <= 3 and (best is None or gap > best[0]):
            best = (gap, size)
    if best is None:
        return None
    size = best[1]
    above, below = values[size - 1], values[size]
    far = above > 0 and (below <= 0 or above >= _FAR_RATIO * below) and values[-1] >= 0
    high = size <= k - size
    return Apart(size if high else k - size, high, far)
