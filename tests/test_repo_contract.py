"""What must hold of the repository as a whole."""

import importlib
import json
import re
import subprocess
import types
from pathlib import Path

import pytest

import datasets
import memory

ROOT = Path(__file__).parents[1]
FACES = ["analyst", "datasets", "datasets.battery", "datasets.quality", "memory", "prompts", "recallyst", "web"]


def test_the_root_packages_are_ours() -> None:
    for package in (datasets, memory):
        assert Path(str(package.__file__)).parents[1] == ROOT


@pytest.mark.parametrize("name", FACES)
def test_a_face_exports_what_it_declares_and_little(name: str) -> None:
    face = importlib.import_module(name)
    public = {n for n in dir(face) if not n.startswith("_") and not isinstance(getattr(face, n), types.ModuleType)}
    assert public == set(face.__all__)
    assert len(face.__all__) <= 8


@pytest.mark.parametrize("name", ["graph", "nodes"])
def test_packages_that_would_close_a_circle_stay_empty(name: str) -> None:
    assert (ROOT / name / "__init__.py").read_text() == ""


def test_one_node_a_file_of_its_name() -> None:
    for phase in ("understand", "recall", "gate", "plan", "battery", "report", "consolidate", "transcript"):
        module = importlib.import_module(f"nodes.{phase}")
        assert callable(getattr(module, phase))


def test_the_served_graph_is_the_one_in_the_repository() -> None:
    served = json.loads((ROOT / "langgraph.json").read_text())
    path, name = served["graphs"]["recallyst"].split(":")
    assert (ROOT / path).is_file()
    assert hasattr(importlib.import_module("graph.app"), name)


def test_versions_are_pinned_by_name_alone() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert len(lines) > 50
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)


def test_every_decision_has_a_number_of_its_own() -> None:
    numbers = [f.name[:3] for f in (ROOT / "docs" / "decisions").glob("*.md")]
    assert len(numbers) == len(set(numbers)) >= 10


def test_no_state_of_a_run_is_kept() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    if not tracked:
        pytest.skip("not a git checkout")
    assert not [f for f in tracked if f.endswith((".db", ".sqlite", ".duckdb")) and not f.startswith("tests/data/")]
