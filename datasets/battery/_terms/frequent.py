"""Which words most rows mention, and one numbered name (Printer546) that is mentioned far more than its kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasets.battery._terms.words import words_cte
from datasets.battery._wording.phrases import filters_key, listed, percent_text, scope_text
from datasets.charts import Bar, bar_chart
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, Subject
from datasets.measures import Filter, Window

if TYPE_CHECKING:
    from datasets.view import AnalysisView

_MOST_TERMS = 200
_SHOWN = 15
_ROWS_AT_LEAST = 10
_SHARE_AT_LEAST = 0.05
_STANDS_OUT = 3.0
_NUMBERED = re.compile(r"^([^\W\d_]+)[-_#]?(\d+)$")


@dataclass(frozen=True)
class Word:
    """A word with the rows that mention it; `shown` as it is written; `outside`: its share among the other rows."""

    term: str
    shown: str
    n: int
    outside: float | None


@dataclass(frozen=True)
class Counted:
    """Words by rows, most first; `texts` rows with a text in scope, `outside` of them out of scope."""

    words: list[Word]
    texts: int
    outside: int
    sql: list[str]


def frequent_terms(
    view: AnalysisView, column: str, filters: Sequence[Filter], window: Window | None
) -> list[Candidate]:
    """Return the most telling of the often mentioned words, and a numbered name that stands out.

    Exact counts, so without a test. Without filters the most frequent word; with filters the word whose share is
    furthest above its share in the rest of the data.

    :raises DatasetError: when no word is mentioned in enough rows to say anything.
    """
    counted = _counted(view, column, filters, window)
    subject = Subject(
        relation="terms",
        column=column,
        filters=filters_key(filters),
        period=window.key if window else None,
    )
    scope = scope_text(filters, window)
    found = []
    words = [w for w in counted.words if not _NUMBERED.match(w.term)]
    enough = max(_ROWS_AT_LEAST, _SHARE_AT_LEAST * counted.texts)
    if words and words[0].n >= enough:
        found.append(_leading(words, counted, column, scope, subject))
    standing = _standing_out(counted, column, scope, subject)
    found += [standing] if standing else []
    if not found:
        raise DatasetError(f"no word is mentioned often in {column}{scope} ({counted.texts:,} texts)")
    return found


def _counted(view: AnalysisView, column: str, filters: Sequence[Filter], window: Window | None) -> Counted:
    def sql(*, limit: int, inside: bool) -> str:
        scope = (tuple(filters), window) if inside else ((), window)
        return (
            f"{words_cte(column, *scope)} SELECT term, min(word) AS shown, count(DISTINCT i) AS n, "
            f"(SELECT count(*) FROM texts) AS texts FROM words GROUP BY 1 ORDER BY n DESC, term LIMIT {limit}"
        )

    statement = sql(limit=_MOST_TERMS, inside=True)
    rows = view.query(statement).rows
    texts = int(rows[0][3]) if rows else 0
    if not filters:
        return Counted([Word(str(t), str(w), int(n), None) for t, w, n, _ in rows], texts, 0, [statement])
    everywhere_sql = sql(limit=50 * _MOST_TERMS, inside=False)
    everywhere = view.query(everywhere_sql).rows
    outside = (int(everywhere[0][3]) if everywhere else 0) - texts
    total = {str(t): int(n) for t, _, n, _ in everywhere}
    words = [
        Word(str(t), str(w), int(n), (max(0, total.get(str(t), 0) - int(n)) / outside) if outside > 0 else None)
        for t, w, n, _ in rows
    ]
    return Counted(words, texts, outside, [statement, everywhere_sql])


def _leading(words: list[Word], counted: Counted, column: str, scope: str, subject: Subject) -> Candidate:
    texts = counted.texts

    def telling(word: Word) -> float:
        return word.n / texts - (word.outside or 0.0)

    often = [w for w in words if w.n >= 0.5 * words[0].n]
    first = max(often, key=lambda w: (telling(w), w.n, w.term)) if counted.outside else words[0]
    share = first.n / texts
    others = [w for w in words if w is not first and w.n >= 0.5 * _SHARE_AT_LEAST * texts][:3]
    words_beside = listed([f'"{w.term}" ({percent_text(w.n / texts)})' for w in others])
    rest = f"; other frequent words are {words_beside}" if others else ""
    against = f" against {percent_text(first.outside)} in the rest of the data" if first.outside is not None else ""
    most = (
        f'Most rows{scope} mention "{first.term}" in {column}'
        if share > 0.5
        else f'Many rows{scope} have the word "{first.term}" in common in {column}'
    )
    return Candidate(
        claim=Claim(subject=subject, value=ClaimValue(number=share, unit="share", text=first.term)),
        statement=f"{most}: {first.n:,} of {texts:,} ({percent_text(share)}){against}{rest}.",
        n=texts,
        interest_0_1=0.25 + 0.65 * max(0.0, telling(first)) if counted.outside else 0.3 + 0.3 * share,
        chart=bar_chart(
            [Bar(w.term, float(w.n)) for w in words[:_SHOWN]],
            title=f"Rows by word in {column}{scope}",
            value_title="rows",
            name_title="word",
            style="count",
            highlight=[first.term],
            ordered=True,
        ),
        table=_table(counted),
        sql=counted.sql,
    )


def _standing_out(counted: Counted, column: str, scope: str, subject: Subject) -> Candidate | None:
    """The most mentioned numbered name, where the next of its kind is mentioned far less."""
    numbered = [(m.group(1), w) for w in counted.words if (m := _NUMBERED.match(w.term))]
    if not numbered:
        return None
    kind, first = numbered[0]
    peers = [w.n for other, w in numbered[1:] if other == kind]
    if first.n < _ROWS_AT_LEAST or not peers or first.n < _STANDS_OUT * peers[0]:
        return None
    return Candidate(
        claim=Claim(
            subject=subject.model_copy(update={"metric": "count(*)", "against": kind}),
            value=ClaimValue(number=float(first.n), unit="rows", text=first.shown),
        ),
        statement=(
            f"{first.shown} stands out: it is mentioned in {first.n:,} of {counted.texts:,} {column} texts{scope}"
            f" ({percent_text(first.n / counted.texts)}); no other {_kind_as_written(first)} is mentioned in more than"
            f" {peers[0]:,}."
        ),
        n=counted.texts,
        interest_0_1=0.9,
        table=_table(counted),
        sql=counted.sql,
    )


def _kind_as_written(word: Word) -> str:
    """What numbered names of a kind are called: a printer, but an SCN, whose capitals are part of the code."""
    match = _NUMBERED.match(word.shown)
    kind = match.group(1) if match else word.term
    return kind if kind.isupper() else kind.lower()


def _table(counted: Counted) -> list[dict[str, Any]]:
    return [
        {"word": w.term, "rows": w.n, "share": round(w.n / counted.texts, 4), "share_elsewhere": w.outside}
        for w in counted.words[:_SHOWN]
    ]
