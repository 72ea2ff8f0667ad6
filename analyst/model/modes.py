"""The mode suggestion with a model: it counts where the code agrees; where not, the person is asked."""

from collections.abc import Sequence

from analyst.modes.suggestion import reason_for
from analyst.protocol import Known, Suggestion
from prompts import Block, Meter, Prompt
from prompts.framing import json_line
from prompts.modes import INSTRUCTIONS, ModeReply

DISPUTED = 0.6
"""Most confidence where the model and the code differ; below the threshold at which a mode is taken unasked."""
_SUMMARY_CHARS = 200


def mode_prompt(
    question: str, prior: Sequence[Known], *, data_changed: bool, days_since_last: float | None, meter: Meter
) -> Prompt:
    """Return the prompt. With nothing but the schema shared, prior findings are counted and not told."""
    told = [json_line(k.summary[:_SUMMARY_CHARS]) for k in prior] if meter.settings.shares == "values" else []
    facts = {"prior_findings": len(prior), "data_changed": data_changed, "days_since_last": days_since_last}
    blocks = (
        Block("Question", [json_line(question[:2_000])], weight=2.0),
        Block("Circumstances", [json_line(facts)]),
        Block("Prior findings", told, weight=2.0),
    )
    return Prompt("mode", INSTRUCTIONS, blocks, meter.settings.context_tokens)


def settled_mode(
    reply: ModeReply, built: Suggestion, question: str, about: str | None, *, data_changed: bool
) -> Suggestion:
    """Return the model's mode. The reason is worded by the code; a disputed mode is never certain."""
    if reply.mode == built.mode:
        confidence = max(reply.confidence, built.confidence)
        return built.model_copy(update={"confidence": round(confidence, 3)})
    reason = reason_for(reply.mode, question, about, data_changed=data_changed)
    return Suggestion(mode=reply.mode, confidence=round(min(DISPUTED, reply.confidence), 3), reason=reason)
