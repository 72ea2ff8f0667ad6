"""A turn at the terminal: the answer, the findings with what carries them, what memory did."""

from rich.markup import escape
from rich.rule import Rule
from rich.table import Table

from recallyst.cli.console import Output
from recallyst.cli.gate_view import how_to_go_on, show_gate
from recallyst.cli.pictures import show_evidence
from recallyst.document import Document, Finding, Json

BUDGET = "beyond the budget"


def show_turn(document: Document, out: Output, *, brief: bool = False) -> None:
    """Show one turn: as JSON, as the open gate, or as the report; `brief` leaves out what a talk has said before."""
    if out.as_json:
        out.print_json(document.model_dump_json(indent=2))
    elif document.status == "waiting":
        show_gate(document, out)
        out.say(escape(how_to_go_on(document)))
    elif out.quiet:
        out.say(escape(document.answer or "Nothing was measured."))
    else:
        show_report(document, out, brief=brief)


def show_report(document: Document, out: Output, *, brief: bool = False) -> None:
    """Show the report; a finding that the answer has said already is only named."""
    verdict = f": {document.verdict['verdict'].replace('_', ' ')}" if document.verdict else ""
    out.say(Rule(f"Answer{verdict}", align="left", style="dim"))
    out.say(escape(document.answer or "Nothing was measured."))
    show_comparison(document.comparison, out)
    if document.findings:
        out.say(Rule("Findings", align="left", style="dim"))
    for n, finding in enumerate(document.findings, 1):
        said = finding.statement in document.answer
        out.say(f"{n:>2}. {escape(_opening(finding) if said else finding.statement)}")
        out.say(f"    [dim]{escape(_carried_by(finding))}[/]")
        if n == 1:
            show_evidence(finding, out)
    if document.plan:
        _list(out, "Applied to the data", [applied_line(a) for a in document.applied])
    if document.plan and not brief:
        _list(out, "Data quality", [escape(q["statement"]) for q in document.data_quality])
        _list(out, "How the file was read", [escape(note) for note in document.dataset.notes])
        _list(out, "Not done", _not_done(document.skipped))
    _list(out, "Note", [escape(w) for w in document.warnings])
    out.say(f"[dim]Memory: {memory_line(document.memory)}. Session {escape(document.session_id)}[/]")
    if document.report:
        out.say(f"[dim]Report: {escape(document.report)}[/]")


def show_comparison(rows: list[Json], out: Output) -> None:
    """Show what each finding of a repeated battery was then and is now."""
    if not rows:
        return
    out.say(Rule("Then and now", align="left", style="dim"))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("finding", no_wrap=True, overflow="ellipsis", max_width=max(30, out.stdout.width - 70))
    for name in ("then", "now", "change", "verdict"):
        table.add_column(name, overflow="fold", max_width=24)
    for row in rows:
        cells = (row["statement_before"], row["then"], row["now"] or "-", row["change"] or "-")
        table.add_row(*(escape(str(c)) for c in cells), row["verdict"].replace("_", " "))
    out.say(table)


def memory_line(memory: Json) -> str:
    """Say in a few words what became of the candidates for memory."""
    kinds = ("stored", "reconfirmed", "superseded", "resolved", "dropped")
    return ", ".join(f"{len(memory[k])} {k}" for k in kinds if memory[k]) or "nothing new"


def applied_line(act: Json) -> str:
    """Say what the engine did to the data and on whose word."""
    source = "from memory" if act["recalled"] else "found now"
    return f"{escape(act['effect'])} [dim]({source})[/]"


def _opening(finding: Finding, longest: int = 60) -> str:
    """The first words of a finding that stands in the answer."""
    text = finding.statement
    return text if len(text) <= longest else text[:longest].rsplit(" ", 1)[0] + " …"


def _carried_by(finding: Finding) -> str:
    evidence = finding.evidence
    test = f", {evidence['test']} p = {evidence['p_value']:.3g}" if evidence.get("p_value") is not None else ""
    return f"{finding.label.replace('_', ' ')} {finding.confidence:.2f}, n = {evidence['n']:,}{test}"


def _not_done(skipped: list[Json]) -> list[str]:
    """What was left out, with reasons; mere ideas past the budget are only counted."""
    told = [f"{escape(str(s['what']))}: {escape(str(s['reason']))}" for s in skipped if BUDGET not in s["reason"]]
    ideas = len(skipped) - len(told)
    return told[:6] + ([f"{ideas} more steps that came to mind: beyond the budget"] if ideas else [])


def _list(out: Output, title: str, lines: list[str]) -> None:
    if lines:
        out.say(f"[bold]{title}[/]")
        for line in lines:
            out.say(f"  • {line}")
