"""Wordings that tell what kind of question a clause is."""

import re
from typing import Literal

Cue = Literal["quality", "outliers", "relation", "distribution", "why", "change", "trend", "compare", "share", "list"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)


CUES: dict[Cue, re.Pattern[str]] = {
    "quality": _any(
        r"(?:missing|null|nan|blank|empty|na|n/a)s?(?: or \w+)? (?:values?"
        r"|entries|data|cells?|records?|fields?|ones?|rates?|counts?"
        r"|percentages?)",
        r"(?:values?|entries|data|cells) (?:are |is |that are )?missing",
        r"missing(?:ness)? (?:in|for|per|from)",
        r"nulls?",
        r"(?:are|is) missing(?: values?)?",
        r"duplicat\w+",
        r"(?:repeated|identical)(?: (?:identical|\w+))? (?:rows|records"
        r"|entries|lines|claims|orders|transactions|items|values|instances"
        r"|submissions|invoices|payments)",
        r"repeated identical",
        r"(?:primary |unique |candidate )?keys?(?= ?\?|$| (?:of|for|in) (?:the|this))",
        r"uniquely identif\w+",
        r"data (?:quality|types?)",
        r"is \w+ (?:a )?unique",
        r"quality (?:issues?|problems?)",
        r"dtypes?",
        r"a (?:number|text|string|date) or an? [\w/]+",
        r"how (?:complete|clean) is",
    ),
    "outliers": _any(
        r"outl(?:ier|ying)s?",
        r"extreme values?",
        r"z-?scores? (?:method|above|greater|of more)",
        r"z-?scores? (?:of|for|in) \w+ (?:(?:is|are|that is) )?(?:above|greater|larger|higher|over|beyond|exceed\w*)",
        r"(?:more|further|farther|greater) than \d(?:\.\d+)? (?:standard deviations?|sigmas?) (?:away |off )?from",
        r"anomalous (?:values?|rows|records)",
        r"(?:(?:is|are|was|were) there|any|have|has) (?:\w+ ){0,4}(?:anomal(?:y|ies)"
        r"|unusual (?:\w+ )?(?:days?|weeks?|months?|values?))",
        r"(?:(?:is|are|was|were) there|any) (?:\w+ ){0,2}(?:spikes?|dips?)",
    ),
    "relation": _any(
        r"correlat\w+",
        r"relationships?",
        r"relat(?:ed|es|ion)(?: to| with| between)?",
        r"associat(?:ed|ion)s?(?: with| between)?",
        r"(?:linear )?regression",
        r"r[- ]squared",
        r"depends? on",
        r"dependen(?:ce|cy|t) (?:of|on)",
        r"(?:influence|affect|impact|effect|drive)s?d?(?= \w)",
        r"determines",
        r"predict(?:s|ed|ive)?",
        r"explain(?:s|ed)? by",
        r"linked to",
        r"(?:increas|ris|grow|decreas|fall|declin|drop|climb|goes? up|goes? down|go up|go down)(?:es|e|s)? with"
        r"(?! (?:time|the (?:days?|weeks?|months?|years?|seasons?)))(?= \w)",
    ),
    "distribution": _any(
        r"(?:non-?)?normal(?:ly|ity)?(?: distribut\w+| test)?",
        r"normaltest",
        r"gaussian",
        r"bell[- ]shaped",
        r"distribut(?:ion|ed|ions)",
        r"histogram",
        r"how is \w+ spread",
        r"describe",
        r"skewed",
        r"heavy[- ]tails?",
        r"bimodal\w*",
    ),
    "why": _any(
        r"why",
        r"what (?:caused|causes|drove|drives|explains?|is behind|led to)",
        r"(?:reasons?|drivers?|causes?|cause) (?:for|of|behind)",
        r"how come",
        r"root causes?",
    ),
    "change": _any(
        r"what(?:'s| has| is)? (?:changed|different|new)",
        r"change[ds]? (?:from|between|since|in|over|of|versus|vs)",
        r"(?:month|year|week|quarter)[- ](?:over|on|to)[- ](?:month|year|week|quarter)",
        r"(?:mom|yoy|qoq|wow)",
        r"(?:drop|dropped|fall|fell|fallen|declin\w+|decreas\w+|ris(?:e"
        r"|en|ing)|rose|increas\w+|jump\w*|grow|grew|grown|spike\w*|dip\w*) (?:in"
        r"|during|from|since|last|this|between|compared|versus|vs|to"
        r"|after|by)",
        r"how much did [\w\s]+ (?:change|grow|drop|rise|fall|increase|decrease)",
    ),
    "trend": _any(
        r"trends?",
        r"trending",
        r"over (?:time|the (?:years|months|weeks|days|period))",
        r"evol(?:ve\w*|ution)",
        r"develop(?:s|ed|ment)?",
        r"how (?:is|are|was|were|has|have|did|does|do) [\w\s]{1,60}?"
        r"(?:doing|going|develop(?:ing)?|evolving|progress(?:ing|ed)?|changing)",
        r"growth(?: rates?)?",
        r"growing",
        r"increas(?:ing|es)",
        r"declining",
        r"decreasing",
        r"time series",
        r"season\w*",
        r"(?:rise|rising|fall|falling)",
        r"trajectory",
        r"through(?:out)? the years",
        r"(?:gone|going|goes?|went|com(?:e|es|ing)|came) (?:up|down)",
    ),
    "compare": _any(
        r"compar\w+",
        r"differ(?:s|ed)?",
        r"different(?:ly)?(?= (?:between|across|by|from|among|significantly|for))",
        r"differences?(?: \w+){0,6} (?:between|among|across|in|by)",
        r"versus",
        r"vs\.?",
        r"significantly (?:different|higher|lower|more|less)",
        r"(?:more|less|higher|lower|better|worse|longer|shorter|older"
        r"|younger|larger|smaller|faster|slower|cheaper|costlier) (?:\w+ ){0,3}than"
        r"(?! [$€£]?(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten)\b))",
        r"ratio of the (?:mean|average|median) [^?.]{3,60} to (?:the|that)",
        r"how many times (?:higher|larger|more|longer|as)",
        r"gaps?",
        r"(?:more|less) likely",
        r"(?:was|were|is|are|do|does|did)(?: the)? [\w\s]{1,40}(?:higher"
        r"|lower|more|less|longer|shorter|larger|smaller|better|worse) (?:for"
        r"|in|among|with|at|on)",
        r"evenly",
        r"(?:which|who) (?:\w+ ){1,4}(?:the )?(?:higher|lower|better|worse|more|fewer|larger|smaller|longer|shorter)",
        r"(?:are|is|do|does) (?:weekends?|weekdays?) (?:any )?(?:\w+ )?(?:different|special|busier|quieter)",
        r"(?:un)?equal(?:ly)?",
        r"var(?:y|ies) (?:by|across|between|among)",
    ),
    "share": _any(
        r"shares?",
        r"percent(?:age)?s?(?: of)?",
        r"proportions?",
        r"fractions?",
        r"what %(?: of)?",
        r"% of",
        r"ratio of(?! the (?:mean|average|median) )",
        r"(?:makes? up|account(?:s|ed)? for)",
        r"breakdown",
        r"composition",
    ),
    "list": _any(
        r"list",
        r"(?:what|which) are the",
        r"name (?:the|all)",
        r"enumerate",
        r"show (?:me )?(?:the |all )",
        r"what (?:do|does|did) [\w\s]+ (?:comment|say|mention|write|talk" r"|complain)\w*(?: (?:on|about))?",
        r"what (?:values|categories|kinds|types)",
        r"which (?:values|categories|countries|ones)(?= (?:are|occur|exist|appear))",
    ),
}


OPEN = _any(
    r"(?:to )?(?:analy[sz]e|explore|investigate|examine|evaluate"
    r"|assess|understand|uncover|study|identify|detect|review|pinpoint"
    r"|profile|summari[sz]e|look (?:at|into))",
    r"find (?:and highlight |out )?(?:the |any |all |some )?(?:discrepanc\w+"
    r"|imbalance|patterns?|insights?|anomal\w+|interesting|reasons?"
    r"|trends?)",
    r"insights?",
    r"overview",
    r"what (?:stands out|is interesting|can you (?:tell|see|find)|do you see|should i know)",
    r"tell me (?:about|something|more)",
    r"describe (?:the|this|my) (?:data(?:set)?|file|table)",
    r"give me (?:a summary|an overview|insights)",
    r"anything (?:interesting|unusual|notable|odd)",
    r"deep[- ]dive",
    r"dig into",
    r"key (?:findings|drivers|figures)",
    r"highlights",
    r"what(?:'s| is) going on",
)


OVERVIEW = _any(
    r"overviews?",
    r"insights?",
    r"summary",
    r"summari[sz]e",
    r"what (?:stands out|is interesting|should i know)",
    r"anything (?:interesting|unusual|notable|odd)",
    r"deep[- ]dive",
    r"highlights",
    r"key (?:findings|drivers)",
    r"what(?:'s| is) going on",
    r"explore",
)


WHICH = _any(
    r"which",
    r"what(?: \w+){1,4} (?:has|have|had|is|are|was|were|shows?|with" r"|received|got|achieved|recorded)",
    r"who",
    r"where",
    r"when",
    r"identify",
    r"find the",
    r"determine the",
    r"(?:report|return|give|show|display)(?: me)? the \w+(?: \w+)? (?:with|that|having)",
    r"top",
    r"bottom",
    r"name the",
    r"what is the (?:name|country|city|date|day|month|year)",
    r"what (?:is|are|was|were) (?:the|our) (?:(?:single )?(?:best|worst|busiest|quietest|peak)"
    r"|(?:second|third|fourth|fifth) (?:most|least|fewest|highest|lowest|largest|smallest|best|worst|busiest)"
    r"|(?:\d+|two|three|four|five|ten) \w+st)",
    r"on (?:which|what)",
    r"in (?:which|what)",
    r"rank(?:ing|ed)?",
)


MOST = _any(
    r"highest",
    r"largest",
    r"biggest",
    r"greatest",
    r"most",
    r"maximum",
    r"max",
    r"top",
    r"best",
    r"longest",
    r"latest",
    r"newest",
    r"strongest",
    r"leading",
    r"dominant",
    r"oldest",
    r"heaviest",
    r"fastest",
    r"tallest",
    r"more often",
    r"rank(?:ing|ed)?",
    r"priciest",
    r"dearest",
    r"busiest",
    r"richest",
)


LEAST = _any(
    r"lowest",
    r"smallest",
    r"least",
    r"fewest",
    r"minimum",
    r"min",
    r"bottom",
    r"worst",
    r"shortest",
    r"earliest",
    r"weakest",
    r"youngest",
    r"slowest",
    r"cheapest",
    r"poorest",
)


SUPERLATIVE_FIRST = re.compile(
    r"\s*(?:(?:show|give|list|find)(?: me)? )?(?:the )?(?:oldest"
    r"|youngest|longest|shortest|heaviest|tallest|cheapest|priciest"
    r"|fastest|slowest|best|worst|biggest"
    r"|largest|smallest|most (?:expensive|popular|common|frequent"
    r"|active|profitable)|least (?:expensive|popular|common|active)"
    r"|busiest)\b(?!-)",
    re.I,
)


TOP_N = re.compile(
    r"\b(?P<w>top|bottom|first|best|worst|largest|highest|lowest"
    r"|biggest|smallest|leading|oldest|youngest|cheapest|longest|shortest)[- ](?P<n>\d{1,3}|two|three|four"
    r"|five|six|seven|eight|nine|ten)\b(?![.\d]*\s?(?:%|percent))|\b(?P<n2>\d{1,3}|two|three"
    r"|four|five|six|seven|eight|nine|ten) (?P<w2>highest|lowest"
    r"|largest|biggest|smallest|most|best|worst|top|oldest|youngest|cheapest|priciest|longest|shortest|heaviest|tallest"
    r"|fastest|slowest|busiest|richest|poorest|fewest|least)\b"
    r"|\b(?:which|what|who are the)\s+(?P<n3>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\s+"
    r"(?!percent|years?\b|days?\b|%)[a-z]",
    re.I,
)


MOVED_MOST = re.compile(
    r"\b(?:which|what|where)\b.*\b(?:(?:drop|fell|fall|declin|decreas|los[et]|shr[aiu]nk|rose|ris|increas|grew|grow|gain"
    r"|jump|chang|improv|worsen|slip|slump)\w*\s+(?:the )?(?:most|least|fastest|strongest|hardest|furthest)"
    r"|(?:largest|biggest|strongest|greatest|sharpest|steepest|highest|most)\s+(?:drop|fall|decline|decrease|loss|rise"
    r"|increase|growth|gain|jump|change|improvement|slump))\b",
    re.I,
)
"""Which group moved most between two periods, not which is largest."""


CLEANING = re.compile(
    r"\b(?:drop|remov|exclud|ignor|fill|imput|replac|handl)\w*\b(?!.*\b(?:how many|percent\w*|count)\b)", re.I
)


UNLIKE = re.compile(r"\b(?:significantly|statistically|any) differen\w+|\bdifferent from\b", re.I)


GROUP_TEST = _any(
    r"(?:one-?way )?anova",
    r"analysis of variance",
    r"kruskal(?:[- ]wallis)?",
    r"mann[- ]whitney",
    r"wilcoxon rank[- ]sum",
    r"(?:welch(?:'s)? |independent |two[- ]sample |student(?:'s)? )*t-?tests?",
)
"""Tests of whether groups differ, which a comparison is where one is named."""


INDEPENDENCE = _any(r"chi[- ]?squared?(?: tests?)?", r"independent of", r"independence (?:of|between)")
