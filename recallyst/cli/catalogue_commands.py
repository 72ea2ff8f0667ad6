"""`recallyst datasets`: the catalogue."""

import json
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.markup import escape
from rich.table import Table

from datasets import DatasetError, Overrides
from graph.services import open_services
from graph.settings import read_settings
from recallyst.cli.console import Output

app = typer.Typer(help="The catalogue of datasets.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON document on stdout")]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the catalogued datasets."""
    out = Output(as_json=as_json)
    services = open_services(read_settings())
    try:
        entries = [{"key": e.key, "path": str(e.path), "description": e.description} for e in services.catalogue.list()]
    finally:
        services.close()
    if as_json:
        out.print_json(json.dumps(entries, indent=2))
        return
    table = Table("key", "path", "description")
    for entry in entries:
        table.add_row(*(escape(entry[k]) for k in ("key", "path", "description")))
    out.say(table)


@app.command()
def add(
    path: Annotated[Path, typer.Argument(help="the file, or a folder of files")],
    key: Annotated[str | None, typer.Option("--key", help="short name; without it made from the file's name")] = None,
    description: Annotated[str, typer.Option("--description", help="one line on what it holds")] = "",
    time_column: Annotated[str | None, typer.Option("--time-column", help="when the event of a row happened")] = None,
    date_order: Annotated[str | None, typer.Option("--date-order", help="'day first' or 'month first'")] = None,
    table: Annotated[str | None, typer.Option("--table", help="the sheet, table or file to analyse")] = None,
    decimal: Annotated[str | None, typer.Option("--decimal", help="'comma' or 'point'")] = None,
    encoding: Annotated[str | None, typer.Option("--encoding", help="of the text, e.g. cp1250")] = None,
    delimiter: Annotated[str | None, typer.Option("--delimiter", help="one character between the cells")] = None,
    header_line: Annotated[int | None, typer.Option("--header-line", help="the record, from 1, with the names")] = None,
    keep_wide: Annotated[bool, typer.Option("--keep-wide", help="leave columns that are years or months")] = False,
    as_text: Annotated[list[str] | None, typer.Option("--as-text", help="a column to keep as it is written")] = None,
    as_json: AsJson = False,
) -> None:
    """Catalogue a file or a folder under a short name, which the server can then serve.

    Options settle how it is read where the evidence in the file is not enough; `show` tells what was decided.
    """
    out = Output(as_json=as_json)
    try:
        overrides = Overrides.model_validate(
            {
                "table": table,
                "date_order": date_order,
                "decimal": decimal,
                "encoding": encoding,
                "delimiter": delimiter,
                "header_line": header_line,
                "keep_wide": keep_wide,
                "as_text": tuple(as_text or ()),
            }
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = str(first["loc"][0]).replace("_", "-")
        raise DatasetError(f"--{option} {first.get('input')!r} cannot be used: {first['msg']}") from error
    services = open_services(read_settings())
    try:
        entry = services.catalogue.add(
            path, key=key, description=description, time_column=time_column, overrides=overrides
        )
    finally:
        services.close()
    shown = {
        "key": entry.key,
        "path": str(entry.path),
        "description": entry.description,
        "overrides": entry.overrides.model_dump(mode="json", exclude_defaults=True),
    }
    if as_json:
        out.print_json(json.dumps(shown, indent=2))
    else:
        out.say(f"Catalogued as [bold]{escape(entry.key)}[/].")


@app.command()
def show(
    dataset: Annotated[str, typer.Argument(help="a path or a catalogue key")],
    as_json: AsJson = False,
) -> None:
    """Show how a dataset was read: its columns with role, type and gaps, and the load report."""
    out = Output(as_json=as_json)
    services = open_services(read_settings())
    try:
        with services.catalogue.open(dataset, now=services.clock()) as opened:
            card = opened.card
    finally:
        services.close()
    if as_json:
        out.print_json(card.model_dump_json(indent=2))
        return
    table = Table(title=escape(card.dataset), title_justify="left", box=None, padding=(0, 2, 0, 0))
    for name in ("column", "role", "type", "missing", "distinct", "from … to"):
        table.add_column(name, overflow="fold", justify="right" if name in {"missing", "distinct"} else "left")
    for c in card.columns:
        span = f"{(c.minimum or '')[:24]} … {(c.maximum or '')[:24]}" if c.minimum is not None else ""
        table.add_row(*(escape(t) for t in (c.name, c.role, c.sql_type, f"{c.nulls:,}", f"{c.distinct:,}", span)))
    out.say(table)
    out.say(f"{card.rows:,} rows; event time: {escape(card.time_column or 'none')}")
    for note in card.notes:
        out.say(f"  • {escape(note)}")
