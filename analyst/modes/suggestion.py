"""Which of the four modes fits a question, how sure that is, and why."""

from collections.abc import Sequence

from analyst.heads import Embeds, load_head
from analyst.modes.cues import cues_of
from analyst.modes.denied import weighed, without_denied
from analyst.modes.features import features
from analyst.protocol import Mode, Suggestion

ASSET = "modes.npz"
PRIOR_LIMIT = 40
_QUESTION_CHARS = 2000
SURE_0_1 = 0.6
"""Below this confidence the gate says that it cannot tell."""
_MODEST = 0.65
_GOES_ON = (
    "extend_verb",
    "extend_accept",
    "extend_granted",
    "extend_gap",
    "extend_left",
    "extend_announced",
    "and_start",
)
_MODES: dict[str, Mode] = {"fresh": "fresh", "extend": "extend", "revalidate": "revalidate", "re-run": "re-run"}


def suggest_mode(
    question: str,
    prior_summaries: Sequence[str],
    *,
    data_changed: bool,
    days_since_last: float | None,
    embedder: Embeds | None = None,
    about: str | None = None,
    nearest: bool = True,
    new_ground: Sequence[str] = (),
) -> Suggestion:
    """Suggest a mode from the phrasing, from how the question meets the prior findings, from data change and time.

    Only the first 40 summaries are compared. Without an embedder meaning is left out and the suggestion is a little
    less accurate. `about`: the finding that the question is known to be about, which the reason then names; without one
    it names the nearest in words where `nearest` allows it. `new_ground`: the columns that the question is about, where
    no finding is about any of them: then nothing is taken as given, unless the words say so. Confidence is the
    calibrated probability of the mode; below 0.6 the reason says that the question does not tell.
    """
    prior = [p for p in prior_summaries if p.strip()][:PRIOR_LIMIT]
    if not prior:
        return Suggestion(mode="fresh", confidence=1.0, reason="Nothing is known about this dataset yet.")
    text = question.strip()[:_QUESTION_CHARS]
    if not text:
        return Suggestion(mode="extend", confidence=0.25, reason="There is no question to tell the mode from.")
    x, near = features(
        text, prior, data_changed=data_changed, days_since_last=days_since_last, embedder=embedder
    )  # fmt: skip
    read = load_head(ASSET, "plain" if embedder is None else "full").probabilities(x)
    chances = weighed({_MODES[label]: chance for label, chance in read.items()}, text)
    mode = max(chances, key=lambda m: chances[m])
    confidence = min(1.0, chances[mode])
    cues = cues_of(without_denied(text))
    if new_ground and mode == "extend" and not any(cues[name] for name in _GOES_ON):
        words = listed(new_ground)
        reason = f"The question is about {words}, of which nothing is known yet."
        return Suggestion(mode="fresh", confidence=_MODEST, reason=reason)
    named = about or (prior[near.nearest] if nearest and near.nearest is not None else None)
    reason = reason_for(mode, text, None if new_ground else named, data_changed=data_changed)
    if confidence < SURE_0_1:
        reason = f"The question does not tell which mode is meant; nearest: {reason[0].lower()}{reason[1:]}"
    return Suggestion(mode=mode, confidence=round(confidence, 3), reason=reason)


def wants_more(question: str) -> bool:
    """Whether the words ask to go on from what is known: "go deeper", "what is left to look at"."""
    cues = cues_of(without_denied(question))
    return any(cues[name] for name in ("extend_verb", "extend_gap", "extend_left", "extend_announced"))


def reason_for(mode: Mode, question: str, about: str | None, *, data_changed: bool) -> str:
    """Say in one sentence why a mode fits. `about`: the finding that the question is about."""
    cues = cues_of(without_denied(question))
    named = f"“{_short(about)}”" if about else None
    if mode == "fresh":
        if cues["fresh_discard"] or cues["fresh_start"] or cues["fresh_body"]:
            return "You ask to set aside what we found before and to begin anew."
        if cues["fresh_replaced"] or cues["fresh_distrust"]:
            return "You say that the ground of the earlier findings has changed, so they may no longer apply."
        if cues["fresh_first_time"]:
            return "You want a view that does not lean on the earlier findings."
        return "The question asks for a look at the whole and takes up none of the earlier findings."
    if mode == "extend":
        if named:
            return f"You take {named} as given and ask what lies beyond it."
        return "You ask something that the earlier findings leave open, and you do not doubt them."
    if mode == "revalidate":
        since = ", and the data has changed since" if data_changed else ""
        if named:
            return f"You ask whether {named} holds{since}."
        return f"You want one earlier statement checked{since}."
    if data_changed:
        return "You ask for the earlier analysis once more, unchanged, and there is new data to run it on."
    return "You ask for the earlier analysis once more, unchanged, on the same data."


def listed(names: Sequence[str]) -> str:
    """ "bmi and smoker"."""
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def _short(text: str, limit: int = 90) -> str:
    plain = " ".join(text.split()).rstrip(".")
    return plain if len(plain) <= limit else plain[:limit].rsplit(" ", 1)[0] + " …"
