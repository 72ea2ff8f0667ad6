"""Recompute what was written by benchmarks/insightbench.py: right, wrong and unread statements.

    python -m benchmarks.recomputing --data FOLDER --found FOLDER [--unread]

FOLDER of the data holds NAME.csv for each NAME.json of the findings. Prints each wrong statement with what is so, and
a line of totals; exits 1 when more than 2 % of the recomputed statements are wrong.
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks.recomputing.judging import Judged, judge
from benchmarks.recomputing.reading import File

_MOST_WRONG = 0.02


def main() -> None:
    """Judge every file and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--found", type=Path, required=True)
    parser.add_argument("--unread", action="store_true", help="also print what nothing here recomputes")
    given = parser.parse_args()
    every = Judged()
    for found in sorted(given.found.glob("*.json")):
        judged = judge(
            File(given.data / f"{found.stem}.csv"), json.loads(found.read_text(encoding="utf-8"))["findings"]
        )
        for statement, why in judged.wrong:
            print(f"WRONG {found.stem}: {statement}\n      {why}")
        for statement in judged.unread if given.unread else ():
            print(f"UNREAD {found.stem}: {statement}")
        every.add(judged)
    read = len(every.right) + len(every.wrong)
    print(f"{read} of {read + len(every.unread)} statements recomputed; {len(every.wrong)} wrong")
    sys.exit(1 if len(every.wrong) > _MOST_WRONG * max(1, read) else 0)


if __name__ == "__main__":
    main()
