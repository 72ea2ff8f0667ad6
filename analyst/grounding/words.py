"""The words by which a sentence says up or down, first or last, nothing, surely, why."""

import re

_UP = (
    r"rose|rises?|risen|rising|increas\w+|grew|grows?|grown|growing|growth|gain(?:s|ed|ing)?|climb\w*|surg\w+|jump\w*|"
    r"soar\w*|upwards?|went up|(?:is|are|was|were) up|up by"
)
_DOWN = (
    r"fell|falls?|fallen|falling|declin\w+|decreas\w+|drop\w*|shr[aiu]nk\w*|lost|lose[s]?|losing|loss|slump\w*|"
    r"plung\w*|plummet\w*|downwards?|went down|(?:is|are|was|were) down|down by|sank|sinks?"
)
_HIGH = (
    r"highest|most|largest|biggest|greatest|longest|leads?|leading|leader|tops?|strongest|first|oldest|heaviest|"
    r"dearest|richest|slowest|peaks?|peaked|spikes?|spiked"
)
_LOW = (
    r"lowest|least|smallest|shortest|fewest|weakest|youngest|cheapest|poorest|lightest|dips?|dipped|"
    r"troughs?|trails?|last place|bottom|"
    r"(?:is|are|comes?|came|ranks?|ranked) (?:in )?last|last(?=\s*(?:[.,;]|$))"
)
_NOTHING = (
    r"no (?:clear |real |significant |notable |marked |measurable |meaningful )?"
    r"(?:differences?|trends?|changes?|effects?|relations?(?:hip)?|correlation|associations?|seasonality|outliers?|"
    r"pattern)|unchanged|stable|flat|steady|constant|evenly|(?:about|practically|much) the same|no more than chance|"
    r"not (?:statistically )?significant\w*|insignificant\w*|(?:does|do|did) not differ|not related|unrelated|by chance"
)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)


UP, DOWN, HIGH, LOW, NOTHING = (_words(p) for p in (_UP, _DOWN, _HIGH, _LOW, _NOTHING))
MORE = _words(r"more|higher|greater|larger|longer|older|exceeds?|above|ahead of|outnumbers?|beats?|(?:times|twice) as")
LESS = _words(r"less|fewer|lower|smaller|shorter|younger|below|behind")
NEXT = _words(r"(?:comes?|came|is|ranks?|ranked|are) (?:in )?second|in second place|runner-up|second,|second(?=\.$)")
THIRD = _words(r"(?:comes?|came|is|ranks?|ranked|are) (?:in )?third|in third place")
PLACED = _words(
    r"(?P<place>second|third|fourth)[- ](?:(?P<high>highest|most|largest|biggest|greatest|longest|oldest)|"
    r"lowest|least|smallest|shortest|fewest|youngest)"
)
TIMES_LESS = _words(r"times (?:fewer|less|lower|smaller)|(?:fewer|less|lower|smaller) by a factor")
SURE = _words(r"significant(?:ly)?|proven|certainly|undoubtedly|definitely")
POSITIVE = _words(r"positive(?:ly)?")
NEGATIVE = _words(r"negative(?:ly)?|inverse(?:ly)?")
CAUSE = _words(
    r"because|so that|due to|caus(?:e[sd]?|ing)|mak(?:es?|ing) (?:\w+ ){1,3}?(?:\w+er|more|less|rise|fall|grow)|"
    r"drives?|drove|influenc\w+|determin\w+|affect(?:s|ed|ing)?|impact(?:s|ed|ing)?|depend(?:s|ed)? (?:\w+ )?on|"
    r"boost\w*|results? in|thanks to|driven by|as a result|leads? to|led to|owing to|explained by"
)
DOUBT = re.compile(
    r"chance|not (?:statistically )?significant|no clear|may |might |could |uncertain|not (?:shown|proven|clear)|"
    r"within",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"(?:\b(?:not|never|no longer|neither|nor|hardly|barely|without|cannot)\b|n't)(?:\W+\w+){0,2}\W*$", re.IGNORECASE
)
"""What stands before a word and turns it round."""
NO = re.compile(r"\bno (?:\w+ )?$", re.IGNORECASE)
CLAUSE = re.compile(r"[;:]|,(?!\d)|\b(?:and|while|whereas|but|against|although|though|however|yet)\b", re.IGNORECASE)
RANGE = re.compile(r"\bbetween (?:[^,;]|,(?=\d)){1,60} $", re.IGNORECASE)
