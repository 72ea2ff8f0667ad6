"""Predict modes for labelled utterances with the product's own function.

    python benchmarks/modes.py --data FILE --out PRED.jsonl [--no-embedder] [--model]

With --model the model of the environment (RECALLYST_MODEL ...) suggests beside the code, as it does at the gate.
Writes one {"id", "pred", "confidence", "reason"} a line.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analyst import Analyst
from analyst.protocol import Intent, Known
from benchmarks.analysts import predict


def suggested(item: dict[str, Any], analyst: Analyst) -> dict[str, Any]:
    """The mode that is suggested for an utterance, with its confidence and reason."""
    context = item.get("context") or {}
    summaries = context.get("prior_findings") or []
    # No claims are known here, so that no finding is taken for the one the question is about.
    prior = [Known(memory_id=str(n), memory_type="user_preference", summary=t) for n, t in enumerate(summaries)]
    s = analyst.suggest_mode(
        item["utterance"],
        Intent(question=item["utterance"]),
        prior,
        data_changed=bool(context.get("data_changed")),
        days_since_last=context.get("days_since_last"),
    )
    return {"id": item["id"], "pred": s.mode, "confidence": s.confidence, "reason": s.reason}


if __name__ == "__main__":
    predict(__doc__, suggested)
