"""The analysis view: the one relation that every step reads, with the workarounds compiled in."""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
from numpy.typing import NDArray

from datasets.compiling import AppliedDirective, Given, NotApplied, compile_stages
from datasets.errors import DatasetError, QueryLimitError
from datasets.guard import RELATION, Reading, check
from datasets.measured import check_measured
from datasets.measures import Grain
from datasets.plan_size import largest_step
from datasets.schema import SchemaCard
from datasets.sql import ident, literal
from datasets.stages import newest_moment

MEMORY_LIMIT = "1GB"
THREADS = 2
MOST_ESTIMATED_ROWS = 1_000_000_000
_REMEMBERED_ANSWERS, _REMEMBERED_ROWS = 200, 1_000
_NAMED = re.compile(rf"\b{RELATION}\b")


@dataclass(frozen=True)
class Table:
    """The answer to a query: column names and rows of Python values (pass them through `plain` before keeping)."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass
class Meter:
    """What queries have read: rows of the view for each query, and those rows times the columns it names."""

    rows_scanned: int = 0
    cells_read: int = 0
    _taken: tuple[int, int] = field(default=(0, 0), repr=False)

    def add(self, rows: int, columns: int) -> None:
        """Count one query."""
        self.rows_scanned += rows
        self.cells_read += rows * columns

    def take(self) -> tuple[int, int]:
        """Rows and cells read since the last call."""
        before = self._taken
        self._taken = (self.rows_scanned, self.cells_read)
        return self.rows_scanned - before[0], self.cells_read - before[1]


class AnalysisView:
    """Guarded, read-only SQL over relation `analysis`; safe to use from several threads, one query at a time.

    Its rows never change, so a statement that was answered is not run again, and a subselect that several statements
    have in common can be kept.

    Rows come in file order unless a query orders them; `row_number() OVER ()` numbers them so. `card` describes the
    file as loaded, with the columns that directives define or replace; `rows` and `newest` are those of the view.
    `newest` and `as_loaded_newest` carry no zone: they are UTC where the column has one.
    """

    relation = RELATION

    def __init__(
        self,
        database: Path,
        card: SchemaCard,
        directives: Given = (),
        *,
        time_limit_s: float = 30.0,
    ) -> None:
        self.meter = Meter()
        self._database = database
        self._time_limit_s = time_limit_s
        self._lock = threading.Lock()
        self._closed = False
        self._answers: OrderedDict[tuple[str, int], Table] = OrderedDict()
        self._kept: dict[str, str] = {}
        self._con = open_reader(database)
        try:
            compiled = compile_stages(self._con, card, directives)
            columns = ", ".join(ident(c.name) for c in compiled.card.columns)
            self._con.execute(f"CREATE VIEW {RELATION} AS SELECT {columns} FROM {compiled.relation}")
            lock_down(self._con)
        except BaseException:
            self._con.close()
            raise
        self._as_loaded = card
        self.card = compiled.card
        self.grain: Grain | None = compiled.grain
        self.applied: list[AppliedDirective] = list(compiled.applied)
        self.not_applied: list[NotApplied] = list(compiled.not_applied)
        self.rows = compiled.rows
        self.as_loaded_newest: datetime | None = None
        self.newest: datetime | None = None
        if card.time_column is not None:
            self.as_loaded_newest = newest_moment(card.column(card.time_column))
            self.newest = self._newest(card.time_column) if self.applied else self.as_loaded_newest

    def query(self, sql: str, *, limit_rows: int = 10_000) -> Table:
        """Run one SELECT over `analysis`.

        :raises UnsafeSQLError: for anything else; nothing was run.
        :raises QueryLimitError: past the time, memory or row limit; the view stays usable.
        :raises DatasetError: when DuckDB refuses the statement, e.g. for an unknown column.
        """
        with self._lock:
            self._must_be_open()
            known = self._answers.get((sql, limit_rows))
            if known is None:
                known = self._answer(sql, limit_rows)
                if len(known.rows) <= _REMEMBERED_ROWS:
                    self._answers[sql, limit_rows] = known
                    if len(self._answers) > _REMEMBERED_ANSWERS:
                        self._answers.popitem(last=False)
        return Table(known.columns, list(known.rows))

    def keep(self, subselect: str) -> None:
        """Work out a subselect, in parentheses, once: where its text stands in a query, the result is read instead.

        For what reduces many rows to few; statements stay whole, so that they run anywhere as they stand.

        :raises DatasetError: as `query` does.
        """
        with self._lock:
            self._must_be_open()
            if subselect in self._kept:
                return
            name = f"kept_{len(self._kept)}"
            reading = check(self._con, f"SELECT * FROM {subselect}")
            self._run(f"CREATE TEMP TABLE {name} AS {reading.sql}", 1)
            self._count_reading(reading)
            self._kept[subselect] = name

    def numbers(self, sql: str) -> NDArray[Any]:
        """Run one SELECT of a single number without NULL, and return it for every row, 8 bytes each.

        :raises DatasetError: as `query` does.
        """
        with self._lock:
            self._must_be_open()
            reading = check(self._con, sql)
            with self._limited():
                (found,) = self._con.execute(reading.sql).fetchnumpy().values()
            self._count_reading(reading)
        return np.asarray(found)

    def explain(self, sql: str) -> None:
        """Check one SELECT over `analysis` without running it: names are bound and its size is estimated.

        :raises UnsafeSQLError: for anything but one SELECT, or one whose figures are not read from the view.
        :raises DatasetError: for unknown names, with those that are near; what DuckDB refuses.
        :raises QueryLimitError: when it would make more rows on the way than could be run in time.
        """
        with self._lock:
            self._must_be_open()
            reading = check(self._con, sql)
            check_measured(self._con, reading)
            try:
                rows = self._con.execute(f"EXPLAIN (FORMAT json) {reading.sql}").fetchall()
            except duckdb.Error as error:
                raise DatasetError(f"the query cannot be run: {_first_sentence(error)}") from error
        largest = largest_step(str(rows[0][-1])) if rows else 0
        if largest > MOST_ESTIMATED_ROWS:
            raise QueryLimitError(
                f"the query would make about {largest:,} rows on the way; join on a key, or aggregate"
            )

    @contextmanager
    def as_loaded(self) -> Iterator["AnalysisView"]:
        """The file without workarounds, for statements about the file itself; counted on this view's meter."""
        if not self.applied:
            yield self
            return
        with AnalysisView(self._database, self._as_loaded, time_limit_s=self._time_limit_s) as view:
            view.meter = self.meter
            yield view

    def close(self) -> None:
        """Give the connection back; the view cannot be used afterwards."""
        with self._lock:
            self._closed = True
            self._con.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _must_be_open(self) -> None:
        if self._closed:
            raise DatasetError("the analysis view is closed; open a new one with Dataset.view")

    def _answer(self, sql: str, limit_rows: int) -> Table:
        reading = check(self._con, sql)
        run = reading.sql
        for subselect, name in self._kept.items():
            run = run.replace(subselect, name)
        table = self._run(run, limit_rows)
        if run == reading.sql or _NAMED.search(run):
            self._count_reading(reading)
        return table

    def _run(self, sql: str, limit_rows: int) -> Table:
        with self._limited():
            cursor = self._con.execute(sql)
            rows = cursor.fetchmany(limit_rows + 1)
            columns = tuple(str(d[0]) for d in cursor.description or ())
        if len(rows) > limit_rows:
            raise QueryLimitError(f"the query returns more than {limit_rows:,} rows; aggregate, or add a LIMIT")
        return Table(columns, rows)

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Stop what runs for too long, and say in our words what the engine refuses."""
        timer = threading.Timer(self._time_limit_s, self._con.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        except duckdb.InterruptException as error:
            raise QueryLimitError(f"the query took more than {self._time_limit_s:g} s and was stopped") from error
        except duckdb.OutOfMemoryException as error:
            raise QueryLimitError(f"the query needed more than {MEMORY_LIMIT} of memory and was stopped") from error
        except duckdb.Error as error:
            raise DatasetError(f"the query cannot be run: {str(error).splitlines()[0]}") from error
        finally:
            timer.cancel()

    def _count_reading(self, reading: Reading) -> None:
        if not reading.reads_view:
            return
        known = {c.name.casefold() for c in self.card.columns}
        named = known if reading.all_columns else known & reading.columns
        self.meter.add(self.rows, len(named))

    def _newest(self, time_column: str) -> datetime | None:
        row = self._con.execute(f"SELECT max({ident(time_column)})::TIMESTAMP FROM {RELATION}").fetchone()
        value = row[0] if row else None
        return value if isinstance(value, datetime) else None


def _first_sentence(error: duckdb.Error) -> str:
    """What DuckDB says, with the names that it suggests, on one line and without the statement."""
    return " ".join(str(error).split("LINE ", 1)[0].split())


def open_reader(database: Path) -> duckdb.DuckDBPyConnection:
    """A fresh in-memory connection with the parsed copy attached read-only as `store`; not locked yet.

    :raises DatasetError: when the parsed copy is gone or damaged.
    """
    con = duckdb.connect(":memory:", config={"threads": THREADS, "memory_limit": MEMORY_LIMIT})
    try:
        con.execute("SET TimeZone='UTC'")
        con.execute("SET autoinstall_known_extensions=false")
        con.execute("SET autoload_known_extensions=false")
        con.execute("SET temp_directory=''")
        con.execute(f"ATTACH {literal(str(database))} AS store (READ_ONLY)")
    except duckdb.Error as error:
        con.close()
        raise DatasetError(f"the parsed copy cannot be opened: {str(error).splitlines()[0]}") from error
    return con


def lock_down(con: duckdb.DuckDBPyConnection) -> None:
    """No files, no network, no change of settings from here on."""
    con.execute("SET enable_external_access=false")
    con.execute("SET lock_configuration=true")
