"""Words and phrases that are one to an analyst, and families of words of which a statement means exactly one."""


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


_EFFECT = (
    r"(?:effects?|impacts?|influence|bearing|differences?|relationships?|relation|links?|connection|correlation|association)"
)

PHRASES = [
    (rf"\b(?:makes? |made |shows? |showed |has |have |had |there (?:is|was) )?no (?:significant |clear |real |measurable )?{_EFFECT}"
     r"\b(?: (?:on|in|between|with|to))?", "unrelated"),
    (r"\b(?:not|n't) (?:significantly |clearly )?(?:different|differ|related|correlated|linked|associated|depend)\b",
     "unrelated"),
    (r"\b(?:no|without(?: any)?|not any) (?:nulls?|blanks?|gaps|missing (?:values|rows|entries))\b", "populated"),
    (r"\b(?:has|have|had|there (?:is|are|was|were)|with) no(?= )(?! (?:longer|more|need))", "null"),
    (r"\b(?:uncorrelated|unaffected|independent|unconnected)\b", "unrelated"),
    (r"\b(?:send|sends|sent|sending) back\b", "returned"),
    (r"\b(?:leave|leaves|leaving|left|keep|kept|take|taken|taking) (?:them |it |those |these |\w+ \w+ |\w+ )?out(?: of)?\b", "exclude"),
    (r"\b(?:call|called|calling) off\b", "cancelled"),
    (r"\brunning totals?\b|\badds? up over time\b", "cumulative"),
    (r"\b(?:take )?(?:diffs?|differences?)\b", "difference"),
    (r"\bno longer\b|\bnot any ?more\b|\bstopped being\b", "not now"),
    (r"\bahead of time\b|\bahead of schedule\b", "early"),
    (r"\bahead of\b|\bprior to\b|\bearlier than\b|\bolder than\b", "before"),
    (r"\b(?:no|never|not) (?:more|higher|larger|greater) than\b|\bat (?:the )?most\b|\bup to\b", "atmost"),
    (r"\b(?:no|not) (?:less|fewer|lower) than\b|\bat least\b", "atleast"),
    (r"\bor more\b", "atleast"),
    (r"\b(?:of|in) (?:its|their|his|her) own accord\b", "voluntary"),
    (r"\b(?:must|should|can|to|are|is|were|have to) (?:be )?(?:dropped|removed|thrown away)\b|^drop\b"
     r"|\bdrop(?= (?:all|the|any|rows|records|them|those)\b)", "exclude"),
    (r"\bset against\b|\bmeasured against\b|\bbenchmarked against\b", "compare"),
    (r"\bin (?:descending|decreasing) order\b|\b(?:from )?(?:largest|highest|biggest) to (?:smallest|lowest)\b|\bhigh to low\b", "descending"),
    (r"\bin (?:ascending|increasing) order\b|\b(?:from )?(?:smallest|lowest) to (?:largest|highest|biggest)\b|\blow to high\b", "ascending"),
    (r"\balphabetically\b|\bby name\b|\bin alphabetical order\b", "alphabetical"),
    (r"\bgo(?:es)? (?:hand in hand )?with\b|\bcomes? with\b", "related"),
    (r"\b(?:is|are|was|were) behind\b|\bdue to\b|\bbecause of\b|\bthanks to\b|\bresponsible for\b", "cause"),
    (r"\bas (?:often|many|much|high|frequent(?:ly)?) as\b", "of"),
    (r"\bfoot(?:s|ed)? the bill\b", "pay"),
    (r"\b(?:makes?|made|making) up\b|\baccount(?:s|ed)? for\b|\bamounts? to\b|\badds? up to\b", "is"),
    (r"\bup from\b", "rose from"),
    (r"\bdown from\b", "fell from"),
    (r"\byear[- ](?:on|over)[- ]year\b|\b(?:the )?(?:same \w+ (?:of )?(?:the )?)?(?:previous|prior|last) year\b|\ba year (?:ago|earlier|before)\b|\bthe year before\b", "yearonyear"),
    (r"\bmonth[- ](?:on|over|to)[- ]month\b|\b(?:the )?(?:previous|prior) month\b|\ba month (?:ago|earlier|before)\b|\bthe month before\b", "monthonmonth"),
    (r"\bon[- ]time\b|\bon schedule\b", "punctual"),
    (r"\b(?:all|every) the time\b|\bat all times\b", "always"),
    (r"\bfrom now on\b|\bfrom here on\b|\bgoing forward\b|\bin (?:the )?future\b", "always"),
    (r"\btwelve months\b|\b12 months\b", "1 year"),
    (r"\b(?:at|by|on) request\b|\bunless asked\b|\bwhen asked\b|\bexplicit request\b|\bif asked\b", "onrequest"),
    (r"\b(within|in|for|after|past|last|next|over|of) an? (day|week|month|year|hour|minute)\b", r"\1 1 \2"),
    (r"\bper cent\b", "percent"),
    (r"\blog(?:arithmic)?[- ](?=axis|axes|scale)", "logarithmic "),
    (r"\bopen(?:ing)?(?:ed)? date\b|\bdate opened\b|\bdate of opening\b", "opening date"),
    (r"\bclos(?:ing|ed?) date\b|\bdate closed\b|\bdate of closing\b", "closing date"),
]  # fmt: skip
"""Patterns (case does not matter) and the words that stand for them."""

GROUPS = _lines("""
    null missing empty blank absent lack lacking unpopulated unfilled nan omitted
    populated filled complete full present completed backfilled
    mean average avg
    revenue turnover
    customer client
    staff employee worker personnel workforce colleague
    share rate proportion percentage fraction ratio portion
    row record entry line observation
    table file sheet dataset feed
    duplicate repeated duplicated dupe doubled
    delay lag delayed late
    exclude omit remove drop-out skip ignore discard disregard without except leave strip
    include keep retain
    show display present report give print list state put write answer reply respond express provide
    use apply
    chart graph plot figure diagram
    column field variable attribute
    string text varchar
    store hold contain record save
    convert translate map transform change conversion
    refresh reload update load
    cause drive explain driver reason due because behind responsible originate blame attributable come stem
    related relationship correlate correlation link association linked connected associate associated predictor predict
    unrelated uncorrelated independent
    together combine combined merge merged jointly pool group grouped
    separate separately apart split individually
    consistent uniform consistently
    inconsistent mixed mix varying inconsistently
    want wish prefer like expect need require
    identical equal same match
    voluntary voluntarily
    weekly week
    daily day nightly
    monthly month
    annual yearly annually year
    quarterly quarter
    hourly hour
    purchase buy bought
    visitor guest
    home house
    euro eur
    dollar usd
    median middle
    before until
    utilization fill utilisation load-factor occupancy
    clothing apparel
    begin start
    finish end
    subscriber member
    patient case
    parcel package
    decimals decimal digits
    cancel cancelled canceled
    postpone delay
    quickly fast
    count number
    cutoff threshold limit
    forecast projection prediction
    conclusion takeaway
    attrition turnover-of-staff resignation leave-company left-company
    headcount head-count
    frequent often
    difference diff
    cheap inexpensive
    picture image
""")
GROUP_OF = {word: words[0] for words in GROUPS for word in words}

IRREGULAR = {
    form: words[0]
    for words in _lines("""
        fall fell fallen falls
        rise rose risen
        grow grew grown
        send sent
        leave left
        run ran
        bring brought
        keep kept
        hold held
        lose lost
        win won
        sell sold
        buy bought
        spend spent
        take took taken
        give gave given
        come came
        go went gone goes
        make made
        pay paid
        say said
        show shown
        see saw seen
        man men
        woman women
        child children
        person people persons
        be is are was were been
        have has had
        do does did
        shrink shrank shrunk
        arrive arrived
        begin began begun
        drive driven drove
        write written wrote
        read reads
        mean means
        customer customers
        sale sales
        hour hours
        category categories
        country countries
        currency currencies
        analysis analyses
        index indices indexes
        day days
        datum data
    """)
    for form in words
}

_FAMILIES = _lines("""
    north south east west northeast northwest southeast southwest central northern southern eastern western
    man woman boy girl male female
    mobile desktop tablet phone web app laptop
    online offline retail store instore wholesale
    weekday weekend weekly
    mean median sum maximum minimum mode
    day week month quarter year hour minute
    bar line pie scatter histogram table map
    breakfast lunch dinner
    gas electricity water heat solar wind oil coal steam battery
    voluntary involuntary
    opened closed opening closing created updated
    latest earliest newest oldest first last
    new returning existing former recurring
    staff intern contractor manager director executive
    truck van car bus train ship container plane bicycle
    morning afternoon evening night
    summer winter spring autumn
    net gross
    domestic international foreign
    budget actual forecast plan
    billing onboarding support sales marketing engineering finance operations legal procurement
    paid organic direct social referral email
    wheat barley maize rice soy
    readmission admission discharge
    revenue cost profit margin price volume
    order customer ticket product invoice session visit click signup member claim return refund booking payment
    red green blue yellow orange purple black white grey
    english french german spanish italian portuguese dutch japanese chinese polish swedish
    dollar euro pound yen franc peso rupee
    celsius fahrenheit kelvin
    linear logarithmic
    ascending descending alphabetical alphabetically
    freshman sophomore junior senior
    urban rural suburban
    basic standard premium enterprise free
    low medium high critical
    credit debit cash
    children adults seniors
    latitude longitude
    height weight length width age bmi
    kilometre mile metre
    utc local
    fiscal calendar academic
    closed shipped pending cancelled
    day night
""")
CONTRASTS: dict[str, set[int]] = {}
"""The families that a word belongs to."""
for _number, _family in enumerate(_FAMILIES):
    for _word in _family:
        CONTRASTS.setdefault(GROUP_OF.get(_word, _word), set()).add(_number)

OPPOSITES = frozenset(
    frozenset((GROUP_OF.get(a, a), GROUP_OF.get(b, b)))
    for a, b in _lines("""
        null populated
        related unrelated
        together separate
        consistent inconsistent
        exclude include
        increase decrease
        early late
        mean median
        voluntary involuntary
        net gross
        opening closing
        open close
        opened closed
        latest earliest
        newest oldest
        cumulative interval
        online offline
        often never
    """)
)

AXES = {
    name: (frozenset(plus.split()), frozenset(minus.split()))
    for name, plus, minus in (
        ("complete", "populated", "null"),
        ("related", "related depend", "unrelated"),
        ("together", "together", "separate"),
        ("consistent", "consistent", "inconsistent"),
        ("included", "include", "exclude"),
        ("permitted", "may allow allowed welcome fine okay", "avoid forbid forbidden ban banned"),
        ("usual", "always every all", "never"),
    )
}
"""Axes on which a statement takes one side: groups of one side, groups of the other. Negation changes the side."""

VALUE_LEADERS = frozenset({"convert", "store", "use", "take", "sort", "include", "exclude", "mean", "refresh"})
"""Groups of words after which a value stands rather than a subject."""
