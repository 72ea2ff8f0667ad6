"""Everything the terminal shows: progress on stderr, results on stdout."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
from rich.rule import Rule
from rich.table import Table

from recallyst.api import Progress as Listener
from recallyst.document import Document, Json

PHASES = {
    "understand": "reading the question",
    "recall": "recalling what is known",
    "gate": "at the gate",
    "plan": "checking the data, planning",
    "battery": "measuring",
    "report": "writing the report",
    "consolidate": "keeping what deserves it",
    "transcript": "listening to what was said",
}
MODES = ("fresh", "extend", "revalidate", "re-run")
SHOWN_PRIOR = 7


class Output:
    """Where a command writes: a person's terminal, or one JSON document on stdout."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.stdout = Console(file=sys.stdout, highlight=False, soft_wrap=not sys.stdout.isatty())
        self.stderr = Console(file=sys.stderr, highlight=False)
        self.on_progress: Listener | None = None
        self._bar: Progress | None = None

    @property
    def can_ask(self) -> bool:
        """Whether a person sits at the terminal and can be asked."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    @contextmanager
    def progress(self) -> Iterator[Listener]:
        """Show phases and steps on stderr while work goes on; nothing where stderr is not a terminal."""
        bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=24),
            TextColumn("{task.fields[detail]}"), console=self.stderr, transient=True,
            disable=not self.stderr.is_terminal,
        )  # fmt: skip
        task = bar.add_task("starting", total=None, detail="")

        def listen(event: Mapping[str, Any]) -> None:
            phase = PHASES.get(str(event.get("phase")), str(event.get("phase")))
            if "step" in event:
                detail = escape(f"{event['step']}/{event['steps']} {event['kind']}")
                bar.update(task, description=phase, completed=event["step"] - 1, total=event["steps"], detail=detail)
            else:
                bar.update(task, description=phase, completed=0, total=None, detail="")

        self.on_progress, self._bar = listen, bar
        with bar:
            yield listen

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the progress away while a person is asked."""
        if self._bar is not None:
            self._bar.stop()
        yield
        if self._bar is not None:
            self._bar.start()

    def print_json(self, document: str) -> None:
        """Write one JSON document on stdout, as it is."""
        sys.stdout.write(document + "\n")

    def say(self, *parts: Any) -> None:
        """Print to stdout; text must be escaped by the caller where it comes from data."""
        self.stdout.print(*parts)


def show_turn(document: Document, out: Output) -> None:
    """Show one turn: as JSON, as the open gate, or as the report."""
    if out.as_json:
        out.print_json(document.model_dump_json(indent=2))
    elif document.status == "waiting":
        show_gate(document, out)
        out.say(f"Waiting at the gate. Go on with: recallyst resume {escape(document.session_id)} --mode MODE")
    else:
        show_report(document, out)


def show_gate(document: Document, out: Output) -> None:
    """Show what is known, what changed, and what each mode would do and cost."""
    gate = document.gate
    if gate is None:
        return
    out.say(f"[bold]Already known of {escape(document.dataset.key)}[/]")
    known = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    known.add_column(ratio=1, no_wrap=True, overflow="ellipsis", max_width=max(40, out.stdout.width - 34))
    for p in gate.prior_findings[:SHOWN_PRIOR]:
        expiry = p["days_until_expiry"]
        left = "no limit" if expiry is None else f"{expiry:.0f} d left"
        known.add_row(escape(p["summary"]), f"{p['confidence']:.2f}", _days(p["age_days"]), left)
    out.say(known)
    if len(gate.prior_findings) > SHOWN_PRIOR:
        out.say(f"[dim]... and {len(gate.prior_findings) - SHOWN_PRIOR} more[/]")
    if gate.data_changed:
        out.say(f"[bold]Data:[/] {escape(str(gate.data_changed.get('summary', '')))}")
    if gate.note:
        out.say(f"[yellow]{escape(gate.note)}[/]")
    suggested = (gate.suggested or {}).get("mode")
    choices = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    choices.add_column()
    choices.add_column(no_wrap=True, overflow="ellipsis", max_width=max(40, out.stdout.width - 44))
    choices.add_column(justify="right", no_wrap=True)
    for option in gate.options:
        mark = "→" if option["mode"] == suggested else " "
        cost = option["cost"]
        choices.add_row(f"{mark} [bold]{option['mode']}[/]", escape(option["does"]), _cost(cost))
    out.say(choices)
    if gate.suggested:
        out.say(
            f"Suggested: [bold]{suggested}[/] ({gate.suggested['confidence']:.2f}). {escape(gate.suggested['reason'])}"
        )


def ask_mode(document: Document, out: Output) -> str:
    """Ask the person at the terminal for a mode, the suggested one preselected."""
    with out.paused():
        show_gate(document, out)
        suggested = ((document.gate.suggested if document.gate else None) or {}).get("mode") or "extend"
        return str(typer.prompt("What should I do? " + " / ".join(MODES), default=suggested))


def show_report(document: Document, out: Output) -> None:
    """Show the report: answer, findings, what memory did and will do."""
    verdict = f": {document.verdict['verdict'].replace('_', ' ')}" if document.verdict else ""
    out.say(Rule(f"Answer{verdict}", align="left", style="dim"))
    out.say(escape(document.answer or "Nothing was measured."))
    out.say(Rule("Findings", align="left", style="dim"))
    for n, finding in enumerate(document.findings, 1):
        evidence = finding.evidence
        test = f", {evidence['test']} p = {evidence['p_value']:.3g}" if evidence.get("p_value") is not None else ""
        label = finding.label.replace("_", " ")
        out.say(f"{n:>2}. {escape(finding.statement)}")
        out.say(f"    [dim]{label} {finding.confidence:.2f}, n = {evidence['n']:,}{test}[/]")
    _list(out, "Applied to the data", [applied_line(a) for a in document.applied])
    _list(out, "Data quality", [q["statement"] for q in _safe(document.data_quality)])
    _list(out, "How the file was read", _texts(document.dataset.notes))
    _list(out, "Not done", [f"{s['what']}: {s['reason']}" for s in _safe(document.skipped)][:6])
    _list(out, "Note", _texts(document.warnings))
    out.say(f"[dim]Memory: {memory_line(document.memory)}. Session {escape(document.session_id)}[/]")
    if document.report:
        out.say(f"[dim]Report: {escape(document.report)}[/]")


def memory_line(memory: Json) -> str:
    """Say in a few words what became of the candidates for memory."""
    parts = [
        f"{len(memory[k])} {k}" for k in ("stored", "reconfirmed", "superseded", "resolved", "dropped") if memory[k]
    ]
    return ", ".join(parts) or "nothing new"


def applied_line(act: Json) -> str:
    """Say what the engine did to the data and on whose word."""
    source = "from memory" if act["recalled"] else "found now"
    return f"{escape(act['effect'])} [dim]({source})[/]"


def _list(out: Output, title: str, lines: list[str]) -> None:
    if lines:
        out.say(f"[bold]{title}[/]")
        for line in lines:
            out.say(f"  • {line}")


def _safe(rows: list[Json]) -> list[Json]:
    return [{k: escape(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]


def _texts(lines: list[str]) -> list[str]:
    return [escape(line) for line in lines]


def _cost(cost: Json) -> str:
    steps = cost["steps"]
    return f"{steps} step{'s' if steps != 1 else ''}, {cost['rows']:,} rows"


def _days(days: float) -> str:
    return "today" if days < 1 else f"{days:.0f} day{'s' if round(days) != 1 else ''}"
