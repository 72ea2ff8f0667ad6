"""Ask the goal of each InsightBench dataset and write the findings for scoring.

usage: python benchmarks/insightbench.py --data DIR --out DIR [--flags 1,3,6]

DIR/key.json lists datasets with `flag` and `goal` beside `flag-N.csv`. Writes OUT/flag-N.json =
{"findings": [sentences], "report": answer}; prints seconds per file.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from recallyst import Recallyst


def run(data: Path, out: Path, flags: frozenset[int] | None = None) -> None:
    """Ask every goal in mode fresh; each dataset in a session of its own, in a memory that is thrown away."""
    out.mkdir(parents=True, exist_ok=True)
    tasks = json.loads((data / "key.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as home, Recallyst(home=Path(home)) as analyst:
        for task in tasks:
            flag = int(task["flag"])
            if flags is not None and flag not in flags:
                continue
            started = time.perf_counter()
            document = analyst.ask(data / f"flag-{flag}.csv", task["goal"], mode="fresh").document
            seconds = time.perf_counter() - started
            written = {"findings": [f.statement for f in document.findings], "report": document.answer}
            (out / f"flag-{flag}.json").write_text(json.dumps(written, indent=1, ensure_ascii=False), encoding="utf-8")
            print(f"flag-{flag}: {len(document.findings)} findings in {seconds:.1f} s")


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--flags", help="only these datasets, e.g. 1,3,6")
    given = parser.parse_args()
    flags = frozenset(int(f) for f in given.flags.split(",")) if given.flags else None
    run(given.data, given.out, flags)


if __name__ == "__main__":
    main()
