"""Sentences as models write them, true ones and false ones, over real findings of the sample dataset."""

from pathlib import Path

import pytest

from analyst.grounding.sentences import ungrounded
from benchmarks.model_turns import findings_of
from conftest import NOW
from graph.settings import Settings
from recallyst import Recallyst

QUESTIONS = {"why": "Why did revenue change in Q3, and where?", "which": "Which region has the highest revenue?"}
FILE = Path(__file__).parent / "data" / "sentences_on_shop_orders.txt"
LINES = [line.split(" | ") for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
Judged = dict[str, list[tuple[str, str | None]]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Every sentence with why it cannot stand, by whether it is true."""
    settings = Settings(home=tmp_path_factory.mktemp("home"), user="ana", org="acme", now=NOW)
    verdicts: Judged = {"true": [], "false": []}
    with Recallyst(settings) as recallyst:
        found = {name: findings_of(recallyst.ask("shop_orders", q, mode="fresh")) for name, q in QUESTIONS.items()}
        with recallyst.services.catalogue.open("shop_orders", now=NOW) as dataset:
            card = dataset.card
    for name, kind, begins, sentence in LINES:
        cited = [
            next((f for f in found[name] if f.candidate.statement.startswith(begin)), None)
            for begin in begins.split(" & ")
        ]
        if None not in cited:
            verdicts[kind].append((sentence, ungrounded(sentence, [f for f in cited if f is not None], card)))
    return verdicts


def test_nearly_all_false_sentences_fall(judged: Judged) -> None:
    passed = [sentence for sentence, why in judged["false"] if why is None]
    assert len(judged["false"]) >= 80
    assert len(passed) <= 0.03 * len(judged["false"]), passed


def test_nearly_all_true_sentences_stand(judged: Judged) -> None:
    dropped = [(sentence, why) for sentence, why in judged["true"] if why is not None]
    assert len(judged["true"]) >= 45
    assert len(dropped) <= 0.04 * len(judged["true"]), dropped
