"""Measure closed questions of DABench: how many are answered right, by level.

`python benchmarks/dabench.py --data DIR [--out DIR] [--level easy] [--id 5]`, where DIR holds `questions.jsonl` and
`tables/`. Each question goes to the product with its constraints, in a home of its own. A question is right when all
its sub-answers are found: a number in the answer or in a finding that equals the expected one after rounding to the
decimals of the expected one, a name as it stands, letter case aside. The stricter count looks at the answer alone.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recallyst import Recallyst

_NUMBER = re.compile(r"(?<![\w.])[-+\u2212]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
_TOLERANCE = 1e-6


def main() -> None:
    """Ask the questions and print right / asked for each level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=None, help="write each answer there as ID.json")
    parser.add_argument("--level", default=None)
    parser.add_argument("--id", type=int, nargs="*", default=None)
    given = parser.parse_args()
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    direct: Counter[str] = Counter()
    for question in _questions(given.data / "questions.jsonl"):
        if (given.level and question["level"] != given.level) or (given.id and question["id"] not in given.id):
            continue
        document = _ask(given.data / "tables" / question["file_name"], question)
        missing = [f"{name}={value}" for name, value in question["answers"] if not found(value, document)]
        asked[question["level"]] += 1
        right[question["level"]] += not missing
        first = {"answer": document.get("answer")}
        direct[question["level"]] += all(found(value, first) for _, value in question["answers"])
        print(f"{question['id']:>4} {question['level']:<6} {'right' if not missing else 'WRONG ' + '; '.join(missing)}")
        if given.out:
            given.out.mkdir(parents=True, exist_ok=True)
            (given.out / f"{question['id']}.json").write_text(json.dumps(document, indent=1, ensure_ascii=False))
    for level in ("easy", "medium", "hard"):
        if asked[level]:
            print(f"{level}: {right[level]} right of {asked[level]}; {direct[level]} by the words of the answer alone")


def found(expected: str, document: dict[str, Any]) -> bool:
    """Whether a document says an expected sub-answer."""
    texts = list(_texts(document))
    number = _number(expected)
    if number is None:
        names = [part for part in re.split(r",\s*", expected.strip()) if part]
        return all(any(_says(name, text) for text in texts) for name in names)
    decimals = len(expected.partition(".")[2]) if "e" not in expected.lower() else 6
    numbers = [n for text in texts for n in _numbers(text)] + list(_values(document))
    return any(abs(round(value, decimals) - number) <= _TOLERANCE for value in _readings(numbers))


def _ask(table: Path, question: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as home, Recallyst(home=Path(home)) as analyst:
        turn = analyst.ask(table, f"{question['question']}\n{question['constraints']}", mode="fresh")
        document: dict[str, Any] = json.loads(turn.document.model_dump_json())
    return document


def _questions(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _texts(document: dict[str, Any]) -> Iterator[str]:
    yield document.get("answer") or ""
    for finding in document.get("findings", []):
        yield finding.get("statement") or ""
    for fact in document.get("data_quality", []):
        yield fact.get("statement") or ""


def _values(document: dict[str, Any]) -> Iterator[float]:
    for finding in document.get("findings", []):
        for part in ("evidence", "claim"):
            yield from _leaves({k: v for k, v in (finding.get(part) or {}).items() if k != "sql"})


def _leaves(value: Any) -> Iterator[float]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _readings(numbers: list[float]) -> Iterator[float]:
    """Each number as it is, and a share as the percentage that is asked for."""
    for number in numbers:
        yield number
        if 0 <= number <= 1:
            yield 100 * number


def _says(name: str, text: str) -> bool:
    """Whether a text holds a name as words, "not_normal" also as "not normal" and "non-normal"."""
    plain = re.sub(r"[\s_-]+", " ", name.casefold()).strip()
    said = re.sub(r"[\s_-]+", " ", text.casefold())
    forms = {plain, plain.replace("not ", "non "), plain.replace("non ", "not ")}
    if re.match(r"no[nt] ", plain):
        positive = plain[4:]
        forms |= {f"not {positive}", f"not {positive}ly", f"deviates from a {positive}"}
    elif plain in {"normal", "linear"}:
        said = re.sub(rf"\bno[nt] (?:\w+ ){{0,2}}{plain}", "", said)
    return any(re.search(rf"(?<!\w){re.escape(form)}", said) for form in forms)


def _numbers(text: str) -> Iterator[float]:
    for match in _NUMBER.finditer(text):
        number = _number(match.group())
        if number is not None:
            yield number


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").replace("\u2212", "-").strip())
    except ValueError:
        return None


if __name__ == "__main__":
    main()
