"""A relation in each group of a dimension: where it holds, and whether the whole points the other way (Simpson)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasets.battery._relations.findings import subject_of
from datasets.battery._relations.numbers import Correlated, Pair, by_group
from datasets.battery._relations.words import r_text
from datasets.battery._statistics.groups import Tested, pearson, q_values
from datasets.battery._wording.phrases import capital, listed, p_text, scope_text
from datasets.battery._wording.words import name_text
from datasets.charts import Bar, bar_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Direction

if TYPE_CHECKING:
    from datasets.view import AnalysisView

MIN_ROWS = 8
_MOST = 50
_NAMED = 12


def within_candidate(
    view: AnalysisView, pair: Pair, found: Correlated, dimension: str, alpha: float
) -> tuple[Candidate | None, list[float]]:
    """The correlation per group with Benjamini-Hochberg over the groups; None below two groups of MIN_ROWS rows."""
    rows, sql = by_group(view, pair, dimension)
    tested: list[tuple[str, int, Tested]] = []
    for name, r, n in rows[:_MOST]:
        result = pearson(r, n)
        if n >= MIN_ROWS and result is not None:
            tested.append((name_text(view.card, dimension, name), n, result))
    if len(tested) < 2:
        return None, []
    p_values = [t.p for _, _, t in tested]
    corrected = q_values(p_values)
    ordered = sorted(zip(tested, corrected, strict=True), key=lambda pair_: -pair_[0][2].effect.value)
    clear = [(name, t) for (name, _, t), q in ordered if q <= alpha]
    against = [name for name, t in clear if t.effect.value * found.r < 0]
    reversed_ = len(against) > len(clear) / 2
    named = [f"{r_text(t.effect.value)} in {name}" + ("" if q <= alpha else " (not significant)")
             for (name, _, t), q in ordered]  # fmt: skip
    scope = scope_text(pair.filters, pair.window)
    lead = f"By {dimension}, the correlation of {pair.y.words} and {pair.x.words}{scope} is"
    statement = f"{lead} {listed(named, most=_NAMED)}; over all rows {r_text(found.r)}."
    if reversed_:
        statement = (
            f"{pair.y.words} and {pair.x.words}{scope} are related the other way within groups of {dimension}:"
            f" {listed(named, most=_NAMED)}, against {r_text(found.r)} over all rows."
        )
    (best, _, main), _ = max(ordered, key=lambda item: abs(item[0][2].effect.value))
    direction: Direction = "none" if not clear else "positive" if main.effect.value > 0 else "negative"
    caveats = [f"{len(tested)} groups tested, Benjamini-Hochberg over them"]
    if len(rows) > len(tested):
        caveats.append(f"groups with fewer than {MIN_ROWS} rows, or with constant values, are left out")
    smallest = min(p_values)
    return (
        Candidate(
            claim=Claim(
                subject=subject_of(pair, dimension=dimension),
                value=ClaimValue(
                    number=main.effect.value, unit="pearson_r", direction=direction, text=best if clear else None,
                    low=main.effect.low, high=main.effect.high,
                ),
            ),
            statement=statement if clear else f"{statement[:-1]} (smallest {p_text(smallest)}).",
            n=sum(n for _, n, _ in tested),
            test="Pearson per group",
            p_value=main.p if clear else smallest,
            effect=main.effect,
            null=not clear,
            interest_0_1=0.85 if reversed_ else 0.5 if clear else 0.25,
            chart=_chart(pair, dimension, ordered),
            table=[
                {dimension: name, "r": t.effect.value, "low": t.effect.low, "high": t.effect.high, "p_value": t.p,
                 "corrected_p": q, "n": n}
                for (name, n, t), q in ordered
            ],
            sql=[sql],
            caveats=caveats,
        ),
        p_values,
    )  # fmt: skip


def _chart(pair: Pair, dimension: str, ordered: list[tuple[tuple[str, int, Tested], float]]) -> dict[str, Any]:
    return bar_chart(
        [Bar(name, t.effect.value, t.effect.low, t.effect.high) for (name, _, t), _ in ordered],
        title=capital(f"correlation of {pair.y.words} and {pair.x.words} by {dimension}"),
        value_title="r",
        name_title=dimension,
    )
