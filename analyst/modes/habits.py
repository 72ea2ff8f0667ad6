"""What a person's own past choices at the gate say of a suggestion."""

from collections import Counter
from collections.abc import Sequence

from analyst.protocol import Mode, Suggestion

_WEIGHT = 6.0
"""How many past choices weigh as much as the reading of the question."""
_MODES: tuple[Mode, ...] = ("fresh", "extend", "revalidate", "re-run")
_FEWEST_TO_TELL = 3


def with_habits(suggestion: Suggestion, choices: Sequence[tuple[str, str]]) -> Suggestion:
    """Update a suggestion by what the person chose where the same mode was suggested.

    The reading of the question is the prior of a Dirichlet over the four modes, with the weight of six choices; the
    choices are its counts. `choices`: (suggested, chosen) pairs of this person, of any dataset.
    """
    alike = [chosen for suggested, chosen in choices if suggested == suggestion.mode and chosen in _MODES]
    if not alike:
        return suggestion
    rest = (1 - suggestion.confidence) / (len(_MODES) - 1)
    counts = Counter(alike)
    chances = {
        mode: (_WEIGHT * (suggestion.confidence if mode == suggestion.mode else rest) + counts[mode])
        / (_WEIGHT + len(alike))
        for mode in _MODES
    }
    best = max(_MODES, key=lambda mode: (chances[mode], mode == suggestion.mode))
    reason = suggestion.reason
    if best != suggestion.mode or counts[best] >= _FEWEST_TO_TELL:
        told = f"Where I suggested {suggestion.mode}, you chose {best} in {counts[best]} of {len(alike)} cases."
        reason = told if best != suggestion.mode else f"{reason} {told}"
    return Suggestion(mode=best, confidence=round(chances[best], 3), reason=reason)
