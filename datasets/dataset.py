"""An open dataset: its schema card, its fingerprint, and analysis views over it."""

import uuid
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ValidationError

from datasets.compiling import Given
from datasets.schema import Fingerprint, SchemaCard
from datasets.snapshot import Snapshot, take
from datasets.stages import newest_moment
from datasets.store import Copy, schema_hash
from datasets.view import AnalysisView, lock_down, open_reader

Model = TypeVar("Model", bound=BaseModel)


class _Kept(BaseModel):
    """Something worked out from a parsed copy, and what it was worked out for."""

    key: str
    value: dict[str, Any]


class Dataset:
    """One table under a data_source key. Open it with `Catalogue.open`; close it to close its views."""

    def __init__(self, key: str, copy: Copy, *, time_column: str | None = None, title: str = "") -> None:
        update: dict[str, Any] = {"dataset": key, "title": title}
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
        self._views: weakref.WeakSet[AnalysisView] = weakref.WeakSet()
        newest = newest_moment(self.card.column(self.card.time_column)) if self.card.time_column else None
        self.fingerprint = Fingerprint(
            schema_hash=schema_hash(self.card),
            rows=self.card.rows,
            content_hash=copy.content_hash,
            newest_event=newest.isoformat() if newest else None,
        )

    def view(self, directives: Given = (), *, time_limit_s: float = 30.0) -> AnalysisView:
        """A fresh view with these workarounds compiled in; each comes with the memory_id it is known by, or None.

        A directive (a model, or the JSON that memory keeps) that does not fit is listed in `not_applied`, never raised.

        :raises DatasetError: when the parsed copy is gone.
        """
        view = AnalysisView(self._copy.database, self.card, directives, time_limit_s=time_limit_s)
        self._views.add(view)
        return view

    def snapshot(self) -> Snapshot:
        """What the data holds now, as loaded, compact enough to keep; worked out once for each parsed copy.

        :raises DatasetError: when the parsed copy is gone.
        """
        return self.once("snapshot", Snapshot, self._take, version="2")

    def once(
        self,
        name: str,
        model: type[Model],
        make: Callable[[], Model],
        *,
        version: str,
        complete: Callable[[Model], bool] = lambda _: True,
    ) -> Model:
        """What `make` works out from the data as loaded, kept beside the parsed copy and worked out once for it.

        :param version: of the way it is worked out; another one, another fingerprint or time column starts anew.
        :param complete: tells whether what was made may be kept.
        """
        kept = self._copy.database.with_name(f"{name}.json")
        key = f"{version} {self.fingerprint.model_dump_json()} {self.card.time_column}"
        try:
            stored = _Kept.model_validate_json(kept.read_bytes())
            if stored.key == key:
                return model.model_validate(stored.value)
        except (OSError, ValidationError):
            pass  # not there, half written by another version, or damaged: it is made again
        made = make()
        if not complete(made):
            return made
        draft = kept.with_name(f".{name}-{uuid.uuid4().hex}.json")
        draft.write_text(_Kept(key=key, value=made.model_dump(mode="json")).model_dump_json(), encoding="utf-8")
        draft.replace(kept)
        return made

    def _take(self) -> Snapshot:
        con = open_reader(self._copy.database)
        try:
            lock_down(con)
            return take(con, self.card, self.fingerprint)
        finally:
            con.close()

    def close(self) -> None:
        """Close every view of the dataset."""
        for view in list(self._views):
            view.close()
        self._views.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
