"""The command line keeps its contract: documents on stdout, sentences on stderr, exit codes."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from recallyst import Document
from recallyst.cli.app import app, exit_code
from recallyst.cli.front import OFFERED

QUESTION = "How is amount developing?"
Run = Callable[..., "Result"]


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """Two hundred days of orders in two regions, growing."""
    rows = ["day,region,amount"]
    for i in range(200):
        month, day = divmod(i, 28)
        rows += [f"2025-{month + 1:02d}-{day + 1:02d},{r},{100 + i + 10 * k}.5" for k, r in enumerate("NS")]
    file = tmp_path / "orders.csv"
    file.write_text("\n".join(rows) + "\n")
    return file


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `recallyst` with arguments, in a home of its own."""
    monkeypatch.setenv("RECALLYST_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECALLYST_USER", "ana")
    monkeypatch.setenv("RECALLYST_ORG", "acme")

    def call(*arguments: str, now: str = "2026-03-02T09:00:00Z", **environment: str) -> Result:
        monkeypatch.setenv("RECALLYST_NOW", now)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["recallyst", *arguments])
        code = exit_code()
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


def test_ask_prints_one_json_document_with_the_keys_of_the_contract(run: Run, orders: Path) -> None:
    result = run("ask", str(orders), QUESTION, "--json")
    assert result.code == 0
    assert set(result.json) >= {
        "session_id", "status", "dataset", "mode", "mode_source", "gate", "answer", "findings", "data_quality",
        "applied", "skipped", "plan", "verdict", "memory", "usage", "report", "warnings",
    }  # fmt: skip
    assert set(result.json["memory"]) >= {"stored", "reconfirmed", "superseded", "resolved", "dropped"}
    assert set(result.json["usage"]) >= {"seconds", "steps", "rows_scanned", "model"}
    finding = result.json["findings"][0]
    assert set(finding["evidence"]) >= {"step", "n", "test", "p_value", "effect", "sql", "table"}
    Document.model_validate(result.json)


def test_the_gate_exits_with_three_and_resume_goes_on(run: Run, orders: Path) -> None:
    assert run("ask", str(orders), QUESTION).code == 0
    waiting = run("ask", str(orders), QUESTION, "--json", now="2026-03-09T09:00:00Z")
    assert waiting.code == 3
    assert waiting.json["status"] == "waiting"
    assert len(waiting.json["gate"]["prior_findings"]) >= 3
    session = waiting.json["session_id"]
    wrong = run("resume", session, "--mode", "banana", now="2026-03-09T09:00:00Z")
    assert (wrong.code, wrong.out) == (2, "")
    assert "'banana' is not a mode" in wrong.err
    assert run("resume", session, "--json").code == 3
    done = run("resume", session, "--mode", "revalidate", "--json", now="2026-03-09T09:00:00Z")
    assert done.code == 0
    assert done.json["mode"] == "revalidate"
    assert done.json["verdict"]["verdict"] == "holds"


def test_the_gate_is_readable_without_json(run: Run, orders: Path) -> None:
    run("ask", str(orders), QUESTION)
    waiting = run("ask", str(orders), QUESTION)
    assert waiting.code == 3
    for words in ("Already known", "fresh", "extend", "revalidate", "re-run", "recallyst resume"):
        assert words in waiting.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ask", "no-such-file.csv", "What stands out?"), "no-such-file.csv"),
        (("ask", "{orders}", ""), "question is empty"),
        (("ask", "{orders}", "x", "--mode", "sideways"), "'sideways' is not a mode"),
        (("ask", "{orders}", "x", "--session", "none"), "no session 'none'"),
        (("resume", "none", "--mode", "fresh"), "no session 'none'"),
        (("ask", "{orders}"), "Missing argument 'question'"),
        (("memory", "show", "abc"), "'abc'"),
        (("memory", "forget"), "what to forget"),
        (("memory", "import", "no-such.json"), "no-such.json"),
        (("datasets", "add", "no-such.csv"), "no-such.csv"),
    ],
)
def test_a_fault_of_the_input_is_one_sentence_and_exit_code_two(
    run: Run, orders: Path, arguments: tuple[str, ...], words: str
) -> None:
    result = run(*(a.format(orders=orders) for a in arguments))
    assert result.code == 2
    assert result.out == ""
    assert words in result.err
    assert "Traceback" not in result.err
    assert len(result.err.strip().splitlines()) == 1


@pytest.mark.parametrize("text", ["[]", "null", '{"units": [{}]}', '{"version": 99, "units": []}'])
def test_a_file_that_is_no_export_is_a_fault_of_the_input(run: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    result = run("memory", "import", str(file))
    assert (result.code, result.out) == (2, "")
    assert "other.json" in result.err


def test_a_home_that_cannot_be_is_named(run: Run, orders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALLYST_HOME", str(orders / "home"))
    result = run("ask", str(orders), QUESTION)
    assert result.code == 2
    assert "RECALLYST_HOME" in result.err


def test_a_bad_clock_is_named(run: Run, orders: Path) -> None:
    result = run("ask", str(orders), QUESTION, now="soon")
    assert result.code == 2
    assert "RECALLYST_NOW" in result.err


def test_an_empty_file_is_said_and_nothing_is_kept(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    result = run("ask", str(empty), "Summarise this file.")
    assert result.code == 2
    assert "no data" in result.err
    assert run("memory", "list", "--json").json == []


def test_the_catalogue_names_files(run: Run, orders: Path) -> None:
    assert run("datasets", "add", str(orders), "--key", "shop").code == 0
    assert "shop" in [e["key"] for e in run("datasets", "list", "--json").json]
    assert run("datasets", "show", "shop", "--json").json["rows"] == 400
    assert run("ask", "shop", QUESTION, "--json").json["dataset"]["key"] == "shop"
    settled = run("datasets", "add", str(orders), "--key", "us", "--date-order", "month first", "--json").json
    assert settled["overrides"] == {"date_order": "month first"}
    refused = run("datasets", "add", str(orders), "--date-order", "american")
    assert refused.code == 2
    assert "--date-order 'american' cannot be used" in refused.err


def test_memory_is_listed_searched_shown_and_forgotten(run: Run, orders: Path) -> None:
    run("ask", str(orders), QUESTION)
    units = run("memory", "list", "--json").json
    assert len(units) >= 3
    found = run("memory", "search", "trend of amount", "--json").json
    assert found[0]["memory_id"] in {u["memory_id"] for u in units}
    shown = run("memory", "show", units[0]["memory_id"][:12], "--json").json
    assert shown["unit"]["provenance"]["sql"] or shown["unit"]["provenance"]["rule"]
    assert run("memory", "forget", units[0]["memory_id"], "--json").json["forgotten"] >= 1
    left = run("memory", "list", "--json").json
    assert units[0]["memory_id"] not in {u["memory_id"] for u in left}
    assert run("memory", "forget", "--everything").code == 0
    assert run("memory", "list", "--json").json == []
    for command in ("sweep", "reindex", "stats"):
        assert run("memory", command, "--json").code == 0


def test_an_export_can_be_taken_in_elsewhere(
    run: Run, orders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ask", str(orders), QUESTION)
    target = tmp_path / "mine.json"
    kept = run("memory", "list", "--json").json
    assert run("memory", "export", str(target), "--json").json["exported"] == len(kept)
    taken = run("memory", "import", str(target), "--json", RECALLYST_HOME=str(tmp_path / "other"))
    assert taken.code == 0
    assert {u["summary"] for u in run("memory", "list", "--json").json} == {u["summary"] for u in kept}


def test_the_report_opens_offline_and_escapes_what_data_says(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "hostile.csv"
    rows = ["day,<script>alert(1)</script>,amount"]
    rows += [f"2025-01-{1 + i % 28:02d},{'<img src=x onerror=alert(2)>' if i % 2 else 'plain'},{i}" for i in range(200)]
    file.write_text("\n".join(rows) + "\n")
    target = tmp_path / "report.html"
    result = run("ask", str(file), "What stands out?", "--report", str(target), "--json")
    assert result.code == 0
    assert result.json["report"] == str(target)
    text = target.read_text()
    body = text[: text.rindex("<script>", 0, text.rindex("<script>"))]
    assert "<script>alert" not in body
    assert "<img" not in body
    assert "data-chart" in body
    assert len(text) - len(body) > 500_000, "the charting script is inlined"
    assert 'src="http' not in text
    assert 'href="http' not in text
    assert not list(tmp_path.glob("*.partial"))


def test_sessions_are_listed_and_the_version_is_told(run: Run, orders: Path) -> None:
    assert run("sessions", "--json").json == []
    session = run("ask", str(orders), QUESTION, "--json").json["session_id"]
    (known,) = run("sessions", "--json").json
    assert (known["session_id"], known["status"], known["question"]) == (session, "done", QUESTION)
    assert run("--version").out.startswith("recallyst 0.")
    assert run("--version").code == 0


def test_a_header_without_rows_is_said_and_not_remembered(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "header.csv"
    file.write_text("id,region,amount\n")
    result = run("ask", str(file), "Summarise this file.", "--json")
    assert result.code == 0
    assert "no rows" in result.json["answer"]
    assert run("memory", "list", "--json").json == []


def test_what_the_answer_says_is_not_said_again(run: Run, orders: Path) -> None:
    out = run("ask", str(orders), QUESTION).out
    answer = max(out.split("Findings")[0].splitlines(), key=len)
    assert len(answer) > 60
    assert out.count(answer) == 1


def test_words_for_recent_time_are_read_from_the_end_of_the_data(run: Run, orders: Path) -> None:
    warnings = run("ask", str(orders), "What changed last month?", "--json").json["warnings"]
    assert any("The data end on 2025-08-04" in w for w in warnings)


def test_a_question_in_a_broken_encoding_is_answered(run: Run, orders: Path) -> None:
    result = run("ask", str(orders), "total revenue \udcff?", "--json")
    assert result.code == 0
    assert result.json["question"] == "total revenue ??"


def test_a_sealed_memory_gets_another_key(run: Run, tmp_path: Path) -> None:
    old, new = tmp_path / "old key", tmp_path / "new key"
    for file in (old, new):
        file.write_text(run("memory", "key").out)
    rekey = ("memory", "rekey", "--to", str(new))
    assert (run(*rekey).code, run("memory", "stats").code) == (2, 0)
    sealed = {"RECALLYST_KEY_FILE": str(old)}
    assert run("memory", "stats", **sealed).code == 0
    assert "cannot be read" in run("memory", "rekey", "--to", str(tmp_path / "none"), **sealed).err
    assert run(*rekey, "--json", **sealed).json == {"rekeyed": True}
    assert "already" in run(*rekey, **sealed).out
    assert run("memory", "list", **sealed).code != 0
    assert run("memory", "list", RECALLYST_KEY_FILE=str(new)).code == 0


def test_the_front_of_the_command_line_is_the_command_line() -> None:
    """`--help` is told without loading the commands, word for word as they would tell it."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    told = {name: " ".join((command.help or "").split()) for name, command in commands.items()}
    assert {name: told[name] for name in OFFERED} == OFFERED
    assert sorted(told) == sorted(OFFERED)
    code = "import sys; sys.argv = ['recallyst', '--help']\nfrom recallyst.cli import main\ntry: main()\nfinally:"
    code += " print(len([m for m in ('langgraph', 'duckdb', 'scipy', 'sqlalchemy') if m in sys.modules]))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "0"
    assert all(name in said for name in OFFERED)
