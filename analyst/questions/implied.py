"""The measure and the aggregate that words mean without naming them."""

import re

from analyst.questions.scene import Scene
from analyst.reading.derived import money_measure
from analyst.reading.durations import durations
from analyst.reading.lexicon import MONEY
from analyst.reading.rates import rates, targets
from analyst.reading.words import lemma, name_words, stem, tokens
from datasets.measures import Aggregate, Measure
from datasets.schema import Column, SchemaCard

_LEVELS = frozenset(
    [
        "score",
        "rate",
        "ratio",
        "price",
        "percent",
        "percentage",
        "pct",
        "age",
        "temperature",
        "temp",
        "index",
        "wait",
        "waiting",
        "delay",
        "latency",
        "response",
        "turnaround",
        "lag",
        "rating",
        "average",
        "avg",
        "mean",
        "median",
        "rank",
        "speed",
        "height",
        "width",
        "length",
        "weight",
        "salary",
        "wage",
        "satisfaction",
        "bmi",
        "level",
        "probability",
        "density",
        "pressure",
        "humidity",
        "latitude",
        "longitude",
        "margin",
        "grade",
        "gpa",
        "year",
        "per",
        "capita",
        "expectancy",
        "concentration",
        "intensity",
        "efficiency",
        "share",
        "discount",
        "duration",
        "time",
        "error",
        "std",
        "close",
        "open",
        "high",
        "low",
    ]
)


_DURATION = re.compile(
    r"\b(?:durations?|(?:resolution|processing|handling|response"
    r"|waiting|wait|lead|cycle|delivery|shipping|travel|completion"
    r"|turnaround|closing|service|closure|approval|idle) times?"
    r"|how long|time (?:to|from|between|taken|it takes|until)|tenure"
    r"|(?:warranty|contract|trial|notice|coverage) (?:period|length"
    r"|term)s?|lengths? of (?:stay|time)|days (?:to|between|from"
    r"|until)|turnaround|lead time|delays?|length of"
    r"|(?:take|took|taking)s? (?:(?:so|too|very|the|that|quite) )?long(?:er|est)?"
    r"|slow(?:er|est|ly)?)\b",
    re.I,
)


_RATE = re.compile(
    r"\b(?:(?:\w+) rates?|shares?|percent(?:age)?|proportions?|fractions?|how often|what %)(?!\w)|%", re.I
)


_LEVEL_IN_ONE = re.compile(r"per_?cap|life_?exp|expectancy|^avg|^mean|average|ratio|percent|perc_?|_pct|pct_", re.I)
"""Levels whose names are written in one piece: "gdppercap", "lifeexp"."""


def additive(column: Column) -> bool:
    """Whether a sum over rows of a column is a number that people ask for; levels such as prices and rates are not."""
    words = {lemma(w) for w in name_words(column.name)}
    if column.unit in {"%", "percent"} or words & _LEVELS or _LEVEL_IN_ONE.search(column.name):
        return bool(words & {"revenue", "sales", "amount", "total", "qty", "quantity", "count"}) and not words & {
            "rate",
            "ratio",
            "average",
        }
    return True


def natural(column: Column) -> Aggregate:
    """The aggregate that is meant when only a column is named: a sum where values add up, else the mean."""
    return "sum" if additive(column) else "mean"


def main_measure(card: SchemaCard) -> Column | None:
    """The one column that "total" alone can mean: the only measure, else the only one that is money."""
    measures = card.by_role("measure")
    if len(measures) == 1:
        return measures[0]
    money = [c for c in measures if {lemma(w) for w in name_words(c.name)} & set(MONEY) and natural(c) == "sum"]
    return money[0] if len(money) == 1 else None


def implied_measure(phrase: str, scene: Scene) -> Measure | None:
    """The measure a phrase means without naming a column: a duration, a rate, a kindred word, the only money column."""
    if _DURATION.search(phrase):
        spans = durations(scene.card, phrase, scene.matcher)
        if spans and (spans[0][1] >= 0.6 or len(spans) == 1):
            return spans[0][0]
    if _RATE.search(phrase):
        best = [pair for pair in (*targets(scene.card, phrase), *rates(scene.card, phrase)) if pair[1] >= 0.65]
        if best:
            return max(best, key=lambda pair: pair[1])[0]
    words = {stem(t.word) for t in tokens(phrase) if t.is_word} | {lemma(t.word) for t in tokens(phrase) if t.is_word}
    if words & set(MONEY):
        money = money_measure(scene.card)
        if money is not None:
            return money
    return _by_meaning(phrase, scene)


def _by_meaning(phrase: str, scene: Scene, *, at_least: float = 0.42, ahead: float = 0.05) -> Measure | None:
    cosines = scene.matcher.by_meaning(phrase)
    ranked = sorted(((cosines.get(c.name, 0.0), c.name) for c in scene.card.by_role("measure")), reverse=True)
    if not ranked or ranked[0][0] < at_least or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < ahead):
        return None
    return Measure(kind="column", columns=(ranked[0][1],))
