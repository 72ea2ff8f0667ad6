"""The notebook guide runs from top to bottom, and what it shows is HTML in which nothing from data is markup."""

import base64
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pandas as pd
from nbclient import NotebookClient

from datasets.samples import sample_path
from recallyst import Recallyst

GUIDE = Path(__file__).parents[1] / "docs" / "notebook.md"


def _cells() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_guide_runs_as_one_notebook(tmp_path: Path) -> None:
    """A kernel of Jupyter runs it, cell by cell, as a reader would."""
    shutil.copy(sample_path("shop_orders"), tmp_path / "orders.csv")
    cells = [nbformat.v4.new_code_cell(cell) for cell in _cells()]  # type: ignore[no-untyped-call]
    guide = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    NotebookClient(guide, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in guide.cells for output in cell.outputs]
    bundles = [o.data for o in outputs if "text/markdown" in o.get("data", {})]
    assert len(bundles) == 3
    for bundle in bundles:
        assert {"text/html", "text/markdown", "text/plain"} == set(bundle)
        assert "data:image/svg+xml;base64," in bundle["text/html"]
        assert "<table>" in bundle["text/html"]
    told = "".join(o.text for o in outputs if o.output_type == "stream")
    assert "revalidate" in told
    assert "SELECT" in told


def test_an_open_gate_shows_what_is_known_and_what_each_mode_costs(asker: Callable[..., Recallyst]) -> None:
    ana = asker()
    ana.ask(sample_path("shop_orders"), "Why did revenue change in Q3, and where?")
    waiting = ana.ask(sample_path("shop_orders"), "Does the revenue trend still hold?")
    bundle = waiting._repr_mimebundle_()
    assert waiting.status == "waiting"
    for mode in ("fresh", "extend", "revalidate", "re-run"):
        assert f"<code>{mode}</code>" in bundle["text/html"]
    assert "(suggested)" in bundle["text/html"]
    assert ".choose(" in bundle["text/markdown"]


def test_markup_in_a_frame_is_only_text_in_the_notebook(asker: Callable[..., Recallyst]) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    frame = pd.DataFrame({"kind": [hostile, "b", "c"] * 60, "amount": [1, 20, 3] * 60})
    frame.attrs["name"] = "hostile"
    turn = asker().ask(frame, "Which kind has the highest amount?")
    assert turn.dataset.key == "hostile"
    html = turn._repr_mimebundle_()["text/html"]
    assert "<img src=x" not in html
    assert "&lt;img src=x" in html
    for picture in re.findall(r"base64,([^\"]+)", html):
        assert "<img" not in base64.b64decode(picture).decode()
