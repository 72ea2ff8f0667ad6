"""Play turns with a model beside the same turns without one: completion, grounding, recall of findings, tokens.

    python benchmarks/model_turns.py --data DIR --out FILE.json [--local FOLDER] [--datasets 5] [--timeout 60]

DIR holds CSV files; four questions are asked of each. The model is that of the environment (RECALLYST_MODEL ...), or
with --local the small one of `local_model.py`. FILE.json gets a record a turn.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from analyst.grounding.sentences import numbers_not_in
from analyst.protocol import LabelledFinding
from benchmarks.local_model import MODEL_NAME, local_server
from datasets.evidence import Candidate
from datasets.schema import SchemaCard
from datasets.steps import Step
from graph.settings import Settings, read_settings
from prompts import ModelSettings
from recallyst import Document, Recallyst

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def questions(card: SchemaCard) -> list[str]:
    """Four questions that any table can be asked: two definite, one about time, one open."""
    groups = [c for c in card.by_role("dimension") if 2 <= c.distinct <= 30] or list(card.columns)
    first, last = groups[0].name, groups[-1].name
    measures = card.by_role("measure")
    second = f"What is the average {measures[0].name} by {last}?" if measures else f"How many rows are there by {last}?"
    return [
        f"Which {first} has the most rows?",
        second,
        "How does the number of rows develop over time?",
        "Explore the data and tell me what stands out.",
    ]


def findings_of(turn: Document) -> list[LabelledFinding]:
    """The findings of a document as the analyst had them."""
    steps = {s["signature"]: s for s in turn.plan}
    found = []
    for f in turn.findings:
        held = {k: f.evidence[k] for k in ("n", "test", "p_value", "effect", "table", "sql", "caveats", "robust")}
        step = steps[f.evidence["step"]]
        found.append(
            LabelledFinding(
                step=Step(kind=step["kind"], params=step["params"], reason=step["reason"]),
                candidate=Candidate(claim=f.claim, statement=f.statement, **held),
                label=f.label,
                confidence=f.confidence,
                q_value=f.evidence["q_value"],
            )
        )
    return found


def subjects(turn: Document) -> set[str]:
    """What the findings of a turn are about."""
    return {json.dumps(f.claim["subject"], sort_keys=True) for f in turn.findings}


def main() -> None:
    """Play the turns and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--local", type=Path)
    parser.add_argument("--datasets", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=60.0)
    options = parser.parse_args()
    records: list[dict[str, Any]] = []
    with ExitStack() as stack:
        model = read_settings().model
        if options.local:
            url = stack.enter_context(local_server(options.local))
            model = ModelSettings(name=MODEL_NAME, base_url=url, context_tokens=2_500, output_tokens=200, retries=0)
        if model.name is None:
            parser.error("no model: set RECALLYST_MODEL, or give --local FOLDER")
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        plain = Settings(home=scratch / "without", user="ana", org="acme", now=NOW)
        told = replace(plain, home=scratch / "with", model=replace(model, timeout_s=options.timeout))
        without, with_model = stack.enter_context(Recallyst(plain)), stack.enter_context(Recallyst(told))
        for file in sorted(options.data.glob("*.csv"))[: options.datasets]:
            with without.services.catalogue.open(str(file), now=NOW) as dataset:
                asked = questions(dataset.card)
            for question in asked:
                records.append(played(file, question, without, with_model))
                print(json.dumps(records[-1]), flush=True)
                options.out.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    summed_up(records)


def played(file: Path, question: str, without: Recallyst, with_model: Recallyst) -> dict[str, Any]:
    """One turn, with and without the model, and how they compare."""
    base = without.ask(file, question, mode="fresh")
    turn = with_model.ask(file, question, mode="fresh")
    wanted, found = subjects(base), subjects(turn)
    spent = turn.usage["model"]
    return {
        "file": file.name,
        "question": question,
        "status": turn.status,
        "ungrounded": numbers_not_in(turn.answer, findings_of(turn)),
        "recall": round(len(wanted & found) / len(wanted), 3) if wanted else 1.0,
        "findings": [len(base.findings), len(turn.findings)],
        "worded_by_model": turn.answer != base.answer,
        "calls": spent["calls"],
        "tokens": [spent["input_tokens"], spent["output_tokens"]],
        "phases": sorted(spent.get("phases", {})),
        "seconds": round(sum(turn.usage["seconds"].values()), 1),
        "warnings": turn.warnings,
    }


def summed_up(records: list[dict[str, Any]]) -> None:
    """Print the figures of all turns."""
    n = len(records)
    done = sum(r["status"] == "done" for r in records)
    ungrounded = sum(len(r["ungrounded"]) for r in records)
    recall = sum(r["recall"] for r in records) / n
    tokens = [sum(r["tokens"][i] for r in records) for i in (0, 1)]
    print(f"{done} of {n} turns done; {ungrounded} ungrounded numbers; recall of the built-in findings {recall:.3f}")
    print(
        f"{sum(r['calls'] for r in records)} calls, {tokens[0]:,} tokens in, {tokens[1]:,} out; "
        f"{sum(r['worded_by_model'] for r in records)} answers worded by the model"
    )
    for reason, count in Counter(w.split(":")[0] for r in records for w in r["warnings"]).most_common(8):
        print(f"{count:>4} {reason}")


if __name__ == "__main__":
    main()
