"""One statement after another: right, wrong with the reason, or of a form that nothing here recomputes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.recomputing import averages, counts, relations, series, survival, words
from benchmarks.recomputing.reading import File

Check = Callable[[File, str], str | None]
"""Returns "" for right, a reason for wrong, None where the statement has another form."""

CHECKS: Sequence[Check] = (
    *counts.CHECKS,
    *averages.CHECKS,
    *series.CHECKS,
    *relations.CHECKS,
    *survival.CHECKS,
    *words.CHECKS,
)


@dataclass
class Judged:
    """Statements by what came of them."""

    right: list[str] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add(self, other: "Judged") -> None:
        """Take over what came of the statements of another file."""
        self.right += other.right
        self.wrong += other.wrong
        self.unread += other.unread


def judge(file: File, statements: Sequence[str]) -> Judged:
    """Recompute each statement."""
    found = Judged()
    for statement in statements:
        verdict = next((v for check in CHECKS if (v := check(file, _plain(statement))) is not None), None)
        if verdict is None:
            found.unread.append(statement)
        elif verdict:
            found.wrong.append((statement, verdict))
        else:
            found.right.append(statement)
    return found


def _plain(statement: str) -> str:
    """A statement without the quotation marks around the names of columns."""
    return statement.replace("\u201c", "").replace("\u201d", "")
