"""How turns and findings show themselves in a notebook: HTML with charts and tables, or Markdown."""

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

import vl_convert

from recallyst.rendering import environment

if TYPE_CHECKING:
    from recallyst.document import Document, Finding

SHOWN_FINDINGS = 7
SHOWN_ROWS = 50


def turn_bundle(document: "Document") -> dict[str, str]:
    """Return the open gate, or the answer with its findings and their charts, by MIME type."""
    waiting = document.status == "waiting" and document.gate is not None
    shown = [] if waiting else document.findings[:SHOWN_FINDINGS]
    page = environment().get_template("notebook.html.j2")
    html = page.render(
        d=document,
        gate=document.gate if waiting else None,
        findings=[(f, _chart(f)) for f in shown],
        left_out=len(document.findings) - len(shown),
        rows=SHOWN_ROWS,
    )
    markdown = _gate_markdown(document) if waiting else _answer_markdown(document)
    return {"text/html": html, "text/markdown": markdown, "text/plain": document.answer or markdown}


def finding_bundle(finding: "Finding") -> dict[str, str]:
    """Return one finding with its chart, its numbers and its SQL, by MIME type."""
    page = environment().get_template("notebook.html.j2")
    html = page.render(d={}, gate=None, findings=[(finding, _chart(finding))], left_out=0, rows=SHOWN_ROWS)
    line = _line(finding)
    return {"text/html": html, "text/markdown": line, "text/plain": finding.statement}


def _chart(finding: "Finding") -> str | None:
    """The chart as base64 of an SVG picture: shown as an image, nothing in it can run."""
    if finding.chart is None:
        return None
    return base64.b64encode(str(vl_convert.vegalite_to_svg(finding.chart)).encode()).decode()


def _gate_markdown(document: "Document") -> str:
    gate = document.gate
    assert gate is not None
    known = [f"- {p['summary']} ({p['confidence']:.2f})" for p in gate.prior_findings]
    modes = " | ".join(f'"{o["mode"]}"' for o in gate.options)
    return _paragraphs(["**Already known**", "\n".join(known), f"Go on with `.choose({modes})`."])


def _answer_markdown(document: "Document") -> str:
    lines = [f"{n}. {_line(f)}" for n, f in enumerate(document.findings, 1)]
    return _paragraphs([document.answer, "\n".join(lines)])


def _line(finding: "Finding") -> str:
    return f"{finding.statement} *({finding.label.replace('_', ' ')})*"


def _paragraphs(parts: Sequence[str]) -> str:
    return "\n\n".join(p for p in parts if p)
