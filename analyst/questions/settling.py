"""Let columns that the instructions name to the letter settle what the question said loosely."""

from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.asks import asks_in
from analyst.questions.scene import Scene
from analyst.questions.sentences import Message

_SETTLED = frozenset({"relation", "distribution", "outliers"})
_WORDING = {"text": "", "options": {}}


def settled(asks: Sequence[Ask], message: Message, scene: Scene, whole: str) -> list[Ask]:
    """The asks, with measures that were read from loose words replaced by those that are named to the letter.

    "Are the votes for the party normally distributed? Test whether the 'per_dem' column follows ..." is about per_dem.
    """
    sentences = (*message.asked, *message.instructions)
    exact = [a for s in sentences for a in asks_in(s, scene, whole) if _to_the_letter(a, scene)]
    result: list[Ask] = []
    for ask in asks:
        twin = next((e for e in exact if e.kind == ask.kind and len(e.metrics) == len(ask.metrics)), None)
        if twin is not None and ask.metrics and ask.kind in _SETTLED and not _to_the_letter(ask, scene):
            ask = ask.model_copy(update={"metrics": twin.metrics})
        bare = ask.model_copy(update=_WORDING)
        if not any(r.model_copy(update=_WORDING) == bare for r in result):
            result.append(ask)
    return result


def _to_the_letter(ask: Ask, scene: Scene) -> bool:
    """Whether all measures of an ask are column names that stand in its text as in the file."""
    columns = {c for m in ask.metrics for c in m.measure.columns}
    literal = {m.column for m in scene.matcher.mentions(ask.text) if m.how in {"quoted", "name"}}
    return bool(columns) and (columns <= literal or any(m.measure.kind != "column" for m in ask.metrics))
