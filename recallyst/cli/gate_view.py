"""The gate at the terminal: what is known, what changed, and the question what to do with it."""

import typer
from rich.markup import escape

from datasets.plain import counted
from graph.modes import parse_mode, refusal
from recallyst.cli.asking import choose
from recallyst.cli.console import LEAVE, Output
from recallyst.document import Document, Gate, Json

SHOWN_PRIOR = 5
LONGEST = 150


def show_gate(document: Document, out: Output) -> None:
    """Show what is known, what changed, and what each mode would do and cost."""
    gate = document.gate
    if gate is None:
        return
    out.say(f"[bold]Already known of {escape(document.dataset.key)}[/]")
    for p in gate.prior_findings[:SHOWN_PRIOR]:
        out.say(f"  • {escape(_short(p['summary']))} [dim]({_standing(p)})[/]")
    if len(gate.prior_findings) > SHOWN_PRIOR:
        out.say(f"  [dim]... and {counted(len(gate.prior_findings) - SHOWN_PRIOR, 'more finding')}[/]")
    if gate.data_changed:
        out.say(f"[bold]Data:[/] {escape(str(gate.data_changed.get('summary', '')))}")
    if gate.note:
        out.say(f"[yellow]{escape(gate.note)}[/]")
    suggested = (gate.suggested or {}).get("mode")
    for n, option in enumerate(gate.options if not out.can_ask else [], 1):
        mark = "→" if option["mode"] == suggested else " "
        does = escape(_short(option["does"]))
        out.say(f"{mark} {n} [bold]{option['mode']:<11}[/]{does} [dim]({_cost(option['cost'])})[/]")
    for answer, summary in _choices(gate):
        out.say(f"    [bold]{answer}[/]  {escape(summary)}")
    if gate.suggested:
        sure = f"Suggested: [bold]{suggested}[/] ({gate.suggested['confidence']:.0%} sure)."
        lead = sure if gate.suggested.get("sure", True) else "No mode is suggested."
        out.say(f"{lead} {escape(gate.suggested['reason'])}")


def ask_mode(document: Document, out: Output) -> str | None:
    """Ask the person at the terminal until there is an answer: a mode, or None when they leave the gate open."""
    with out.paused():
        show_gate(document, out)
        suggested = _default(document.gate)
        if out.can_ask and document.gate:
            options = [(o["mode"], _line(o)) for o in document.gate.options]
            mode = choose("What should I do?", options, default=suggested)
            findings = _choices(document.gate) if mode == "revalidate" else []
            return choose("Which of them?", findings, default=findings[0][0]) if findings else mode
        while True:
            said = str(typer.prompt("What should I do? 1-4, a mode, or exit", default=suggested)).strip()
            if said.lower() in LEAVE:
                return None
            mode = parse_mode(said, suggested=parse_mode(suggested))
            if mode:
                return mode
            out.say(f"[yellow]{escape(refusal(said))}[/]")


def how_to_go_on(document: Document) -> str:
    """Say how an open gate is answered later."""
    return f"Waiting at the gate. Go on with: recallyst resume {document.session_id} --mode MODE"


def _default(gate: Gate | None) -> str:
    """What the cursor stands on: the suggestion, or the nearest where none is sure."""
    return str(((gate.suggested if gate else None) or {}).get("mode") or "extend")


def _choices(gate: Gate) -> list[tuple[str, str]]:
    """The answers that name a finding, where the question fits two equally, each with what it says."""
    found = next((o.get("choices") or [] for o in gate.options if o["mode"] == "revalidate"), [])
    return [(f"revalidate {n}", _short(c["summary"])) for n, c in enumerate(found, 1)]


def _line(option: Json) -> str:
    return f"{option['mode']:<11} {_short(option['does'])} ({_cost(option['cost'])})"


def _standing(prior: Json) -> str:
    expiry = prior["days_until_expiry"]
    left = "no time limit" if expiry is None else f"{expiry:.0f} days left"
    return f"{prior['confidence']:.2f}, {_age(prior['age_days'])}, {left}"


def _age(days: float) -> str:
    return "today" if days < 1 else f"{days:.0f} day{'s' if round(days) != 1 else ''} old"


def _cost(cost: Json) -> str:
    steps = cost["steps"]
    seconds = f", about {cost['seconds']:.1f} s" if cost.get("seconds") else ""
    return f"{steps} step{'s' if steps != 1 else ''}, {cost['rows']:,} rows{seconds}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rsplit(" ", 1)[0] + " …"
