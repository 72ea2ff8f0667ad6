"""Phrases of several words that mean what one word means, put in its place before a statement is taken apart."""

import re

_EFFECT = (
    "effects?|impacts?|influence|bearing|differences?|relationships?|relation|links?|connection|correlation|association"
)
_FULL = r"nulls?|blanks?|gaps|missing (?:values|rows|entries)"
_MONTH_BEFORE = r"(?:the )?(?:previous|prior) month|a month (?:ago|earlier|before)|the month before"
_YEAR_BEFORE = (
    r"(?:the )?(?:same \w+ (?:of )?(?:the )?)?(?:previous|prior|last) year|a year (?:ago|earlier|before)|"
    r"the year before"
)
_IN_PLACE: list[tuple[str, tuple[str, ...]]] = [
    (
        "unrelated",
        (
            r"(?:(?:makes?|made|shows?|showed|has|have|had|there is|there was) )?no "
            r"(?:significant |clear |real |measurable )?"
            rf"(?:{_EFFECT})(?: (?:on|in|between|with|to)\b)?",
            r"(?:not|n't) (?:significantly |clearly )?"
            r"(?:different|differ|related|correlated|linked|associated|depend|affected)",
            r"uncorrelated|unaffected|independent|unconnected",
        ),
    ),
    ("0 decimals", (
        r"(?:(?:have|has|with) )?(?:no|without(?: any)?) decimals?(?: (?:places?|digits?))?",
        r"(?:in |to |as )?(?:the nearest )?(?:whole numbers?|integers?)",
    )),
    ("decimals", ("decimal (?:places?|digits?)",)),
    ("populated", (rf"(?:no|without(?: any)?|not any) (?:{_FULL})",)),
    ("null", (r"(?:has|have|had|there (?:is|are|was|were)|with) no(?= )(?! (?:longer|more|need))",)),
    ("returned", ("(?:send|sends|sent|sending) back",)),
    (r"exclude \1", (
        r"(?:leave|leaves|leaving|left|keep|kept|take|taken|taking) "
        r"(?:(?:them|it|those|these) |(\w+ \w+ |\w+ )?)out(?: of)?",
    )),
    ("exclude", (
        r"(?:must|should|can|to|are|is|were|have to) (?:be )?(?:dropped|removed|thrown away)",
        r"drop(?= (?:all|the|any|rows|records|them|those)\b)",
    )),
    ("included", ("counted (?:in|among|towards?|with)",)),
    ("newest", (r"most recent(?! (?:to|first))",)),
    ("regardless", ("(?:whether )?(?:or|and) not(?=[,.;]|$)", "whether or not", "regardless(?: of)?")),
    ("newestfirst", ("(?:from )?(?:the )?(?:newest|latest|most recent) (?:to (?:the )?oldest|first)",)),
    ("oldestfirst", ("(?:from )?(?:the )?(?:oldest|earliest) (?:to (?:the )?newest|first)",)),
    (r"separately \1", (r"within (?:each|every) (\w+)", r"for (?:each|every) (\w+) (?:separately|alone|by itself)")),
    ("together all", ("(?:over|across) all",)),
    (r"every \1 populated ", (
        r"(?:every|each) (\w+(?: \w+)?) (?:has|carries|comes with) (?:an? |its (?:own )?)?(?=[\ue000-\uf8ff])",
    )),
    ("equally", (
        r"(?:the|of the) same (?:amount|size|length|level|rate|number|price|speed|extent)(?: as)?",
        "of equal (?:size|length|height|number)",
        r"(?:just|exactly) as (?:often|long|much|many|high|likely|large)(?: as)?",
    )),
    ("cancelled", ("(?:call|called|calling) off",)),
    ("cumulative", ("running totals?", "adds? up over time")),
    ("difference", ("(?:take )?(?:diffs?|differences?)",)),
    ("not now", ("no longer(?! than)", "not any ?more", "stopped being")),
    ("early", ("ahead of time", "ahead of schedule")),
    ("before", ("ahead of", "prior to", "earlier than", "older than")),
    ("atmost", (r"(?:no|never|not) (?:more|higher|larger|greater|longer) than", "at (?:the )?most", "up to")),
    ("atleast", ("(?:no|not) (?:less|fewer|lower) than", "at least", "or more")),
    ("voluntary", ("(?:of|in) (?:its|their|his|her) own accord",)),
    ("compare", ("(?:set|measured|benchmarked) against",)),
    ("descending", (
        "in (?:descending|decreasing) order", "(?:from )?(?:largest|highest|biggest) to (?:smallest|lowest)",
        "high to low", "(?:the )?(?:largest|highest|biggest) first",
    )),
    ("ascending", (
        "in (?:ascending|increasing) order", "(?:from )?(?:smallest|lowest) to (?:largest|highest|biggest)",
        "low to high", "(?:the )?(?:smallest|lowest) first",
    )),
    ("alphabetical", ("alphabetically", "by name", "in alphabetical order")),
    ("related", ("go(?:es)? (?:hand in hand )?with", "comes? with")),
    ("cause", (
        "(?:is|are|was|were) behind", "due to", "because of", "thanks to", "responsible for",
        "(?:comes?|came|stems?|stemmed|originates?|originated) (?:mainly |mostly )?from",
    )),
    (r"\1 \2 highest \3", (r"no (?:other )?(\w+) (\w+) (?:a )?(?:more|higher|larger|longer) ([\w ]+?) than",)),
    (r"most \1 \2", (r"more (\w+) (\w+ )?than any other",)),
    ("of", ("as (?:often|many|much|high|frequent(?:ly)?) as",)),
    ("is", ("(?:makes?|made|making) up", "account(?:s|ed)? for", "amounts? to", "adds? up to")),
    ("rose from", ("up from",)),
    ("fell from", ("down from",)),
    ("yearonyear", ("year[- ](?:on|over)[- ]year", _YEAR_BEFORE)),
    ("monthonmonth", ("month[- ](?:on|over|to)[- ]month", _MONTH_BEFORE)),
    ("punctual", ("on[- ]time", "on schedule")),
    ("y axis", ("vertical axis", "y-axis", "axis of ordinates")),
    ("x axis", ("horizontal axis", "x-axis")),
    (r"\1 \2minus ", (r"(is|are|equals?|means?) ((?:\w+ ){1,3})less (?!than|often|likely|frequent)",)),
    ("always", ("(?:all|every) the time", "at all times", "from (?:now|here) on", "going forward",
                "in (?:the )?future")),
    ("1 year", ("(?:twelve|12) months",)),
    ("onrequest", ("(?:at|by|on) request", "unless asked", "when asked", "explicit request", "if asked")),
    (r"\1 1 \2", (r"(within|in|for|after|past|last|next|over|of) an? (day|week|month|year|hour|minute)",)),
    ("percent", ("per cent",)),
    ("logarithmic ", ("log(?:arithmic)?[- ](?=axis|axes|scale)",)),
    ("opening date", ("open(?:ing|ed)? date", "date opened", "date of opening")),
    ("closing date", ("clos(?:ing|ed?) date", "date closed", "date of closing")),
]  # fmt: skip

PHRASES = [
    (re.compile(rf"\b(?:{pattern})(?:\b|(?<=\W))", re.IGNORECASE), word)
    for word, patterns in _IN_PLACE
    for pattern in patterns
]
"""What to look for, and what stands for it; in this order, since later ones build on earlier ones."""
