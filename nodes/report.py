"""report: labels the findings and writes the answer: the direct answer first, then what carries it."""

import base64
import re
import uuid
from datetime import UTC, datetime

from langchain_core.messages import AIMessage

from analyst import Intent, analyst_for
from analyst.protocol import LabelledFinding, Report
from datasets.charts import picture
from datasets.evidence import StepResult
from datasets.steps import Step
from graph.rolling import rolled
from graph.services import Run
from graph.state import Json, State
from nodes.comparison import then_and_now
from nodes.labelling import label_results, relabelled
from nodes.memory_talk import told
from nodes.verdicts import judge_target

LONG_AGO_DAYS = 31
_RELATIVE = re.compile(
    r"\b(?:last|this|past|current|previous|recent)\s+(?:\d+\s+)?(?:day|week|month|quarter|year)"
    r"|\b(?:today|yesterday|lately)\b",
    re.IGNORECASE,
)


def report(state: State, run: Run) -> Json:
    """Label what the steps measured, no stronger than the evidence allows, and say it."""
    services = run.services
    if state.get("request"):
        return _about_memory(state)
    results = [StepResult.model_validate(r) for r in state.get("results") or []]
    steps = {
        s["signature"]: Step.model_validate({k: v for k, v in s.items() if k != "signature"})
        for s in state.get("plan") or []
    }
    labelled = label_results(state, results, steps)
    verdict, labelled = judge_target(state, results, labelled)
    intent = Intent.model_validate(state["intent"])
    if labelled:
        intent = intent.model_copy(update={"unclear": None})
    pinned = state["fingerprint"]["content_hash"]
    with services.catalogue.open(state["dataset"], now=services.clock(), content_hash=pinned) as dataset:
        said = analyst_for(run).report(intent, dataset.card, labelled, results, context=_context(state, verdict))
    findings = [_finding(f"f{n + 1}", relabelled(labelled[i], said.labels.get(i))) for n, i in enumerate(said.findings)]
    answer = said.answer
    return {
        "answer": answer,
        "findings": findings,
        "verdict": verdict,
        "comparison": then_and_now(state, services, results),
        "skipped": [*(state.get("skipped") or []), *_left_out(said)],
        "warnings": [*(state.get("warnings") or []), *_dated(state, services.clock())],
        "messages": [_answered(state, answer, findings, run)],
        "asked": len(state.get("messages") or []) + 1,
        "summary": _rolled(state, findings),
    }


def _about_memory(state: State) -> Json:
    answer = told(state)
    return {
        "answer": answer,
        "messages": [AIMessage(content=answer, id=uuid.uuid4().hex, name="recallyst")],
        "asked": len(state.get("messages") or []) + 1,
    }


def _context(state: State, verdict: Json | None) -> Json:
    return {
        "mode": state["chosen_mode"],
        "verdict": verdict,
        "claim": (state.get("target") or {}).get("claim"),
        "plan": state.get("plan") or [],
        "applied": state.get("applied") or [],
        "quality": state.get("quality") or [],
        "known": state.get("prior") or [] if state["chosen_mode"] == "extend" else [],
        "skipped": state.get("skipped") or [],
    }


def _finding(finding_id: str, finding: LabelledFinding) -> Json:
    c = finding.candidate
    return {
        "id": finding_id,
        "statement": c.statement,
        "label": finding.label,
        "confidence": finding.confidence,
        "claim": c.claim.model_dump(mode="json"),
        "evidence": {
            "step": finding.step.signature,
            "kind": finding.step.kind,
            "n": c.n,
            "test": c.test,
            "p_value": c.p_value,
            "q_value": finding.q_value,
            "effect": c.effect.model_dump(mode="json") if c.effect else None,
            "sql": c.sql,
            "table": c.table,
            "caveats": c.caveats,
            "robust": c.robust,
            "null": c.null,
            "inconclusive": c.inconclusive,
        },
        "chart": c.chart,
        "memory_id": None,
    }


def _dated(state: State, now: datetime) -> list[str]:
    """Say from where words such as "last month" are read, where the data end long before today."""
    newest = state["fingerprint"].get("newest_event")
    if newest is None or not _RELATIVE.search(state["question"]):
        return []
    end = datetime.fromisoformat(newest).replace(tzinfo=UTC)
    if (now - end).days <= LONG_AGO_DAYS:
        return []
    return [f"The data end on {end:%Y-%m-%d}; words such as “last month” are read from there, not from today."]


def _left_out(said: Report) -> list[Json]:
    """Return the findings that did not make it into the report, with reasons."""
    return [{"what": d["statement"], "reason": d["reason"]} for d in said.dropped]


def _answered(state: State, answer: str, findings: list[Json], run: Run) -> AIMessage:
    """The report as a message; the queries of its first findings go with it, for a follow-up to lean on."""
    sql = [f["evidence"]["sql"][0] for f in findings[:2] if f["evidence"]["sql"]]
    content = _with_pictures(_message(state, answer, findings), findings, run.context.charts_in_messages)
    return AIMessage(content=content, id=uuid.uuid4().hex, name="recallyst", additional_kwargs={"sql": sql})


def _message(state: State, answer: str, findings: list[Json]) -> str:
    """Return the chat form of the report: the answer, the findings with their labels, what memory did."""
    parts = [answer]
    if findings:
        shown = findings[:7]
        lines = [f"{n}. {f['statement']} ({f['label'].replace('_', ' ')})" for n, f in enumerate(shown, 1)]
        more = len(findings) - len(shown)
        parts.append("**Findings**\n" + "\n".join(lines) + (f"\n…and {more} more in the report." if more > 0 else ""))
    if state.get("applied"):
        lines = [f"- {a['effect']}" for a in state["applied"]]
        parts.append("**Applied from what is known of the data**\n" + "\n".join(lines))
    if state.get("warnings"):
        parts.append("\n".join(f"- {w}" for w in state["warnings"]))
    return "\n\n".join(p for p in parts if p)


def _with_pictures(text: str, findings: list[Json], most: int) -> str | list[str | Json]:
    """Return the message with its first charts as pictures behind the words; the words alone where none are wanted."""
    charts = [f["chart"] for f in findings if f["chart"]][:most]
    pictures = [base64.b64encode(picture(chart)).decode() for chart in charts]
    blocks = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{p}"}} for p in pictures]
    return [{"type": "text", "text": text}, *blocks] if blocks else text


def _rolled(state: State, findings: list[Json]) -> str:
    """Keep the session's gist, newest last."""
    line = f"Asked: {state['question'][:200]}"
    if findings:
        line += f" Found: {findings[0]['statement'][:200]}"
    return rolled(state.get("summary") or "", line)
