"""Words for aggregates: "mean", "how many", "99th percentile", "quartiles"."""

import re
from dataclasses import dataclass

from datasets.measures import Aggregate, Measure, Metric


@dataclass(frozen=True)
class AggregateWord:
    """An aggregate named at a place of the text. `levels`: quantiles between 0 and 1, for aggregate = quantile."""

    start: int
    end: int
    aggregates: tuple[Aggregate, ...]
    levels: tuple[float, ...] = ()

    def metrics(self, measure: Measure) -> tuple[Metric, ...]:
        """The metrics it asks of a measure."""
        if self.levels:
            return tuple(Metric(aggregate="quantile", measure=measure, level_0_1=level) for level in self.levels)
        return tuple(Metric(aggregate=a, measure=measure) for a in self.aggregates)

    @property
    def counts(self) -> bool:
        """Whether it only asks how many."""
        return self.aggregates == ("count",)

    @property
    def extreme(self) -> bool:
        """Whether it is one of the words that also ask which one ("highest")."""
        return self.aggregates in {("max",), ("min",)}


_WORDS: tuple[tuple[str, tuple[Aggregate, ...]], ...] = (
    (r"(?:population|pop\.?) (?:standard deviations?|std(?:\.? ?dev\.?)?)|pstd", ("pstd",)),
    (r"(?:sample )?standard deviations?|std(?:\.? ?dev(?:iation)?\.?)?|stddev|st\.? ?dev", ("std",)),
    (r"variances?", ("var",)),
    (r"coefficients? of variation", ("cv",)),
    (r"means?|averag(?:e|es|ed|ing)|avg|on average", ("mean",)),
    (r"medians?|typical(?= \w)(?! (?:day|week|month|quarter|year|hour|time|case|pattern))", ("median",)),
    (
        r"(?:the )?(?:minimum and maximum|min and max|max and min|maximum and minimum"
        r"|(?<!date )\branges?(?= of\b| in\b|$|\?))",
        ("min", "max"),
    ),
    (r"minim(?:um|a|al)|min|lowest|smallest|earliest|oldest|cheapest|shortest|slowest|fewest|least", ("min",)),
    (
        r"maxim(?:um|a|al)|max|peaks?(?= of)|highest|largest|biggest|greatest|latest"
        r"|newest|most recent|longest|last(?= (?:time|date|timestamp)\w*)",
        ("max",),
    ),
    (
        r"(?:total )?(?:number|no\.|count) of (?:unique|distinct|different)"
        r"|how many (?:unique|distinct|different)|(?:unique|distinct)(?: (?:count"
        r"|number)(?: of)?)?|nunique|cardinality",
        ("distinct",),
    ),
    (r"skew(?:ness)?", ("skewness",)),
    (r"(?:excess )?kurtosis", ("kurtosis",)),
    (
        r"how many(?! times)|(?:total |overall )?(?:number|count) of|counts?|head ?counts?"
        r"|frequenc(?:y|ies) of|no\. of",
        ("count",),
    ),
    (r"(?:grand )?totals?|sum(?:s|med)?(?: of)?|overall", ("sum",)),
)
_COMPILED = tuple((re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE), found) for pattern, found in _WORDS)
_PERCENTILES = re.compile(
    r"(?<!\w)(?:(?P<n>\d{1,2}(?:\.\d+)?)(?:st|nd|rd|th)?[- ](?:percentile|pctl|centile)s?|p(?P<p>\d\d)(?!\w)"
    r"|(?P<list>\d{1,2}(?:th|st|nd|rd)(?:,? (?:and )?\d{1,2}(?:th|st|nd|rd))+) percentiles?"
    r"|(?P<iqr>interquartile range|iqr)|(?P<q>(?:first|lower|1st|q1|third|upper|3rd|q3) quartile|quartiles))(?!\w)",
    re.IGNORECASE,
)


def aggregate_words(text: str) -> list[AggregateWord]:
    """Aggregates named in a text, in order, not overlapping; "average number of" counts as the first of the two."""
    found = [_quantiles(match) for match in _PERCENTILES.finditer(text)]
    for pattern, aggregates in _COMPILED:
        for match in pattern.finditer(text):
            if not any(match.start() < w.end and w.start < match.end() for w in found):
                found.append(AggregateWord(match.start(), match.end(), aggregates))
    ordered = sorted(found, key=lambda w: w.start)
    return [
        word
        for i, word in enumerate(ordered)
        if not (word.counts and i and re.fullmatch(r"\s*(?:the )?(?:of the )?", text[ordered[i - 1].end : word.start]))
    ]


def _quantiles(match: re.Match[str]) -> AggregateWord:
    levels: tuple[float, ...]
    if match["iqr"]:
        return AggregateWord(match.start(), match.end(), ("iqr",))
    if match["q"]:
        word = match["q"].lower()
        levels = (0.25, 0.5, 0.75) if word == "quartiles" else (0.25,) if word[0] in "fl1" or "q1" in word else (0.75,)
    elif match["list"]:
        levels = tuple(int(n) / 100 for n in re.findall(r"\d+", match["list"]))
    else:
        levels = (round(float(match["n"] or match["p"]) / 100, 6),)
    return AggregateWord(match.start(), match.end(), ("quantile",), levels)
