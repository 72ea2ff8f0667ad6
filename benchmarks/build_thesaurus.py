"""Derive the small thesaurus of `memory/assets` from the database files of WordNet 3.1.

    python benchmarks/build_thesaurus.py DICT_FOLDER TOKENIZER.json

DICT_FOLDER holds data.noun, index.noun and so on; the words kept are the whole words of the tokenizer's vocabulary
and those that WordNet counted in running text. One line a word: the numbers of its first meanings, the numbers of what
they are kinds of, its opposites, and words derived from it.
"""

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

TARGET = Path(__file__).parents[1] / "memory" / "assets" / "thesaurus.tsv.gz"
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
SENSES = {"noun": 4, "verb": 5, "adj": 4, "adv": 3}
"""How many of the meanings of a word are kept, the most frequent first."""


class Synset(NamedTuple):
    """One meaning: its words, and pointers (symbol, target, own word, other word), words counted from 1."""

    words: list[str]
    pointers: list[tuple[str, str, int, int]]


def read_synsets(folder: Path) -> dict[str, Synset]:
    """All synsets by part of speech and offset: "n00001740"."""
    found = {}
    for part, letter in PARTS.items():
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            words = [w.split("(")[0] for w in fields[4 : 4 + 2 * count : 2]]
            at = 4 + 2 * count
            pointers = []
            for start in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
                symbol, target, kind, ends = fields[start : start + 4]
                pointers.append((symbol, kind.replace("s", "a") + target, int(ends[:2], 16), int(ends[2:], 16)))
            found[letter + fields[0]] = Synset(words, pointers)
    return found


def counted_words(folder: Path) -> set[str]:
    """Words that occur in the running text that WordNet was counted on."""
    rows = (line.split() for line in (folder / "index.sense").read_text("utf-8").splitlines())
    return {row[0].split("%")[0] for row in rows if int(row[3]) > 0}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tokenizer", type=Path)
    arguments = parser.parse_args()
    synsets = read_synsets(arguments.folder)
    vocabulary = set(json.loads(arguments.tokenizer.read_text("utf-8"))["model"]["vocab"])
    wanted = {w for w in vocabulary | counted_words(arguments.folder) if w.isalpha() and w.islower() and len(w) > 2}
    senses: dict[str, list[str]] = defaultdict(list)
    for part, letter in PARTS.items():
        for line in (arguments.folder / f"index.{part}").read_text("utf-8").splitlines():
            fields = line.split()
            if not line.startswith("  ") and fields[0] in wanted:
                count = int(fields[2])
                senses[fields[0]] += [letter + offset for offset in fields[-count:][: SENSES[part]]]
    numbers: dict[str, int] = {}
    lines = []
    for word in sorted(senses):
        parents: list[str] = []
        opposites: set[str] = set()
        derived: set[str] = set()
        for meaning in senses[word]:
            synset = synsets[meaning]
            for symbol, target, own, other in synset.pointers:
                mine = own == 0 or synset.words[own - 1].lower() == word
                if symbol in {"@", "@i", "&"}:
                    parents.append(target)
                elif symbol in {"!", "+", "\\"} and mine:
                    name = synsets[target].words[other - 1].lower()
                    (opposites if symbol == "!" else derived).add(name)
        ids = [[str(numbers.setdefault(s, len(numbers))) for s in group] for group in (senses[word], parents)]
        lines.append(
            "\t".join([word, *(",".join(i) for i in ids), ",".join(sorted(opposites)), ",".join(sorted(derived))])
        )
    TARGET.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(f"{len(lines)} words, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
