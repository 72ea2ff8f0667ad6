"""Extract notes from labelled talks with the product's own function.

    python benchmarks/transcripts.py --data FILE --out PRED.jsonl [--no-embedder] [--model]

With --model the model of the environment (RECALLYST_MODEL ...) reads the talks as it does in a turn.
A talk names its columns only, so the schema card holds names without values. Writes one {"id", "memories"} a line.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analyst import Analyst
from analyst.protocol import Note, Turn
from benchmarks.analysts import predict
from datasets.schema import Column, SchemaCard

SUBJECTS = {
    "grain": "time_grain", "chart": "chart_style", "filter": "exclude", "exclude_recent": "exclude",
    "dedupe": "exclude",
    "format:decimals": "rounding", "join": "join_key", "compare": "comparison_baseline", "null": "definition",
    "code": "definition", "unit": "definition", "row": "definition",
}  # fmt: skip


def labelled(note: Note) -> dict[str, Any]:
    """A note in the words of the labels: their subjects for our slots, `dont` for `avoid`."""
    row = note.model_dump(mode="json")
    head = note.subject.split(":")[0]
    row["slot"] = note.subject
    row["subject"] = SUBJECTS.get(":".join(note.subject.split(":")[:2]), SUBJECTS.get(head, head))
    row["polarity"] = "dont" if note.polarity == "avoid" else "do"
    return row


def card_of(columns: list[str]) -> SchemaCard:
    """A card that knows column names only."""
    return SchemaCard(
        dataset="talk",
        rows=0,
        columns=tuple(Column(name=c, sql_type="VARCHAR", role="text", rows=0, nulls=0, distinct=0) for c in columns),
    )


def noted(talk: dict[str, Any], analyst: Analyst) -> dict[str, Any]:
    """What is noted of a talk."""
    turns = [Turn(role=t["role"], content=t["content"]) for t in talk["turns"]]
    # What is taken back closes a memory and is none.
    notes = [n for n in analyst.transcript(turns, card_of(talk.get("dataset_columns") or [])) if not n.withdraws]
    return {"id": talk["id"], "memories": [labelled(n) for n in notes]}


if __name__ == "__main__":
    predict(__doc__, noted)
