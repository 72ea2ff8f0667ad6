"""Slots: the stable name of what a rule is about, so that a later rule on it supersedes and others do not."""

import re

from analyst.notes.conditions import columns_named
from datasets.schema import SchemaCard

_PREFERENCE: tuple[tuple[str, str], ...] = (
    (
        "method:small groups",
        r"\b(?:fewer|less|smaller|under|below|at least|n ?[<>]=?)\s+(?:than )?(?:\d+|"
        r"five|ten|twenty|thirty|fifty|a hundred) ?(?:cases|people|rows|persons|answers|patients|visits|"
        r"observations|records|orders|responses|members|pupils)\b|\bsmall(?:er|est)? (?:groups?|cells?|"
        r"samples?)\b|\bgroups? (?:with|of|under|below) (?:fewer|less|under|below|\d+)",
    ),
    ("format:length", r"\b(?:essays?|(?:lines|sentences|words|paragraphs) (?:are enough|at most|max\w*)|shorter)\b"),
    ("chart:axes", r"\b(?:ax[ei]s|log(?:arithmic)? scale|linear scale|dual|two scales|start at zero)\b"),
    ("chart:colour", r"\b(?:colou?r\w*|red|green|blue|grey|gray|palette|hue)\b"),
    ("chart:legend", r"\blegends?\b"),
    ("chart:pie", r"\b(?:pies?|doughnuts?|donuts?)\b"),
    ("chart:box", r"\bbox ?plots?\b"),
    ("chart:stacked", r"\bstacked\b"),
    ("chart:3d", r"\b3-?d\b"),
    (
        "chart:kind",
        r"\b(?:bars?|line charts?|lines|scatter\w*|heat ?maps?|histograms?|charts?|graphs?|plots?|"
        r"diagrams?|figures)\b",
    ),
    ("format:emoji", r"\bemoji\w*|\bexclamation\b"),
    (
        "format:decimals",
        r"\b(?:decimals?|digits?|round\w*|significant figures|full (?:euros|numbers)|"
        r"whole (?:numbers|days|hours|minutes|percents?|euros|dollars|points|units)|integers)\b",
    ),
    ("format:notation", r"\b(?:scientific notation|thousands separator|comma|dot|brackets|24[- ]hour)\b"),
    ("format:scale", r"\b(?:thousands|millions|billions)\b"),
    ("format:shares", r"\b(?:percent\w*|fractions?|ratios?|shares?|per ?cent)\b|%"),
    ("format:currency", r"\b(?:euros?|dollars?|francs?|sterling|currency|usd|eur|gbp|chf|yen|zloty|kroner?)\b"),
    (
        "format:language",
        r"\b(?:german|english|french|spanish|italian|dutch|polish|portuguese|deutsch|français|español|"
        r"language|spelling)\b",
    ),
    ("format:dates", r"\b(?:dates? (?:as|in|like|written|format)|date format|day\.month|iso dates?|yyyy)\b"),
    (
        "format:time zone",
        r"\b(?:utc|local time|time ?zone|(?:berlin|london|paris|vienna|zurich|new york|"
        r"summer|winter) time)\b",
    ),
    (
        "format:order",
        r"\b(?:sort\w*|order(?:ed)? (?:by|the)|largest|biggest|descending|ascending|on top|alphabet\w*)\b",
    ),
    (
        "format:length",
        r"\b(?:short|brief|concise|sentences?|bullets?|bullet points|paragraphs?|lines at most|"
        r"words at most)\b",
    ),
    (
        "format:bands",
        r"\b(?:bands?|brackets|age groups?|classes|bins|buckets|\d+ ?(?:-|to) ?\d+, ?\d+ ?(?:-|"
        r"to) ?\d+)\b",
    ),
    ("format:names", r"\b(?:names?|initials?|anonym\w*|pseudonym\w*|ids? only|abbreviat\w+)\b"),
    ("format:units", r"\b(?:celsius|fahrenheit|kilomet\w+|miles|kilos?|kilograms?|pounds|litres?|units?|metric)\b"),
    (
        "format:counts",
        r"\b(?:sample size|the n\b|n next to|how many rows|counts? (?:next|beside|too|as well)|"
        r"number of (?:rows|cases))\b",
    ),
    ("format:totals", r"\btotals?\b"),
    ("format:tables", r"\b(?:tables?|columns?|headings?|headers?|titles?|footer)\b"),
    ("format:sql", r"\b(?:sql|quer(?:y|ies)|code)\b"),
    ("method:inference", r"\b(?:p-?values?|confidence intervals?|intervals?|ci)\b"),
    ("method:level", r"\b(?:significance|alpha|two-sided|one-sided|0?\.0[15])\b"),
    (
        "method:test",
        r"\b(?:mann-?whitney|t-?tests?|welch|wilcoxon|anova|kruskal|chi-?squared?|fisher|spearman|"
        r"pearson|kendall|rank test|tests?)\b",
    ),
    ("method:correction", r"\b(?:holm|bonferroni|benjamini|fdr|multiple (?:tests|comparisons))\b"),
    ("method:centre", r"\b(?:medians?|means?|averages?|trimmed|geometric|mode|percentiles?|quartiles?)\b"),
    ("method:outliers", r"\b(?:outliers?|winsor\w*|extremes?|capp?\w*|clip\w*)\b"),
    ("method:missing", r"\b(?:missing|gaps?|guess\w*|imput\w*|unmatched|no match|empty|blanks?|zeros?)\b"),
    (
        "method:adjust",
        r"\b(?:inflation|real prices|season\w*|adjust\w*|normali[sz]\w*|per head|per capita|"
        r"per [\d,]+|weighted|index)\b",
    ),
    ("method:forecast", r"\b(?:forecasts?|extrapolat\w*|predict\w*|project\w*)\b"),
    ("method:causal", r"\bcaus\w+|\bleads? to\b"),
    (
        "compare:baseline",
        r"\b(?:compar\w+|baseline|versus|year on year|year over year|same (?:week|month|"
        r"quarter)|year to date|next to|trends?)\b",
    ),
    ("naming", r"\b(?:call (?:it|them|that)|say|write|word|term|label\w*|instead of the word|spell)\b"),
    (
        "filter",
        r"\b(?:exclud\w+|leave|drop|without|remove|ignore|skip|omit|only|out|filter|never count|suppress|hide|"
        r"include)\b",
    ),
)
_PATTERN: tuple[tuple[str, str], ...] = (
    ("calendar:week", r"\b(?:weeks? (?:\w+ )?(?:run|start|begin|end)s?|iso weeks?|(?:sun|mon|satur)day to \w+day)\b"),
    (
        "calendar:year",
        r"\b(?:(?:fiscal|financial|school|accounting|business|our) (?:year|years)|year (?:runs|starts|begins|"
        r"ends))\b",
    ),
    ("calendar:month", r"\b(?:accounting month|month ends|4-4-5|periods?)\b"),
    ("calendar:quarter", r"\bquarters? (?:here|are|start|begin)|\bq[1-4] (?:starts|begins|is|runs)\b"),
    ("calendar:shift", r"\b(?:shifts?|night|peak hours)\b"),
    ("join", r"\b(?:keys?|join\w*|unique|reused|reissued|identif\w+|together with|match on)\b"),
    (
        "row",
        r"\b(?:one|each|every|a) (?:row|line|record)\b|\brows? per\b|\b(?:later|last) (?:one|row) (?:is|"
        r"counts)\b",
    ),
    (
        "unit",
        r"\b(?:in (?:cents|pence|minutes|seconds|hours|kilos|pounds|miles|knots|thousands|utc|"
        r"local time)|per hundred|cumulative|running total|incl\w* vat)\b",
    ),
)
_GRAIN = re.compile(
    r"\b(?:by|per) (?:hour|day|week|month|quarter|year)\b|\b(?:hourly|daily|weekly|monthly|quarterly|yearly)\b",
    re.IGNORECASE,
)
_SEASON = re.compile(
    r"\b(?:every (?:year|summer|winter|spring|autumn|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|christmas|easter)|each (?:year|summer|winter|december|august)|"
    r"season\w*|closed|holidays?|freeze|christmas|easter|ramadan|harvest|pay ?day|always (?:peaks?|high|low|"
    r"triples?|quiet|dead))\b",
    re.IGNORECASE,
)
_TERM = (
    r"\b(?:by|what (?:we|i) (?:call|mean by)|when i say|as|"
    r"for) [\"']?(?P<t>[a-z][\w -]{2,30}?)[\"']?(?= (?:we|i) mean\b|,| is\b|$|[.:;])",
    r"\b(?:counts?|count|counted) (?:only )?as (?:an? |the )?[\"']?(?P<t>[a-z][\w-]*(?: [a-z][\w-]*)?)",
    r"(?:^|[.:;,] ?)(?:no, |sorry, |and |so |in (?:this|our) \w+,? |here,? |an? |the |"
    r"our )*[\"']?(?P<t>[a-z][\w-]*(?: (?!is\b|are\b|means?\b|here\b|counts?\b|"
    r"equals\b)[\w-]+){0,2}?)[\"']? (?:here )?(?:means?|is|are|=|equals?|counts?|stands for|refers to|"
    r"has to be|must be)\b",
    r"\b(?:is|are) what we call (?:an? |the )?(?P<t>[\w-]+(?: [\w-]+)?)",
)
_WORD = re.compile(r"[a-z][a-z_]{2,}|\d+", re.IGNORECASE)
_THIN = frozenset(
    re.findall(
        r"\w+",
        "the and for you not but are was has have from now always never please only all that this with what "
        "our mine can ever every time yes okay fine good then here keep make use show want like those these "
        "them they same such there does should must will would into out over under than very just also too "
        "one when where who how why because since whatever unless each any more most some no don doesn isn "
        "about again still future general it its he she default rule standing reports report file table data "
        "mean means count counts counted say call give put take need prefer way",
    )
)


def preference_slot(text: str, card: SchemaCard | None) -> str:
    """Name what a preference is about: `chart:pie`, `format:decimals`, `method:centre:income`, `filter:pilot site`."""
    for slot, pattern in _PREFERENCE:
        match = re.search(pattern, text, re.IGNORECASE)
        if not match:
            continue
        if slot in {"filter", "naming", "format:bands", "format:names"}:
            return f"{slot}:{topic(text, card)}"
        if slot in {"method:centre", "compare:baseline"}:
            column = next((c.name for c in columns_named(text, card)), None)
            return f"{slot}:{column}" if column else slot
        return slot
    return f"other:{topic(text, card)}"


def topic_head(text: str) -> str | None:
    """The broad topic of a preference (chart, format, method, grain ...), or None where it has none of its own."""
    if _GRAIN.search(text):
        return "grain"
    slot = preference_slot(text, None)
    return None if slot.startswith(("other", "filter", "naming")) else slot.split(":")[0]


def pattern_slot(text: str, card: SchemaCard | None) -> str:
    """Name what a working pattern is about, e.g. `calendar:week`, `definition:revenue`, `join:customer_id`."""
    for slot, pattern in _PATTERN:
        if re.search(pattern, text, re.IGNORECASE):
            if slot in {"join", "unit"}:
                column = next((c.name for c in columns_named(text, card)), None)
                return f"{slot}:{column or topic(text, card)}"
            return slot
    if _SEASON.search(text):
        return f"calendar:season:{topic(text, card)}"
    return f"definition:{term(text) or topic(text, card)}"


def term(text: str) -> str | None:
    """The word that a sentence defines, lower case, or None."""
    for pattern in _TERM:
        match = re.search(pattern, text, re.IGNORECASE)
        if match:
            words = [w for w in re.findall(r"[\w-]+", match.group("t").lower()) if w not in _THIN]
            if words:
                return " ".join(words[:2])
    return None


def topic(text: str, card: SchemaCard | None) -> str:
    """The two first telling words: column names before others."""
    named = [c.name for c in columns_named(text, card)]
    words = [w.lower() for w in _WORD.findall(text) if w.lower() not in _THIN]
    fresh = [w for w in dict.fromkeys(words) if not any(w[:5] in n.lower() for n in named)]
    return " ".join((named + fresh)[:2]) or "general"
