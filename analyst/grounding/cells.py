"""Evidence as cells: every number that findings carry, with its unit and the group it belongs to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from analyst.grounding.numbers import Stated, numbers_in
from analyst.grounding.times import spoken_of
from analyst.protocol import LabelledFinding

_SHARE_KEY = re.compile(r"share|rate|fraction|proportion|_0_1$|relative", re.IGNORECASE)
_PERCENT_KEY = re.compile(r"percent|pct|%", re.IGNORECASE)
_CHANGE_KEY = re.compile(r"change|contribution|delta|difference|diff\b|slope", re.IGNORECASE)
_P_KEY = re.compile(r"^(?:corrected_)?[pq](?:_value)?$|^corrected_p$", re.IGNORECASE)
_SHARE_EFFECTS = frozenset({"relative_change", "risk_difference", "share", "rate"})
LOWEST_IS = re.compile(r"(?:lowest|least common|smallest|fewest) (?:\w+ )?is (?P<name>[^,;.(]+)", re.IGNORECASE)
"""How the code names the group at the other end."""


@dataclass(frozen=True)
class Cell:
    """One number of the evidence. `unit`: "%", "share" (a fraction), "p", another unit, or None where not known.

    `labels`: the groups of its row, in lower case. `change`: its sign says up or down.
    """

    value: float
    unit: str | None = None
    labels: frozenset[str] = frozenset()
    change: bool = False


@dataclass(frozen=True)
class Evidence:
    """What the findings that a sentence cites carry."""

    findings: tuple[LabelledFinding, ...]
    cells: tuple[Cell, ...] = field(default=(), repr=False)
    texts: tuple[str, ...] = field(default=(), repr=False)
    labels: frozenset[str] = frozenset()
    times: frozenset[tuple[str, int, int, int]] = frozenset()

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
    return Evidence(
        findings=tuple(findings),
        cells=tuple(cells),
        texts=tuple(texts),
        labels=frozenset(labels),
        times=spoken_of(texts),
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
    return None if cell.unit == "%" else cell.value


def _of_finding(finding: LabelledFinding) -> Iterator[Cell]:
    candidate = finding.candidate
    claim, effect = candidate.claim.value, candidate.effect
    for number in (claim.number, claim.low, claim.high):
        if number is not None:
            own = (
                frozenset({claim.text.casefold()}) if _is_label(claim.text) and number == claim.number else frozenset()
            )
            yield Cell(number, claim.unit, own, change=claim.direction in {"up", "down"} or claim.unit == "%")
    yield Cell(float(candidate.n))
    for p in (candidate.p_value, finding.q_value):
        if p is not None:
            yield Cell(p, "p")
    if effect:
        unit = "share" if effect.name in _SHARE_EFFECTS else None
        yield from (Cell(v, unit) for v in (effect.value, effect.low, effect.high) if v is not None)
    if (claim.low is not None and claim.high is not None) or (effect and effect.low is not None):
        yield Cell(95.0, "%")
    for row in candidate.table:
        yield from _of_row(row)
    if len(candidate.table) > 1:
        yield Cell(float(len(candidate.table)))
    for text in (candidate.statement, *candidate.caveats):
        yield from _of_text(text)
    held = (v for v in _leaves(finding.step.params) if isinstance(v, int | float) and not isinstance(v, bool))
    yield from (Cell(float(v)) for v in held)


def _of_row(row: Mapping[str, Any]) -> Iterator[Cell]:
    labels = frozenset(v.casefold() for v in row.values() if _is_label(v))
    for key, value in row.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        unit = "%" if _PERCENT_KEY.search(key) else "share" if _SHARE_KEY.search(key) else None
        yield Cell(float(value), "p" if _P_KEY.match(key) else unit, labels, bool(_CHANGE_KEY.search(key)))


def _of_text(text: str) -> Iterator[Cell]:
    """Numbers of the code's own sentences; written rounded, so a coarser rounding of them is allowed a little more."""
    for stated in numbers_in(text):
        value = stated.value if stated.sign != -1 else -stated.value
        p_value = re.search(r"\bp [=<]\s*$", text[: stated.start]) is not None
        yield Cell(value, "p" if p_value else stated.unit, change=stated.sign is not None)


def _texts(finding: LabelledFinding) -> list[str]:
    candidate = finding.candidate
    subject = candidate.claim.subject.model_dump(exclude_none=True)
    held = [candidate.statement, *candidate.caveats, *(str(v) for v in subject.values())]
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
