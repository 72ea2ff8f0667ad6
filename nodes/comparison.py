"""Then and now: what each finding of a stored battery became when the battery was run again."""

from collections.abc import Mapping, Sequence

from datasets.battery import match_candidate, verdict_of
from datasets.evidence import Claim, ClaimValue, StepResult
from datasets.plain import number_text
from graph.services import Services
from graph.state import Json, State
from nodes.modes import last_battery

_NOT_RUN = "The step was not run again."


def then_and_now(state: State, services: Services, results: Sequence[StepResult]) -> list[Json]:
    """Return one row for each finding of the battery that a re-run repeated, in the order of the earlier report.

    Keys: statement_before, statement_now, then, now, change, verdict, reason; what is not there now is None.
    """
    stored = last_battery(state, services) if state.get("chosen_mode") == "re-run" else None
    if stored is None:
        return []
    by_signature = {r.signature: r for r in results}
    measured_by = _steps_of_claims(stored["results"])
    return [
        _row(finding, by_signature.get(measured_by.get(_identity(finding["claim"]), "")))
        for finding in stored["findings"]
    ]


def _row(finding: Json, result: StepResult | None) -> Json:
    before = Claim.model_validate(finding["claim"])
    after = match_candidate(before, result.candidates) if result else None
    judged = verdict_of(before, after, skipped=result.skipped if result else _NOT_RUN)
    now = after.claim.value if after else None
    return {
        "statement_before": finding["statement"],
        "statement_now": after.statement if after else None,
        "then": _said(before.value),
        "now": _said(now) if now else None,
        "change": _change(before.value, now) if now else None,
        "verdict": judged.verdict,
        "reason": judged.reason,
    }


def _steps_of_claims(results: Sequence[Json]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for result in results:
        for candidate in result["candidates"]:
            found.setdefault(_identity(candidate["claim"]), result["signature"])
    return found


def _identity(claim: Json) -> str:
    return Claim.model_validate(claim).model_dump_json()


def _said(value: ClaimValue) -> str:
    """Say a value in a few words: a name, a number with its unit, a direction where there is neither."""
    parts = [value.text] if value.text else []
    if value.number is not None:
        parts.append(_number(value.number, value.unit))
    return ": ".join(parts) or value.direction or "no value"


def _number(number: float, unit: str | None) -> str:
    if unit == "share":
        return number_text(100 * number, unit="%")
    if unit == "%":
        return number_text(number, unit="%")
    return f"{number_text(number)} {unit}" if unit else number_text(number)


def _change(then: ClaimValue, now: ClaimValue) -> str | None:
    """Say how far a value moved: in points where it is a percentage, else in percent; a new name as such."""
    if then.text and now.text and then.text != now.text:
        return f"{now.text} instead of {then.text}"
    if then.number is None or now.number is None:
        return None
    moved = now.number - then.number
    sign = "+" if moved > 0 else ""
    if not moved:
        return "none"
    if {then.unit, now.unit} & {"%", "share"}:
        points = 100 * moved if now.unit == "share" else moved
        return f"{sign}{number_text(points)} points"
    if not then.number or then.number * now.number < 0:
        return f"{sign}{number_text(moved)}"
    return f"{sign}{number_text(100 * moved / abs(then.number), unit='%')}"
