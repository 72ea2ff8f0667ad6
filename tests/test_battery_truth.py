"""What an open question brings out is true: every number of every statement is recomputed from the file.

A small seeded table with known truth: one team is slow and holds most rows, a value is noise, nothing trends.
"""

import json
import random
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recomputing import File, judge
from recallyst import Recallyst
from recallyst.document import Finding

Row = dict[str, Any]
_HANDED = Path(__file__).parents[2] / "shared" / "insightbench"


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """700 tickets over a year; Support has half of them and takes about twice as long as the other teams."""
    chance = random.Random(20240131)
    made = []
    for i in range(700):
        team = chance.choice(["Support"] * 5 + ["Sales", "Legal", "IT", "HR", "Labs"])
        made.append(
            {
                "ticket": f"T{i:04d}",
                "opened": (date(2023, 1, 1) + timedelta(days=chance.randrange(365))).isoformat(),
                "team": team,
                "channel": chance.choice(["web", "phone", "shop"]),
                "approved": "yes" if chance.random() < (0.6 if team == "IT" else 0.2) else "no",
                "minutes": round(chance.gauss(40.0 if team == "Support" else 20.0, 4.0), 1),
                "score": round(chance.gauss(50.0, 10.0), 2),
            }
        )
    made += [made[0] | {"ticket": f"R{i}", "team": "Rare", "minutes": 90.0 + i} for i in range(3)]
    return sorted(made, key=lambda r: str(r["opened"]))


@pytest.fixture(scope="module")
def file(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table as a CSV file."""
    path = tmp_path_factory.mktemp("truth") / "tickets.csv"
    lines = [",".join(rows[0]), *(",".join(str(v) for v in row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def findings(file: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    """What an open question finds in the table, without memory."""
    with Recallyst(home=tmp_path_factory.mktemp("home")) as analyst:
        document = analyst.ask(file, "What stands out?", mode="fresh").document
    assert len(document.findings) >= 8
    return document.findings


def told(question: str, file: Path, home: Path) -> list[str]:
    """The statements of a turn without memory."""
    with Recallyst(home=home) as analyst:
        return [f.statement for f in analyst.ask(file, question, mode="fresh").findings]


def test_every_statement_is_so_when_it_is_recomputed_from_the_file(file: Path, findings: list[Finding]) -> None:
    judged = judge(File(file), [f.statement for f in findings])
    assert judged.wrong == []
    assert judged.unread == []


def test_a_number_that_is_another_is_noticed(file: Path, findings: list[Finding]) -> None:
    """What recomputes the statements is worth as much as what it notices."""
    table, changed = File(file), []
    for finding in findings:
        for number in re.finditer(r"(?<=[:, ])\d[\d,]*(?:\.\d+)?(?= of | rows|%(?! conf)| in )", finding.statement):
            other = f"{float(number.group().replace(',', '')) * 1.4 + 3:g}"
            changed.append(finding.statement[: number.start()] + other + finding.statement[number.end() :])
    assert len(changed) > 12
    assert len(judge(table, changed).right) <= 0.1 * len(changed)


@pytest.mark.skipif(not _HANDED.exists(), reason="the handed tables are not here")
@pytest.mark.parametrize("flag", [6, 36])
def test_what_is_told_of_the_handed_tables_is_so(flag: int, tmp_path: Path) -> None:
    """All of them: benchmarks/insightbench.py, then benchmarks.recomputing."""
    task = next(t for t in json.loads((_HANDED / "key.json").read_text(encoding="utf-8")) if t["flag"] == flag)
    statements = told(task["goal"], _HANDED / f"flag-{flag}.csv", tmp_path)
    judged = judge(File(_HANDED / f"flag-{flag}.csv"), statements)
    assert judged.wrong == []
    assert len(judged.unread) <= 0.1 * len(statements)


def test_superlatives_hold_over_all_groups_that_are_not_named_as_left_out(
    findings: list[Finding], rows: list[Row]
) -> None:
    checked = 0
    for finding in findings:
        subject, value = finding.claim["subject"], finding.claim["value"]
        match = re.fullmatch(r"mean\((minutes|score)\)", subject["metric"] or "")
        word = re.search(r" has (?:by far )?the (highest|lowest) ", finding.statement)
        if match is None or word is None or subject["dimension"] not in rows[0] or subject["filters"]:
            continue
        by: dict[str, list[float]] = {}
        for row in rows:
            by.setdefault(str(row[subject["dimension"]]), []).append(float(row[match.group(1)]))
        means = {k: sum(v) / len(v) for k, v in by.items() if f"{k} ({len(v)})" not in finding.statement}
        best = max(means, key=means.__getitem__) if word.group(1) == "highest" else min(means, key=means.__getitem__)
        assert value["text"] == best, finding.statement
        checked += 1
    assert checked


def test_known_truth_is_found_and_noise_is_not(findings: list[Finding]) -> None:
    told = [f.statement for f in findings]
    assert any("Support" in s and "minutes" in s and "highest" in s for s in told)
    assert any(s.startswith("Support is by far the most common team") for s in told)
    for finding in findings:
        subject = finding.claim["subject"]
        noise = "score" in (subject["metric"] or "") or subject["dimension"] == "channel"
        null = finding.claim["value"]["direction"] in {"none", "flat"}
        descriptive = finding.evidence["test"] is None
        assert not noise or null or descriptive or finding.label == "exploratory_divergent", finding.statement


def test_nothing_is_confirmatory_that_the_question_did_not_state(findings: list[Finding]) -> None:
    assert {f.label for f in findings} <= {"exploratory", "exploratory_divergent"}
