"""Asks about columns that the question changes first: their measures put in place, and asks where none was said."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.scene import Scene
from analyst.reading.aggregates import AggregateWord, aggregate_words
from analyst.reading.transforms import says_original
from datasets.measures import Aggregate, Metric

_IS_CHANGE = re.compile(
    r"\W*(?:\d+[.)]\s*)?(?:please |then,? |first,? )*(?:apply(?:ing)?|fill(?:ing)?|imput(?:e|ing)|replac(?:e|ing)"
    r"|normali[sz](?:e|ing)|standardi[sz](?:e|ing)|(?:re)?scal(?:e|ing)|transform(?:ing)?|handl(?:e|ing)|tak(?:e|ing)"
    r"|preprocess(?:ing)?|us(?:e|ing) the (?:mean|median) imputation)\b",
    re.I,
)
_FILL_PHRASE = re.compile(
    r"\b(?:after |by |when )?(?:fill(?:ing|ed)?|imput(?:ing|ed)|replac(?:ing|ed))\b[^,.?]*?\b(?:with|by) "
    r"(?:the |its |their )?(?:column )?(?:mean|median|average|zeros?|0)s?\b(?: (?:value|age|of the column))?",
    re.I,
)
_REPLACED_IN = frozenset({"value", "extreme", "relation", "distribution", "compare", "trend"})
_NOT_OF_ONE = frozenset({"count", "sum", "quantile", "distinct"})
_MAKES = re.compile(
    r"\b(?:create|generate|add|make|derive|engineer)\w*\b[^.?]{0,40}\b(?:feature|column|variable|field)s?\b", re.I
)
_DESCRIBED: tuple[Aggregate, ...] = ("mean", "std", "missing")


def is_change(clause: str, scene: Scene) -> bool:
    """Whether a clause only says how a column is to be changed."""
    return bool(scene.changes) and _IS_CHANGE.match(clause) is not None


def without_fill(clause: str, scene: Scene) -> str:
    """A clause without the words on how gaps are filled, whose "mean" is no number that is asked for."""
    return _FILL_PHRASE.sub(" ", clause) if scene.changes else clause


def on_changed(asks: Sequence[Ask], sentences: Sequence[str], scene: Scene) -> list[Ask]:
    """The asks on what the columns are changed into; of a changed or made-up column without one, its mean and spread.

    Where the question speaks of before and after, both are asked.
    """
    changed = {c.column: c.measure for c in scene.changes}
    both = any(says_original(s) for s in sentences)
    result: list[Ask] = []
    touched: set[str] = set()
    for ask in asks:
        metrics: list[Metric] = []
        for metric in ask.metrics:
            column = metric.measure.columns[0] if metric.measure.kind == "column" else None
            if column in changed and ask.kind in _REPLACED_IN:
                touched.add(str(column))
                metrics += [metric] if both and ask.kind == "value" else []
                metrics.append(_plain(metric).model_copy(update={"measure": changed[str(column)]}))
            else:
                metrics.append(metric)
        if _only_made(ask, metrics, sentences):
            metrics += [metrics[0].model_copy(update={"aggregate": a}) for a in _DESCRIBED[1:]]
        result.append(ask.model_copy(update={"metrics": tuple(metrics)}))
    left = [m for column, m in changed.items() if column not in touched]
    named = [a for s in sentences for a in _aggregates_of_result(s, scene)]
    wanted = dict.fromkeys((*(a for word in named for a in word.aggregates if a not in _NOT_OF_ONE), *_DESCRIBED))
    described = tuple(
        Metric(aggregate="share" if m.kind == "indicator" and a == "mean" else a, measure=m)
        for a in wanted
        for m in left
        if m.kind != "indicator" or a in {"mean", "missing"}
    )
    described += _of_made(asks, sentences, scene)
    if described:
        result.append(Ask(kind="value", metrics=described[:12], text=" ".join(sentences[:1])))
    return result


def _only_made(ask: Ask, metrics: Sequence[Metric], sentences: Sequence[str]) -> bool:
    """Whether a changed column is only to be made, with no number of it asked for: then it is described."""
    if ask.kind != "value" or len(metrics) != 1 or metrics[0].aggregate != "mean" or ask.dimensions:
        return False
    changed = metrics[0].measure.kind == "transformed"
    return changed and any(_MAKES.search(s) for s in sentences) and not any(aggregate_words(s) for s in sentences)


def _of_made(asks: Sequence[Ask], sentences: Sequence[str], scene: Scene) -> tuple[Metric, ...]:
    """What is told of a made-up column that no ask is about: what its own sentence wants of it, else its mean."""
    asked = {m.measure.key for a in asks for m in a.metrics}
    found: list[Metric] = []
    for feature in scene.features:
        if feature.measure is None or feature.measure.key in asked:
            continue
        own = next((s for s in sentences if feature.name in s), "")
        said = aggregate_words(own[own.find(feature.name) :])
        said += [word for s in sentences if s != own for word in _aggregates_of_result(s, scene)]
        wanted = [a for word in said for a in word.aggregates]
        chosen = dict.fromkeys((*(a for a in wanted if a not in _NOT_OF_ONE), *_DESCRIBED))
        found += [Metric(aggregate=a, measure=feature.measure) for a in chosen]
    return tuple(found)


def _aggregates_of_result(sentence: str, scene: Scene) -> list[AggregateWord]:
    """Aggregates of a sentence that names no number and no change: "what are the mean and skewness of the result?"."""
    names = any(m.how != "value" and scene.card.column(m.column).numeric for m in scene.matcher.mentions(sentence))
    return [] if names or is_change(sentence, scene) else aggregate_words(sentence)


def _plain(metric: Metric) -> Metric:
    """A total that nobody named is a mean once the column is on another scale."""
    return metric.model_copy(update={"aggregate": "mean"}) if metric.aggregate == "sum" else metric
