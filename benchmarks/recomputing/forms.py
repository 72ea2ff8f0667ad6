"""How a check is written: a form that a whole statement has, and what must hold of it."""

import re
from collections.abc import Callable, Iterable
from functools import wraps

import pandas as pd

from benchmarks.recomputing.reading import File, written


class MistakeError(Exception):
    """A statement that is not so; the text says what is so."""


class UnreadError(Exception):
    """A part of a statement that cannot be read back."""


def form(
    pattern: str,
) -> Callable[[Callable[[File, re.Match[str]], None]], Callable[[File, str], str | None]]:
    """Make a check of a function that raises MistakeError; statements of another form are none of its business."""
    compiled = re.compile(pattern)

    def made(check: Callable[[File, re.Match[str]], None]) -> Callable[[File, str], str | None]:
        @wraps(check)
        def judged(file: File, statement: str) -> str | None:
            match = compiled.fullmatch(statement)
            if match is None:
                return None
            try:
                check(file, match)
            except UnreadError:
                return None
            except MistakeError as mistake:
                return str(mistake) or "not so"
            return ""

        return judged

    return made


def must(holds: object, why: object = "") -> None:
    """Hold a part of a statement against the data."""
    if not bool(holds):
        raise MistakeError(str(why))


def same(said: str, true: float, what: str = "") -> None:
    """Hold a number as written against the true one."""
    must(written(said, true), f"{what} is {true:g}, said {said}")


def rows_of(file: File, scope: str | None) -> "pd.Series[bool]":
    """The rows of a scope that can be read back."""
    rows = file.rows(scope)
    if rows is None:
        raise UnreadError(scope)
    return rows


def in_any(columns: Iterable[str], check: Callable[[str], None]) -> None:
    """Hold a statement that does not name its column against each that it may speak of; one must do."""
    mistakes = []
    for column in columns:
        try:
            check(column)
        except MistakeError as mistake:
            mistakes.append(f"{column}: {mistake}")
        else:
            return
    if not mistakes:
        raise UnreadError
    raise MistakeError("; ".join(mistakes[:3]))


def p_is(said: str, true: float, *, slack: float = 0.0) -> None:
    """Hold "p = 0.012" or "p < 0.001" against the true p-value; `slack`: of a test by simulation."""
    if said.startswith("p <"):
        must(true < float(said[3:]) + slack, f"p is {true:g}")
    else:
        given = float(said.removeprefix("p ="))
        must(abs(given - true) <= max(slack, 0.006, 0.06 * true), f"p is {true:g}, said {given:g}")
