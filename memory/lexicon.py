"""English words that turn a statement around, measure it, or carry nothing; used to read free-text statements."""


def _words(text: str) -> list[str]:
    return text.split()


ONES = _words("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
""")
TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
MONTHS = _words("january february march april may june july august september october november december")
WEEKDAYS = _words("monday tuesday wednesday thursday friday saturday sunday")

SCALES = {"k": 1e3, "m": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}
UNITS: dict[str, tuple[str, float]] = {
    "%": ("%", 1), "percent": ("%", 1), "pct": ("%", 1), "pp": ("pp", 1), "x": ("times", 1), "times": ("times", 1),
    "ms": ("s", 1e-3), "s": ("s", 1), "sec": ("s", 1), "second": ("s", 1), "minute": ("s", 60), "hour": ("s", 3600),
    "day": ("day", 1), "week": ("day", 7), "month": ("month", 1), "year": ("month", 12),
    "g": ("g", 1), "kg": ("g", 1e3), "w": ("w", 1), "kw": ("w", 1e3), "mw": ("w", 1e6), "percentile": ("percentile", 1),
}  # fmt: skip
"""Base unit and factor of each unit."""

SHORT_FORMS = [
    (r"\bpercentage points?\b", "pp"),
    (r"\bCIs?\b", "confidence interval"),
    (r"\bEUR\b|€", "euro "),
    (r"\bUSD\b", "dollar"),
    (r"\bYoY\b", "year on year"),
    (r"\bMoM\b", "month over month"),
    (r"\baverage\b|\bavg\b", "mean"),
    (r"\b(?:twice|double[ds]?)(?: as (?:many|much|high))?\b", "2 times"),
    (r"\btripled?\b", "3 times"),
    (r"\btwo[- ]thirds\b", "67%"),
    (r"\b(?:one|a)[- ]third\b", "33%"),
    (r"\bthree[- ]quarters\b", "75%"),
    (r"\ba quarter of\b", "25% of"),
    (r"\bhalf\b", "50%"),
    (r"\bp(\d{2})\b", r"\1th percentile"),
    (r"\b(k?g) ?CO2e?\b", r"\1"),
    (r"\bnightly\b", "every night"),
    (r"\bdaily\b", "every day"),
    (r"\bweekly\b", "every week"),
    (r"\bone (?=(?:day|week|month|year|hour|minute|row)s?\b)", "1 "),
]
"""Patterns and the longer form that they stand for."""

APPROXIMATE = frozenset(_words("about roughly around approximately nearly almost circa just barely ~"))
NEGATIONS = frozenset(_words("not no never none nor without neither cannot avoid stop unless"))
UP = frozenset(
    _words("""
    rose rise rises rising grew grow grows growth increase increased increases higher high above up more exceed
    exceeds gain gained over peaked peak longer larger bigger greater improved climbed jumped jump positive
    positively overstates overstate latest newest best most top maximum early earlier
""")
)
DOWN = frozenset(
    _words("""
    fell fall falls falling decline declined declines decrease decreased decreases lower low below down less
    fewer drop dropped drops shrank shrink under shorter smaller worse bottomed negative negatively understates
    understate earliest oldest worst least minimum late later loses lost
""")
)
OPPOSED = NEGATIONS | UP | DOWN
"""Words that turn a statement around rather than say what it is about."""

STOP = frozenset(
    _words("""
    a about after all also an and any are around as at be been before being both by can could did do does during each
    every for from had has have having he her here his if in into is it its just less many may might more most much of
    on one only or our over per roughly she should since so some than that the their them then there these they this
    those to user users very via was we were what when where which while who whom whose will with would you your
""")
)
NOT_NAMES = frozenset(_words("from last first next past than least most about only with over under top every"))
"""Words before a number that do not name what the number numbers."""

VERBS = frozenset(
    _words("""
    adds brings brought buys came comes contains cost costs counts covers does equals gets gives goes got has held hits
    hit holds is keeps left leads lies list lists lost made makes means meets needs paid pays ran reaches reads runs saw
    says seems sees sells sent shows sold spends spent stands starts stays stores take takes took totals use uses was
    won
""")
)
"""Verbs that stand before a quantity ("cost 9") or after a numbered name ("store 7 sells")."""

CLOSING = (
    r"\b(no longer|already|replaced|fixed|resolved|restated|backfilled|now|no need|complete again|has been|have been|"
    r"corrected|removed|cleaned|cleanup|works again|recovered|filled in|not needed|any ?more|retired)\b"
)
BOUND = r"\b(before|since|until|earlier than|after)\b"
