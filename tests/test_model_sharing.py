"""With RECALLYST_MODEL_SHARES=schema no cell value leaves: every request of whole sessions is looked through."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW
from graph.settings import Settings
from prompts import ModelSettings
from prompts.settings import Shares
from recallyst import Document, Recallyst
from scripted_chat import PHASES, asks, plan, query, reading, report
from scripted_server import Server

MARK = "Zyxq"
"""Part of every text of the table."""
DIGITS = "7315"
"""Part of every number of the table."""
YEAR = "1987"
"""Part of every date of the table."""
ADHOC = "Show me the second best customer journey of loyal visitors"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """150 rows in which every cell holds a mark; areas differ in amount, codes are text that a cast fails on."""
    rows = ["opened_on,area,tier,remark,code,amount,weight"]
    for n in range(150):
        area, tier = f"{MARK} {('Nord', 'Syd', 'West')[n % 3]}", f"{MARK} {('gold', 'tin')[n // 3 % 2]}"
        amount = f"7315{n % 3}{n % 7}{n % 10}.5" if n % 20 else "731599999"
        day = f"1987-{1 + n * 12 // 150:02d}-{1 + n % 28:02d}"
        rows.append(f"{day},{area},{tier},{MARK} remark {n},{MARK}-{n % 50},{amount},7315.{n % 9}{n % 4}")
    path = tmp_path_factory.mktemp("marked") / "visits.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def replies(body: dict[str, Any]) -> str:
    """A model that errs once in each phase, so that errors, corrections and queries go out as well."""
    told = "\n".join(str(m["content"]) for m in body["messages"])
    phase = next(name for start, name in PHASES.items() if told.startswith(start))
    again = len(body["messages"]) > 2
    question = told[told.index("## Question") :].split("\n")[2] if "## Question" in told else ""
    if phase == "understand":
        if ADHOC in question:
            asked = asks("loyal visitors", kind="query", metrics=[], by=[], order=None, top=None)
            return json.dumps(reading(ADHOC, asked))
        words = " ".join(re.findall(r"[A-Za-z]+", question)[:3])
        wrong = [{"column": "area", "op": "eq", "values": ["Nord"]}, {"column": "tier", "op": "eq", "values": ["gold"]}]
        amount: dict[str, Any] = {"aggregate": "sum", "column": "amount", "equals": [], "level": None}
        asked = asks(words, metrics=[amount], by=["area"], filters=[] if again else wrong)
        return json.dumps(reading("Which area has the highest amount?", asked))
    if phase == "plan":
        cast = "SELECT area, sum(code::INTEGER) AS codes FROM analysis GROUP BY area"
        large = "SELECT max(amount)::TINYINT AS most FROM analysis"
        added = asks("by tier", metrics=[], by=["tier"], filters=[{"column": "tier", "op": "eq", "values": ["tan"]}])
        add = [] if again else [added]
        return json.dumps(plan(add=add, queries=[query(cast), query(large), query("SELECT regio FROM analysis")]))
    if phase == "query":
        return json.dumps(query("SELECT area, count(*) AS visits FROM analysis GROUP BY area ORDER BY area"))
    if phase == "report":
        return json.dumps(report(("The first leads.", ["f1"])))
    if phase == "transcript":
        note = {
            "memory_type": "user_preference", "subject": "grain", "value": "month", "statement": "By month.",
            "directive": None, "scope": "all", "polarity": "do", "quote": "not said", "turn": 0,
        }  # fmt: skip
        return json.dumps({"notes": [] if again else [note]})
    return json.dumps({"mode": "extend", "confidence": 0.7})


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that plays `replies` and keeps the requests."""
    started = Server(replies, repeat=True)
    yield started
    started.shutdown()
    started.server_close()


def two_sessions(table: Path, settings: Settings, server: Server, shares: Shares) -> list[Document]:
    """Ana's first session, fresh, with follow-ups and a rule; then one in each other mode four weeks later."""
    model = ModelSettings(name="m", base_url=server.url, shares=shares, retries=0, turn_tokens=10**6)
    turns: list[Document] = []
    with Recallyst(replace(settings, model=model)) as first:
        turns.append(first.ask(table, "Which area has the highest amount?"))
        session = turns[0].session_id
        turns.append(first.ask(table, "And which tier? Always leave out the last 3 days.", session=session))
        turns.append(first.ask(table, ADHOC, session=session))
    with Recallyst(replace(settings, model=model, now=NOW + timedelta(days=28))) as later:
        waiting = later.ask(table, "Does the highest area still lead? Report amount by month from now on.")
        assert waiting.status == "waiting"
        turns.append(waiting.choose("extend"))
        modes = ("revalidate", "re-run")
        turns += [later.ask(table, "Which area has the highest amount?", mode=mode) for mode in modes]
    return turns


def figures_of(turns: list[Document]) -> set[str]:
    """Every longer number that a finding tells, as it is written and without its commas."""
    told = " ".join(f"{f.statement} {json.dumps(f.evidence['table'], default=str)}" for t in turns for f in t.findings)
    found = set(re.findall(r"\d[\d,]*\.?\d+", told))
    return {w for n in found for w in (n, n.replace(",", "")) if len(re.sub(r"\D", "", w)) >= 5}


def test_no_cell_and_no_figure_leaves_in_whole_sessions(table: Path, settings: Settings, server: Server) -> None:
    turns = two_sessions(table, settings, server, "schema")
    sent = [json.dumps(r, ensure_ascii=False) for r in server.requests]
    phases = {name for text in sent for start, name in PHASES.items() if start in text}
    assert phases == {"understand", "plan", "query", "transcript", "mode"}
    leaks = [(m, s[max(0, s.index(m) - 200) : s.index(m) + 60]) for m in (MARK, DIGITS, YEAR) for s in sent if m in s]
    assert not leaks, "\n".join(map(str, leaks))
    figures = figures_of(turns)
    assert len(figures) > 50
    assert [f for f in figures for s in sent if f in s] == []
