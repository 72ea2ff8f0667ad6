"""Which words of a text go with higher or lower values of a metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasets.battery._kind import measured
from datasets.battery._statistics.groups import Difference, Group, q_values, welch_t
from datasets.battery._statistics.sameness import z_of_many
from datasets.battery._terms.words import words_cte
from datasets.battery._wording.phrases import (
    extreme_words,
    filters_key,
    interval_text,
    is_share,
    listed,
    p_text,
    points_text,
    readable,
    scope_text,
    unit_of,
    value_text,
)
from datasets.evidence import Candidate, Claim, ClaimValue, StepResult, Subject
from datasets.measures import Filter, Metric, Window
from datasets.plain import number_text
from datasets.sql import literal

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_ROWS_AT_LEAST = 20
_SHARE_AT_LEAST = 0.05
_ALPHA = 0.05
_MOST_TERMS = 300
_SHOWN = 15
_TOGETHER = 0.95
_PART_OF_SPREAD = 0.5


@dataclass(frozen=True)
class _Term:
    words: tuple[str, ...]
    with_it: Group
    without: Group
    found: Difference


def effect_of_terms(
    view: AnalysisView, column: str, metric: Metric, row_sql: str, filters: Sequence[Filter], window: Window | None
) -> StepResult:
    """Compare rows with and without each word that 5 % to 95 % of the texts hold; Benjamini-Hochberg over the words.

    Words that stand in the same rows count as one. The result holds the clearest one, or that none is clear.
    """
    sql = (
        f"{words_cte(column, filters, window, f'({row_sql}) IS NOT NULL', keep=f'({row_sql})::DOUBLE')}, "
        "level AS (SELECT avg(kept) AS middle, count(*) AS n FROM texts), "
        "held AS (SELECT term, i, any_value(kept) - any_value(middle) AS kept, min(strpos(lower(text), term)) AS place "
        "FROM words, level GROUP BY ALL) "
        "SELECT term, count(*) AS n, sum(kept) AS total, sum(kept * kept) AS squares, bit_xor(hash(i)) AS held_by, "
        "avg(place) AS place FROM held GROUP BY term "
        f"HAVING n >= {_ROWS_AT_LEAST} ORDER BY n DESC, term LIMIT {_MOST_TERMS}"
    )
    whole_sql = (
        f"{words_cte(column, filters, window, f'({row_sql}) IS NOT NULL', keep=f'({row_sql})::DOUBLE')} "
        "SELECT count(*), avg(kept), var_samp(kept) FROM texts"
    )
    texts, middle, spread = view.query(whole_sql).rows[0]
    texts = int(texts)
    if texts < 2 * _ROWS_AT_LEAST or not spread:
        return measured((), skipped=f"{texts:,} texts of {column} with a value are too few to compare words")
    whole = Group("all", texts, float(middle), float(spread))
    terms = _tested(view.query(sql).rows, whole)
    scope = scope_text(filters, window)
    if not terms:
        return measured((), skipped=f"no word of {column}{scope} is in enough rows to compare")
    p_values = [t.found.p for t in terms]
    corrected = q_values(p_values)
    best = min(range(len(terms)), key=lambda i: (corrected[i], p_values[i], -abs(terms[i].found.effect.value)))
    subject = Subject(
        relation="terms",
        metric=metric.key,
        column=column,
        filters=filters_key(filters),
        period=window.key if window else None,
    )
    companions, together_sql = _companions(view, column, filters, window, terms[best])
    phrase, phrase_sql = _phrase(view, column, filters, window, terms[best])
    told = [f'mostly in "{phrase}"'] if phrase else []
    told += [f"nearly always together with {listed(companions, most=5)}"] if companions else []
    sentence = _clear(view, metric, subject, terms[best], "; ".join(told), scope)
    if corrected[best] > _ALPHA:
        sentence = (
            f"No word of {column}{scope} clearly goes with a higher or lower {metric.words} ({len(terms)} words tested,"
            f" smallest corrected {p_text(corrected[best])}); a difference of up to {_room_text(view, metric, terms)}"
            f" is not ruled out, at 95% confidence."
        )
    candidate = _candidate(metric, subject, terms, best, corrected, sentence, whole)
    sqls = [sql, whole_sql, together_sql, phrase_sql]
    unit = unit_of(metric, view.card)
    value = candidate.claim.value.model_copy(update={"unit": unit})
    claim = Claim(subject=subject, value=value)
    return measured([candidate.model_copy(update={"sql": sqls, "claim": claim})], p_values=p_values)


def _companions(
    view: AnalysisView, column: str, filters: Sequence[Filter], window: Window | None, term: _Term
) -> tuple[list[str], str]:
    """Other words that stand in nearly the same rows, in the order of the text."""
    first = literal(term.words[0])
    sql = (
        f"{words_cte(column, filters, window)}, mine AS (SELECT DISTINCT i FROM words WHERE term = {first}) "
        "SELECT term, count(DISTINCT i) FILTER (WHERE i IN (FROM mine)) AS shared, count(DISTINCT i) AS n, "
        "(SELECT count(*) FROM mine) AS mine, avg(strpos(lower(text), term)) AS place "
        f"FROM words GROUP BY term HAVING shared >= {_TOGETHER} * greatest(n, mine) AND term <> {first} ORDER BY place"
    )
    return [str(row[0]) for row in view.query(sql).rows], sql


def _phrase(
    view: AnalysisView, column: str, filters: Sequence[Filter], window: Window | None, term: _Term
) -> tuple[str | None, str]:
    """The three words in a row that most texts with the term have in common, where at least half of them do."""
    word = f"{term.words[0]}\\p{{L}}*"  # Letters and digits only, so it is its own pattern.
    after = literal(f"{word} [\\p{{L}}\\p{{N}}-]+ [\\p{{L}}\\p{{N}}-]+")
    before = literal(f"[\\p{{L}}\\p{{N}}-]+ [\\p{{L}}\\p{{N}}-]+ {word}")
    sql = (
        f"{words_cte(column, filters, window)}, runs AS (SELECT i, unnest([regexp_extract(lower(text), {after}), "
        f"regexp_extract(lower(text), {before})]) AS run FROM texts) "
        "SELECT run, count(DISTINCT i) AS n FROM runs WHERE run <> '' GROUP BY run ORDER BY n DESC, run LIMIT 1"
    )
    rows = view.query(sql).rows
    return (str(rows[0][0]) if rows and int(rows[0][1]) >= 0.5 * term.with_it.n else None), sql


def _tested(rows: Sequence[tuple[object, ...]], whole: Group) -> list[_Term]:
    together: dict[object, list[tuple[float, str]]] = {}
    numbers: dict[object, tuple[int, float, float]] = {}
    for term, n, total, squares, held_by, place in rows:
        together.setdefault(held_by, []).append((float(str(place)), str(term)))
        numbers[held_by] = (int(str(n)), float(str(total)), float(str(squares)))
    all_squares = whole.var * (whole.n - 1)
    terms = []
    for held_by, (n, total, squares) in numbers.items():
        rest = whole.n - n
        if min(n, rest) < max(_ROWS_AT_LEAST, _SHARE_AT_LEAST * whole.n):
            continue
        one = Group("with", n, whole.mean + total / n, max(0.0, squares - total * total / n) / (n - 1))
        left = max(0.0, all_squares - squares - total * total / rest)
        other = Group("without", rest, whole.mean - total / rest, left / (rest - 1))
        found = welch_t(one, other)
        if found is not None:
            terms.append(_Term(tuple(w for _, w in sorted(together[held_by])), one, other, found))
    return terms


def _clear(view: AnalysisView, metric: Metric, subject: Subject, term: _Term, told: str, scope: str) -> str:
    unit = unit_of(metric, view.card)
    high, low = extreme_words(metric)
    word = (high if term.found.value > 0 else low).removesuffix("est") + "er"
    mine, others = (value_text(metric, g.mean, unit) for g in (term.with_it, term.without))
    low, high = (value_text(metric, end, unit) for end in (term.found.low, term.found.high))
    if is_share(metric):
        low, high = points_text(term.found.low), f"{points_text(term.found.high)} percentage points"
    gap = interval_text(low, high)
    beside = f" ({told})" if told else ""
    return (
        f'Rows{scope} whose {subject.column} mentions "{term.words[0]}"'
        f"{beside} have a {word} {metric.words}: {mine}"
        f" against {others} in the other rows ({term.with_it.n:,} and {term.without.n:,} rows; difference {gap},"
        f" Welch t {p_text(term.found.p)})."
    )


def _room(terms: Sequence[_Term]) -> float:
    """The largest difference that the intervals of all words, taken together, leave possible."""
    wider = z_of_many(len(terms)) / z_of_many(1)
    return max(abs(t.found.value) + wider * (t.found.high - t.found.low) / 2 for t in terms)


def _room_text(view: AnalysisView, metric: Metric, terms: Sequence[_Term]) -> str:
    room = _room(terms)
    if is_share(metric):
        return f"{points_text(room)} percentage points"
    return number_text(readable(room), unit=unit_of(metric, view.card))


def _candidate(
    metric: Metric,
    subject: Subject,
    terms: list[_Term],
    best: int,
    corrected: list[float],
    statement: str,
    whole: Group,
) -> Candidate:
    term = terms[best]
    clear = corrected[best] <= _ALPHA
    return Candidate(
        claim=Claim(
            subject=subject,
            value=ClaimValue(
                number=term.found.value if clear else None,
                direction=("higher" if term.found.value > 0 else "lower") if clear else "none",
                text=term.words[0] if clear else None,
            ),
        ),
        statement=statement,
        n=term.with_it.n + term.without.n,
        test="Welch t per word",
        p_value=term.found.p,
        effect=term.found.effect,
        null=not clear,
        inconclusive=not clear and _room(terms) > _PART_OF_SPREAD * whole.var**0.5,
        interest_0_1=0.75 if clear else 0.2,
        table=[
            {
                "words": " ".join(t.words),
                "rows": t.with_it.n,
                "with": t.with_it.mean,
                "without": t.without.mean,
                "p_value": t.found.p,
                "corrected_p": q,
            }
            for t, q in sorted(zip(terms, corrected, strict=True), key=lambda pair: pair[1])[:_SHOWN]
        ],
        caveats=[f"{len(terms)} words tested, Benjamini-Hochberg over them"],
    )
