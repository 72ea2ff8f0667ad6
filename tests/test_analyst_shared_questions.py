"""Closed questions of a public benchmark, where its files are at hand: the measured intents must not get worse."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from analyst.questions.understanding import understand
from conftest import SHARED
from datasets import Catalogue
from datasets.schema import SchemaCard

QUESTIONS = SHARED / "dabench" / "questions.jsonl"
pytestmark = pytest.mark.skipif(not QUESTIONS.exists(), reason="the shared questions are not here")

EASY: dict[int, set[str]] = {
    0: {"value mean(Fare)"},
    24: {"value mean(age)"},
    25: {"distribution mean(bmi)"},
    26: {"relation mean(charges) mean(children)"},
    55: {"value mean(No. of cases)"},
    56: {"extreme max(No. of deaths)"},
    57: {"relation mean(No. of cases) mean(No. of deaths)"},
    58: {"quality No. of cases_min", "quality No. of deaths_max"},
    59: {"extreme mean(No. of cases)"},
    71: {"value mean(Volume) std(Volume)"},
    72: {"distribution mean(Close)"},
    73: {"relation mean(High) mean(Low)"},
    114: {"extreme max(Happiness Score)"},
    139: {"distribution mean(per_dem)"},
    234: {"value mean(budget_year_end - budget_year_start [days])"},
    268: {"distribution mean(MEANPOT)"},
    409: {"quality Cabin"},
    425: {"quality max_sust_wind"},
    427: {"quality min_p"},
    710: {"value mean(JAMES LOGAN)"},
    715: {"quality Unnamed: 8"},
    729: {"distribution mean(gdppercap)"},
}


def test_easy_questions_are_read_right(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path, allow_paths=True)
    cards: dict[str, SchemaCard] = {}
    wrong = []
    for question in _questions():
        if question["id"] not in EASY:
            continue
        table = question["file_name"]
        if table not in cards:
            path = SHARED / "dabench" / "tables" / table
            cards[table] = catalogue.open(str(path), now=datetime(2026, 3, 2, tzinfo=UTC)).card
        intent = understand(f"{question['question']}\n{question['constraints']}", cards[table])
        said = {
            " ".join([a.kind, *(m.key for m in a.metrics), *(a.columns if a.kind == "quality" else ())])
            for a in intent.asks
        }
        if not EASY[question["id"]] <= said or intent.unclear:
            wrong.append((question["id"], said, intent.unclear))
    assert wrong == []


def _questions() -> Iterator[dict[str, Any]]:
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)
