"""Predict modes for labelled utterances with the product's own function.

    python benchmarks/modes.py --data FILE --out PRED.jsonl [--no-embedder] [--model]

With --model the model of the environment (RECALLYST_MODEL ...) suggests beside the code, as it does at the gate.
Writes one {"id", "pred", "confidence", "reason"} a line.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analyst.protocol import Intent, Known
from benchmarks.analysts import analyst_from


def main() -> None:
    """Read the utterances, write the predictions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--model", action="store_true")
    options = parser.parse_args()
    analyst = analyst_from(with_embedder=not options.no_embedder, with_model=options.model)
    with options.out.open("w", encoding="utf-8") as out:
        for line in options.data.read_text("utf-8-sig").splitlines():
            if not line.strip():
                continue
            item = json.loads(line)
            context = item.get("context") or {}
            summaries = context.get("prior_findings") or []
            # No claims are known here, so that no finding is taken for the one the question is about.
            prior = [Known(memory_id=str(n), memory_type="user_preference", summary=t) for n, t in enumerate(summaries)]
            s = analyst.for_item().suggest_mode(
                item["utterance"],
                Intent(question=item["utterance"]),
                prior,
                data_changed=bool(context.get("data_changed")),
                days_since_last=context.get("days_since_last"),
            )
            row = {"id": item["id"], "pred": s.mode, "confidence": s.confidence, "reason": s.reason}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    analyst.tell(sys.stderr)


if __name__ == "__main__":
    main()
