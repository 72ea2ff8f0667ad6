"""An open dataset: its schema card, its fingerprint, and analysis views over it."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from datasets.compiling import compile_view
from datasets.directives import Directive
from datasets.schema import Fingerprint, SchemaCard
from datasets.store import Copy, schema_hash
from datasets.view import AnalysisView


class Dataset:
    """One table under a data_source key. Open it with `Catalogue.open`; close it to close its views."""

    def __init__(self, key: str, copy: Copy, *, time_column: str | None = None) -> None:
        update: dict[str, Any] = {"dataset": key}
        notes = list(copy.card.notes)
        if time_column is not None and time_column != copy.card.time_column:
            if copy.card.has(time_column) and copy.card.column(time_column).temporal:
                update["time_column"] = time_column
            else:
                notes.append(f"the catalogue names {time_column!r} as time column, but it is not a date column here")
                update["notes"] = tuple(notes)
        self.key = key
        self.card: SchemaCard = copy.card.model_copy(update=update)
        self._copy = copy
        self._views: list[AnalysisView] = []
        self.fingerprint = Fingerprint(
            schema_hash=schema_hash(self.card),
            rows=self.card.rows,
            content_hash=copy.content_hash,
            newest_event=None,
        )

    def view(
        self,
        directives: Sequence[tuple[str | None, Directive | dict[str, Any]]] = (),
        *,
        time_limit_s: float = 30.0,
    ) -> AnalysisView:
        """A fresh view with these workarounds compiled in; each comes with the memory_id it is known by, or None.

        A directive that does not fit the schema is listed in `not_applied`, never raised.
        """
        compiled = compile_view(self.card, directives)
        view = AnalysisView(self._copy.database, self.card, compiled, time_limit_s=time_limit_s)
        self._views.append(view)
        return view

    def close(self) -> None:
        """Close every view of the dataset."""
        for view in self._views:
            view.close()
        self._views.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
