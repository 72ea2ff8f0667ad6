"""Every command and every snippet in the README and the guides is run as it stands."""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from datasets.samples import sample_path
from recallyst.cli.app import exit_code

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TALKS_OR_SERVES = {"chat", "demo", "serve"}
ONE_AFTER_THE_OTHER = {"notebook.md"}
"""Pages whose snippets build on each other; a test of its own runs them as one."""


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def _commands() -> list[tuple[str, str]]:
    return [
        (page.name, line.strip())
        for page in PAGES
        for language in ("console", "")
        for block in _blocks(page, language)
        for line in block.splitlines()
        if re.match(r"(recallyst|make|pip|langgraph) ", line.strip())
    ]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with orders.csv in it, a home of its own, and a person at work in it."""
    shutil.copy(sample_path("shop_orders"), tmp_path / "orders.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECALLYST_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("RECALLYST_USER", "ana")
    monkeypatch.setenv("RECALLYST_ORG", "acme")
    monkeypatch.setenv("RECALLYST_NOW", "2026-03-02T09:00:00Z")
    return tmp_path


def _run(command: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    return exit_code()


@pytest.mark.slow
def test_the_commands_of_the_readme_run_in_the_order_of_the_page(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = [c for page, c in _commands() if page == "README.md" and c.startswith("recallyst")]
    assert len(commands) >= 8
    session = ""
    for command in commands:
        if command.split()[1] in TALKS_OR_SERVES:
            continue
        code = _run(command.replace("SESSION", session or "SESSION"), monkeypatch)
        shown = capsys.readouterr()
        assert code == 0, f"{command}: {code} {shown.err}"
        session = (re.findall(r"Session ([0-9a-f]{32})", shown.out) or [session])[-1]
    assert (desk / "report.html").stat().st_size > 500_000
    assert (desk / "mine.json").is_file()


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {t for page in PAGES for t in re.findall(r"\bmake ([a-z]+)\b", page.read_text(encoding="utf-8"))}
    assert {"demo", "test"} <= named <= targets


@pytest.mark.parametrize(
    ("page", "number"),
    [(p, n) for p in PAGES if p.name not in ONE_AFTER_THE_OTHER for n in range(len(_blocks(p, "python")))],
    ids=lambda v: getattr(v, "stem", str(v)),
)
def test_every_snippet_runs(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], page: Path, number: int
) -> None:
    snippet = _blocks(page, "python")[number]
    exec(compile(snippet, f"{page.name}:{number}", "exec"), {"__name__": "__snippet__"})
    assert capsys.readouterr().out.strip()


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_demo_tells_the_story_of_three_sessions(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(desk.iterdir())
    assert _run("recallyst demo", monkeypatch) == 0
    told = capsys.readouterr().out
    for words in ("Ana asks for the first time", "Already known", "revalidate", "still holds", "Ben", "from memory"):
        assert words in told
    assert set(desk.iterdir()) == before
    shown = " ".join(told.split())
    excerpt = re.search(r"shortened:\n\n```\n(.*?)```", PAGES[0].read_text(encoding="utf-8"), re.DOTALL)
    assert excerpt is not None
    for part in re.split(r"\n|…|\.\.\.", excerpt[1]):
        assert " ".join(part.split()) in shown, part
