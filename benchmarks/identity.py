"""Judge pairs of memory statements with the function that memory uses when it writes.

    python benchmarks/identity.py --pairs PAIRS.jsonl --out PRED.jsonl

A pair is {"id", "type", "existing", "new"}; a line of the output is {"id", "pred"} with pred one of same, update and
distinct. Other keys of a pair, a label among them, are not read.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memory.embedding import open_embedder
from memory.identity.judging import Judge


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    judge = Judge(open_embedder())
    lines = []
    for line in arguments.pairs.read_text(encoding="utf-8-sig").splitlines():
        if line.strip():
            row = json.loads(line)
            judged = judge.judge(row["existing"], row["new"], row["type"])
            lines.append(json.dumps({"id": row["id"], "pred": judged.relation}) + "\n")
    arguments.out.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
