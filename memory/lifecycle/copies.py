"""Exports that lie under the home: forgetting has to reach them too."""

import codecs
import gzip
import json
import logging
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from memory.units import Principal

Doomed = Callable[[Mapping[str, Any]], bool]
"""Says of an exported unit whether it is to go."""

_LARGEST_BYTES = 200_000_000
_DRAFT = ".forgetting"
_GZIP = b"\x1f\x8b"
_BYTE_ORDER = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
"""What a shell that redirects an export may write before it."""
_log = logging.getLogger(__name__)


class _Export(NamedTuple):
    document: dict[str, Any]
    encoding: str
    packed: bool


def forget_in_copies(home: Path, principal: Principal, doomed: Doomed, sessions: Collection[str]) -> None:
    """Take doomed units of the principal out of every export under `home`; a file left without units is removed.

    Units that stay, since others share them, lose the principal's `sessions`. Files are known by their content, JSON
    of the form that `export` writes, packed or not, whatever their name; other files are not touched.
    """
    for path in [path for path in home.rglob("*") if path.is_file()]:
        if path.name.endswith(_DRAFT):  # of a process that was killed while it wrote
            path.unlink()
            continue
        export = _export_in(path)
        if export is not None and _strip(export.document, principal, doomed, frozenset(sessions)):
            if export.document["units"] or export.document.get("history"):
                _write(path, export)
            else:
                path.unlink()


def _export_in(path: Path) -> _Export | None:
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            start = file.read(16)
            encoding = next((name for mark, name in _BYTE_ORDER.items() if start.startswith(mark)), "utf-8")
            if encoding == "utf-8" and not start.lstrip().startswith(b"{"):
                return None
            content = start + file.read(_LARGEST_BYTES - len(start) + 1)
        if len(content) > _LARGEST_BYTES:  # unpacked: a small file can hold very much
            return None
        text = content.decode(encoding)
        document = json.loads(text) if '"exported_at"' in text else None
    except (OSError, EOFError, ValueError) as error:
        if ".json" in path.name:
            _log.warning("%s could not be read while forgetting: %s", path, error)
        return None
    if not isinstance(document, dict) or not isinstance(document.get("units"), list):
        return None
    return _Export(document, encoding, packed)


def _write(path: Path, export: _Export) -> None:
    content = json.dumps(export.document, indent=2, ensure_ascii=False).encode(export.encoding)
    draft = path.with_name(path.name + _DRAFT)
    draft.write_bytes(gzip.compress(content) if export.packed else content)
    draft.replace(path)


def _strip(document: dict[str, Any], principal: Principal, doomed: Doomed, sessions: frozenset[str]) -> bool:
    """Whether anything went."""
    gone: list[Mapping[str, Any]] = []
    changed = False
    for part in ("units", "history"):
        entries = document.get(part) or []
        mine = [e for e in entries if e.get("org_id") == principal.org_id and e.get("owner_sub") == principal.owner_sub]
        going = [entry for entry in mine if doomed(entry)]
        gone += going
        document[part] = [entry for entry in entries if entry not in going]
        for entry in document[part]:
            seen = entry.get("sessions") or []
            if entry.get("org_id") == principal.org_id and not sessions.isdisjoint(seen):
                entry["sessions"] = [session for session in seen if session not in sessions]
                entry["provenance"] = without_trace(entry.get("provenance") or {}, principal, sessions)
                changed = True
    linked = {entry.get("artifact_id") for entry in gone}
    kept = [entry for entry in document.get("artifacts") or [] if entry.get("artifact_id") not in linked]
    document["artifacts"] = kept
    return bool(gone) or changed


def without_trace(provenance: Mapping[str, Any], principal: Principal, sessions: Collection[str]) -> dict[str, Any]:
    """The provenance of a unit that stays without what names the principal or one of these sessions."""
    left = dict(provenance)
    if (left.get("confirmed") or {}).get("session_id") in sessions:
        del left["confirmed"]
    if left.get("corrected_by") == principal.owner_sub:
        del left["corrected_by"]
    return left
