"""Whole turns with a scripted model: what it says well is used, what it says badly makes nothing worse."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.exceptions import ModelAPIError
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from graph.settings import Settings
from prompts import ModelSettings
from recallyst import Document, Recallyst
from scripted_chat import ScriptedChat, asks, plan, query, reading, report

QUESTION = "Which region has the highest revenue?"
GOOD: dict[str, list[Any]] = {
    "understand": [reading(QUESTION, asks("Which region has the highest revenue"))],
    "plan": [plan()],
    "report": [report(("North leads with 4,680 in total revenue.", ["f1"]))],
    "transcript": [{"notes": []}],
}
QUICK = ModelSettings(timeout_s=60.0, retries=0)
Opens = Callable[..., Recallyst]


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """120 orders in four regions; North sells most, and has the most orders of Web."""
    per_region = {"North": 52, "South": 30, "East": 24, "West": 14}
    rows = []
    for n in range(120):
        region = ("North", "South", "East", "West")[n % 4]
        channel = "Web" if n % 3 else "Store"
        rows.append(f"{n},2025-{1 + n % 12:02d}-{1 + n % 28:02d},{region},{channel},{3 * per_region[region]}")
    path = tmp_path / "orders.csv"
    path.write_text("order_no,sold_on,region,channel,revenue\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def opens(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opens]:
    """Open Recallyst with a chat model, in an empty working folder, which must stay empty."""
    opened: list[Recallyst] = []
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def with_model(script: dict[str, list[Any]], model: ModelSettings = QUICK, **chat: Any) -> Recallyst:
        recallyst = Recallyst(replace(settings, model=model), model=ScriptedChat(script=script, **chat))
        opened.append(recallyst)
        return recallyst

    yield with_model
    for recallyst in opened:
        recallyst.close()
    assert not list(work.iterdir())


def total_of(recallyst: Recallyst, orders: Path) -> object:
    """The total of the data, by a query of our own."""
    with recallyst.services.catalogue.open(str(orders), now=recallyst.services.clock()) as dataset:
        return dataset.view().query("SELECT count(*), sum(revenue) FROM analysis").rows


def is_right(turn: Document) -> bool:
    """Whether the answer names the leader with its figure, and the finding behind it is stored."""
    return "North" in turn.answer and "4,680" in turn.answer and bool(turn.memory["stored"])


def test_a_model_that_answers_well_words_the_answer(opens: Opens, orders: Path) -> None:
    turn = opens(GOOD).ask(orders, QUESTION)
    assert turn.answer == "North leads with 4,680 in total revenue."
    assert turn.warnings == []
    assert turn.usage["model"]["calls"] == 4
    assert set(turn.usage["model"]["phases"]) == {"understand", "plan", "report", "transcript"}
    assert all(p["input_tokens"] > 0 and len(p["prompt"]) == 12 for p in turn.usage["model"]["phases"].values())
    assert is_right(turn)


WRONG_IN_CONTENT: dict[str, tuple[str, Any, str]] = {
    "wrong enum": ("understand", reading(QUESTION, asks("Which region", kind="magic")), "does not fit the schema"),
    "invented column": ("understand", reading(QUESTION, asks("Which region", by=["country"])), "no column 'country'"),
    "invented value": (
        "understand",
        reading(QUESTION, asks("Which region", filters=[{"column": "region", "op": "eq", "values": ["Mars"]}])),
        "no value 'Mars'",
    ),
    "words not said": ("understand", reading(QUESTION, asks("delete everything")), "does not hold the words"),
    "unknown step": ("plan", plan(order=["s99"]), "no drafted step 's99'"),
    "column for a step": ("plan", plan(add=[asks("by country", by=["country"])]), "no column 'country'"),
    "unknown finding": ("report", report(("North leads.", ["f99"])), "no finding 'f99'"),
    "quote not said": (
        "transcript",
        {"notes": [{"memory_type": "user_preference", "subject": "filter", "value": "no North",
                    "statement": "Leave North out.", "directive": None, "scope": "all", "polarity": "do",
                    "quote": "always leave North out", "turn": 0}]},
        "holds no words of the user",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_IN_CONTENT)
def test_content_that_cannot_stand_is_sent_back_once_and_then_left(opens: Opens, orders: Path, name: str) -> None:
    phase, reply, said = WRONG_IN_CONTENT[name]
    recallyst = opens(GOOD | {phase: [reply, reply]})
    turn = recallyst.ask(orders, QUESTION)
    assert is_right(turn)
    assert any(said in w for w in turn.warnings), turn.warnings
    assert turn.usage["model"]["phases"][phase]["calls"] == 2
    assert not any("North" in n for n in (d["statement"] for d in turn.memory["dropped"]))


def test_a_repaired_reply_counts_as_well_as_a_first_one(opens: Opens, orders: Path) -> None:
    recallyst = opens(GOOD | {"plan": ["not JSON", plan()]})
    turn = recallyst.ask(orders, QUESTION)
    assert turn.warnings == []
    chat = recallyst.services.model
    assert isinstance(chat, ScriptedChat)
    assert any("cannot be used" in text for phase, text in chat.prompts if phase == "plan")


def test_sentences_with_numbers_of_their_own_are_dropped_and_counted(opens: Opens, orders: Path) -> None:
    said = report(
        ("North leads with 4,680 in total revenue.", ["f1"]),
        ("It made 9,999 last year.", ["f1"]),
        ("South leads with 4,680 in total revenue.", ["f1"]),
        ("Revenue collapsed because of the weather.", ["f1"]),
    )
    turn = opens(GOOD | {"report": [said]}).ask(orders, QUESTION)
    assert turn.answer == "North leads with 4,680 in total revenue."
    assert any(w.startswith("3 sentences of the model were left out") for w in turn.warnings)


def test_an_answer_without_its_figure_gets_the_direct_answer_in_front(opens: Opens, orders: Path) -> None:
    turn = opens(GOOD | {"report": [report(("There is one clear leader.", ["f1"]))]}).ask(orders, QUESTION)
    assert turn.answer.startswith("North has by far the highest total revenue: 4,680")


class Blocks(ScriptedChat):
    """A model of another maker: replies in blocks, a thought before the text, tokens counted by itself."""

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        message = super()._generate(*args, **kwargs).generations[0].message
        content: list[Any] = [{"type": "thinking", "thinking": "well {"}, {"type": "text", "text": message.text}]
        spent = UsageMetadata(input_tokens=70, output_tokens=7, total_tokens=77)
        reply = AIMessage(content=content, usage_metadata=spent, response_metadata={"stop_reason": "end_turn"})
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        message = self._generate(*args, **kwargs).generations[0].message
        thought, text = {**message.content[0], "index": 0}, message.text  # type: ignore[dict-item]
        yield ChatGenerationChunk(message=AIMessageChunk(content=[thought]))
        for start in range(0, len(text), 50):
            piece = {"type": "text", "text": text[start : start + 50], "index": 1}
            yield ChatGenerationChunk(message=AIMessageChunk(content=[piece]))
        assert isinstance(message, AIMessage)
        yield ChatGenerationChunk(message=AIMessageChunk(content=[], usage_metadata=message.usage_metadata))


def test_a_chat_model_of_any_maker_works_streams_and_is_counted(settings: Settings, orders: Path) -> None:
    events: list[Any] = []
    with Recallyst(replace(settings, model=QUICK), model=Blocks(script=GOOD)) as recallyst:
        turn = recallyst.ask(orders, QUESTION, progress=events.append)
    assert turn.warnings == []
    assert (
        [e["answer"] for e in events if "answer" in e] == [turn.answer] == ["North leads with 4,680 in total revenue."]
    )
    assert {
        k: (p["calls"], p["input_tokens"], p["output_tokens"]) for k, p in turn.usage["model"]["phases"].items()
    } == (dict.fromkeys(GOOD, (1, 70, 7)))


def test_labels_are_no_stronger_than_the_evidence(opens: Opens, orders: Path) -> None:
    labels = [{"finding": f"f{n}", "label": "confirmatory"} for n in (1, 2)]
    said = report(("North leads with 4,680 in total revenue.", ["f1"]), labels=labels)
    turn = opens(GOOD | {"report": [said]}).ask(orders, QUESTION)
    assert [f.label for f in turn.findings[:2]] == ["confirmatory", "exploratory"]
    assert any("claimed more than the evidence allows for 1 finding" in w for w in turn.warnings)
    weaker = report(
        ("North leads with 4,680 in total revenue.", ["f1"]),
        labels=[{"finding": "f1", "label": "exploratory_divergent"}],
    )
    turn = opens(GOOD | {"report": [weaker]}).ask(orders, QUESTION, mode="fresh")
    assert (turn.findings[0].label, turn.findings[0].confidence) == ("exploratory", 0.7)


def test_the_answer_streams_sentence_by_sentence_and_only_what_stands(opens: Opens, orders: Path) -> None:
    said = report(("North leads with 4,680 in total revenue.", ["f1"]), ("It made 9,999.", ["f1"]))
    events: list[Any] = []
    opens(GOOD | {"report": [said]}).ask(orders, QUESTION, progress=events.append)
    streamed = [e["answer"] for e in events if "answer" in e]
    assert streamed == ["North leads with 4,680 in total revenue."]


ADHOC = "Show me the second best customer journey of loyal visitors"
SQL = (
    "SELECT region, count(*) AS orders FROM analysis WHERE revenue > 50 AND channel = 'Web' "
    "GROUP BY region ORDER BY sum(revenue) DESC"
)


def adhoc(*queries: Any, **more: Any) -> dict[str, list[Any]]:
    """A script for a question that only SQL answers."""
    asked = asks("loyal visitors", kind="query", metrics=[], by=[], order=None, top=None)
    said = report(("North and the others are listed.", ["f1"]))
    return GOOD | {"understand": [reading(ADHOC, asked)], "plan": [plan(queries=queries)], "report": [said], **more}


def test_a_question_that_only_sql_answers_gets_a_value_a_table_a_chart_and_a_sentence(
    opens: Opens, orders: Path
) -> None:
    said = report(("North has 20 such orders.", ["f1"]))
    turn = opens(adhoc(query(SQL), report=[said])).ask(orders, ADHOC)
    finding = next(f for f in turn.findings if f.evidence["kind"] == "sql")
    assert finding.evidence["sql"] == [SQL]
    assert finding.evidence["table"][0] == {"region": "North", "orders": 20}
    assert finding.chart is not None
    assert finding.label == "exploratory"
    assert turn.answer == "North has 20 such orders."


def test_a_query_that_fails_or_finds_nothing_is_corrected_once(opens: Opens, orders: Path) -> None:
    for first in ("SELECT regio FROM analysis", "SELECT region FROM analysis WHERE region = 'north'"):
        recallyst = opens(adhoc(query(first), query=[query(SQL)]))
        turn = recallyst.ask(orders, ADHOC, mode="fresh")
        assert any(f.evidence["kind"] == "sql" for f in turn.findings)
        assert turn.usage["model"]["phases"]["query"]["calls"] == 1


INVENTED = [
    query(f"SELECT region AS {name}, count(*) AS n FROM analysis GROUP BY 1")
    for name in ('"made 999999"', '"see https://evil.example"', "r_999999")
] + [
    query("SELECT 'up by 999999' AS note, count(*) AS n FROM analysis"),
    query(
        "SELECT CASE WHEN revenue > 50 THEN 'made 999999' ELSE '' END AS size, count(*) AS n FROM analysis GROUP BY 1"
    ),
    query('SELECT "made 999999" FROM analysis'),
]
PLAIN = query(
    "SELECT CASE WHEN revenue > 50 THEN 'over 50' ELSE 'up to 50' END AS size, quantile_cont(revenue, 0.95) AS p95, "
    "count(*) FILTER (WHERE sold_on >= '2025-02-01' AND channel IN ('Web', 'A77')) AS orders_2025 "
    "FROM analysis GROUP BY 1 ORDER BY 1",
    "it made 999999",
)


def test_names_and_texts_of_a_query_bring_in_no_number(opens: Opens, orders: Path) -> None:
    for first in (0, 3):
        bad = INVENTED[first : first + 3]
        turn = opens(adhoc(*bad, query=bad)).ask(orders, ADHOC, mode="fresh")
        assert not any(s["kind"] == "sql" for s in turn.plan)
        assert "999999" not in turn.model_dump_json(include={"answer", "findings", "plan"})
    turn = opens(adhoc(PLAIN)).ask(orders, ADHOC, mode="fresh")
    assert any(f.evidence["sql"] == [PLAIN["sql"]] for f in turn.findings)
    assert "999999" not in turn.model_dump_json()


HOSTILE = [
    "DROP TABLE data", "SELECT 1; DROP TABLE data", "COPY (SELECT 42) TO 'pwned.csv'", "CREATE MACRO sum(x) AS 0",
    "SELECT * FROM read_text('/etc/hostname')", "ATTACH 'other.db' AS o", "UPDATE analysis SET revenue = 0",
    "INSTALL httpfs", "SELECT count(*) FROM analysis a, analysis b, analysis c, analysis d, analysis e, analysis f",
    "PRAGMA database_list",
]  # fmt: skip


def test_queries_with_side_effects_never_run_and_are_listed(opens: Opens, orders: Path) -> None:
    for first in range(0, len(HOSTILE), 3):
        bad = [query(s) for s in HOSTILE[first : first + 3]]
        recallyst = opens(adhoc(*bad, query=bad))
        before = total_of(recallyst, orders)
        turn = recallyst.ask(orders, ADHOC, mode="fresh")
        assert not any(s["kind"] == "sql" for s in turn.plan)
        assert len([s for s in turn.skipped if s["what"] == "what was asked"]) == len(bad)
        assert total_of(recallyst, orders) == before


def test_a_follow_up_is_told_the_last_answer_and_its_query(opens: Opens, orders: Path) -> None:
    follow = "and only the best of these?"
    best = "SELECT region FROM analysis WHERE revenue > 50 GROUP BY region ORDER BY count(*) DESC LIMIT 1"
    asked = asks("only the best of these", kind="query", metrics=[], by=[], order=None, top=None)
    script = adhoc(query(SQL))
    script |= {
        "understand": [*script["understand"], reading("Which region has most orders above 50?", asked)],
        "plan": [*script["plan"], plan(queries=[query(best)])],
        "report": script["report"] * 2,
        "transcript": GOOD["transcript"] * 2,
    }
    recallyst = opens(script)
    first = recallyst.ask(orders, ADHOC)
    turn = recallyst.ask(orders, follow, session=first.session_id)
    chat = recallyst.services.model
    assert isinstance(chat, ScriptedChat)
    asked_again = [text for phase, text in chat.prompts if phase == "understand"][1]
    assert json.dumps(SQL)[1:-1] in asked_again
    assert any(f.evidence["sql"] == [best] for f in turn.findings)


def test_a_budget_closes_the_model_for_the_turn(opens: Opens, orders: Path) -> None:
    turn = opens(GOOD, replace(QUICK, turn_tokens=2_000)).ask(orders, QUESTION)
    assert is_right(turn)
    assert sum("budget of 2,000 tokens" in w for w in turn.warnings) == 1
    assert turn.usage["model"]["closed"].startswith("the budget")
    cheap = replace(QUICK, turn_usd=0.001, price_in_usd=1.0, price_out_usd=4.0)
    turn = opens(GOOD, cheap).ask(orders, QUESTION, mode="fresh")
    assert any("0.001 USD" in w for w in turn.warnings)
    assert 0 <= turn.usage["model"]["cost_usd"] <= 0.001


def test_a_mode_at_the_gate_says_how_many_calls_it_makes(opens: Opens, orders: Path) -> None:
    opens(GOOD).ask(orders, QUESTION)
    script = GOOD | {"mode": [{"mode": "revalidate", "confidence": 0.9}]}
    turn = opens(script).ask(orders, QUESTION)
    assert turn.status == "waiting"
    assert turn.gate is not None
    assert [o["cost"]["model_calls"] for o in turn.gate.options] == [3, 3, 0, 2]


def test_a_network_that_recovers_is_tried_again(opens: Opens, orders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prompts.asking._FIRST_PAUSE_S", 0.01)
    script = GOOD | {"plan": [ModelAPIError("busy"), plan()]}
    turn = opens(script, replace(QUICK, retries=1)).ask(orders, QUESTION)
    assert turn.warnings == []
    assert turn.usage["model"]["phases"]["plan"]["calls"] == 2
