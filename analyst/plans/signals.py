"""What the wording of a question says about the kind of exploration that it wants."""

import re
from dataclasses import dataclass

_TREND = (
    r"trend|over time|increas|decreas|declin|\bgr[eo]w|\brise|rising|\bfall|\bdrop|evol|spike|surge|season|histor"
    r"|\bmonth|\bweek|quarter|\byear|period|escalat|time window|timing|anomal|getting (?:\w+ )?\w+er\b|getting worse"
)
_VOLUME = (
    r"volume|number|count|how many|distribut|balanc|assign|frequen|workload|\bload\b|evenly|uneven|discrepan"
    r"|incident|ticket|request|\border|claim|\bcases?\b|complaint|\bcalls?\b|visit"
)
_REPEATED = r"repeat|repetit|identical|duplicat|recurr|fraud|redundan|\bdouble"
_RELATION = (
    r"relation|correlat|influenc|impact|affect|depend|driv|associat|\blink|\bbrackets?\b|align|predict|determin|factor"
)
_LOAD = (
    r"manag|responsib|overload|\bwho\b(?! are| were| have| had| did)|\bload\b|workload|span of|reportee|burden|strain"
    r"|\bper (?:\w+ )?(?:person|agent|user)"
)
_OUTLIER = r"outlier|anomal|unusual|extreme|abnormal|spike|irregular|discrepan|fraud|deviat|suspicious|pinpoint"
_TEXT = r"keyword|descri|theme|topic|issue|root cause|reason|cause|causing|cross-|collaborat|discrepan|hiccup|problem"
_TOTAL = r"total|spend|spent|expens|budget|revenue|sales|cost|allocat|\bsum\b|overall|amount"
_MONEY = r"spend|spent|expens|budget|revenue|sales|cost|price|financ|income|profit|pay(?:ment|roll)?\b|monetary|money"
_QUALITY = r"missing|\bnulls?\b|data quality|completeness|\bclean|\bgaps?\b"


_SEASONS = (
    ("quarter", r"season|quarter|time of (?:the )?year|timing"),
    ("month", r"season(?!al timing)|month of (?:the )?year|which months?|time of (?:the )?year|calendar month"),
    ("weekday", r"weekday|week-?end|days? of (?:the )?week|which days?\b"),
    ("hour", r"time of (?:the )?day|hours? of (?:the )?day|peak hours?|which hours?|day and night"),
)


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


@dataclass(frozen=True)
class Signals:
    """Which families of exploration the words of the question ask for."""

    trend: bool
    volume: bool
    repeated: bool
    relation: bool
    load: bool
    outliers: bool
    text: bool
    total: bool
    quality: bool
    money: bool
    season: tuple[str, ...] = ()


def signals_of(question: str) -> Signals:
    """Read the signals from the words; several may hold at once, or none."""
    return Signals(
        trend=_has(_TREND, question),
        volume=_has(_VOLUME, question),
        repeated=_has(_REPEATED, question),
        relation=_has(_RELATION, question),
        load=_has(_LOAD, question),
        outliers=_has(_OUTLIER, question),
        text=_has(_TEXT, question),
        total=_has(_TOTAL, question),
        quality=_has(_QUALITY, question),
        money=_has(_MONEY, question),
        season=tuple(part for part, pattern in _SEASONS if _has(pattern, question)),
    )
