"""What carries a finding, inside the terminal: its chart where the terminal shows pictures, its numbers where not."""

import io
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from rich.console import RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from datasets.charts import picture
from recallyst.cli.console import Output
from recallyst.document import Finding, Json

COLUMNS, ROWS = 5, 8
CHART_WIDTH = 72


def show_evidence(finding: Finding, out: Output) -> None:
    """Show the chart of a finding, or where the terminal has no pictures a table of its first rows.

    Nothing is shown where stdout is no terminal, and no table where one row would only say the sentence again.
    """
    if not out.stdout.is_terminal:
        return
    image = _image_type() if out.can_ask and finding.chart else None
    if image is not None and finding.chart is not None:
        width = min(CHART_WIDTH, out.stdout.width - 4)
        out.say(Padding(image(io.BytesIO(picture(finding.chart)), width=width, height="auto"), (0, 0, 0, 4)))
    elif len(rows := finding.evidence["table"]) > 1:
        out.say(Padding(_table(rows), (0, 0, 0, 4)))


@cache
def _image_type() -> Any:
    """How this terminal shows pictures (Sixel or Kitty's protocol), asked once; None where it does not."""
    if os.environ.get("TERM", "dumb") == "dumb" or not os.get_terminal_size(sys.stdout.fileno()).columns:
        return None
    from textual_image import renderable

    real = (renderable.SixelImage, renderable.TGPImage)
    return renderable.Image if renderable.Image in real else None


def _table(rows: Sequence[Json]) -> RenderableType:
    shown = list(rows[0])[:COLUMNS]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in shown:
        numbers = all(isinstance(row.get(name), int | float | None) for row in rows)
        table.add_column(escape(name), justify="right" if numbers else "left", overflow="ellipsis", max_width=28)
    for row in rows[:ROWS]:
        table.add_row(*(escape(_cell(name, row.get(name))) for name in shown))
    if len(rows) > ROWS:
        table.add_row(f"[dim]… {len(rows) - ROWS} more[/]")
    return table


def _cell(name: str, value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, float) and name.startswith("share"):
        return f"{value:.1%}"
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) >= 100 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
