"""English words that turn a statement around, measure it, or carry nothing; used to read free-text statements."""

import re
from collections.abc import Callable


def _words(text: str) -> list[str]:
    return text.split()


ONES = _words("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
""")
TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
MONTHS = _words("january february march april may june july august september october november december")
WEEKDAYS = _words("monday tuesday wednesday thursday friday saturday sunday")

SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9, "hundred": 100}
UNITS: dict[str, tuple[str, float]] = {
    "%": ("%", 1), "percent": ("%", 1), "pct": ("%", 1), "pp": ("pp", 1), "x": ("times", 1), "times": ("times", 1),
    "ms": ("s", 1e-3), "s": ("s", 1), "sec": ("s", 1), "second": ("s", 1), "minute": ("s", 60), "hour": ("s", 3600),
    "min": ("s", 60), "hr": ("s", 3600), "day": ("day", 1), "week": ("day", 7), "month": ("month", 1),
    "quarter hour": ("s", 900), "year": ("month", 12), "fortnight": ("day", 14), "g": ("g", 1), "kg": ("g", 1e3),
    "tonne": ("g", 1e6), "w": ("w", 1), "gram": ("g", 1), "kilogram": ("g", 1e3), "kw": ("w", 1e3), "mw": ("w", 1e6),
    "gw": ("w", 1e9), "wh": ("wh", 1), "kwh": ("wh", 1e3), "mwh": ("wh", 1e6), "gwh": ("wh", 1e9),
    "mm": ("m", 1e-3), "cm": ("m", 1e-2), "km": ("m", 1e3),
    "metre": ("m", 1), "meter": ("m", 1), "kilometre": ("m", 1e3), "kilometer": ("m", 1e3), "mile": ("mile", 1),
    "litre": ("l", 1), "liter": ("l", 1), "ml": ("l", 1e-3), "kb": ("b", 1e3), "mb": ("b", 1e6), "gb": ("b", 1e9),
    "tb": ("b", 1e12), "bp": ("%", 0.01), "bps": ("%", 0.01), "percentile": ("percentile", 1),
}  # fmt: skip
"""Base unit and factor of each unit."""

_QUARTERS = {
    "first": "Q1", "second": "Q2", "third": "Q3", "fourth": "Q4", "1st": "Q1", "2nd": "Q2", "3rd": "Q3", "4th": "Q4"
}  # fmt: skip

SHORT_FORMS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"\bpercentage points?\b", "pp"),
    (r"\bCIs?\b", "confidence interval"),
    (r"\bEUR\b|€", "euro "),
    (r"\bUSD\b", "dollar"),
    (r"\bYoY\b", "year on year"),
    (r"\bMoM\b", "month over month"),
    (r"\bWoW\b", "week over week"),
    (r"\b(?:first|1st) half(?: of)?(?= (?:19|20)\d\d)", "H1"),
    (r"\b(?:second|2nd) half(?: of)?(?= (?:19|20)\d\d)", "H2"),
    (
        r"\b(first|second|third|fourth|1st|2nd|3rd|4th) quarter\b(?:(?: of)?(?= (?:19|20)\d\d))?(?! hour)",
        lambda m: _QUARTERS[m[1].casefold()],
    ),
    (r"\be\.g\.|\bi\.e\.", " "),
    (r"\bvs\.", "vs"),
    (r"\bno\. (?=\d)", "number "),
    (r"\baverage\b|\bavg\b", "mean"),
    (r"\b(?:twice|double[ds]?)(?: as (?:many|much|high))?\b", "2 times"),
    (r"\btripled?\b", "3 times"),
    (r"\b(?:a|one|1) (year|hour|day|month|minute) and a half\b", r"1.5 \1"),
    (
        r"\b(\w+) and a half (years|hours|days|months|minutes|times|percent|percentage|points|million|billion)\b",
        r"\1 point 5 \2",
    ),
    (r"\br[2²]", "rsquared"),
    (r"\bhalf (?:a|an) (?=year|hour|day|million|billion|minute)", "0.5 "),
    (r"\b(?:one|a) (?:dozen)\b", "12"),
    (r"\bdozen\b", "12"),
    (r"\b(?:one|a) fifth\b", "20%"),
    (r"\b(?:one|a) tenth\b", "10%"),
    (r"\b(?:a|one) (?=hundred|thousand|million|billion)", "1 "),
    (r"\bhalved\b", "fell by 50%"),
    (r"\btwo[- ]thirds\b", "67%"),
    (r"\b(?:one|a)[- ]third\b", "33%"),
    (r"\bthree[- ]quarters\b", "75%"),
    (r"\ba quarter of\b", "25% of"),
    (r"\bhalf(?= of\b| the\b| as\b)", "50%"),
    (r"\bp(\d{2})\b", r"\1th percentile"),
    (r"\b(basis points?)\b", "bp"),
    (r"(?<=[\d ])(k?g|t) ?CO2e?(?=\b|/)", r"\1 CO2"),
    (r"\bkm/h\b", "km per hour"),
    (r"° ?C\b", " celsius"),
    (r"° ?F\b", " fahrenheit"),
    (r"\bzero(?:s|es)?\b", "0"),
    (r"\bnightly\b", "every night"),
    (r"\bdaily\b", "every day"),
    (r"\bweekly\b", "every week"),
    (r"\bhourly\b", "every hour"),
    (r"\bonce (?:an?|per|every) (?=(?:hour|day|night|week|month|quarter|year)\b)", "every "),
    (r"\bone (?=(?:day|week|month|year|hour|minute|row|decimal|digit|place)s?\b)", "1 "),
]
"""Patterns and the longer form that they stand for."""

APPROXIMATE = frozenset(
    _words("about roughly around approximately approx nearly almost circa close just barely some ca ~")
)
NEGATIONS = frozenset(_words("not no never none nor without neither cannot avoid stop unless"))
UP = frozenset(
    _words("""
    rose rise rises rising grew grow grows growing growth increase increased increases increasing higher high highest
    above up more exceed exceeds exceeded gain gains gained over peaked peaks peak longer larger bigger greater improved
    improve improves climbed climb climbs jumped jump jumps surged surge spiked spike soared soar positive positively
    overstates overstate overstated latest newest best most top maximum early earlier faster better strong strongly
    stronger reached longest largest biggest raise raises raised expanded expand add adds outnumber heavily
    """)
)
DOWN = frozenset(
    _words("""
    fell fall falls falling fallen decline declined declines decrease decreased decreases decreasing lower low lowest
    below down less fewer drop dropped drops dropping shrank shrink shrinks under shorter smaller worse worsened worsens
    bottomed negative negatively understates understate understated earliest oldest worst least minimum late later loses
    lost slower weak weakly weaker slid slipped plunged plunge dip dips dipped reduced reduces reduce cut cuts slowest
    shortest smallest halved slumped slump contracted weakest barely little
    """)
)
STEADY = frozenset(_words("flat stable steady unchanged constant stagnated stabilised stabilized level equally alike"))
OPPOSED = NEGATIONS | UP | DOWN | STEADY
"""Words that turn a statement around rather than say what it is about."""

STOP = frozenset(
    _words("""
    a about after all also among an and any are around as at be been before being both but by can could did do does
    during each every for from had has have having he her here his if in into is it its just less many may might more
    most much of on one only or our over per roughly she should since so some than that the their them then there
    these they this those to user users very via was we were what when where which while who whom whose will with
    would you your rather
""")
)
NOT_NAMES = frozenset(
    _words(
        "from last first next past than least most about only with over under top every against versus vs plus minus "
        "compared until before through"
    )
)
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

LEAD_INS = frozenset(
    _words("""
    looking checked checking based according per as still after with given following again recomputed revised confirmed
    judging measured seen recounted
    """)
)
"""First words of what leads in to a statement: "Looking at the audit log, ..."."""

AUXILIARIES = frozenset(
    _words("do does did is are was were be been has have had will can could should must may might would")
)

ENTITIES = frozenset(
    _words("""
    account analyzer area barrel batch bed berth bin block boat box branch bus camera camp campus case category channel
    cinema class clinic cluster code cohort court crate depot desk device dock engine exit farm furnace gateway herd
    hive junction kiln locker mast mill mine oven pallet parcel pen pit plot precinct press probe rack robot runway
    screen silo size tank theatre theater tower tram tunnel vat vessel vineyard wagon well
    district division feeder field flight floor gate grade group hall host hospital house invoice kiosk lane level line
    location lot machine meter model module node order phase pier plant platform port pump queue reactor region release
    room route school score sector sensor server shaft shelf shift ship shop site sprint stage station status store
    street team terminal ticket tier track train trip truck turbine type unit variant version warehouse ward well wing
    zone
    """)
)
"""Nouns that a number after them names rather than counts: "store 7", "sensor 9"."""

SUPERLATIVES = frozenset(
    _words("""
    highest most best top largest biggest longest lowest least worst smallest shortest fewest leading latest earliest
    mainly mostly chiefly primarily fastest slowest strongest weakest peak peaks peaked main busiest cluster
    """)
)
"""Words of statements whose value is the thing that comes first, be it a name or a period."""

_REPAIRED = (
    r"(?:corrected|fixed|restored|restated|backfilled|repaired|filled|"
    r"loaded(?! twice| again| double)|reloaded|recovered|cleaned|removed|replaced|"
    r"resolved|converted|added|updated|completed|standardi[sz]ed|deduplicated|merged|migrated|rebuilt|re-?run|redone)"
)
CLOSING = (
    r"\b(no longer(?! than)|already|fixed|resolved|restated|backfilled|now|no need|complete again|again|retired|"
    rf"(?:has|have) (?:since )?been (?:running|{_REPAIRED})|(?:was|were) {_REPAIRED}|works again|recovered|not needed|"
    r"any ?more(?=[.,;]|$)|after the (?:\w+ )?(?:fix|cleanup|repair|migration|correction|reload))\b"
)
BOUND = (
    r"(?:before|since|until|till|after|starts?|started|begins?|began|ends?|ended|stops?|stopped|runs?|ran|expire[sd]?|lasts?|"
    r"overt(?:ook|akes?)|cross(?:ed|es)|pass(?:ed|es)|split)"
)
"""Words before a period that make it a bound."""
TURNING_POINT = frozenset(
    _words("""
    start starts started begin begins began end ends ended stop stops stopped pass passes passed cross crosses crossed
    run runs ran expire expires expired
    """)
)
"""Verbs whose time is their value, also when the words for what begins or ends stand in between."""
BETWEEN_BOUND_AND_PERIOD = frozenset(_words("at on in from of the end beginning middle start early late every each on"))
