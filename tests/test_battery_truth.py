"""What an open question brings out is true: every number of every statement stands in the evidence or in the data.

A small seeded table with known truth: one team is slow and holds most rows, a value is noise, nothing trends.
"""

import math
import random
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from datasets import Catalogue
from recallyst import Recallyst
from recallyst.document import Finding

Row = dict[str, Any]
_NUMBER = re.compile(r"(?<![\w.-])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")
_DATES = re.compile(
    r"\d{4}-\d\d-\d\d|(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{4})?"
)


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


@pytest.fixture(scope="module")
def measured(file: Path, findings: list[Finding], tmp_path_factory: pytest.TempPathFactory) -> list[list[float]]:
    """For each finding the numbers that its SQL returns when it is run again on the file."""
    home = tmp_path_factory.mktemp("again")
    with Catalogue(home, allow_paths=True).open(str(file), now=datetime(2024, 3, 1, tzinfo=UTC)) as dataset:
        view = dataset.view()
        return [
            [
                n
                for sql in f.evidence["sql"]
                for row in view.query(sql, limit_rows=2_000).rows
                for n in _leaves(list(row))
            ]
            for f in findings
        ]


def test_every_number_of_a_statement_stands_in_its_evidence(
    findings: list[Finding], measured: list[list[float]], rows: list[Row]
) -> None:
    unexplained = []
    for finding, found in zip(findings, measured, strict=True):
        evidence = {k: v for k, v in finding.evidence.items() if k not in {"sql", "step"}}
        known = [*_leaves(evidence), *_leaves(finding.claim), *found, *_of_table(evidence["table"])]
        known += [95.0, 3.5, 5.0, float(len(rows)), *_fences(finding, rows), *_shown_periods(finding)]
        said = _small_p(finding, _room(finding, evidence["table"]))
        unexplained += [(text, finding.statement) for text in _numbers(said) if not _explained(text, known)]
    assert unexplained == []


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


def _numbers(text: str) -> list[str]:
    return [m.group() for m in _NUMBER.finditer(_DATES.sub(" ", text))]


def _explained(text: str, known: Sequence[float]) -> bool:
    """Whether a number as written is a known one, rounded; also as a percentage."""
    number = float(text.replace(",", ""))
    digits = len(text.partition(".")[2])
    step = 0.5000001 * 10.0**-digits
    ways = (1.0, 100.0, -1.0, -100.0)
    return any(abs(way * k - number) <= step or float(f"{way * k:.3g}") == number for k in known for way in ways)


def _leaves(value: Any) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield from (float(n.replace(",", "")) for n in _numbers(value))
    elif not isinstance(value, date):
        number = float(value)
        if math.isfinite(number):
            yield number


def _of_table(table: Sequence[Row]) -> Iterator[float]:
    """How many rows a table has, and the ratios, sums and differences of its numbers."""
    yield from (float(len(table) - k) for k in range(4))
    counts = [n for row in table for n in _leaves([v for v in row.values() if not isinstance(v, str)])][:60]
    for a in counts:
        for b in counts:
            yield from (a + b, a - b, *([a / b] if b else []))
    for row in table:
        if "n" in row:
            yield from (round(v * float(row["n"])) for v in _leaves(list(row.values())) if 0 <= v <= 1)


def _fences(finding: Finding, rows: Sequence[Row]) -> list[float]:
    """The fences of the robust rule, and the share outside, from the rows themselves."""
    column = finding.claim["subject"]["metric"] or ""
    if finding.claim["subject"]["relation"] != "outliers" or column not in rows[0]:
        return []
    values = [float(r[column]) for r in rows]
    middle = median(values)
    reach = 3.5 * 1.4826 * median([abs(v - middle) for v in values])
    outside = [v for v in values if abs(v - middle) > reach]
    inside = [v for v in values if abs(v - middle) <= reach]
    return [middle - reach, middle + reach, len(outside) / len(values), sum(inside) / len(inside)]


def _shown_periods(finding: Finding) -> list[float]:
    return [float(sum(bool(row.get("complete", True)) for row in finding.evidence["table"]))]


def _small_p(finding: Finding, statement: str) -> str:
    """The statement without "p < 0.001", which must be so."""
    bound = re.search(r"p < (0\.\d+)", statement)
    if bound is None:
        return statement
    assert finding.evidence["p_value"] < float(bound.group(1)), statement
    return statement.replace(bound.group(), "")


def _room(finding: Finding, table: Sequence[Row]) -> str:
    """The statement without what it says could be missed, which must be more than what is seen, but not by much."""
    room = re.search(r"(?:no two differ by more than|a difference of up to) ([\d.,]+)", finding.statement)
    if room is None:
        return finding.statement
    metric = finding.claim["subject"]["metric"]
    values = sorted(float(row[metric]) for row in table)
    half = max((float(row["high"]) - float(row["low"])) / 2 for row in table)
    factor = 100.0 if "percentage points" in finding.statement else 1.0
    most = float(room.group(1).replace(",", "")) / factor
    assert values[-1] - values[0] < most < values[-1] - values[0] + 6 * half, finding.statement
    return finding.statement.replace(room.group(), "")
