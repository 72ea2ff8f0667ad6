"""Which remembered workarounds act on the data as it is now."""

from datasets.quality import Detection
from graph.state import Json


def known_directives(units: list[Json]) -> list[Json]:
    """Return the directives of recalled units, each with the unit it comes from."""
    return [
        {"memory_id": u["memory_id"], "directive": u["directive"], "statement": u["summary"]}
        for u in units
        if u["directive"]
    ]


def overtaken(units: list[Json], detection: Detection) -> dict[str, Json]:
    """Tell, by memory_id, of remembered workarounds that the data as it is now does not need, or needs otherwise.

    The detectors that decide it are those by which consolidate supersedes and resolves the same units.
    """
    now = {(f.kind, f.column): f.directive.model_dump(mode="json") for f in detection.facts if f.directive}
    seen = {(f.kind, f.column) for f in detection.facts}
    powered = {(p.kind, p.column) for p in detection.powered}
    past = {}
    for unit in units:
        subject = (unit["claim"] or {}).get("subject", {})
        about = subject.get("metric"), subject.get("column")
        if unit["memory_type"] != "data_quality" or not unit["directive"]:
            continue
        if about in now and directive_key(now[about]) != directive_key(unit["directive"]):
            reason = "its detector looked again and found another extent"
        elif about not in seen and {about, (about[0], None)} & powered:
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
