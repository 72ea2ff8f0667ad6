"""How something shall be done: tests, methods, thresholds and decimals."""

import re

from analyst.protocol import AskKind

_TESTS: tuple[tuple[str, str], ...] = (
    (r"shapiro", "shapiro"),
    (r"normaltest|d'?agostino|k-?squared test|omnibus", "normaltest"),
    (r"anderson", "anderson"),
    (r"jarque", "jarque_bera"),
    (r"kolmogorov|\bks[- ]test|ks_2samp", "ks"),
    (r"mann[- ]whitney|wilcoxon rank", "mannwhitney"),
    (r"kruskal", "kruskal"),
    (r"levene", "levene"),
    (r"\banova\b|analysis of variance|f_oneway", "anova"),
    (r"chi[- ]?squared?|\bchi2\b|χ²", "chi2"),
    (r"welch", "welch"),
    (r"\bt[- ]?tests?\b|ttest", "ttest"),
)
_NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_DECIMALS = re.compile(
    r"\b(?P<n>\d|one|two|three|four|five|six)[- ]?(?:decimals?|digits? after"
    r"|significant decimals?)(?: (?:places?|points?|digits?))?|\bnearest (?P<i>integer"
    r"|whole number)",
    re.I,
)
_ALPHA = re.compile(
    r"(?:significance level|alpha|α|p-?values?)[^.;\d]{0,60}?(?:of|at|is|=|<|>|below|than|to)?\s*(?P<a>0?\.\d+)", re.I
)
_SKEW = re.compile(
    r"skew\w*[^.;\d]{0,50}?(?:less|below|under|within|smaller|<|between)[^.\d]{0,20}(?P<t>\d?\.?\d+)", re.I
)
_IQR = re.compile(r"\biqr\b|inter-?quartile|tukey|box ?plot|1\.5 ?(?:\*|x|times)|quartile", re.I)
_ZSCORE = re.compile(r"\bz[- ]?scores?\b|standard deviations? (?:from|away|above|below)|sigma", re.I)
_ROBUST = re.compile(r"\bmad\b|median absolute|modified z|robust", re.I)
_IQR_TIMES = re.compile(r"(?P<t>\d(?:\.\d+)?)\s*(?:\*|x|times)?\s*(?:the )?(?:IQR|inter-?quartile)", re.I)
_Z_LIMIT = re.compile(
    r"(?:z[- ]?scores?|threshold|deviations?)[^.;\d]{0,60}?(?P<t>\d(?:\.\d+)?)"
    r"|(?P<t2>\d(?:\.\d+)?) standard deviations",
    re.I,
)
_CORRELATION = ((r"spearman|rank correlation", "spearman"), (r"pearson|linear", "pearson"), (r"kendall", "kendall"))
_LABELS = re.compile(
    r"[\"'](?P<l>(?:not[ _-]?|non[ _-]?)?(?:normal\w*|significant|linear|uniform|skewed)[\w -]{0,20})[\"']", re.I
)


def options_for(kind: AskKind, text: str) -> dict[str, str]:
    """Options of an ask of one kind, from all words that belong to the question."""
    found: dict[str, str] = {}
    decimals = _DECIMALS.search(text)
    if decimals:
        word = (decimals["n"] or "0").lower()
        found["decimals"] = _NUMBERS.get(word, word)
    alpha = _ALPHA.search(text)
    if alpha and kind in {"relation", "distribution", "compare", "change", "trend"}:
        found["alpha"] = f"{float(alpha['a']):g}"
    test = next((name for pattern, name in _TESTS if re.search(pattern, text, re.I)), None)
    if kind == "distribution":
        found |= _normality(text, test)
        if population(text) or (re.search(r"\bscipy\b", text, re.I) and re.search(r"skew|kurtosis", text, re.I)):
            found["moments"] = "population"
    elif kind == "compare" and test:
        found["test"] = test
    elif kind == "relation":
        method = next((name for pattern, name in _CORRELATION if re.search(pattern, text, re.I)), None)
        found |= {"method": method} if method else {}
        if re.search(r"r[- ]?squared|coefficient of determination|\br2\b|regression", text, re.I):
            found["report"] = "r_squared"
        if re.search(r"\bslope|\bintercept|\bregression|least squares", text, re.I):
            found["line"] = "yes"
    elif kind == "outliers":
        found |= _outlying(text)
    return found


def population(text: str) -> bool:
    """Whether the population form of the standard deviation is wanted."""
    return re.search(r"\bpopulation (?:standard|std|variance|formula)|\bddof ?= ?0", text, re.I) is not None


def _normality(text: str, test: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    skew = _SKEW.search(text)
    if test in {"shapiro", "normaltest", "anderson", "jarque_bera", "ks"}:
        found["test"] = test
    elif skew and re.search(r"normal", text, re.I):
        found |= {"test": "skewness", "threshold": f"{float(skew['t']):g}"}
    labels = list(dict.fromkeys(m["l"] for m in _LABELS.finditer(text)))
    denied = next(
        (x for x in labels if x.lower().startswith(("no", "un")) and not x.lower().startswith("normal")), None
    )
    agreed = next((x for x in labels if x.lower().startswith("normal")), None)
    if agreed and denied:
        found |= {"say_yes": agreed, "say_no": denied}
    return found


def _outlying(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    if _ROBUST.search(text):
        found["method"] = "robust"
    elif _IQR.search(text):
        found["method"] = "iqr"
        times = _IQR_TIMES.search(text)
        if times and float(times["t"]) != 1.5:
            found["threshold"] = f"{float(times['t']):g}"
    elif _ZSCORE.search(text):
        found["method"] = "z"
        limit = _Z_LIMIT.search(text)
        if limit:
            found["threshold"] = f"{float(limit['t'] or limit['t2']):g}"
        if population(text):
            found["std"] = "population"
    if re.search(
        r"(?:remov|exclud|drop|without|after)\w*[^.]{0,40}(?:them|outliers?)|without (?:the )?outliers", text, re.I
    ):
        found["also"] = "without"
    return found
