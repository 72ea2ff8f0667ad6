"""The HTML report: one file that opens offline, with interactive charts and the SQL behind every number."""

import os
import tempfile
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

import vl_convert

from graph.settings import SettingsError, read_settings
from recallyst.document import Document
from recallyst.errors import UserError
from recallyst.rendering import environment

FINDINGS_ABOVE_THE_FOLD = 7


def render_report(document: Document) -> str:
    """Return the report as one HTML document; every text from data is escaped, no address is asked for anything."""
    template = environment().get_template("report.html.j2")
    return template.render(d=document, bundle=_inline(chart_library()), fold=FINDINGS_ABOVE_THE_FOLD)


def write_report(document: Document, target: Path) -> Path:
    """Write the report and return its absolute path; a half-written file never stays under the target's name.

    :raises UserError: when the file cannot be written.
    """
    target = target.expanduser().absolute()
    text = render_report(document)
    try:
        _put(text, target)
    except OSError as error:
        raise UserError(
            f"the report cannot be written to {str(target)!r} ({error.strerror}); name a file in a folder of yours."
        ) from error
    return target


@cache
def chart_library() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script (BSD-3-Clause).

    Making it takes more than a second and gives the same each time, so it is kept in the home, by its version.
    """
    kept = _kept_library()
    if kept is not None:
        with suppress(OSError, UnicodeDecodeError):
            return kept.read_text(encoding="utf-8")
    made = str(vl_convert.javascript_bundle(None))  # type: ignore[arg-type]  # no snippet: the whole bundle
    if kept is not None:
        with suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            _put(made, kept)
    return made


def _kept_library() -> Path | None:
    """Where the script is kept; None where the settings name no home that can be used."""
    try:
        home = read_settings().home
    except SettingsError:
        return None
    return home / "charts" / f"vega-{metadata.version('vl-convert-python')}.js"


def _put(text: str, target: Path) -> None:
    """Write a file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".partial")
    with os.fdopen(handle, "w", encoding="utf-8") as partial:
        partial.write(text)
    Path(name).chmod(0o644)
    Path(name).replace(target)


def _inline(script: str) -> str:
    """Make a script safe inside a script element."""
    return script.replace("</script", "<\\/script")
