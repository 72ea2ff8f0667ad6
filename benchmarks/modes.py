"""Predict modes for labelled utterances with the product's own function.

    python benchmarks/modes.py --data FILE --out PRED.jsonl [--no-embedder]

Writes one {"id", "pred", "confidence", "reason"} a line.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analyst.mode_suggestion import suggest_mode
from memory.embedding import open_embedder


def main() -> None:
    """Read the utterances, write the predictions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--no-embedder", action="store_true")
    options = parser.parse_args()
    embedder = None if options.no_embedder else open_embedder()
    with options.out.open("w", encoding="utf-8") as out:
        for line in options.data.read_text("utf-8-sig").splitlines():
            if not line.strip():
                continue
            item = json.loads(line)
            context = item.get("context") or {}
            s = suggest_mode(
                item["utterance"],
                context.get("prior_findings") or [],
                data_changed=bool(context.get("data_changed")),
                days_since_last=context.get("days_since_last"),
                embedder=embedder,
            )
            row = {"id": item["id"], "pred": s.mode, "confidence": s.confidence, "reason": s.reason}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
