"""`recallyst memory`: owning what is remembered."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from graph.cards import unit_card
from graph.services import Services, open_services
from graph.settings import read_settings
from memory import MemoryError as LedgerError
from memory import MemoryUnit
from memory.ledger.rekeying import rekey as change_key
from memory.ledger.sealing import new_key as random_key
from memory.units import MemoryType
from recallyst.api import Recallyst
from recallyst.cli.console import Output
from recallyst.errors import UserError

app = typer.Typer(help="What is remembered: look, search, forget, take along.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON document on stdout")]
Dataset = Annotated[str | None, typer.Option("--dataset", help="only units of this dataset key")]


@contextmanager
def _services() -> Iterator[Services]:
    services = open_services(read_settings())
    try:
        yield services
    finally:
        services.close()


def _show(units: list[MemoryUnit], services: Services, *, as_json: bool) -> None:
    out = Output(as_json=as_json)
    if as_json:
        out.print_json(json.dumps([u.model_dump(mode="json") for u in units], indent=2))
        return
    for unit in units:
        card = unit_card(unit, services.clock())
        expiry = card["days_until_expiry"]
        left = "no time limit" if expiry is None else f"{expiry:.0f} days left"
        seen = f"seen in {unit.sightings} session{'s' if unit.sightings != 1 else ''}"
        kind = unit.memory_type.replace("_", " ")
        out.say(escape(unit.summary))
        out.say(
            f"  [dim]{unit.memory_id[:12]} · {kind} of {escape(unit.data_source or 'all datasets')} · "
            f"{unit.confidence:.2f} · {seen} · {card['age_days']:.0f} days old · {left}[/]"
        )
    if not units:
        out.say("Nothing is remembered here.")


def _full_id(services: Services, given: str) -> str:
    """Complete the beginning of an id, as the list prints it."""
    found = [
        u.memory_id for u in services.memory.list(services.principal, status=None) if u.memory_id.startswith(given)
    ]
    if len(found) != 1:
        raise UserError(
            f"{given!r} names {len(found) or 'no'} memories; give an id as `recallyst memory list` prints it."
        )
    return found[0]


@app.command("list")
def list_(
    dataset: Dataset = None,
    memory_type: Annotated[MemoryType | None, typer.Option("--type", help="only units of this type")] = None,
    as_json: AsJson = False,
) -> None:
    """List the active memories."""
    with _services() as services:
        units = services.memory.list(services.principal, dataset=dataset, memory_type=memory_type)
        _show(units, services, as_json=as_json)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="what to look for")],
    dataset: Dataset = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100)] = 10,
    as_json: AsJson = False,
) -> None:
    """Search the active memories by words and by meaning."""
    with _services() as services:
        found = services.memory.search(services.principal, query, dataset=dataset, limit=limit)
        _show([f.unit for f in found], services, as_json=as_json)


@app.command()
def show(memory_id: Annotated[str, typer.Argument(help="the id, or its beginning")], as_json: AsJson = False) -> None:
    """Show one memory with its provenance and its earlier versions."""
    with _services() as services:
        full = _full_id(services, memory_id)
        unit = services.memory.get(services.principal, full)
        versions = services.memory.history(services.principal, full)
        out = Output(as_json=as_json)
        if as_json:
            document = {"unit": unit.model_dump(mode="json"), "history": [v.model_dump(mode="json") for v in versions]}
            out.print_json(json.dumps(document, indent=2))
            return
        out.say(f"[bold]{escape(unit.summary)}[/]")
        for name in ("memory_id", "memory_type", "status", "label", "confidence", "sightings", "is_durative",
                     "dialogue_time", "last_confirmed_at", "expires_at", "data_source", "session_id"):  # fmt: skip
            out.say(f"  {name}: {escape(str(getattr(unit, name)))}")
        for statement in (unit.provenance or {}).get("sql") or []:
            out.say(f"  SQL: [dim]{escape(statement)}[/]")
        for version in versions:
            out.say(f"  version {version.version} ({version.status}): {escape(version.summary)}")


@app.command()
def audit(
    run: Annotated[str | None, typer.Option("--run", help="only this run")] = None,
    session: Annotated[str | None, typer.Option("--session", help="only runs of this session")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="how many runs, newest first")] = 20,
    as_json: AsJson = False,
) -> None:
    """Tell run by run which memories were shown, which mode was suggested and chosen, what was applied and written."""
    with _services() as services:
        told = services.memory.audit_trail(services.principal, run_id=run, session_id=session, limit=limit)
    out = Output(as_json=as_json)
    if as_json:
        out.print_json(json.dumps([a.model_dump(mode="json") for a in told], indent=2))
        return
    for entry in told:
        on = f" on {entry.dataset}" if entry.dataset else ""
        run_id = entry.run_id or "none"
        out.say(f"[bold]{entry.began_at:%Y-%m-%d %H:%M}[/] {escape(f'run {run_id}{on}')}")
        if entry.session_id:
            out.say(f"  [dim]session {escape(entry.session_id)}[/]")
        out.say(f"  shown: {_ids(entry.shown)}")
        for name, value in entry.decided.items():
            shown = _ids(value) if isinstance(value, list) else value if value is not None else "nothing"
            out.say(f"  {escape(name.replace('_', ' '))}: {escape(str(shown))}")
        for change in entry.written:
            reason = f" ({change.detail['reason']})" if "reason" in change.detail else ""
            out.say(f"  {change.action}: {escape((change.memory_id or 'nothing')[:12] + reason)}")
    if not told:
        out.say("No run has left a trace yet.")


def _ids(values: list[str]) -> str:
    return ", ".join(str(value)[:12] for value in values) or "nothing"


@app.command()
def forget(
    memory_id: Annotated[str | None, typer.Argument(help="the id, or its beginning")] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", help="everything of this dataset key")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="all that is yours")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget for good: memories, their artifacts, and the sessions that hold them; an empty tombstone remains."""
    if sum((memory_id is not None, dataset is not None, everything)) != 1:
        raise UserError("Say what to forget: one id, or --dataset KEY, or --everything.")
    with Recallyst() as recallyst:
        full = _full_id(recallyst.services, memory_id) if memory_id else None
        count = recallyst.forget(memory_id=full, dataset=dataset, everything=everything)
        out = Output(as_json=as_json)
        if as_json:
            out.print_json(json.dumps({"forgotten": count}))
        else:
            out.say(f"Forgotten: {count}." if count or everything else f"Nothing is kept of {dataset!r}.")


@app.command("export")
def export_(target: Annotated[Path, typer.Argument(help="the JSON file to write")], as_json: AsJson = False) -> None:
    """Write all that is yours to one JSON file, which `import` takes."""
    with _services() as services:
        document = services.memory.export(services.principal)
        partial = target.with_name(target.name + ".partial")
        try:
            partial.write_text(json.dumps(document, indent=2, ensure_ascii=False), encoding="utf-8")
            partial.replace(target)
        except OSError as error:
            raise UserError(
                f"{str(target)!r} cannot be written ({error.strerror}); name a file in a folder of yours."
            ) from error
        out = Output(as_json=as_json)
        count = len(document["units"])
        out.print_json(json.dumps({"exported": count, "path": str(target)})) if as_json else out.say(
            f"Exported: {count}."
        )


@app.command("import")
def import_(
    source: Annotated[Path, typer.Argument(help="a file that `export` wrote")], as_json: AsJson = False
) -> None:
    """Take in the units of an exported file; what is known already is reconfirmed, not doubled."""
    try:
        document = json.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{str(source)!r} cannot be read as an export ({error}); give a file that `export` wrote."
        ) from error
    with _services() as services:
        try:
            outcomes = services.memory.import_(services.principal, document)
        except LedgerError as error:
            raise UserError(f"{str(source)!r} was not taken in: {error}") from error
        out = Output(as_json=as_json)
        counts = {a: sum(o.action == a for o in outcomes) for a in ("stored", "reconfirmed", "superseded", "dropped")}
        out.print_json(json.dumps(counts)) if as_json else out.say(f"Imported: {counts}.")


@app.command()
def sweep(as_json: AsJson = False) -> None:
    """Close what has expired; expiry is enforced while reading, so this only tidies up."""
    with _services() as services:
        _count("swept", services.memory.sweep(), as_json=as_json)


@app.command()
def key() -> None:
    """Print a new key for RECALLYST_KEY; keep it safe, since without it a sealed memory is lost."""
    Output(as_json=False).say(random_key())


@app.command()
def rekey(
    to: Annotated[
        Path, typer.Option("--to", help="a file that holds the new key, as `recallyst memory key` prints it")
    ],
    as_json: AsJson = False,
) -> None:
    """Seal memory with another key instead of the one in RECALLYST_KEY or RECALLYST_KEY_FILE."""
    settings = read_settings()
    if settings.memory_key is None:
        raise UserError("Set RECALLYST_KEY or RECALLYST_KEY_FILE to the present key, which memory is to be read with.")
    try:
        new_key = to.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{str(to)!r} cannot be read ({error}); name a file that holds the new key.") from error
    try:
        done = change_key(settings.home, key=settings.memory_key, new_key=new_key, database_url=settings.database_url)
    except LedgerError as error:
        raise UserError(f"The key was not changed: {error}") from error
    out = Output(as_json=as_json)
    now = "Sealed with the new key" if done else "It was sealed with the new key already"
    said = f"{now}; set RECALLYST_KEY_FILE={to} from now on."
    out.print_json(json.dumps({"rekeyed": done})) if as_json else out.say(escape(said))


@app.command()
def reindex(as_json: AsJson = False) -> None:
    """Throw the index away and build it anew from the ledger."""
    with _services() as services:
        _count("indexed", services.memory.reindex(), as_json=as_json)


@app.command()
def stats(as_json: AsJson = False) -> None:
    """Count what is remembered, by type and status."""
    with _services() as services:
        out = Output(as_json=as_json)
        figures = services.memory.stats(services.principal)
        if as_json:
            out.print_json(json.dumps(figures, indent=2))
        else:
            for name, value in figures.items():
                out.say(f"{escape(str(name))}: {escape(str(value))}")


def _count(name: str, count: int, *, as_json: bool) -> None:
    out = Output(as_json=as_json)
    out.print_json(json.dumps({name: count})) if as_json else out.say(f"{name.capitalize()}: {count}.")
