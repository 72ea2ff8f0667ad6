"""The HTML report: one file that opens offline, with interactive charts and the SQL behind every number."""

import os
import tempfile
from functools import cache
from pathlib import Path

import vl_convert

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
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".partial")
        with os.fdopen(handle, "w", encoding="utf-8") as partial:
            partial.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except OSError as error:
        raise UserError(
            f"the report cannot be written to {str(target)!r} ({error.strerror}); name a file in a folder of yours."
        ) from error
    return target


@cache
def chart_library() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script (BSD-3-Clause)."""
    return str(vl_convert.javascript_bundle(None))  # type: ignore[arg-type]  # no snippet: the whole bundle


def _inline(script: str) -> str:
    """Make a script safe inside a script element."""
    return script.replace("</script", "<\\/script")
