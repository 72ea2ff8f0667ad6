"""What a shell offers when Tab is pressed; errors offer nothing, since a shell cannot show them."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from datasets import Catalogue, DatasetError
from graph.settings import SettingsError, read_settings
from graph.state import MODES
from memory import MemoryError as LedgerError
from recallyst.api import Recallyst

READABLE = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".gz", ".xlsx")


def modes(incomplete: str) -> list[str]:
    """The modes, and `auto`."""
    return [m for m in (*MODES, "auto") if m.startswith(incomplete)]


def datasets(incomplete: str) -> list[str]:
    """Catalogue keys, then data files and folders."""
    found: list[str] = []
    with suppress(SettingsError, DatasetError):
        catalogue = Catalogue(read_settings().home, allow_paths=True)
        found += [e.key for e in catalogue.list() if e.key.startswith(incomplete)]
    with suppress(OSError):
        found += sorted(_files(incomplete))
    return found


def sessions(incomplete: str) -> Iterator[tuple[str, str]]:
    """One's own sessions with their questions, the last used first."""
    with suppress(SettingsError, LedgerError), Recallyst() as recallyst:
        for s in recallyst.sessions():
            if s.session_id.startswith(incomplete):
                yield s.session_id, s.question[:60]


def _files(incomplete: str) -> Iterator[str]:
    folder, start = incomplete.rpartition("/")[0], incomplete.rpartition("/")[2]
    prefix = incomplete[: len(incomplete) - len(start)]
    for entry in Path(folder or ("/" if incomplete.startswith("/") else ".")).expanduser().iterdir():
        if entry.name.startswith(start) and not (entry.name.startswith(".") and not start):
            if entry.is_dir():
                yield f"{prefix}{entry.name}/"
            elif entry.name.lower().endswith(READABLE):
                yield f"{prefix}{entry.name}"
