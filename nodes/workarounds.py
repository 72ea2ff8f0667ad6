"""Which remembered workarounds act on the data as it is now."""

from collections.abc import Sequence

from graph.state import Json


def known_directives(units: list[Json]) -> list[Json]:
    """Return the directives of recalled units, each with the unit it comes from."""
    return [
        {"memory_id": u["memory_id"], "directive": u["directive"], "statement": u["summary"]}
        for u in units
        if u["directive"]
    ]


def stated_directives(stated: list[Json]) -> list[Json]:
    """Return the directives of rules that came with the question; memory learns of them after the answer."""
    return [
        {"memory_id": None, "directive": s["directive"], "statement": s["statement"]} for s in stated if s["directive"]
    ]


def overtaken(units: Sequence[Json], facts: Sequence[Json], powered: Sequence[Sequence[str | None]]) -> dict[str, Json]:
    """Tell, by memory_id, of remembered workarounds that the data as it is now does not need, or needs otherwise.

    The facts, detected or measured, and the detectors that had the power to find are those by which consolidate
    supersedes and resolves the same units.
    """
    now = {(f["kind"], f["column"]): f["directive"] for f in facts if f["directive"]}
    seen = {(f["kind"], f["column"]) for f in facts}
    able = {(p[0], p[1]) for p in powered}
    past = {}
    for unit in units:
        subject = (unit["claim"] or {}).get("subject", {})
        about = subject.get("metric"), subject.get("column")
        if unit["memory_type"] != "data_quality" or not unit["directive"]:
            continue
        if about in now and directive_key(now[about]) != directive_key(unit["directive"]):
            reason = "it has another extent now"
        elif about not in seen and {about, (about[0], None)} & able:
            reason = "its detector looked again and no longer finds what it is for"
        else:
            continue
        past[unit["memory_id"]] = {
            "what": f"directive {unit['directive']['name']}",
            "reason": reason,
            "memory_id": unit["memory_id"],
        }
    return past


def directive_key(directive: Json) -> str:
    """Return a text that is equal for directives that do the same."""
    return "|".join(f"{k}={directive[k]}" for k in sorted(directive) if directive[k] not in (None, [], ()))
