"""Questions typed at a terminal, kept for the arrow keys: one file a dataset, forgotten with it."""

import hashlib
import shutil
from pathlib import Path


def history_file(home: Path, dataset: str) -> Path:
    """Return where the questions of talks about a dataset are kept."""
    return home / "history" / hashlib.sha256(dataset.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def forget_history(home: Path, dataset: str | None = None) -> None:
    """Remove what was typed about a dataset, or all of it."""
    if dataset is None:
        shutil.rmtree(home / "history", ignore_errors=True)
    else:
        history_file(home, dataset).unlink(missing_ok=True)
