"""The commands of one turn, and the border where errors become one sentence and an exit code."""

import json
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from typer.exceptions import TyperException

from datasets import DatasetError
from graph.settings import SettingsError
from memory import MemoryError as LedgerError
from recallyst.api import Recallyst, Turn
from recallyst.cli import catalogue_commands, chat, completion, demo, doctor, memory_commands, serve
from recallyst.cli.console import Output
from recallyst.cli.front import HELP, version
from recallyst.cli.gate_view import ask_mode, how_to_go_on
from recallyst.cli.report_view import show_turn
from recallyst.errors import UserError
from recallyst.html import write_report

DONE, OUR_FAULT, USER_FAULT, WAITING = 0, 1, 2, 3

app = typer.Typer(
    name="recallyst",
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(catalogue_commands.app, name="datasets")
app.add_typer(memory_commands.app, name="memory")

Mode = Annotated[
    str | None,
    typer.Option("--mode", help="fresh, extend, revalidate, re-run or auto", autocompletion=completion.modes),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="the answer alone, without progress")]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON document on stdout")]
Report = Annotated[Path | None, typer.Option("--report", help="write an HTML report that opens offline")]


@app.command()
def ask(
    dataset: Annotated[str, typer.Argument(help="a path or a catalogue key", autocompletion=completion.datasets)],
    question: Annotated[str, typer.Argument(help="what you want to know, in your own words")],
    mode: Mode = None,
    session: Annotated[
        str | None, typer.Option("--session", help="continue that session", autocompletion=completion.sessions)
    ] = None,
    report: Report = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Ask one question about a dataset."""
    out = Output(as_json=as_json, quiet=quiet)
    with Recallyst() as recallyst:
        with out.progress() as progress:
            turn = recallyst.ask(dataset, question, mode=mode, session=session, progress=progress)
            turn = _at_the_gate(turn, out)
        _finish(turn, out, report)


@app.command()
def resume(
    session: Annotated[
        str, typer.Argument(help="the session's id, as printed by ask", autocompletion=completion.sessions)
    ],
    mode: Mode = None,
    report: Report = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Answer an open gate, or finish a turn that was cut off."""
    out = Output(as_json=as_json, quiet=quiet)
    with Recallyst() as recallyst:
        with out.progress() as progress:
            turn = _at_the_gate(recallyst.resume(session, mode=mode, progress=progress), out)
        _finish(turn, out, report)


@app.command()
def sessions(as_json: AsJson = False) -> None:
    """List your sessions, the last used first."""
    out = Output(as_json=as_json)
    with Recallyst() as recallyst:
        known = recallyst.sessions()
    if as_json:
        out.print_json(json.dumps([s._asdict() for s in known], indent=2))
        return
    for s in known:
        out.say(
            f"{escape(s.session_id)} [dim]{s.last_used[:16]} {s.status:<8}[/] {escape(s.dataset)}: {escape(s.question)}"
        )
    if not known:
        out.say("There are no sessions yet.")


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version())
        raise typer.Exit(DONE)


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option("--version", help="print the version and stop", callback=_tell_version, is_eager=True),
    ] = False,
) -> None:
    """Data analysis with an agent that remembers."""


app.command("chat")(chat.chat)
app.command("demo")(demo.demo)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)


def _at_the_gate(turn: Turn, out: Output) -> Turn:
    """At a terminal the gate asks; elsewhere it is printed and the command exits with 3."""
    if turn.status != "waiting" or not out.can_ask:
        return turn
    try:
        mode = ask_mode(turn.document, out)
    except (typer.Abort, KeyboardInterrupt):
        mode = None
    if mode is None:
        out.say(escape(how_to_go_on(turn.document)))
        raise typer.Exit(WAITING)
    return turn.choose(mode, progress=out.on_progress)


def _finish(turn: Turn, out: Output, report: Path | None) -> None:
    document = turn.document
    if report is not None and turn.status == "done":
        document = document.model_copy(update={"report": str(write_report(document, report))})
    show_turn(document, out)
    if turn.status == "waiting":
        raise typer.Exit(WAITING)


def main() -> None:
    """Run the command line; the only place where an unexpected error is caught, and told apart from the user's."""
    sys.exit(exit_code())


def exit_code() -> int:
    """Run the command line and return its exit code."""
    try:
        return int(app(standalone_mode=False) or DONE)
    except typer.Exit as stop:
        return stop.exit_code
    except (UserError, DatasetError, SettingsError) as error:
        return _complain(str(error), USER_FAULT)
    except TyperException as error:
        return _complain(error.format_message(), USER_FAULT)
    except (typer.Abort, KeyboardInterrupt):
        return _complain("stopped; the session can be taken up again with `recallyst resume`.", USER_FAULT)
    except LedgerError as error:
        return _complain(str(error), OUR_FAULT)
    except Exception as error:  # noqa: BLE001 - the outer border: what gets here is our fault, and is recorded
        return _complain(_recorded(error), OUR_FAULT)


def _complain(sentence: str, code: int) -> int:
    if sentence:
        typer.echo(f"recallyst: {sentence}", err=True)
    return code


def _recorded(error: Exception) -> str:
    """Keep the traceback in a file, and say in one sentence what happened and where to look."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="recallyst-error-", suffix=".txt", delete=False, encoding="utf-8"
    ) as kept:
        kept.write("".join(traceback.format_exception(error)))
    return f"an error on our side ({type(error).__name__}: {error}); the details are in {kept.name}"
