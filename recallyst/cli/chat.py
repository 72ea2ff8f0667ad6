"""`recallyst chat`: a conversation about one dataset."""

from typing import Annotated

import typer
from rich.markup import escape

from datasets import DatasetError
from recallyst.api import Recallyst
from recallyst.cli.console import Output, ask_mode, show_turn
from recallyst.errors import UserError

LEAVE = {"exit", "quit", "bye", ":q"}


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
                    while turn.status == "waiting":
                        turn = turn.choose(ask_mode(turn.document, out), progress=progress)
            except (UserError, DatasetError) as error:
                out.stderr.print(f"[yellow]{escape(str(error))}[/]")
                continue
            session = turn.session_id
            show_turn(turn.document, out)
        if session:
            out.say(
                f"[dim]Session {escape(session)}: take it up with recallyst chat ... --session {escape(session)}[/]"
            )
