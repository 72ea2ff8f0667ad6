"""The notebook guide runs from top to bottom, and what it shows is HTML in which nothing from data is markup."""

import ast
import base64
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from datasets.samples import sample_path
from recallyst import Recallyst

GUIDE = Path(__file__).parents[1] / "docs" / "notebook.md"


def _cells() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def _run(cell: str, scope: dict[str, Any]) -> Any:
    """Run a cell as a notebook does: the value of its last line, where that is an expression, is what it shows."""
    body = ast.parse(cell).body
    last = body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module(body, []), "cell", "exec"), scope)
        return None
    exec(compile(ast.Module(body[:-1], []), "cell", "exec"), scope)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), scope)


def test_the_guide_runs_as_one_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(sample_path("shop_orders"), tmp_path / "orders.csv")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "__notebook__"}
    shown = [_run(cell, scope) for cell in _cells()]
    bundles = [s._repr_mimebundle_() for s in shown if hasattr(s, "_repr_mimebundle_")]
    assert len(bundles) == 3
    for bundle in bundles:
        assert {"text/html", "text/markdown", "text/plain"} == set(bundle)
        assert "data:image/svg+xml;base64," in bundle["text/html"]
        assert "<table>" in bundle["text/html"]
    told = capsys.readouterr().out
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
