"""Direction, rank, absence and certainty in a sentence, held against what the cited findings claim."""

import re
from collections.abc import Sequence

from analyst.grounding_cells import LOWEST_IS, Cell, Evidence

ALPHA = 0.05
_UP = r"ros[e]|rises?|risen|rising|increas\w+|grew|grows?|grown|growing|growth|gain(?:s|ed|ing)?|climb\w*|surg\w+|jump\w*|soar\w*|upwards?|went up|(?:is|are|was|were) up|up by"
_DOWN = r"fell|falls?|fallen|falling|declin\w+|decreas\w+|drop\w*|shr[aiu]nk\w*|los[et]|loses|losing|loss|slump\w*|plung\w*|plummet\w*|downwards?|went down|(?:is|are|was|were) down|down by|sank|sinks?"
_HIGH = r"highest|most|largest|biggest|greatest|leads?|leading|leader|tops?|strongest|first"
_LOW = r"lowest|least|smallest|fewest|weakest|trails?|last place|bottom"
_NONE = (
    r"no (?:clear |real |significant |notable |marked |measurable |meaningful )?(?:differences?|trends?|changes?|effects?|relations?(?:hip)?|correlation|associations?|seasonality|"
    r"outliers?|pattern)|unchanged|stable|flat|steady|constant|evenly|(?:about|practically|much) the same|no more than chance|"
    r"not (?:statistically )?significant\w*|insignificant\w*|(?:does|do|did) not differ|not related|unrelated|by chance"
)
_SURE = r"\bsignificant(?:ly)?\b|\bproven\b|\bcertainly\b|\bundoubtedly\b|\bdefinitely\b"
_HEDGE = re.compile(
    r"chance|not (?:statistically )?significant|no clear|may |might |could |uncertain|not (?:shown|proven|clear)|within",
    re.I,
)
_CAUSE = re.compile(
    r"\b(?:because|due to|caus(?:e[sd]?|ing)|thanks to|driven by|as a result|leads? to|led to|owing to|explained by)\b",
    re.I,
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|neither|nor|hardly|barely|without|cannot)\b(?:\W+\w+){0,2}\W*$|n't(?:\W+\w+){0,2}\W*$",
    re.I,
)
_UP_RE, _DOWN_RE = (re.compile(rf"\b(?:{p})\b", re.IGNORECASE) for p in (_UP, _DOWN))
_HIGH_RE, _LOW_RE, _NONE_RE = (re.compile(rf"\b(?:{p})\b", re.IGNORECASE) for p in (_HIGH, _LOW, _NONE))
_SURE_RE = re.compile(_SURE, re.IGNORECASE)
_COMPARES = re.compile(r"\bthan\b", re.IGNORECASE)
_SIGNS = (
    ("positive", re.compile(r"\bpositive(?:ly)?\b|\bpositively\b", re.I)),
    ("negative", re.compile(r"\bnegative(?:ly)?\b|\binverse(?:ly)?\b", re.I)),
)
_CLAUSE = re.compile(r"[;:]|,(?!\d)|\b(?:and|while|whereas|but|against|although|though|however|yet)\b", re.IGNORECASE)
_RANGE = re.compile(r"\bbetween [^,;]{1,60} $", re.IGNORECASE)
_MORE_RE = re.compile(r"\b(?:higher|greater|larger|longer|more often|exceeds|above)\b", re.IGNORECASE)
_LESS_RE = re.compile(r"\b(?:lower|smaller|shorter|less often|below)\b", re.IGNORECASE)


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the places of the clauses of a sentence."""
    found = [m.start() for m in _CLAUSE.finditer(sentence) if not _RANGE.search(sentence[: m.start()])]
    cuts = [0, *found, len(sentence)]
    return [(a, b) for a, b in zip(cuts, cuts[1:], strict=False) if sentence[a:b].strip()]


def contradiction(sentence: str, evidence: Evidence, matched: Sequence[tuple[int, Sequence[Cell]]]) -> str | None:
    """Return why the words of a sentence go against its findings, or None.

    `matched`: for each number the place where it starts and the cells it was traced to.
    """
    nothing = [f for f in evidence.findings if _is_null(f.candidate.null, f.candidate.claim.value.direction)]
    only_null = len(nothing) == len(evidence.findings)
    statements = " ".join(evidence.texts)
    denies = [m for m in _NONE_RE.finditer(sentence) if not _denied(sentence, m.start())]
    if denies and not nothing and not _NONE_RE.search(statements):
        return f"“{denies[0].group()}” is not what the findings say"
    sure = [m for m in _SURE_RE.finditer(sentence) if not _denied(sentence, m.start())]
    if sure and not any(_sure(f.candidate.p_value, f.q_value, f.candidate.null) for f in evidence.findings):
        return "no test of the findings carries that certainty"
    if _CAUSE.search(sentence) and not _CAUSE.search(statements):
        return "no finding carries a cause"
    for name, pattern in _SIGNS:
        claimed = {f.candidate.claim.value.direction for f in evidence.findings}
        if pattern.search(sentence) and name not in claimed and not pattern.search(statements):
            return f"no finding is {name}"
    for start, end in clauses(sentence):
        cells = [c for place, found in matched if start <= place < end for c in found]
        wrong = _wrong_way(
            sentence, start, end, evidence, cells, hedged=not only_null or bool(_HEDGE.search(sentence) or denies)
        )
        if wrong:
            return wrong
    return _wrong_ranks(sentence, evidence)


def _wrong_way(
    sentence: str, start: int, end: int, evidence: Evidence, cells: Sequence[Cell], *, hedged: bool
) -> str | None:
    """Why an up or a down in a clause is not carried."""
    said = {
        way: m for way, pattern in (("up", _UP_RE), ("down", _DOWN_RE)) for m in pattern.finditer(sentence, start, end)
    }
    if not said:
        return None
    signs = {"up" if c.value > 0 else "down" for c in cells if c.change and c.value}
    known = _ways(evidence) if not signs else signs
    for way, match in said.items():
        other = "down" if way == "up" else "up"
        if _denied(sentence, match.start()):
            if known == {way}:
                return f"“{match.group()}” is denied, and the findings say so"
        elif way not in known:
            return (
                f"“{match.group()}” is not what the findings say"
                if other in known
                else f"no finding says “{match.group()}”"
            )
        elif not hedged:
            return f"“{match.group()}” is said without the doubt that the findings carry"
    return None


def _wrong_ranks(sentence: str, evidence: Evidence) -> str | None:
    """Why a highest or a lowest is given to another group than the findings give it to.

    A clause without a rank of its own lends its groups to the next ("North and West have the highest ...").
    """
    lent: set[str] = set()
    for start, end in clauses(sentence):
        clause = sentence[start:end]
        own = {label for label in evidence.labels if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", clause.casefold())}
        ranks = [(p.search(clause), allowed(evidence)) for p, allowed in ((_HIGH_RE, _leaders), (_LOW_RE, _last))]
        for match, groups in ranks:
            named = own | lent
            if match and named and not named & groups:
                return f"“{match.group()}” is given to {min(named)!r}, which the findings do not say"
        wrong = _wrong_comparison(clause, evidence)
        if wrong:
            return wrong
        lent = set() if any(m for m, _ in ranks) else own
    return None


def _wrong_comparison(clause: str, evidence: Evidence) -> str | None:
    """Why "A is higher than B" does not follow: where the findings name a leader, it is the one that is higher."""
    for pattern, higher in ((_MORE_RE, True), (_LESS_RE, False)):
        match = pattern.search(clause)
        before = clause[: match.start()].casefold() if match else ""
        named = [label for label in evidence.labels if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", before)]
        leaders, last = _leaders(evidence), _last(evidence)
        if match and named and leaders:
            fits = set(named) & leaders if higher else not set(named) & (leaders - last)
            if not fits and _COMPARES.search(clause):
                return f"“{match.group()}” is given to {min(named)!r}, which the findings do not say"
    return None


def _ways(evidence: Evidence) -> set[str]:
    ways = {d for f in evidence.findings if (d := f.candidate.claim.value.direction) in {"up", "down"}}
    for f in evidence.findings:
        ways |= {"up"} if _UP_RE.search(f.candidate.statement) else set()
        ways |= {"down"} if _DOWN_RE.search(f.candidate.statement) else set()
    return {str(w) for w in ways}


def _leaders(evidence: Evidence) -> set[str]:
    found = set()
    for f in evidence.findings:
        text = f.candidate.claim.value.text
        if text and f.candidate.claim.value.direction != "lower":
            found.add(text.casefold())
        found |= _edge(f.candidate.table, highest=True)
    return found


def _last(evidence: Evidence) -> set[str]:
    found = set()
    for f in evidence.findings:
        value = f.candidate.claim.value
        if value.text and value.direction in {"lower", "down"}:
            found.add(value.text.casefold())
        found |= {m["name"].strip().casefold() for m in LOWEST_IS.finditer(f.candidate.statement)}
        found |= _edge(f.candidate.table, highest=False)
    return found


def _edge(table: Sequence[dict[str, object]], *, highest: bool) -> set[str]:
    """The groups of the row with the most extreme figure; the figure is the first number that is no count."""
    rows = [r for r in table if any(isinstance(v, str) for v in r.values())]
    key = (
        next((k for k, v in rows[0].items() if isinstance(v, int | float) and k not in {"n", "rows"}), None)
        if rows
        else None
    )
    figures = [(v, r) for r in rows if key and isinstance(v := r.get(key), int | float)]
    if len(figures) < 2:
        return set()
    best = (max if highest else min)(v for v, _ in figures)
    return {t.casefold() for v, r in figures if v == best for t in r.values() if isinstance(t, str)}


def _denied(sentence: str, place: int) -> bool:
    return _DENIED.search(sentence[:place]) is not None


def _is_null(null: bool, direction: str | None) -> bool:
    return null or direction in {"flat", "none"}


def _sure(p_value: float | None, q_value: float | None, null: bool) -> bool:
    corrected = q_value if q_value is not None else p_value
    return not null and corrected is not None and corrected <= ALPHA
