"""The memory blocks of a prompt, in the order in which they bind: workarounds, preferences, patterns, then findings."""

from collections.abc import Mapping, Sequence
from typing import Any

from analyst.protocol import Known
from prompts import Block
from prompts.framing import json_line
from prompts.settings import Shares

_TITLES = {
    "data_quality": "Known of the data (acts where it has a directive)",
    "user_preference": "Preferences of the person",
    "domain_pattern": "Working patterns of the field",
}
_SUMMARY_CHARS = 300


def memory_blocks(
    standing: Sequence[Known], findings: Sequence[Known], shares: Shares, facts: Sequence[Mapping[str, Any]] = ()
) -> list[Block]:
    """Return the blocks of what memory knows.

    Required workarounds stand first, as hard constraints. `findings` are given in the modes that build on them, each
    as known; fresh hands in none. `facts`: defects found in this run, which act like workarounds. With `shares` =
    "schema" a unit is told by what it is about, without its values.
    """
    if shares == "schema":  # of what is words alone, nothing could be told
        standing = [k for k in standing if _about(k.claim)]
    required = [k for k in standing if k.required]
    lines = [_line(k, shares) for k in required] + [_fact(f, shares) for f in facts if f.get("directive")]
    blocks = [Block("Required workarounds (hard constraints, enforced by the engine)", lines)]
    for memory_type, title in _TITLES.items():
        rest = [k for k in standing if k.memory_type == memory_type and not k.required]
        blocks.append(Block(title, [_line(k, shares) for k in rest]))
    blocks.append(Block("Prior findings (known: do not measure them again)", [_line(k, shares) for k in findings]))
    return [b for b in blocks if b.lines]


def _line(known: Known, shares: Shares) -> str:
    if shares == "schema":
        return json_line({"about": _about(known.claim)})
    told: dict[str, Any] = {"says": known.summary[:_SUMMARY_CHARS]}
    if known.memory_type == "finding":
        told |= {"label": known.label, "days_old": round(known.age_days)}
    return json_line(told)


def _fact(fact: Mapping[str, Any], shares: Shares) -> str:
    if shares == "schema":
        directive = fact.get("directive") or {}
        return json_line({"about": {"column": fact.get("column"), "directive": directive.get("name")}})
    return json_line({"says": str(fact.get("statement", ""))[:_SUMMARY_CHARS]})


def _about(claim: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a claim is about, of the parts that name columns and never cells."""
    subject = (claim or {}).get("subject") or {}
    return {k: subject[k] for k in ("relation", "dimension", "column") if subject.get(k)}
