"""`recallyst chat`: a conversation about one dataset."""

from collections.abc import Callable
from typing import Annotated

import typer
from rich.markup import escape

from datasets import DatasetError
from recallyst.api import Recallyst
from recallyst.cli.asking import line_reader
from recallyst.cli.console import LEAVE, Output
from recallyst.cli.gate_view import ask_mode, how_to_go_on
from recallyst.cli.report_view import show_turn
from recallyst.errors import UserError
from recallyst.history import history_file


def chat(
    dataset: Annotated[str, typer.Argument(help="a path or a catalogue key")],
    session: Annotated[str | None, typer.Option("--session", help="continue that session")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="the answers alone")] = False,
) -> None:
    """Talk about a dataset; an empty line or `exit` ends the talk, and the session can be taken up again."""
    out = Output(as_json=False, quiet=quiet)
    with Recallyst() as recallyst:
        recallyst.check(dataset, session=session)
        out.say(f"Talking about [bold]{escape(dataset)}[/]. Ask in your own words; `exit` ends the talk.")
        read = _reader(out, recallyst, dataset)
        while True:
            try:
                question = read().strip()
            except (EOFError, KeyboardInterrupt):
                break
            if not question or question.lower() in LEAVE:
                break
            try:
                with out.progress() as progress:
                    turn = recallyst.ask(dataset, question, session=session, progress=progress)
                    mode = ask_mode(turn.document, out) if turn.status == "waiting" else None
                    if mode:
                        turn = turn.choose(mode, progress=progress)
            except (UserError, DatasetError) as error:
                out.stderr.print(f"[yellow]{escape(str(error))}[/]")
                continue
            if turn.status == "waiting":
                out.say(escape(how_to_go_on(turn.document)))
                return
            show_turn(turn.document, out, brief=session is not None)
            session = turn.session_id
        if session:
            out.say(
                f"[dim]Session {escape(session)}: take it up with recallyst chat ... --session {escape(session)}[/]"
            )


def _reader(out: Output, recallyst: Recallyst, dataset: str) -> Callable[[], str]:
    """Read lines with history at a terminal, and plainly from a pipe."""
    if not out.can_ask:
        return lambda: out.stdout.input("[bold]> [/]")
    lines = line_reader(history_file(recallyst.settings.home, dataset))
    return lambda: lines.prompt([("bold", "> ")])
