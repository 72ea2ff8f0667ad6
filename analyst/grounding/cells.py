"""Evidence as cells: every number that findings carry, with its unit and the group it belongs to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeGuard

from analyst.grounding.names import name_pattern
from analyst.grounding.numbers import Stated, numbers_in
from analyst.grounding.times import last_day, spoken_of
from analyst.protocol import LabelledFinding

_SHARE_KEY = re.compile(r"share|rate|fraction|proportion|_0_1$|relative", re.IGNORECASE)
_PERCENT_KEY = re.compile(r"percent|pct|%", re.IGNORECASE)
_PART_KEY = re.compile(r"share[ _]of[ _]change", re.IGNORECASE)
_RATED_KEY = re.compile(r"\bper (?:day|week|month|quarter|year|hour)\b", re.IGNORECASE)
_COUNT_KEY = re.compile(r"^(?:n|rows|values|days|number of .*|rows_\w+|count\(\*\))$", re.IGNORECASE)
_EDGE_KEY = re.compile(r"^(?:low|high)$")
_INTERVAL = re.compile(r"\bCI [^()]{0,40}$")
_DIFFERENCE = re.compile(r"\b(?:the difference is|differ by) $")
_LIMIT = re.compile(r"\b(?:no two differ by more than|[Aa]bove|below|up to) $")
_OUTLYING = re.compile(r"\bThey (?:range|are|lie) [^.]*?(?:\.\d[^.]*?)*$")
_WITH = re.compile(r"^(?: \w+)? with (?:them|it)\b")
_WITHOUT = re.compile(r"\bwith (?:them|it) and $")
_OF_MEASURE = re.compile(r"(?:^|[:;] )(?P<name>[^:;,\d]{1,60}?) with mean [^;]*$")
_MISSING = re.compile(r"\bMissing values: (?:.*(?:, | and ))?(?P<name>[^,]+?) $")
_SAID_AS = re.compile(r"\b(?P<how>mean|average|median|total)(?: \w+)?(?: is)? $")
_BRACKETED = re.compile(r"(?:^|, |: |; | and | is | by | next, | in )(?P<name>[^,;:()]{1,60}?) \($")
_OVERALL = re.compile(r"^%?(?: \w+)? overall\b")
_REST = re.compile(r"\bin the rest of the data it is $")
_OTHER_ROWS = re.compile(r"^%? of the other rows\b")
_LEAD_IN = re.compile(r"^(?:.*\b(?:followed by|is|next|others) )|\s[-+]\d[\d,.]*%?$", re.IGNORECASE)
_NAME = re.compile(r"(?!.* rows$)[^\W\d][^\d]{0,40}(?: \d{1,3})?")
_CHANGE_KEY = re.compile(r"change|contribution|delta|difference|diff\b|slope", re.IGNORECASE)
_P_KEY = re.compile(r"^(?:corrected_)?[pq](?:_value)?$|^corrected_p$", re.IGNORECASE)
_SHARE_EFFECTS = frozenset({"relative_change", "share", "rate"})
Kind = Literal[
    "figure", "count", "rated", "change", "part", "edge", "limit", "overall", "rest", "outlying", "with", "without"
]  # fmt: skip
LOWEST_IS = re.compile(r"(?:lowest|least common|smallest|fewest) (?:\w+ )?is (?P<name>[^,;.(]+)", re.IGNORECASE)
"""How the code names the group at the other end."""


@dataclass(frozen=True)
class Cell:
    """One number of the evidence. `unit`: "%", "share" (a fraction), "pp", "x", "p", another, or None where not known.

    `labels`: the groups of its row, in lower case. `change`: its sign says up or down. `kind`: a figure, a count of
    rows, a figure per day, a change, a part of a change, the edge of an interval, a limit that nothing exceeds, the
    figure of all rows, or that of the rest of them, of the outliers, of all with them, or without them.
    """

    value: float
    unit: str | None = None
    labels: frozenset[str] = frozenset()
    change: bool = False
    kind: Kind = "figure"
    about: str = ""
    """What its finding says, in lower case."""
    row: bool = False
    """Whether it stands in a table."""
    said_as: str | None = None
    """The aggregate whose name stands before it in a statement: mean, median or total."""


@dataclass(frozen=True)
class Evidence:
    """What the findings that a sentence cites carry."""

    findings: tuple[LabelledFinding, ...]
    cells: tuple[Cell, ...] = field(default=(), repr=False)
    texts: tuple[str, ...] = field(default=(), repr=False)
    labels: frozenset[str] = frozenset()
    times: frozenset[tuple[str, int, int, int]] = frozenset()

    def places_of(self, label: str, text: str) -> list[tuple[int, int]]:
        """Where a text names a group. One that reads like a word ("IT") must be written as the data write it."""
        if len(label) <= 3 and any(re.search(rf"(?<!\w){re.escape(label.upper())}(?!\w)", t) for t in self.texts):
            return [m.span() for m in re.finditer(rf"(?<!\w){re.escape(label.upper())}(?!\w)", text)]
        return [m.span() for m in name_pattern(label).finditer(text.casefold())]

    @property
    def statements(self) -> str:
        """What the code says of the findings, in lower case: their statements alone."""
        return "\n".join(f.candidate.statement for f in self.findings).casefold()

    @property
    def words(self) -> str:
        """All texts, in lower case."""
        return "\n".join(self.texts).casefold()


def evidence_of(findings: Sequence[LabelledFinding]) -> Evidence:
    """Return the evidence of findings: statements, claims, tests, effects, tables and the parameters of their steps."""
    cells: list[Cell] = []
    texts: list[str] = []
    labels: set[str] = set()
    for finding in findings:
        cells += _of_finding(finding)
        table = finding.candidate.table
        labels |= {v.casefold() for row in table for v in row.values() if _is_label(v)}
        labels |= {v.casefold() for v in (finding.candidate.claim.value.text,) if _is_label(v)}
        labels |= {m["name"].strip().casefold() for m in LOWEST_IS.finditer(finding.candidate.statement)}
        texts += _texts(finding)
    labels |= {label for c in cells for label in c.labels}
    labels -= {part for part in labels if any(whole.endswith(f", {part}") for whole in labels)}
    return Evidence(
        findings=tuple(findings),
        cells=tuple(cells),
        texts=tuple(texts),
        labels=frozenset(labels),
        times=spoken_of(_dated(texts, findings)),
    )


def fits(stated: Stated, cell: Cell) -> bool:
    """Whether a stated number is this cell, within the rounding that it is written with."""
    if stated.sign is not None and cell.value and (cell.value > 0) != (stated.sign > 0):
        return False
    value = _in_unit(stated, cell)
    if value is None:
        return False
    size = abs(value)
    if stated.bound == "more":
        return stated.value <= size * (1 + 1e-9) and size <= 1.1 * stated.value + stated.slack
    if stated.bound == "less":
        if cell.unit == "p" and stated.value > 1:
            return False
        return size <= stated.value and (cell.unit == "p" or size >= 0.9 * stated.value - stated.slack)
    if stated.exact and float(value).is_integer() and cell.unit not in {"%", "share"}:
        return size == stated.value
    coarse = not stated.text[-1:].isdigit() and stated.bound is None and stated.slack >= 2.0
    slack = stated.slack if coarse or stated.slack < 0.5 else min(stated.slack, max(0.05, 0.125 * size))
    return abs(size - stated.value) <= slack + 1e-9 * size


def _in_unit(stated: Stated, cell: Cell) -> float | None:
    """The value of a cell in the unit of a stated number; None where the units do not meet."""
    if stated.unit == "%":
        if cell.unit == "%":
            return cell.value
        return 100 * cell.value if cell.unit == "share" or (cell.unit is None and abs(cell.value) <= 1.0) else None
    if stated.unit in {"pp", "x"}:
        return cell.value if cell.unit == stated.unit else None
    return None if cell.unit == "%" else cell.value


def _of_finding(finding: LabelledFinding) -> Iterator[Cell]:
    about = " ".join((finding.candidate.statement, *_subject(finding))).casefold()
    yield from (replace(cell, about=cell.about or about) for cell in _told(finding))


def _told(finding: LabelledFinding) -> Iterator[Cell]:
    candidate = finding.candidate
    claim, effect = candidate.claim.value, candidate.effect
    change = claim.direction in {"up", "down"} or claim.unit == "%"
    own = frozenset({claim.text.casefold()}) if _is_label(claim.text) else frozenset()
    if claim.number is not None:
        apart = candidate.claim.subject.relation == "difference"
        yield Cell(claim.number, claim.unit, own, change=change, kind="change" if apart else "figure")
    # Ranges that are no intervals stand in the statement as well.
    yield from (Cell(v, claim.unit, change=change, kind="edge") for v in (claim.low, claim.high) if v is not None)
    yield Cell(float(candidate.n), kind="count")
    for p in (candidate.p_value, finding.q_value):
        if p is not None:
            yield Cell(p, "p")
    if effect:
        unit = "share" if effect.name in _SHARE_EFFECTS else "x" if "ratio" in effect.name else "coefficient"
        scale, unit = (100.0, "pp") if effect.name == "risk_difference" else (1.0, unit)
        change = "change" in effect.name
        yield Cell(scale * effect.value, unit, change=change)
        yield from (Cell(scale * v, unit, kind="edge") for v in (effect.low, effect.high) if v is not None)
    if (claim.low is not None and claim.high is not None) or (effect and effect.low is not None):
        yield Cell(95.0, "%")
    named = (candidate.claim.subject.dimension or "").split(", ")
    leader = (claim.text or "").casefold()
    for row in candidate.table:
        yield from _of_row(row, named, leader)
    if len(candidate.table) > 1:
        yield Cell(float(len(candidate.table)))
    for text in (candidate.statement, *candidate.caveats):
        yield from _of_text(text)
    held = (v for v in _leaves(finding.step.params) if isinstance(v, int | float) and not isinstance(v, bool))
    yield from (Cell(float(v)) for v in held)


def _of_row(row: Mapping[str, Any], dimensions: Sequence[str] = (), leader: str = "") -> Iterator[Cell]:
    """The numbers of a row; a group that is a number itself goes by the name of its column ("pclass 3").

    A column that is named like the leader holds the leader's numbers.
    """
    labels = frozenset(v.casefold() for v in row.values() if _is_label(v))
    parts = [f"{d} {row[d]}" if isinstance(row[d], int | float) else str(row[d]) for d in dimensions if d in row]
    labels |= {p.casefold() for p in (*parts, " / ".join(parts)) if _is_label(p)}
    for key, value in row.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        unit = "%" if _PERCENT_KEY.search(key) else "share" if _SHARE_KEY.search(key) else None
        kind = _kind(key)
        own = labels | ({leader} if leader and key.casefold() == leader else set())
        if kind == "part":
            yield Cell(float(value), "share", own, kind=kind, row=True)
        else:
            unit = "p" if _P_KEY.match(key) else unit
            yield Cell(float(value), unit, own, kind == "change", "figure" if unit else kind, row=True)


def _kind(key: str) -> Kind:
    patterns: tuple[tuple[re.Pattern[str], Kind], ...] = (
        (_PART_KEY, "part"), (_CHANGE_KEY, "change"), (_RATED_KEY, "rated"), (_COUNT_KEY, "count"), (_EDGE_KEY, "edge")
    )  # fmt: skip
    return next((kind for pattern, kind in patterns if pattern.search(key)), "figure")


def _of_text(text: str) -> Iterator[Cell]:
    """Numbers of the code's own sentences; written rounded, so a coarser rounding of them is allowed a little more."""
    for stated in numbers_in(text):
        value = stated.value if stated.sign != -1 else -stated.value
        before, after = text[: stated.start], text[stated.end :]
        p_value = re.search(r"\bp [=<]\s*$", before) is not None
        edge = _INTERVAL.search(before) or _INTERVAL.search(before.rstrip("+-"))
        kind: Kind = "edge" if edge else "limit" if _LIMIT.search(before) else "figure"
        kind = "change" if _DIFFERENCE.search(before) else kind
        if re.match(r"(?: of [\d,]+)? rows\b", after):
            kind = "count"
        elif _OVERALL.match(after):
            kind = "overall"
        elif _REST.search(before) or _OTHER_ROWS.match(after):
            kind = "rest"
        elif _OUTLYING.search(before):
            kind = "outlying"
        elif _WITH.match(after) or _WITHOUT.search(before):
            kind = "with" if _WITH.match(after) else "without"
        name = _BRACKETED.search(before) or _MISSING.search(before)
        own = _LEAD_IN.sub("", name["name"]).casefold().strip() if name else ""
        labels = frozenset({own}) if kind == "figure" and _NAME.fullmatch(own) else frozenset()
        unit = "p" if p_value else stated.unit or "plain"
        how, of = _SAID_AS.search(before), _OF_MEASURE.search(before)
        yield Cell(
            value, unit, labels, change=stated.sign is not None and kind == "figure", kind=kind,
            about=of["name"].casefold() if of else "",
            said_as=how["how"].replace("average", "mean") if how else None,
        )  # fmt: skip


def _subject(finding: LabelledFinding) -> list[str]:
    return [str(v) for v in finding.candidate.claim.subject.model_dump(exclude_none=True).values()]


def _dated(texts: Sequence[str], findings: Sequence[LabelledFinding]) -> list[str]:
    """Texts for their times: of a span of a step, whose end is not included, the last day counts."""
    ends = {v for f in findings for v in _ends(f.step.params)}
    return [last_day(t) if t in ends else t for t in texts]


def _ends(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (str(v) for k, v in value.items() if k == "end" and isinstance(v, str))
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _ends(item)


def _texts(finding: LabelledFinding) -> list[str]:
    candidate = finding.candidate
    held = [candidate.statement, *candidate.caveats, *_subject(finding)]
    held += [candidate.claim.value.text or "", candidate.claim.value.unit or "", finding.step.reason]
    held += [str(v) for row in candidate.table for v in row.values() if isinstance(v, str)]
    held += [key for row in candidate.table[:1] for key in row]
    held += [v for v in _leaves(finding.step.params) if isinstance(v, str)]
    return held


def _is_label(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and any(c.isalpha() for c in value)


def _leaves(value: Any) -> Iterator[Any]:
    """Every text, number and truth value inside a JSON value."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
