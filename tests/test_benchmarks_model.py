"""The benchmarks' `--model` goes through ChatOpenAI and the product's own pass."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from scripted_server import GOOD, Server

ROOT = Path(__file__).parents[1]
RULE = "Our fiscal calendar starts in April, so quarters shift by one."


def predicted(name: str, item: dict[str, Any], server: Server, folder: Path) -> tuple[dict[str, Any], str]:
    """Run a benchmark with `--model` on one item; returns its line and what it told of the model."""
    data, out = folder / "data.jsonl", folder / "out.jsonl"
    data.write_text(json.dumps(item) + "\n", encoding="utf-8")
    command = [sys.executable, str(ROOT / "benchmarks" / name), "--data", str(data), "--out", str(out)]
    model = {"RECALLYST_MODEL": "m", "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
    env = {**os.environ, **model, "RECALLYST_HOME": str(folder / "home")}
    ran = subprocess.run([*command, "--model", "--no-embedder"], env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    line: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return line, ran.stderr


def test_transcripts_are_read_by_the_model(tmp_path: Path) -> None:
    note = {
        "memory_type": "domain_pattern", "subject": "calendar", "value": "April", "statement": RULE, "directive": None,
        "scope": "all", "polarity": "do", "quote": RULE, "turn": 0,
    }  # fmt: skip
    server = Server(json.dumps({"notes": [note]}), repeat=True)
    talk = {"id": "t1", "dataset_columns": ["day"], "turns": [{"role": "user", "content": f"{RULE} Revenue by day?"}]}
    line, told = predicted("transcripts.py", talk, server, tmp_path)
    server.shutdown()
    server.server_close()
    assert any(RULE in m["quote"] or m["quote"] in RULE for m in line["memories"])
    assert "'calls': 1" in told
    assert len(server.requests) == 1


def test_modes_are_suggested_with_the_model(tmp_path: Path) -> None:
    server = Server(GOOD, repeat=True)
    item = {"id": "m1", "utterance": "And which channel drives it?", "context": {"prior_findings": ["West falls."]}}
    line, told = predicted("modes.py", item, server, tmp_path)
    server.shutdown()
    server.server_close()
    assert line["pred"] == "extend"
    assert "'calls': 1" in told
