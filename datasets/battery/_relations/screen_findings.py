"""What a screen of many columns found, as candidates: the pairs that survive, or that none does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasets.battery._relations.findings import relation_candidate
from datasets.battery._relations.numbers import Pair, axis_of, correlate
from datasets.battery._relations.screen import Hit, Screened, constant_remarks, pairs_text, screen, strongest, table_of
from datasets.battery._relations.words import r_text
from datasets.battery._statistics.groups import pearson
from datasets.battery._statistics.sameness import WEAK_R, strongest_left
from datasets.battery._wording.phrases import filters_key, listed, p_text, scope_text
from datasets.charts import Bar, bar_chart
from datasets.evidence import Candidate, Claim, ClaimValue, Subject
from datasets.measures import Filter, Measure, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView

SHOWN_PAIRS = 3
_NOTEWORTHY = 0.1
_NAMED = 6
_NAMED_PAIRS = 4


def screen_candidates(
    view: AnalysisView,
    measures: list[Measure],
    *,
    target: bool,
    filters: tuple[Filter, ...],
    window: Window | None,
    alpha: float,
    pairs: int = SHOWN_PAIRS,
) -> tuple[list[Candidate], list[float]]:
    """A summary of the screen and the `pairs` strongest survivors, measured again over all rows.

    p-values are corrected within the screen, so that a screen of thousands of pairs counts as few tests in the battery.
    """
    found = screen(view, measures, target=target, filters=filters, window=window)
    alive = [h for h in found.hits if h.q <= alpha and abs(h.r) >= _NOTEWORTHY]
    remarks = list(dict.fromkeys([*found.left_out, *constant_remarks(view)]))
    summary = _summary(found, alive, remarks, target=target, filters=filters, window=window)
    shown = []
    for hit in sorted(alive, key=lambda h: -abs(h.r))[:pairs]:
        x, y = (axis_of(view, found.measures[k]) for k in sorted((hit.i, hit.j)))
        pair = Pair(x, y, filters, window)
        candidate, _ = relation_candidate(view, pair, correlate(view, pair), method="pearson", alpha=alpha)
        corrected = f"one of {pairs_text(len(found.hits))} tested, p corrected by Benjamini-Hochberg"
        shown.append(candidate.model_copy(update={"p_value": hit.q, "caveats": [*candidate.caveats, corrected]}))
    said_once = len(found.hits) == 1 and bool(shown) and not remarks
    candidates = shown if said_once else [summary, *shown]
    return candidates, [c.p_value for c in candidates if c.p_value is not None]


def _summary(
    found: Screened,
    alive: list[Hit],
    remarks: list[str],
    *,
    target: bool,
    filters: tuple[Filter, ...],
    window: Window | None,
) -> Candidate:
    first = found.measures[0].words
    top = strongest(found.hits)
    effect = pearson(top.r, top.n)
    statement = _statement(found, alive, scope_text(filters, window), target=target)
    if remarks:
        statement = f"{statement} Not used: {listed(remarks, most=5)}."
    shown = _by_size(alive) if alive else [top]
    names_of = [found.measures[h.j].words if target else _pair_words(found, h, " / ") for h in shown]
    subject = Subject(
        relation="association",
        column=first if target else None,
        against="other numeric columns",
        period=window.key if window else None,
        filters=filters_key(filters),
    )
    return Candidate(
        claim=Claim(
            subject=subject,
            value=ClaimValue(
                number=float(len(alive)),
                unit="related columns" if target else "related pairs",
                direction="none" if not alive else None,
                text=listed(names_of, most=_NAMED) if alive else None,
            ),
        ),
        statement=statement,
        n=found.rows,
        test="Pearson, Benjamini-Hochberg over all pairs",
        p_value=min(h.q for h in found.hits),
        effect=effect.effect if effect else None,
        null=not alive,
        inconclusive=not alive and _room(found) > WEAK_R,
        interest_0_1=0.7 if alive else 0.4,
        chart=bar_chart(
            [Bar(name, h.r) for name, h in zip(names_of, shown, strict=True)],
            title=f"Correlation with {first}" if target else "Related pairs of columns",
            value_title="r",
            name_title="column" if target else "pair",
        ),
        table=table_of(found, [*_by_size(alive), *(h for h in found.hits[:10] if h not in alive)]),
        sql=[found.sql] if len(found.sql) < 4000 else [f"{found.sql[:4000]} …"],
        caveats=[*remarks, *_sample_words(found)],
    )


def _sample_words(found: Screened) -> list[str]:
    if not found.sampled:
        return []
    return [f"screened on a seeded sample of {found.rows:,} rows; the pairs shown are measured on all rows"]


def _statement(found: Screened, alive: list[Hit], scope: str, *, target: bool) -> str:
    columns, pairs = len(found.measures), len(found.hits)
    first, top = found.measures[0].words, strongest(found.hits)
    tested = f"{pairs_text(pairs)} tested, Benjamini-Hochberg correction"
    if not alive:
        clearly = "" if _room(found) <= WEAK_R else "clearly "
        left = f"a relation of more than {r_text(_room(found))} is ruled out, at 95% confidence"
        left = left.replace("more than", "up to").replace("is ruled", "is not ruled") if clearly else left
        if target and pairs == 1:
            only = found.measures[top.j].words
            size = f"r = {r_text(top.r)}, {p_text(top.q)}"
            return f"The only other numeric column, {only}, is not {clearly}related to {first}{scope} ({size}; {left})."
        what = f"None of the {pairs:,} other numeric columns is {clearly}related to {first}{scope}"
        if not target:
            what = f"No two of the {columns:,} numeric columns are {clearly}related{scope}"
        other = found.measures[top.j].words if target else _pair_words(found, top, " and ")
        size = f"the strongest, {other}, has r = {r_text(top.r)}, corrected {p_text(top.q)}; {left}"
        return f"{what} ({tested}; {size})."
    ranked = _by_size(alive)
    if target:
        names = listed([f"{found.measures[h.j].words} (r = {r_text(h.r)})" for h in ranked], most=_NAMED)
        if pairs == 1:
            return f"{first} is related to the only other numeric column that can be related{scope}, {names}."
        count = "exactly one" if len(alive) == 1 else f"{len(alive):,}"
        return f"{first} is related to {count} of {pairs:,} other numeric columns{scope}: {names} ({tested})."
    names = listed([f"{_pair_words(found, h, ' and ')} (r = {r_text(h.r)})" for h in ranked], most=_NAMED_PAIRS)
    if pairs == 1:
        return f"Of the numeric columns only two can be related, and they are{scope}: {names}."
    count = "Exactly one pair" if len(alive) == 1 else f"{len(alive):,} pairs"
    verb = "is" if len(alive) == 1 else "are"
    return f"{count} of the {columns:,} numeric columns {verb} related{scope}: {names} ({tested})."


def _room(found: Screened) -> float:
    """How strong the strongest relation can still be, of all pairs that were tested."""
    return strongest_left([(h.r, h.n) for h in found.hits])


def _pair_words(found: Screened, hit: Hit, between: str) -> str:
    return f"{found.measures[hit.i].words}{between}{found.measures[hit.j].words}"


def _by_size(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda h: -abs(h.r))
