"""The Python face: one object that asks, waits at the gate and resumes; the command line is built on it."""

import hashlib
import json
import re
import sqlite3
import uuid
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import duckdb
from filelock import FileLock, Timeout
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from pydantic import PrivateAttr

from datasets import DatasetError
from graph.app import build_graph
from graph.modes import parse_mode
from graph.services import open_services
from graph.settings import Settings, read_settings
from recallyst.document import Document, document_from
from recallyst.errors import UserError
from recallyst.history import forget_history
from recallyst.notebook import turn_bundle

Progress = Callable[[Mapping[str, Any]], None]
QUEUE_SECONDS = 30.0


class Recallyst:
    """An analyst that remembers, on this machine and for the principal of its settings.

    Sessions and open gates are kept in SQLite under the settings' home and survive the process. Use it as a context
    manager, or call `close`.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        home: Path | str | None = None,
        user: str | None = None,
        org: str | None = None,
        model: BaseChatModel | None = None,
    ) -> None:
        """Open the stores; what is not given here is read from the environment.

        :param model: any LangChain chat model; it takes the place of the one that the settings name.

        :raises SettingsError: for a setting that cannot be used.
        """
        named = {"home": Path(home) if home is not None else None, "user": user, "org": org}
        given = {k: v for k, v in named.items() if v is not None}
        self.settings = replace(settings or read_settings(), **given)  # type: ignore[arg-type]
        self.services = open_services(self.settings, model=model)
        self._owner = f"{self.services.principal.org_id}\x1f{self.services.principal.owner_sub}"
        self._connection = sqlite3.connect(
            self.settings.home / "sessions.sqlite", check_same_thread=False, timeout=QUEUE_SECONDS
        )
        self._connection.execute("PRAGMA secure_delete = ON")
        self._saver = SqliteSaver(self._connection)
        self.graph = build_graph(self.services, checkpointer=self._saver)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the stores; safe to call twice."""
        self._connection.close()
        self.services.close()

    def ask(
        self,
        data: Any,
        question: str,
        *,
        mode: str | None = None,
        session: str | None = None,
        name: str | None = None,
        progress: Progress | None = None,
    ) -> "Turn":
        """Ask a question about a path, a catalogue key or a data frame.

        :param mode: fresh, extend, revalidate, re-run or auto; without it the gate may stay open in the result.
        :param session: continue that session; without it a new one begins.
        :param name: the dataset key of a data frame; without it `frame.attrs["name"]`, or else a key made from its
            column names, so that tomorrow's frame of the same shape is the same dataset.
        :raises UserError: when the question, the mode, the session or the data is at fault; nothing is half-written.
        """
        if not question.strip():
            raise UserError("The question is empty; say in your own words what you want to know.")
        if mode is not None and mode != "auto" and parse_mode(mode) is None:
            raise UserError(f"{mode!r} is not a mode; choose fresh, extend, revalidate, re-run or auto.")
        question = question.encode("utf-8", "replace").decode()  # what is no valid text cannot be kept
        dataset = str(data) if isinstance(data, str | Path) else self._frame(data, name)
        session_id = session or uuid.uuid4().hex
        self._expect(session)
        self.services.warm_up(question)
        with self._turn(session_id):
            # What cannot be opened is refused before the session learns of it.
            self.services.catalogue.open(dataset, now=self.services.clock()).close()
            if session is not None:
                with suppress(DatasetError):  # data of a turn that was cut off may be gone; that does not bar others
                    self._finish(session_id, progress)
            return self._run({"question": question, "dataset": dataset, "mode": mode}, session_id, progress)

    def resume(self, session: str, *, mode: str | None = None, progress: Progress | None = None) -> "Turn":
        """Answer an open gate, or finish a turn that was cut off.

        `mode` "revalidate 2" tests the second of the choices, where the question fits two findings. On a finished
        session a mode asks again in that mode, except where the gate was answered: a second answer does
        nothing.

        :raises UserError: for an unknown session, a missing or unknown mode; the session stays as it was.
        """
        if not self._known(session):
            raise UserError(f"There is no session {session!r} here; `recallyst ask` begins one.")
        chosen = parse_mode(mode) if mode is not None else None
        if mode is not None and chosen is None:
            raise UserError(f"{mode!r} is not a mode; choose fresh, extend, revalidate or re-run.")
        with self._turn(session):
            turn = self._finish(session, progress)
            if turn.status == "waiting":
                answer = {"mode": chosen, "finding": mode}
                return self._run(Command(resume=answer), session, progress) if chosen else turn
            if chosen and not turn._resumed and turn.mode_source != "gate":
                question = {"question": turn.question, "mode": chosen}
                return self._run(question, session, progress)
            return turn

    def session(self, session: str) -> "Turn":
        """Return the last turn of a session as it stands.

        :raises UserError: when there is no such session.
        """
        if not self._known(session):
            raise UserError(f"There is no session {session!r} here.")
        return self._turn_of(session)

    def sessions(self) -> list["SessionInfo"]:
        """The principal's own sessions, the last used first."""
        known = []
        for session in self._sessions():
            state = self.graph.get_state(self._config(session))
            status = "waiting" if state.interrupts else "cut off" if state.next else "done"
            used, values = state.created_at or "", state.values
            known.append(SessionInfo(session, used, status, values.get("data_source", ""), values.get("question", "")))
        return sorted(known, key=lambda s: s.last_used, reverse=True)

    def forget(self, *, memory_id: str | None = None, dataset: str | None = None, everything: bool = False) -> int:
        """Forget one unit, all of a dataset, or all that is the principal's: memory, artifacts and sessions.

        Sessions that hold the unit, or are about the dataset, go with it, and so do parsed copies of data that no
        other session is about. Returns how many units were forgotten.

        :raises memory.MemoryError: when it is not said what to forget, or there is no such unit; nothing is changed.
        """
        memory, principal = self.services.memory, self.services.principal
        count = memory.forget(principal, memory_id=memory_id, dataset=dataset, everything=everything)
        copies: set[str] = set()
        for session in self._sessions():
            values = self.graph.get_state(self._config(session)).values
            about = dataset is not None and dataset in {values.get("data_source"), values.get("dataset")}
            holds = memory_id is not None and memory_id in json.dumps(values, default=str)
            if everything or about or holds:
                copies |= self._copies_of(self._config(session))
                self._saver.delete_thread(session)
                forget_history(self.settings.home, str(values.get("dataset") or ""))
        if everything:
            forget_history(self.settings.home)
        self._connection.commit()
        if copies:
            self.services.catalogue.drop_copies(copies - self._copies_of(None))
        self._connection.execute("VACUUM")
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def check(self, dataset: str, *, session: str | None = None) -> None:
        """Say what is wrong with a dataset or a session before a talk about it begins.

        :raises UserError: when there is no such session.
        :raises DatasetError: when there is no such dataset, or it cannot be read.
        """
        self._expect(session)
        self.services.catalogue.open(dataset, now=self.services.clock()).close()

    def _expect(self, session: str | None) -> None:
        if session is not None and not self._known(session):
            raise UserError(f"There is no session {session!r} here; leave it out to begin a new one.")

    def _finish(self, session: str, progress: Progress | None) -> "Turn":
        """Run what a killed process left of the last turn."""
        state = self.graph.get_state(self._config(session))
        if state.next and not state.interrupts:
            return self._run(None, session, progress, resumed=True)
        return self._turn_of(session)

    def _run(self, given: Any, session: str, progress: Progress | None, *, resumed: bool = False) -> "Turn":
        for event in self.graph.stream(given, self._config(session), stream_mode="custom", durability="sync"):
            if progress and isinstance(event, dict):
                progress(event)
        return self._turn_of(session, resumed=resumed)

    def _turn_of(self, session: str, *, resumed: bool = False) -> "Turn":
        state = self.graph.get_state(self._config(session))
        waiting = state.interrupts[0].value if state.interrupts else None
        return Turn.of(document_from(state.values, waiting=waiting), self, resumed=resumed)

    def _config(self, session: str) -> RunnableConfig:
        return {"configurable": {"thread_id": session}, "metadata": {"owner": self._owner}}

    def _known(self, session: str) -> bool:
        """Whether there is such a session and it is the principal's own."""
        kept = self._saver.get_tuple(self._config(session))
        return kept is not None and kept.metadata.get("owner") == self._owner

    def _sessions(self) -> set[str]:
        """The principal's own sessions."""
        kept = self._saver.list(None, filter={"owner": self._owner})
        return {str((k.config.get("configurable") or {})["thread_id"]) for k in kept}

    def _copies_of(self, config: RunnableConfig | None) -> set[str]:
        """Content hashes of the data that a session (None: any session of this home) has ever been about."""
        prints = (kept.checkpoint["channel_values"].get("fingerprint") for kept in self._saver.list(config))
        return {str(known["content_hash"]) for known in prints if known}

    @contextmanager
    def _turn(self, session: str) -> Any:
        """Queue turns of one session behind each other, in this process and others."""
        locks = self.settings.home / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        lock = FileLock(locks / (hashlib.sha256(session.encode()).hexdigest()[:32] + ".lock"))
        try:
            lock.acquire(timeout=QUEUE_SECONDS)
        except Timeout as error:
            raise UserError(f"Session {session!r} is busy with another question; try again when it is done.") from error
        try:
            yield
        finally:
            lock.release()

    def _frame(self, frame: Any, name: str | None) -> str:
        """Keep a data frame as Parquet under its key and catalogue it; a new frame of the same key replaces it."""
        columns = getattr(frame, "columns", None)
        if columns is None:
            raise UserError(
                f"A {type(frame).__name__} was given, but a path, a catalogue key or a data frame is expected."
            )
        digest = hashlib.sha256("\x1f".join(map(str, columns)).encode()).hexdigest()[:8]
        name = name or str(getattr(frame, "attrs", {}).get("name") or "")
        key = re.sub(r"[^a-z0-9]+", "-", (name or f"frame-{digest}").lower()).strip("-") or f"frame-{digest}"
        folder = self.settings.home / "frames"
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{key}.parquet"
        fresh = target.with_name(f"{key}.{uuid.uuid4().hex}.tmp")
        with duckdb.connect() as connection:
            connection.register("frame", frame)
            connection.table("frame").write_parquet(str(fresh))
        fresh.replace(target)
        if key not in {e.key for e in self.services.catalogue.list()}:
            self.services.catalogue.add(target, key=key, description="a data frame handed in from Python")
        return key


class SessionInfo(NamedTuple):
    """A session as it is listed. `last_used` is an ISO time; `status` is done, waiting or cut off."""

    session_id: str
    last_used: str
    status: str
    dataset: str
    question: str


class Turn(Document):
    """One turn of a session: its document, and the way on where the gate is open."""

    _recallyst: Recallyst = PrivateAttr()
    _resumed: bool = PrivateAttr(default=False)

    @classmethod
    def of(cls, document: Document, recallyst: Recallyst, *, resumed: bool = False) -> Self:
        """Bind a document to the analyst that can go on with it."""
        turn = cls.model_validate(document.model_dump())
        turn._recallyst, turn._resumed = recallyst, resumed
        return turn

    @property
    def document(self) -> Document:
        """The document alone, as `--json` prints it."""
        return Document.model_validate(self.model_dump())

    def choose(self, mode: str, *, progress: Progress | None = None) -> "Turn":
        """Answer the gate and return the finished turn.

        :raises UserError: when the mode is none of the four; the gate stays open.
        """
        return self._recallyst.resume(self.session_id, mode=mode, progress=progress)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Render in a notebook: the open gate with what is known, or the answer with its findings and charts."""
        return turn_bundle(self)
