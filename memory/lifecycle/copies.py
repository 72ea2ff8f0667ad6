"""Exports that lie under the home: forgetting has to reach them too."""

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memory.units import Principal

Doomed = Callable[[Mapping[str, Any]], bool]
"""Says of an exported unit whether it is to go."""

_LARGEST_BYTES = 200_000_000
_log = logging.getLogger(__name__)


def forget_in_copies(home: Path, principal: Principal, doomed: Doomed) -> None:
    """Take doomed units of the principal out of every export under `home`; a file left without units is removed.

    Only JSON files of the form that `export` writes are looked at, whatever their name; other files are not touched.
    """
    for path in home.rglob("*.json*"):
        document = _export_in(path)
        if document is not None and _strip(document, principal, doomed):
            if document["units"] or document.get("history"):
                draft = path.with_name(path.name + ".partial")
                draft.write_text(json.dumps(document, indent=2, ensure_ascii=False), encoding="utf-8")
                draft.replace(path)
            else:
                path.unlink()


def _export_in(path: Path) -> dict[str, Any] | None:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            return None
        with path.open(encoding="utf-8") as file:
            if '"exported_at"' not in file.read(4096):
                return None
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        _log.warning("%s could not be read while forgetting: %s", path, error)
        return None
    if not isinstance(document, dict) or not isinstance(document.get("units"), list):
        return None
    return document


def _strip(document: dict[str, Any], principal: Principal, doomed: Doomed) -> bool:
    """Whether anything went."""
    gone: list[Mapping[str, Any]] = []
    for part in ("units", "history"):
        entries = document.get(part) or []
        mine = [e for e in entries if e.get("org_id") == principal.org_id and e.get("owner_sub") == principal.owner_sub]
        going = [entry for entry in mine if doomed(entry)]
        gone += going
        document[part] = [entry for entry in entries if entry not in going]
    linked = {entry.get("artifact_id") for entry in gone}
    kept = [entry for entry in document.get("artifacts") or [] if entry.get("artifact_id") not in linked]
    document["artifacts"] = kept
    return bool(gone)
