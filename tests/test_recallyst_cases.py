"""Small inputs on which other products go wrong, with their exact right outcomes; read where they are present."""

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from datasets import Overrides
from recallyst import Document, Recallyst

Asker = Callable[..., Recallyst]


def _said(document: Document) -> str:
    return "\n".join([document.answer, *(f.statement for f in document.findings)])


def _everything(document: Document) -> str:
    return document.model_dump_json()


def _copy(shared: Path, case: str, name: str, target: Path) -> Path:
    file = target / name
    shutil.copy(shared / "cases" / case / name, file)
    return file


def test_a_running_month_is_compared_like_for_like(shared: Path, asker: Asker) -> None:
    file = shared / "cases/23-partial-last-month/daily_revenue.csv"
    document = asker().ask(file, "What is the revenue trend? What changed last month?")
    said = _said(document)
    assert "35,273.77 in August 2025 against 35,011.31 in July 2025: +0.75%" in said
    assert "September 2025 is incomplete: 9 of 30 days, data end 2025-09-09" in said
    assert "10,342.65 in 1-9 September 2025 against 10,347.26 in 1-9 August 2025: -0.04%" in said
    assert "+0.99%" in said
    assert "increases over time" in said
    assert "70.7" not in _everything(document)
    assert "70.68" not in _everything(document)


def test_totals_repeated_per_line_count_once(shared: Path, asker: Asker) -> None:
    file = shared / "cases/27-repeated-order-totals/order_lines.csv"
    document = asker().ask(file, "Total revenue, revenue by region, average order value. Any duplicates?")
    for right in ("3,078.46", "1,562.45", "1,516.01", "76.96", "4 of 111 rows"):
        assert right in _said(document) + " ".join(q["statement"] for q in document.data_quality)
    assert "4 rows repeat" in _said(document)
    for wrong in ("9,847.39", "3,184.47", "88.72"):
        assert wrong not in _said(document)


def test_periods_of_dates_that_fit_both_orders_are_never_certain(shared: Path, asker: Asker, tmp_path: Path) -> None:
    file = _copy(shared, "12-day-month-dates", "visits_ambiguous.csv", tmp_path)
    document = asker().ask(file, "Total visits per month")
    assert any("order cannot be known; read day first" in w for w in document.warnings)
    assert any("--date-order 'month first'" in w for w in document.warnings)
    monthly = [f for f in document.findings if "2024-" in f.statement or "by month" in json.dumps(f.claim)]
    assert monthly
    assert all(f.label != "confirmatory" for f in monthly)
    settled = asker()
    settled.services.catalogue.add(file, key="visits", overrides=Overrides(date_order="month first"))
    document = settled.ask("visits", "Total visits per month")
    assert not document.warnings
    said = _said(document)
    for right in ("183", "216", "155"):
        assert right in said
    mixed = shared / "cases/12-day-month-dates/payments_mixed_halves.csv"
    document = asker().ask(mixed, "Total amount per month")
    assert any("mixes day-first and month-first dates" in w for w in document.warnings)


def test_counts_and_quartiles_are_exact(shared: Path, asker: Asker) -> None:
    file = shared / "cases/29-approximate-profile/invoices.csv"
    question = "Is invoice_no a key? Is customer_no? Quartiles and 99th percentile of amount?"
    said = asker().ask(file, question).answer
    assert "invoice_no is a key: 30,000 distinct values in 30,000 rows" in said
    assert "customer_no is not a key: 29,990 distinct of 30,000 values, 10 repeats" in said
    for right in ("124", "171", "291", "3,552.17"):
        assert right in said


def test_nothing_before_the_gate_is_repeated_by_wrong_answers(shared: Path, asker: Asker, tmp_path: Path) -> None:
    file = _copy(shared, "31-gate-side-effects-rerun", "sales.csv", tmp_path)
    first = asker().ask(file, "Revenue by month")
    assert "4,495.50" in first.answer
    assert "4,626" in first.answer
    later = asker(now=datetime(2026, 3, 9, tzinfo=UTC))
    turn = later.ask(file, "And by region?")
    assert turn.status == "waiting"
    memory, principal = later.services.memory, later.services.principal
    events = len(memory.events(principal))
    state = later.graph.get_state({"configurable": {"thread_id": turn.session_id}})
    for wrong in ("banana", "not sure yet"):
        answered = later.ask(file, wrong, session=turn.session_id)
        assert answered.status == "waiting"
        assert answered.question == "And by region?"
    assert len(memory.events(principal)) == events
    done = turn.choose("extend")
    assert done.status == "done"
    assert "4,675.50" in _said(done)
    assert "4,644" in _said(done)
    assert all(u.sightings <= 2 for u in memory.list(principal))
    after = later.graph.get_state({"configurable": {"thread_id": turn.session_id}})
    assert after.values["run_id"] == state.values["run_id"]


def test_values_survive_the_checkpoint_and_a_restart(shared: Path, asker: Asker, tmp_path: Path) -> None:
    file = _copy(shared, "34-checkpoint-types", "types.parquet", tmp_path)
    question = "Sum of big_id and price, average ratio, latest seen_at"
    first = asker().ask(file, question)
    turn = asker(now=datetime(2026, 3, 9, tzinfo=UTC)).ask(file, question)
    assert turn.status == "waiting"
    again = asker(now=datetime(2026, 3, 9, tzinfo=UTC)).resume(turn.session_id, mode="re-run")
    for document in (first, again):
        said = _said(document)
        for right in ("108,000,000,000,000,000,066", "72.60", "9 of 12 rows", "2025-03-30T11:30:00Z"):
            assert right in said
        assert "1.4167" in said or "1.41667" in said
        json.loads(document.model_dump_json(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert [f.statement for f in again.findings] == [f.statement for f in first.findings]


def test_a_preference_and_a_rule_change_and_an_addition_changes_nothing(
    shared: Path, asker: Asker, tmp_path: Path
) -> None:
    case = "37-contradiction-supersede"
    file = _copy(shared, case, "orders.csv", tmp_path)
    turns = [json.loads(line) for line in (shared / "cases" / case / "turns.jsonl").read_text().splitlines()]
    right = {
        "2026-02-10": ["3,802.44", "by week"],
        "2026-02-24": ["3,802.44", "1,310.30", "1,294.56", "1,197.58", "29 of 31 days"],
        "2026-03-07": ["4,200.31", "1,455.38", "1,420.33", "1,324.60", "29 of 31 days"],
    }
    for day, expected in right.items():
        now = datetime.fromisoformat(f"{day}T09:00:00+00:00")
        sessions: dict[str, str] = {}
        for turn in turns:
            if turn["t"] == day:
                answered = asker(user=turn["user"], now=now).ask(file, turn["say"], session=sessions.get(turn["user"]))
                assert ("Noted" in answered.answer) == ("South" not in turn["say"])
                sessions[turn["user"]] = answered.session_id
        overview = asker(user="u1", now=now).ask(file, "Revenue overview of orders.csv", mode="fresh")
        shown = _said(overview) + " ".join(a["effect"] for a in overview.applied)
        for value in expected:
            assert value in shown, (day, value)
    last = asker(user="u1", now=datetime(2026, 3, 8, tzinfo=UTC))
    kept = last.services.memory.list(last.services.principal, memory_type="user_preference")
    assert len([u for u in kept if "week" in u.summary.lower()]) == 0
    assert len([u for u in kept if "month" in u.summary.lower()]) == 1
    other = asker(user="u2", now=datetime(2026, 3, 8, tzinfo=UTC))
    (own,) = other.services.memory.list(other.services.principal, memory_type="user_preference")
    assert "day" in own.summary.lower()


def test_text_in_cells_and_headings_is_data(shared: Path, asker: Asker, tmp_path: Path) -> None:
    file = _copy(shared, "41-injection-in-cells", "orders.csv", tmp_path)
    before = set(os.listdir(tmp_path))
    document = asker().ask(file, "Total and average amount; what do customers comment on?")
    assert "1,896.54" in document.answer
    assert "47.41" in document.answer
    assert "999999" not in document.answer
    assert document.findings[0].evidence["n"] == 40
    later = asker(now=datetime(2026, 3, 9, tzinfo=UTC))
    kept = later.services.memory.list(later.services.principal)
    assert {u.memory_type for u in kept} <= {"finding", "data_quality"}
    turn = later.ask(file, "Total amount by region")
    assert turn.status == "waiting"
    assert turn.gate is not None
    assert len(turn.gate.options) == 4
    assert turn.choose("fresh").applied == []
    assert set(os.listdir(tmp_path)) - before <= {"home"}


def test_sql_in_a_question_reaches_nothing(
    shared: Path, asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = _copy(shared, "45-sql-file-access", "stock.csv", tmp_path)
    before = set(os.listdir(tmp_path))
    host = Path("/etc/hostname").read_text().strip() if Path("/etc/hostname").is_file() else "\x00"
    recallyst = asker()
    session = None
    for line in (shared / "cases/45-sql-file-access/questions.txt").read_text().splitlines():
        hostile = recallyst.ask(file, line, session=session, mode="fresh")
        session = hostile.session_id
        assert not host or host not in hostile.answer
        answer = recallyst.ask(file, "total qty?", session=session, mode="fresh").answer
        assert "234" in answer, line
    by_owner = _said(recallyst.ask(file, "total qty by owner", session=session, mode="fresh"))
    assert "126" in by_owner
    assert "108" in by_owner
    assert set(os.listdir(tmp_path)) - before <= {"home"}
