"""Every misbehaviour in every phase: the turn is right all the same, and says what happened."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.exceptions import ModelAPIError, ModelRateLimitError
from langchain_core.messages import AIMessage

from analyst import BuiltinAnalyst, Intent, Known
from analyst.grounding.sentences import numbers_not_in
from analyst.model.analyst import ModelAnalyst
from benchmarks.model_turns import findings_of
from conftest import NOW
from graph.settings import Settings
from prompts import Meter, ModelSettings
from recallyst import Document, Recallyst
from scripted_chat import ScriptedChat, asks, plan, query, reading, report, slowly

QUESTION = "Which region has the highest revenue, and which are the loyal visitors of each channel?"
WORDS = "which are the loyal visitors of each channel"
TOOL = AIMessage(content="", tool_calls=[{"name": "run", "args": {"sql": "DROP TABLE data"}, "id": "1"}])
CUT = AIMessage(content='{"asks": [', response_metadata={"finish_reason": "length"})
ONCE: dict[str, tuple[Any, str]] = {
    "prose": ("Sure! North is best, I think.", "not valid JSON"),
    "broken JSON": ('{"asks": [', "not valid JSON"),
    "another schema": ({"steps": 3, "mode": "merge", "sql": 7}, "does not fit the schema"),
    "empty": ("", "reply was empty"),
    "cut off": (CUT, "cut off"),
    "tool call": (TOOL, "called a tool"),
    "refusal": (AIMessage(content="", additional_kwargs={"refusal": "I cannot"}), "refused"),
    "a client that breaks": (RuntimeError("no route"), "RuntimeError: no route"),
}
"""What is tried again in the next phase. The last two are not sent back for a correction."""
LASTING: dict[str, tuple[Any, str]] = {
    "too slow": (slowly(0.5), "longer than 0.3 s"),
    "429": (ModelRateLimitError("slow down"), "HTTP 429"),
    "500": (ModelAPIError("oops"), "HTTP 5xx"),
}
"""After these the model is not asked again in the same turn."""
PHASES = {
    "understand": "to read the question",
    "plan": "to plan the battery",
    "query": "to correct a query",
    "report": "to write the answer",
    "transcript": "to pick up what should hold later",
}
GOOD: dict[str, list[Any]] = {
    "understand": [reading(QUESTION, asks("Which region has the highest revenue"),
                           asks(WORDS, kind="query", metrics=[], by=[], order=None, top=None))],
    "plan": [plan(queries=[query(f"SELECT regio{n} FROM analysis") for n in range(3)])],
    "query": [query("SELECT regio FROM analysis")] * 3,
    "report": [report(("North leads with 4,680 in total revenue.", ["f1"]))],
    "transcript": [{"notes": []}],
}  # fmt: skip


@dataclass(frozen=True)
class Played:
    """One Recallyst whose model plays a new script for each turn, and the turn without a model."""

    recallyst: Recallyst
    chat: ScriptedChat
    base: Document
    home: Path
    data: Path

    def ask(self, **script: list[Any]) -> Document:
        """Ask the question afresh; phases that the script leaves out behave well."""
        self.chat.play(GOOD | script)
        return self.recallyst.ask(self.data / "orders.csv", QUESTION, mode="fresh")

    def prints(self) -> dict[str, str]:
        """Checksums of the data, its parsed copies and the working folder: what no turn may touch."""
        roots = (self.data, self.home / "cache", Path.cwd())
        files = [p for root in roots for p in sorted(root.rglob("*")) if p.is_file()]
        return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """120 orders in four regions, of which North sells most; asked once without a model."""
    folder = tmp_path_factory.mktemp("misbehaving")
    data, work = folder / "data", folder / "work"
    data.mkdir()
    work.mkdir()
    per_region = {"North": 52, "South": 30, "East": 24, "West": 14}
    rows = []
    for n in range(120):
        region = ("North", "South", "East", "West")[n % 4]
        day = f"2025-{1 + n % 12:02d}-{1 + n % 28:02d}"
        rows.append(f"{n},{day},{region},{'Web' if n % 3 else 'Store'},{3 * per_region[region]}")
    text = "order_no,sold_on,region,channel,revenue\n" + "\n".join(rows) + "\n"
    (data / "orders.csv").write_text(text, encoding="utf-8")
    settings = Settings(home=folder / "home", user="ana", org="acme", now=NOW)
    chat = ScriptedChat(script=GOOD)
    limits = ModelSettings(timeout_s=0.3, retries=0)
    patch = pytest.MonkeyPatch()
    patch.chdir(work)
    with Recallyst(replace(settings, home=folder / "plain")) as plain:
        base = plain.ask(data / "orders.csv", QUESTION)
    with Recallyst(replace(settings, model=limits), model=chat) as recallyst:
        it = Played(recallyst, chat, base, settings.home, data)
        it.ask()  # makes the parsed copy
        yield it
    patch.undo()


def times(name: str) -> list[Any]:
    """The replies of a phase that misbehaves so: the first, and the one that was to mend it."""
    reply = (ONCE | LASTING)[name][0]
    return [reply] if name in {"refusal", "a client that breaks", *LASTING} else [reply, reply]


def held(played: Played, turn: Document, went_wrong: list[tuple[str, str]]) -> None:
    """The turn is as right as without a model, and each trouble is told with its phase."""
    assert turn.status == "done"
    assert [f.statement for f in turn.findings] == [f.statement for f in played.base.findings]
    assert [f.label for f in turn.findings] == [f.label for f in played.base.findings]
    assert "North" in turn.answer
    assert "4,680" in turn.answer
    assert numbers_not_in(turn.answer, findings_of(turn)) == []
    for phase, name in went_wrong:
        said = (ONCE | LASTING)[name][1]
        told = [w for w in turn.warnings if PHASES[phase] in w and said in w and "built-in analyst" in w]
        assert len(told) == 1, (phase, name, turn.warnings)


@pytest.mark.parametrize("first", range(len(ONCE)))
def test_what_goes_wrong_once_costs_that_phase_alone(played: Played, first: int) -> None:
    before, names = played.prints(), list(ONCE)
    phases = [p for p in PHASES if p != "query"]  # a plan that is no plan has no query to correct
    went_wrong = {phase: names[(first + n) % len(names)] for n, phase in enumerate(phases)}
    turn = played.ask(**{phase: times(name) for phase, name in went_wrong.items()})
    held(played, turn, list(went_wrong.items()))
    assert set(turn.usage["model"]["phases"]) == set(phases)
    assert played.prints() == before


@pytest.mark.parametrize("phase", PHASES)
def test_what_lasts_closes_the_model_for_the_rest_of_the_turn(played: Played, phase: str) -> None:
    before, order = played.prints(), list(PHASES)
    for name in LASTING:
        turn = played.ask(**{phase: times(name)})
        held(played, turn, [(phase, name)])
        assert sum("answers the rest of this turn" in w for w in turn.warnings) == 1
        assert set(turn.usage["model"]["phases"]) == set(order[: order.index(phase) + 1])
    assert played.prints() == before


@pytest.mark.parametrize(
    "names",
    [
        ("prose", "empty", "cut off"),
        ("broken JSON", "tool call", "refusal"),
        ("another schema", "a client that breaks"),
    ],
)
def test_a_correction_that_goes_wrong_leaves_its_query_out(played: Played, names: tuple[str, ...]) -> None:
    before = played.prints()
    turn = played.ask(query=[reply for name in names for reply in times(name)] + GOOD["query"])
    held(played, turn, [("query", name) for name in names])
    assert sum("Referenced column" in s["reason"] for s in turn.skipped) == 3
    assert played.prints() == before


@pytest.mark.parametrize("name", ONCE | LASTING)
def test_a_mode_is_suggested_without_the_model_as_well(name: str) -> None:
    reply, said = (ONCE | LASTING)[name]
    known = [Known(memory_id="m", memory_type="finding", summary="North leads.", claim=None)]
    about: dict[str, Any] = {"data_changed": True, "days_since_last": 3.0}
    meter, builtin = Meter(ModelSettings(timeout_s=0.3, retries=0)), BuiltinAnalyst()
    analyst = ModelAnalyst(ScriptedChat(script={"mode": [reply]}, repeat=True), builtin, meter)
    suggested = analyst.suggest_mode("Does North still lead?", Intent(question="x"), known, **about)
    assert suggested == builtin.suggest_mode("Does North still lead?", Intent(question="x"), known, **about)
    assert len(meter.warnings) == 1
    assert "to suggest a mode" in meter.warnings[0]
    assert said in meter.warnings[0]
