"""Words that are one to an analyst, families of words of which a statement means exactly one, and axes of meaning."""


def _lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


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
    figures
    column field variable attribute
    string text varchar
    store stored storing hold contain record save
    convert translate map transform change conversion
    refresh reload update load rebuild rebuilt
    cause drive explain driver reason due because behind responsible originate blame attributable
    related relationship correlate correlation link association linked connected associate associated predictor predict
    unrelated uncorrelated independent
    together combine combined merge merged jointly pool group grouped
    separate separately apart split individually
    consistent uniform consistently
    inconsistent mixed mix varying inconsistently
    want wish prefer like expect need require
    identical equal same
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
    north northern
    south southern
    east eastern
    west western
    game match
    unique distinct
    must should
    entire whole
    big large
    tiny small
    job position role
    firm company business
    supplier vendor
    shop store
    flat apartment
    car vehicle automobile
    doctor physician
    teacher instructor
    pupil student
    film movie
    drug medicine
    bill invoice
    help support
    sick ill
    quit resign
    hire recruit
    illness disease
    expense cost
    faulty defective
    error mistake
    abandon drop-off
    weight weighting
    tooltip hint
    heading title headline
    colour color
    background backdrop
""")
GROUP_OF = {word: words[0] for words in GROUPS for word in words}
"""The group of a word; forms that mean something else than their word ("figures", "stored") are listed as they are."""

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
        meet met
        miss missed
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
    ascending descending alphabetical alphabetically newestfirst oldestfirst
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
        ("restricted", "only", "regardless"),
        ("unique", "unique", "duplicate repeat"),
        ("permitted", "may allow allowed welcome fine okay", "avoid forbid forbidden ban banned"),
        ("usual", "always every all", "never"),
        ("met", "meet achieve attain fulfil", "miss fail"),
    )
}
"""Axes on which a statement takes one side: groups of one side, groups of the other. Negation changes the side."""

ON_AXES = frozenset(word for sides in AXES.values() for side in sides for word in side)

VALUE_LEADERS = frozenset({"convert", "store", "use", "take", "sort", "include", "exclude", "mean", "refresh"})
"""Groups of words after which a value stands rather than a subject."""
