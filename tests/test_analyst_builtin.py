"""Both analysts from question to answer, on a dataset with one planted imbalance: the same contract holds for each."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from analyst import Analyst, BuiltinAnalyst
from analyst.model.analyst import ModelAnalyst
from analyst.protocol import Label, LabelledFinding, Plan, Report
from datasets import Catalogue, Dataset
from datasets.battery import adjust, label_of, run_step
from prompts import Meter, ModelSettings
from scripted_chat import ScriptedChat, reading
from scripted_chat import plan as plan_reply
from scripted_chat import report as report_reply

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONFIDENCE: dict[Label, float] = {"confirmatory": 0.9, "exploratory": 0.7, "exploratory_divergent": 0.5}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """600 tickets; team west takes twice as long, and most tickets are about hardware."""
    rng = np.random.default_rng(11)
    rows = []
    for i in range(600):
        team = ["north", "south", "west"][i % 3]
        category = "hardware" if rng.random() < 0.7 else ["network", "software"][i % 2]
        opened = date(2024, 1, 1) + timedelta(days=i * 0.6)
        hours = rng.normal(20 if team == "west" else 10, 2)
        rows.append(f"T{i:04d},{opened},{team},{category},{hours:.2f}")
    path = tmp_path / "tickets.csv"
    path.write_text("ticket,opened,team,category,hours\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return Catalogue(tmp_path / "home", allow_paths=True).open(str(path), now=NOW)


AGREEABLE = {
    "understand": [reading("as asked", open=True)],
    "plan": [plan_reply()],
    "report": [report_reply(("There is something to see.", ["f1"]))],
}
USELESS = {phase: ["I would rather talk about the weather."] for phase in AGREEABLE}


@pytest.fixture(params=["built-in", "agreeable model", "useless model"])
def analyst(request: pytest.FixtureRequest) -> Analyst:
    """The built-in analyst, and the model analyst with a model that agrees or talks nonsense."""
    if request.param == "built-in":
        return BuiltinAnalyst()
    script = AGREEABLE if request.param == "agreeable model" else USELESS
    return ModelAnalyst(ScriptedChat(script=script, repeat=True), BuiltinAnalyst(), Meter(ModelSettings()))


def answered(analyst: Analyst, dataset: Dataset, question: str) -> tuple[Plan, list[LabelledFinding], Report]:
    """Run a question through the phases of the analyst."""
    intent = analyst.understand(question, dataset.card)
    plan = analyst.plan(intent, dataset.card)
    view = dataset.view()
    results = [run_step(s, view) for s in plan.steps]
    steps = {s.signature: s for s in plan.steps}
    q_values = adjust(results, {s.signature for s in plan.steps if s.stated})
    findings = []
    for result in results:
        step = steps[result.signature]
        for index, candidate in enumerate(result.candidates):
            q = q_values.get((result.signature, index))
            label = label_of(candidate, stated=step.stated, q_value=q, contradicts=False)
            if label:
                confidence = CONFIDENCE[label]
                findings.append(
                    LabelledFinding(step=step, candidate=candidate, label=label, confidence=confidence, q_value=q)
                )
    return plan, findings, analyst.report(intent, dataset.card, findings, results, context={})


def test_a_direct_question_is_answered_in_its_first_sentence(analyst: Analyst, dataset: Dataset) -> None:
    with dataset:
        _, _, report = answered(analyst, dataset, "What is the average hours by team?")
    first = report.answer.split(". ")[0]
    assert "west" in first
    assert "20" in first


def test_an_open_question_finds_what_is_planted(analyst: Analyst, dataset: Dataset) -> None:
    with dataset:
        question = "Analyze the distribution of tickets across categories and how hours differ between teams"
        plan, findings, report = answered(analyst, dataset, question)
    said = " ".join(findings[i].candidate.statement for i in report.findings)
    assert len(plan.steps) <= 24
    assert "hardware is by far the most common category" in said
    assert "west has" in said
    assert len(report.findings) <= 15
    assert len(set(report.findings)) == len(report.findings)


def test_the_answer_holds_only_sentences_of_the_findings(analyst: Analyst, dataset: Dataset) -> None:
    with dataset:
        _, findings, report = answered(analyst, dataset, "Explore the tickets")
    statements = {" ".join(f.candidate.statement.split()).rstrip(".") for f in findings}
    for line in filter(None, report.answer.splitlines()):
        assert line.removeprefix("- ").rstrip(".") in statements


def test_the_same_question_gives_the_same_plan(analyst: Analyst, dataset: Dataset) -> None:
    with dataset:
        plans = [answered(analyst, dataset, "Explore hours by team")[0] for _ in range(2)]
    assert plans[0] == plans[1]
