"""What a person meets at a terminal: keys, history, completion, quiet answers, and the doctor."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from datasets.samples import sample_path
from graph.settings import Settings
from recallyst import Recallyst
from recallyst.cli import completion
from recallyst.cli.app import exit_code
from recallyst.cli.asking import choose
from recallyst.history import history_file

ORDERS = sample_path("shop_orders")
MODES = [("fresh", "start anew"), ("extend", "go past it"), ("revalidate", "test it"), ("re-run", "repeat it")]


@pytest.fixture
def desk(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"HOME": settings.home, "USER": settings.user, "ORG": settings.org}.items():
        monkeypatch.setenv(f"RECALLYST_{name}", str(value))
    monkeypatch.setenv("RECALLYST_NOW", settings.clock().isoformat())
    shutil.copy(ORDERS, tmp_path / "orders.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["recallyst", *words])
    return exit_code()


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        ("\r", "extend"), ("\x1b[B\r", "revalidate"), ("\x1b[A\r", "fresh"), ("4\r", "re-run"), ("5\r", None),
        ("\x03", None),
    ],
    ids=["enter", "down", "up", "number", "leave it open", "ctrl-c"],
)  # fmt: skip
def test_the_gate_is_answered_with_keys(keys: str, chosen: str | None) -> None:
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text(keys)
        assert choose("What should I do?", MODES, default="extend") == chosen


def _until(screen: int, wanted: str, *, seconds: float = 25) -> str:
    """Read what a program shows until the words are there; terminal codes are taken out."""
    shown, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([screen], [], [], 0.2)[0]:
            data = os.read(screen, 65536).decode(errors="replace")
            if "\x1b[6n" in data:
                os.write(screen, b"\x1b[1;1R")
            shown += data
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?\x07|\r", "", shown)
        if wanted in plain:
            return plain
    raise AssertionError(f"{wanted!r} did not appear in: {shown[-2000:]}")


@pytest.mark.slow
def test_a_talk_at_a_real_terminal_keeps_its_history(desk: Path, settings: Settings) -> None:
    screen, terminal = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(
        [sys.executable, "-m", "recallyst", "chat", "orders.csv"],
        stdin=terminal, stdout=terminal, stderr=terminal, env=env, start_new_session=True,
    ) as talk:  # fmt: skip
        os.close(terminal)
        try:
            _until(screen, "ends the talk.")
            os.write(screen, b"Which region has the highest revenue?\r")
            assert "region" in _until(screen, "Session ")
            os.write(screen, b"\x1b[A")
            _until(screen, "highest revenue?")
            os.write(screen, b"\x03")
            _until(screen, "take it up")
            assert talk.wait(timeout=20) == 0
        finally:
            talk.kill()
            os.close(screen)
    kept = history_file(settings.home, "orders.csv")
    assert "highest revenue" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    with Recallyst(settings) as recallyst:
        recallyst.forget(everything=True)
    assert not kept.exists()


def _shown_by(command: list[str], *, sixel: bool) -> str:
    """All that a command shows at a terminal of its own, which says that it draws Sixel pictures, or says nothing."""
    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (40, 120))
    env = {**os.environ, "TERM": "xterm-256color"}
    shown = b""
    with subprocess.Popen(
        [sys.executable, "-m", "recallyst", *command],
        stdin=terminal, stdout=terminal, stderr=terminal, env=env, start_new_session=True,
    ) as run:  # fmt: skip
        os.close(terminal)
        try:
            while True:
                data = os.read(screen, 65536)
                shown += data
                if sixel and b"\x1b[c" in data:
                    os.write(screen, b"\x1b[?62;4c")
        except OSError:  # the end of a terminal whose program has ended
            assert run.wait(timeout=20) == 0
        finally:
            run.kill()
            os.close(screen)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())


def test_a_chart_is_drawn_where_the_terminal_shows_pictures_and_a_table_where_not(desk: Path) -> None:
    asked = ["ask", "orders.csv", "Total revenue by region"]
    plain = _shown_by(asked, sixel=False)
    assert re.search(r"region +total revenue +n", plain)
    assert re.search(r"North +354,231.37", plain)
    assert "\x1bP" not in plain
    drawn = _shown_by([*asked, "--mode", "fresh"], sixel=True)
    assert drawn.count("\x1bP") >= 1  # where a Sixel picture begins
    assert not re.search(r"region +total revenue +n", drawn)


def test_a_quiet_answer_is_the_answer_alone(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "ask", "orders.csv", "Total revenue by region", "--quiet") == 0
    shown = capsys.readouterr()
    assert shown.out.strip()
    assert "Findings" not in shown.out
    assert "Session" not in shown.out
    assert shown.err == ""


def test_tab_offers_keys_files_modes_and_sessions(desk: Path, asker: Callable[..., Recallyst]) -> None:
    (desk / "notes.md").write_text("")
    assert completion.datasets("shop_o") == ["shop_orders", "shop_orders_next"]
    assert completion.datasets("or") == ["orders.csv"]
    assert completion.datasets("./no") == []
    assert completion.modes("re") == ["revalidate", "re-run"]
    session = asker().ask(ORDERS, "Total revenue by region").session_id
    assert list(completion.sessions(session[:4])) == [(session, "Total revenue by region")]


def test_the_doctor_finds_nothing_on_a_healthy_desk(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "doctor", "--json") == 0
    checks = json.loads(capsys.readouterr().out)
    assert {"python", "home", "storage", "index", "meaning", "datasets", "model", "server"} == {
        c["what"] for c in checks
    }
    assert not [c for c in checks if c["state"] == "wrong"]


def test_the_doctor_names_a_lost_file_and_what_to_do(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "datasets", "add", "orders.csv", "--key", "orders") == 0
    (desk / "orders.csv").unlink()
    assert _run(monkeypatch, "doctor") == 2
    told = capsys.readouterr().out.replace("\n", " ")
    assert "the file of 'orders' is not at" in told
    assert "recallyst datasets add" in told


def test_the_doctor_finds_a_model_that_does_not_answer(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECALLYST_MODEL", "local-model")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert _run(monkeypatch, "doctor") == 2
    told = capsys.readouterr().out
    assert "local-model at 127.0.0.1:9 cannot be reached" in told
    assert "unset RECALLYST_MODEL" in told.replace("\n", " ")


def test_the_doctor_says_which_setting_is_wrong(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECALLYST_NOW", "yesterday")
    assert _run(monkeypatch, "doctor") == 2
    assert "RECALLYST_NOW is 'yesterday'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["serve", "--no-browser"], "no sign-in is set up"),
        (["serve", "--dev", "--host", "0.0.0.0", "--no-browser"], "lets every caller in"),
        (["serve", "--dev", "--host", "203.0.113.1", "--no-browser"], "cannot listen on '203.0.113.1'"),
    ],
)
def test_a_server_that_cannot_be_safe_does_not_start(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    monkeypatch.setenv("RECALLYST_AUTH", "")
    assert _run(monkeypatch, *words) == 2
    assert told in capsys.readouterr().err


def test_what_is_wrong_is_said_before_a_talk_begins(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk / "noise.csv").write_bytes(bytes(range(256)) * 8)
    for words in (["nofile.csv"], ["orders.csv", "--session", "nope"], ["noise.csv"]):
        assert _run(monkeypatch, "chat", *words) == 2
        assert "Talking" not in capsys.readouterr().out
    assert _run(monkeypatch, "ask", "noise.csv", "Total?") == 2
    assert "binary data" in capsys.readouterr().err
    (desk / "header.csv").write_text("a,b\n")
    assert _run(monkeypatch, "ask", "header.csv", "hello", "--quiet") == 0
    assert capsys.readouterr().out.endswith("header has a header and no rows: its columns are a, b.\n")
    assert _run(monkeypatch, "memory", "forget", "--dataset", "nope") == 0
    assert "Nothing is kept of 'nope'" in capsys.readouterr().out
