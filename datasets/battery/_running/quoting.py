"""Column names that read like sentences are shown as what they are: names, in quotation marks."""

import re
from collections.abc import Iterable

from datasets.evidence import StepResult

_MOST_WORDS = 4
_LONGEST = 60
_MARKS = re.compile(r"[:;,?!](\s|$)|\.$")


def quote_names(result: StepResult, names: Iterable[str]) -> StepResult:
    """Put long or sentence-like column names into quotation marks, shortened, wherever a statement holds them.

    A heading is data: without the marks its words could be taken for the words of the report.
    """
    odd = sorted((n for n in names if _odd(n)), key=len, reverse=True)
    if not odd:
        return result
    candidates = []
    for candidate in result.candidates:
        statement = candidate.statement
        for i, name in enumerate(odd):
            statement = statement.replace(name, f"\x00{i}\x00")
        for i, name in enumerate(odd):
            statement = statement.replace(f"\x00{i}\x00", f"\u201c{_short(name)}\u201d")
        candidates.append(candidate.model_copy(update={"statement": statement}))
    return result.model_copy(update={"candidates": candidates})


def _odd(name: str) -> bool:
    """Whether a name is long, or holds marks that would be read as those of the sentence ("Unnamed: 3")."""
    return len(name.split()) > _MOST_WORDS or len(name) > _LONGEST or bool(_MARKS.search(name))


def _short(name: str) -> str:
    one_line = " ".join(name.split())
    return one_line if len(one_line) <= _LONGEST else one_line[: _LONGEST - 1].rstrip() + "\u2026"
