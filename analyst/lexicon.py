"""Words of general analytic English: what carries no content, what stands for what."""

STOPWORDS = frozenset(
    """a an the of in on at to for from by per with within and or but is are was were be been being do does did has have
    had having it its this that these those there their them they we our us you your i me my he she his her who whom whose
    what which when where why how as than then so if not no all any each every some such into over under between among
    across during please can could would should will shall may might must about also just only very more most
    less least s t using use used based respectively following out up down""".split()
)

GENERIC = frozenset(
    """id ids no num nr number name code key type date time datetime timestamp value values total count amount column
    field data dataset record records row rows entry entries unnamed index per pct percent percentage rate at by to on
    min max mean median average avg std sum usd eur gbp""".split()
)

IRREGULAR = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "data": "data", "indices": "index",
    "criteria": "criterion", "analyses": "analysis", "companies": "company", "movies": "movie", "cookies": "cookie",
    "species": "species", "series": "series", "news": "news", "sales": "sales", "costs": "cost", "buses": "bus",
    "statuses": "status", "bonuses": "bonus", "campuses": "campus", "responses": "response", "purchases": "purchase",
    "houses": "house", "horses": "horse", "courses": "course", "nurses": "nurse", "licenses": "license",
    "expenses": "expense", "diseases": "disease", "cases": "case", "prices": "price",
    "died": "death", "dead": "death", "paid": "paid", "sold": "sold",
}  # fmt: skip

ABBREVIATIONS: dict[str, tuple[str, ...]] = {
    "qty": ("quantity",), "amt": ("amount",), "avg": ("average", "mean"), "num": ("number", "count"),
    "no": ("number",), "nr": ("number",), "nb": ("number",), "cnt": ("count", "number"),
    "pct": ("percent", "percentage"), "perc": ("percent", "percentage"), "per": ("percent", "percentage"),
    "dept": ("department",), "dep": ("department", "departure"), "cat": ("category",), "desc": ("description",),
    "temp": ("temperature",), "min": ("minimum",), "max": ("maximum",), "ts": ("timestamp", "time"),
    "dt": ("date",), "std": ("standard",), "hr": ("hour",), "hrs": ("hour",), "mins": ("minute",), "yr": ("year",),
    "mo": ("month",), "wk": ("week",), "addr": ("address",), "cust": ("customer",), "prod": ("product",),
    "inv": ("invoice",), "ord": ("order",), "acct": ("account",), "bal": ("balance",), "loc": ("location",),
    "lat": ("latitude",), "lon": ("longitude",), "lng": ("longitude",), "mgr": ("manager",), "emp": ("employee",),
    "rev": ("revenue",), "exp": ("expectancy", "expense", "experience", "expenditure"), "vol": ("volume",),
    "wt": ("weight",), "ht": ("height",), "dist": ("distance", "district"), "dur": ("duration",), "fig": ("figure",),
    "gdp": ("gross",), "pop": ("population",), "tel": ("telephone",), "msg": ("message",), "txn": ("transaction",),
    "trans": ("transaction", "transmission"), "usd": ("dollar",), "eur": ("euro",), "gbp": ("pound",),
    "pts": ("point",), "mpg": ("mileage",), "hp": ("horsepower",), "cyl": ("cylinder",), "disp": ("displacement",),
    "sqft": ("area",), "rm": ("room",), "bed": ("bedroom",), "bath": ("bathroom",), "mon": ("month",),
    "dem": ("democratic", "democrat"), "gop": ("republican",), "rep": ("republican", "representative"),
    "bmi": (), "p": ("pressure",), "prcp": ("precipitation",), "precip": ("precipitation",), "hum": ("humidity",),
    "press": ("pressure",), "spd": ("speed",), "dir": ("direction",),
}  # fmt: skip

_GROUPS = (
    "revenue sales turnover income",
    "cost expense spending spend expenditure charge",
    "price fare fee",
    "country nation",
    "customer client buyer",
    "employee staff worker",
    "agent assignee",
    "salary wage pay earning compensation",
    "sex gender",
    "state status",
    "product item article sku",
    "city town",
    "quantity unit volume",
    "score rating star",
    "company firm organisation organization",
    "death fatality",
    "person individual people",
    "comment review feedback remark",
    "date day",
    "wind windspeed",
    "ticket incident",
    "departure depart",
    "shop store outlet",
    "car vehicle",
    "film movie",
    "mileage mpg",
    "user member",
    "supplier vendor",
    "duration length",
)

SYNONYMS: dict[str, frozenset[str]] = {}
for _group in _GROUPS:
    _words = frozenset(_group.split())
    for _word in _words:
        SYNONYMS[_word] = SYNONYMS.get(_word, frozenset()) | _words

MONEY = (
    "revenue",
    "sales",
    "turnover",
    "income",
    "amount",
    "total",
    "price",
    "cost",
    "spend",
    "paid",
    "fare",
    "charge",
)

POSITIVE = frozenset("yes y true t 1 on active accepted approved success successful completed".split())

NEGATIVE = frozenset("no n false f 0 off inactive rejected declined failed failure".split())
