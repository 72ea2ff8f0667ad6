"""`recallyst demo`: the whole story in under a minute, on a sample dataset and in a home of its own."""

import shutil
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.rule import Rule

from datasets.plain import counted
from datasets.samples import sample_path
from graph.settings import Settings
from recallyst.api import Recallyst, Turn
from recallyst.cli.console import Output
from recallyst.cli.gate_view import show_gate
from recallyst.cli.report_view import applied_line, memory_line
from recallyst.document import Document
from recallyst.html import write_report

FIRST_DAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
WEEKS_BETWEEN = 4
QUESTION = "Why did revenue change in Q3, and where?"
LATER = "Is revenue in West still falling?"


def demo(
    report: Annotated[Path | None, typer.Option("--report", help="keep the first session's HTML report here")] = None,
) -> None:
    """Two sessions on a sample dataset, then one by a colleague who inherits the lag and not the findings."""
    out = Output(as_json=False)
    home = Path(tempfile.mkdtemp(prefix="recallyst-demo-"))
    try:
        _play(out, home, report)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _play(out: Output, home: Path, report: Path | None) -> None:
    orders = home / "shop_orders.csv"
    shutil.copy(sample_path("shop_orders"), orders)
    ana = Settings(home=home, user="ana", org="acme", now=FIRST_DAY)

    _title(out, f"Monday, {FIRST_DAY:%d %B %Y}: Ana asks for the first time")
    first = _ask(out, ana, orders, QUESTION)
    _story(out, first.document)
    if report is not None:
        out.say(f"Report: {escape(str(write_report(first.document, report)))}")

    later = FIRST_DAY + timedelta(weeks=WEEKS_BETWEEN)
    shutil.copy(sample_path("shop_orders_next"), orders)
    _title(out, f"{later:%d %B %Y}: Ana comes back; the file has been delivered again")
    second = _ask(out, replace(ana, now=later), orders, LATER)
    if second.status == "waiting":
        out.say("Before it plans anything, Recallyst stops and asks:")
        show_gate(second.document, out)
        out.say("Ana chooses [bold]revalidate[/].")
        with Recallyst(replace(ana, now=later)) as recallyst, out.progress() as progress:
            second = recallyst.resume(second.session_id, mode="revalidate", progress=progress)
    _story(out, second.document)
    used, before = second.document.usage, first.document.usage
    out.say(
        f"One test, {used['cells_read']:,} cells read; the first session read {before['cells_read']:,} in "
        f"{before['steps']} steps."
    )

    _title(out, "The same day: Ben, of the same organisation, asks for the first time")
    third = _ask(out, replace(ana, user="ben", now=later), orders, QUESTION)
    out.say("No gate: Ana's findings are hers. What the organisation knows of the data, Ben inherits:")
    for act in third.document.applied:
        if act["recalled"]:
            out.say(f"  • {applied_line(act)}")
    out.say("")
    out.say(escape(third.document.answer))


def _ask(out: Output, settings: Settings, orders: Path, question: str) -> Turn:
    out.say(f"[bold]> {escape(question)}[/]")
    with Recallyst(settings) as recallyst, out.progress() as progress:
        return recallyst.ask(orders, question, progress=progress)


def _story(out: Output, document: Document) -> None:
    out.say(escape(document.answer))
    besides = [f for f in document.findings if f.statement not in document.answer]
    if besides:
        out.say("")
        out.say(f"[bold]Besides[/] [dim]({counted(len(besides), 'more finding')}, each with its SQL)[/]")
    for finding in besides[:2]:
        out.say(f"  • {escape(finding.statement)} [dim]({finding.label.replace('_', ' ')} {finding.confidence:.2f})[/]")
    out.say("")
    for act in document.applied:
        out.say(f"[yellow]Applied:[/] {applied_line(act)}")
    out.say(f"[dim]Memory: {memory_line(document.memory)}.[/]")


def _title(out: Output, text: str) -> None:
    out.say("")
    out.say(Rule(escape(text), align="left"))
