"""`recallyst chat`: a conversation about one dataset."""

from typing import Annotated

import typer
from rich.markup import escape

from datasets import DatasetError
from recallyst.api import Recallyst
from recallyst.cli.console import LEAVE, Output
from recallyst.cli.gate_view import ask_mode, how_to_go_on
from recallyst.cli.report_view import show_turn
from recallyst.errors import UserError


def chat(
    dataset: Annotated[str, typer.Argument(help="a path or a catalogue key")],
    session: Annotated[str | None, typer.Option("--session", help="continue that session")] = None,
) -> None:
    """Talk about a dataset; an empty line or `exit` ends the talk, and the session can be taken up again."""
    out = Output(as_json=False)
    with Recallyst() as recallyst:
        out.say(f"Talking about [bold]{escape(dataset)}[/]. Ask in your own words; `exit` ends the talk.")
        while True:
            try:
                question = out.stdout.input("[bold]> [/]").strip()
            except EOFError:
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
