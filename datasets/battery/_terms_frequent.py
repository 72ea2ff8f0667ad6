"""Which words most rows mention, and one numbered name (Printer546) that is mentioned far more than its kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from datasets.battery._phrases import filters_key, listed, percent_text, scope_text
from datasets.battery._terms_words import words_cte
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
_NUMBERED = re.compile(r"^([^\W\d_]+)(\d+)$")


def frequent_terms(
    view: AnalysisView, column: str, filters: Sequence[Filter], window: Window | None
) -> list[Candidate]:
    """Return the most mentioned word, and a numbered name that stands out; exact counts, so without a test.

    :raises DatasetError: when no word is mentioned in enough rows to say anything.
    """
    sql = (
        f"{words_cte(column, filters, window)} SELECT term, min(word) AS shown, count(DISTINCT i) AS n, "
        f"(SELECT count(*) FROM texts) AS texts FROM words GROUP BY 1 ORDER BY n DESC, term LIMIT {_MOST_TERMS}"
    )
    rows = [(str(t), str(shown), int(n), int(texts)) for t, shown, n, texts in view.query(sql).rows]
    texts = rows[0][3] if rows else 0
    subject = Subject(
        relation="terms",
        column=column,
        filters=filters_key(filters),
        period=window.key if window else None,
    )
    scope = scope_text(filters, window)
    words = [r for r in rows if not _NUMBERED.match(r[0])]
    common: dict[str, Any] = {"n": texts, "sql": [sql], "table": _table(rows, texts)}
    found = []
    if words and words[0][2] >= max(_ROWS_AT_LEAST, _SHARE_AT_LEAST * texts):
        found.append(_leading(words, texts, column, scope, subject, common))
    standing = _standing_out(rows, texts, column, scope, subject, common)
    found += [standing] if standing else []
    if not found:
        raise DatasetError(f"no word is mentioned often in {column}{scope} ({texts:,} texts)")
    return found


def _leading(
    words: list[tuple[str, str, int, int]],
    texts: int,
    column: str,
    scope: str,
    subject: Subject,
    common: dict[str, Any],
) -> Candidate:
    term, _, n, _ = words[0]
    share = n / texts
    others = [f"{t} ({percent_text(k / texts)})" for t, _, k, _ in words[1:4] if k >= 0.5 * _SHARE_AT_LEAST * texts]
    rest = f"; next are {listed(others)}" if others else ""
    most = f"Most rows{scope} mention {term} in {column}" if share > 0.5 else (
        f"The word that most rows{scope} have in common in {column} is {term}"
    )  # fmt: skip
    return Candidate(
        claim=Claim(subject=subject, value=ClaimValue(number=share, unit="share", text=term)),
        statement=f"{most}: {n:,} of {texts:,} ({percent_text(share)}){rest}.",
        interest_0_1=0.45 + 0.4 * share,
        chart=bar_chart(
            [Bar(t, float(k)) for t, _, k, _ in words[:_SHOWN]],
            title=f"Rows by word in {column}",
            value_title="rows",
            name_title="word",
            style="count",
            highlight=[term],
            ordered=True,
        ),
        **common,
    )


def _standing_out(
    rows: list[tuple[str, str, int, int]],
    texts: int,
    column: str,
    scope: str,
    subject: Subject,
    common: dict[str, Any],
) -> Candidate | None:
    """The most mentioned numbered name, where the next of its kind is mentioned far less."""
    numbered = [(m.group(1), shown, n) for t, shown, n, _ in rows if (m := _NUMBERED.match(t))]
    if not numbered:
        return None
    kind, name, n = numbered[0]
    peers = [k for other, _, k in numbered[1:] if other == kind]
    if n < _ROWS_AT_LEAST or not peers or n < _STANDS_OUT * peers[0]:
        return None
    return Candidate(
        claim=Claim(
            subject=subject.model_copy(update={"metric": "count(*)", "against": kind}),
            value=ClaimValue(number=float(n), unit="rows", text=name),
        ),
        statement=(
            f"{name} stands out: it is mentioned in {n:,} of {texts:,} {column} texts{scope}"
            f" ({percent_text(n / texts)}); no other {kind} is mentioned in more than {peers[0]:,}."
        ),
        interest_0_1=0.9,
        **common,
    )


def _table(rows: list[tuple[str, str, int, int]], texts: int) -> list[dict[str, Any]]:
    return [{"word": t, "rows": n, "share": round(n / texts, 4)} for t, _, n, _ in rows[:_SHOWN]]
