"""Clauses that ask about the state of the data: missing values, duplicates, keys, types."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.scene import Scene, Slots
from datasets.schema import Column

_WHAT: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("duplicates", re.compile(r"\bduplicat\w+|\brepeated\b|\bidentical\b", re.I)),
    ("missing", re.compile(r"\bmissing|\bnulls?\b|\bnan\b|\bn/?as?\b|\bblank|\bempty|\bcomplete\b", re.I)),
    ("keys", re.compile(r"\bkeys?\b|\buniquely\b|\bunique\b", re.I)),
    ("types", re.compile(r"\btypes?\b|\ba (?:number|text|string|date) or\b", re.I)),
)
_SHARE = re.compile(r"\bpercent\w*|\bproportion|\bshare|\bfraction|%|\brate\b|\bratio\b", re.I)
_MOST = re.compile(r"\bwhich\b.*\b(?:most|highest|largest|maximum|fewest|least)\b", re.I)


def quality(slots: Slots, scene: Scene, before: Sequence[Ask]) -> list[Ask]:
    """options: what = missing | duplicates | keys | types | all; as = share where a percentage is wanted."""
    what = next((name for name, pattern in _WHAT if pattern.search(slots.text)), "all")
    mentions = [m for m in slots.mentions if m.how != "value"]
    strong = [m for m in mentions if m.score >= 0.75]
    if what == "duplicates":
        strong = [m for m in strong if _repeats_in(scene.card.column(m.column), slots.text[: m.start])]
    columns = tuple(dict.fromkeys(m.column for m in strong))
    overall = re.search(
        r"\b(?:per|each|every|all|any|by) (?:the )?(?:column|variable|feature|field)s?\b", slots.text, re.I
    )
    options = {"what": what}
    if what == "missing" and _SHARE.search(slots.text):
        options["as"] = "share"
    if _MOST.search(slots.text):
        options["rank"] = "desc"
        columns = ()
    if (
        not columns
        and not overall
        and re.search(r"\b(?:it|this|that|these|those|them|the column)\b", slots.text, re.I)
        and before
    ):
        columns = before[-1].columns or tuple(c for m in before[-1].metrics for c in m.measure.columns)
    slots.filters = [f for f in slots.filters if f.column not in columns and f.op not in {"is_null", "not_null"}]
    return [Ask(kind="quality", columns=() if overall else columns, options=options)]


def _repeats_in(column: Column, before: str) -> bool:
    """Whether the words before a mention ask for repeats in that column.

    "By" asks so only of a column that could be a key: repeated claims by users are claims, not users.
    """
    if re.search(r"\bin\b|\bof\b|\bcolumns?\b|duplicated? (?:the )?$", before, re.I):
        return not re.search(r"\bby\b[^,;]*$", before, re.I) or _key_like(column)
    return bool(re.search(r"\bby\b", before, re.I)) and _key_like(column)


def _key_like(column: Column) -> bool:
    called = re.search(r"(?:^|[_\s])(?:id|uuid|guid|key|number|nr|no)$|Id$|ID$", column.name)
    return column.role == "identifier" or bool(called) or column.distinct > 0.5 * max(1, column.rows)
