"""Exact answers: of the whole, of groups, of periods, and of the rows with the most extreme value."""

import json
import statistics
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from measured_tables import table

from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.directives import Dedupe
from datasets.evidence import Candidate, StepResult

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def answer(file: Path, *, directives: Sequence[Any] = (), **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        result = run_step(make_step("answer", params), dataset.view([(None, d) for d in directives]))
        json.dumps(result.model_dump(), allow_nan=False)
        for candidate in result.candidates:
            for sql in candidate.sql:
                dataset.view([(None, d) for d in directives]).query(sql)
    return result


def said(file: Path, **params: Any) -> list[str]:
    result = answer(file, **params)
    assert result.skipped is None, result.skipped
    return [c.statement for c in result.candidates]


def of(aggregate: str, *columns: str, **more: Any) -> dict[str, Any]:
    return {"aggregate": aggregate, "measure": {"kind": "column", "columns": columns}, **more}


def only(result: StepResult) -> Candidate:
    assert len(result.candidates) == 1, result
    return result.candidates[0]


@pytest.fixture
def passengers(tmp_path: Path) -> Path:
    return table(
        tmp_path,
        {
            "name": [f"P{i}" for i in range(8)],
            "Pclass": [1, 1, 2, 2, 3, 3, 3, 3],
            "Fare": [80.5, 90.0, 20.0, 22.0, 7.25, 8.0, 9.75, ""],
            "state": ["ok", "no", "ok", "ok", "no", "no", "no", "ok"],
        },
    )


def test_one_sentence_a_metric_with_what_it_rests_on(passengers: Path) -> None:
    assert said(
        passengers,
        metrics=[
            {}, of("mean", "Fare"), of("median", "Fare"), of("missing", "Fare"), of("count", "Fare"),
            of("distinct", "Pclass"), of("quantile", "Fare", level_0_1=0.99),
            {"aggregate": "share", "measure": {"kind": "indicator", "columns": ["state"], "values": ["no"]}},
        ],
    ) == [
        "There are 8 rows.",
        "The average Fare is 33.93 (7 of 8 rows have a value).",
        "The median Fare is 20 (7 of 8 rows have a value).",
        "1 of 8 values of Fare are missing (12.5%).",
        "Fare has 7 values; 1 of 8 are missing.",
        "There are 3 distinct values of Pclass in 8 rows.",
        "The 99th percentile of Fare is 89.43 (7 of 8 rows have a value).",
        "The share with state = no is 50% (4 of 8 rows).",
    ]  # fmt: skip


def test_filters_are_said_and_are_part_of_the_subject(passengers: Path) -> None:
    found = only(answer(passengers, metrics=[{}], filters=[{"column": "state", "values": ["no"]}]))
    assert found.statement == "There are 4 rows where state is no, 50% of 8."
    assert (found.claim.value.number, found.claim.subject.filters, found.n) == (4.0, "state eq [no]", 4)


def test_groups_name_first_and_last_and_all_of_few(passengers: Path) -> None:
    found = only(answer(passengers, metrics=[of("mean", "Fare")], by=["Pclass"]))
    assert found.statement == (
        "Pclass 1 has by far the highest average Fare: 85.25 (2 rows) against 8.3333 to 21 in the other 2 values of "
        "Pclass. The others: Pclass 2 (21) and Pclass 3 (8.3333)."
    )
    assert found.claim.value.text == "Pclass 1"
    assert found.claim.value.direction == "higher"
    assert [row["n"] for row in found.table] == [2, 2, 3]
    assert found.chart is not None


def test_order_asc_puts_the_smallest_first(passengers: Path) -> None:
    found = only(answer(passengers, metrics=[{}], by=["Pclass"], order="asc"))
    assert found.statement == "Pclass 1 and Pclass 2 have the fewest rows: 2 each, followed by Pclass 3 (4)."
    assert found.claim.value.direction == "lower"


def test_two_columns_make_pairs_and_top_cuts_the_list(passengers: Path) -> None:
    found = only(answer(passengers, metrics=[{}], by=["Pclass", "state"], top=2))
    assert found.statement.startswith("Pclass 3 / no has the most rows: 3 of 8 rows (37.5%), followed by Pclass 2 / ok")
    assert len(found.table) == 2


def test_shares_come_with_counts_and_the_overall_share(tmp_path: Path) -> None:
    departments = ["IT"] * 43 + ["HR"] * 100 + ["Sales"] * 357
    declined = ["Declined"] * 19 + ["ok"] * 24 + ["Declined"] * 9 + ["ok"] * 91 + ["Declined"] * 18 + ["ok"] * 339
    file = table(tmp_path, {"department": departments, "state": declined})
    rate = {"aggregate": "share", "measure": {"kind": "indicator", "columns": ["state"], "values": ["Declined"]}}
    assert said(file, metrics=[rate], by=["department"]) == [
        "IT has by far the highest share with state = Declined: 44.2% (19 of 43) against 9.2% overall; 5% to 9% in the "
        "other 2 departments. The others: HR (9%) and Sales (5%)."
    ]


def test_an_extreme_of_few_rows_is_told_with_the_first_of_many(tmp_path: Path) -> None:
    sizes = {"tiny": (5, 3), "large": (400, 60), "other": (400, 20)}
    rows = [(town, int(i < hits)) for town, (n, hits) in sizes.items() for i in range(n)]
    file = table(tmp_path, {"town": [r[0] for r in rows], "ill": [r[1] for r in rows]})
    (sentence,) = said(file, metrics=[of("mean", "ill")], by=["town"], top=1)
    assert "tiny has by far the highest average ill: 0.6 (5 rows)" in sentence
    assert "of the groups with at least 30 rows, large comes first (0.15, 400 rows)" in sentence


def test_very_many_groups_are_counted_but_not_listed(tmp_path: Path) -> None:
    file = table(tmp_path, {"city": [f"c{i % 300:03d}" for i in range(900)], "x": list(range(900))})
    found = only(answer(file, metrics=[of("mean", "x")], by=["city"]))
    assert found.statement == (
        "c299 has the highest average x: 599 (3 rows), followed by c298 (598) and c297 (597); the lowest is c000 (300)."
    )
    assert len(found.table) == 50


def test_extreme_row_is_named_by_the_columns_to_show(tmp_path: Path) -> None:
    file = table(
        tmp_path,
        {
            "Country": ["Nigeria", "Nigeria", "Congo"],
            "Year": [2009, 2010, 2010],
            "deaths": ["1,200[900-1500]", "146,734[100000-190000]", "80,000[1-2]"],
        },
    )
    found = only(answer(file, metrics=[of("max", "deaths")], order="desc", top=1, show=["Country", "Year"]))
    assert found.statement == "Nigeria (Year 2010) has the highest deaths: 146,734."
    assert found.claim.value.text == "Nigeria / 2010"


def test_ties_for_the_extreme_are_all_listed(passengers: Path) -> None:
    found = only(answer(passengers, metrics=[of("max", "Pclass")], order="desc", show=["name"]))
    assert found.statement == "4 rows share the highest Pclass, 3: P4, P5, P6 and P7."
    best = only(answer(passengers, metrics=[of("max", "Fare")], top=2, show=["name"]))
    assert best.statement == "The 2 rows with the highest Fare: P1 (90) and P0 (80.50)."


def test_text_that_holds_numbers_is_read_and_the_rest_counted(tmp_path: Path) -> None:
    file = table(tmp_path, {"team": list("abcdef"), "wins": ["Wins", "2", "3", "4 (1)", "1", ""]})
    assert said(file, metrics=[of("mean", "wins")]) == [
        "The average wins is 2.5 (4 of 6 rows have a value; 1 value that is no number left out)."
    ]
    assert answer(file, metrics=[of("mean", "team")]).skipped == (
        "'team' holds text, not numbers; count it, or choose a column with numbers"
    )


def test_periods_rank_complete_ones_and_mark_the_incomplete(tmp_path: Path) -> None:
    start = date(2023, 1, 1)
    days = [start + timedelta(days=i) for i in range(31 + 28 + 9)]
    file = table(tmp_path, {"day": days, "sold": [2 if d.month == 2 else 1 for d in days]})
    found = only(answer(file, metrics=[of("sum", "sold")], grain="month"))
    assert found.statement == (
        "February 2023 has the highest total sold: 56 (58.3% of the total) against 31 (32.3% of the total) for January "
        "2023. By month: January 2023 31, February 2023 56, March 2023 9. March 2023 is incomplete: 9 of 31 days, data "
        "end 2023-03-09."
    )
    assert found.table[-1]["note"].startswith("March 2023 is incomplete: 9 of 31 days")
    assert found.claim.subject.period == "by month"
    assert found.chart is not None
    assert [row["when"] for row in found.chart["data"]["values"] if row["part"] == "incomplete"] == [
        "2023-02-01T00:00:00",
        "2023-03-01T00:00:00",
    ]


def test_a_value_that_repeats_within_a_key_counts_once_per_key(tmp_path: Path) -> None:
    lines = [(f"O{o:02d}", n, 10.0 * o + n, "NS"[o % 2]) for o in range(1, 9) for n in range(1, 2 + o % 4)]
    totals = {o: sum(line[2] for line in lines if line[0] == o) for o in {line[0] for line in lines}}
    repeated = [*lines, lines[0], lines[5]]
    file = table(
        tmp_path,
        {
            "order_id": [r[0] for r in repeated],
            "line_no": [r[1] for r in repeated],
            "line_amount": [r[2] for r in repeated],
            "order_total": [totals[r[0]] for r in repeated],
            "region": [r[3] for r in repeated],
        },
    )
    revenue, mean = sum(totals.values()), statistics.mean(totals.values())
    once = answer(
        file,
        metrics=[of("sum", "order_total"), of("mean", "order_total"), of("sum", "line_amount")],
        once_per="order_id",
        directives=[Dedupe(keys=("order_id", "line_no"))],
    )
    numbers = [c.claim.value.number for c in once.candidates]
    assert numbers == pytest.approx([revenue, mean, revenue])
    assert once.candidates[0].statement.endswith("(each order_id counted once, 8 of them).")
    assert once.candidates[0].claim.subject.against == "once per order_id"
    # line_amount differs within an order: all its rows count.
    assert once.candidates[2].claim.subject.against is None
    by_region = only(answer(file, metrics=[of("sum", "order_total")], by=["region"], once_per="order_id"))
    assert sum(row["total order_total"] for row in by_region.table) == pytest.approx(revenue)


def test_big_integers_decimals_and_zoned_times_are_exact(tmp_path: Path) -> None:
    file = tmp_path / "types.parquet"
    with duckdb.connect() as con:
        con.execute(
            "COPY (SELECT (9000000000000000000 + i)::BIGINT AS big_id, (1.10 * i)::DECIMAL(18, 2) AS price, "
            "TIMESTAMPTZ '2025-03-30 00:30:00+00' + to_hours(i) AS seen_at, "
            "CASE i WHEN 3 THEN NULL WHEN 5 THEN 'nan'::DOUBLE WHEN 7 THEN 'inf'::DOUBLE ELSE i / 4 END AS ratio, "
            f"i % 2 = 0 AS flag, NULL::INTEGER AS nothing FROM range(12) t(i)) TO '{file}' (FORMAT parquet)"
        )
    result = answer(
        file,
        metrics=[
            of("sum", "big_id"), of("sum", "price"), of("mean", "ratio"), of("max", "seen_at"), of("sum", "flag"),
            of("missing", "nothing"), of("mean", "nothing"),
        ],
    )  # fmt: skip
    statements = [c.statement for c in result.candidates]
    assert statements[0] == (
        "The total big_id is 108,000,000,000,000,000,066 (12 rows). "
        "The average nothing is not defined: all 12 values are missing."
    )
    assert result.candidates[0].claim.value.text == "108000000000000000066"
    assert result.candidates[0].table[0]["value"] == "108000000000000000066"
    assert statements[1] == "The total price is 72.60 (12 rows)."
    assert result.candidates[2].n == 9
    assert result.candidates[2].claim.value.number == pytest.approx(1.4166666667)
    assert statements[3] == "The latest seen_at is 2025-03-30T11:30:00Z (12 rows)."
    assert statements[4] == "The total flag is 6 (12 rows)."
    assert statements[5] == "12 of 12 values of nothing are missing (100%)."


def test_one_row_has_a_mean_and_no_deviation(tmp_path: Path) -> None:
    file = table(tmp_path, {"id": [1], "region": ["North"], "amount": [19.5]})
    assert said(file, metrics=[of("mean", "amount"), of("std", "amount")]) == [
        "The average amount is 19.50 (1 row). The standard deviation of amount is not defined: there is one row only."
    ]
    alone = answer(file, metrics=[of("std", "amount")])
    assert alone.skipped == "the standard deviation of amount is not defined: there is one row only"
    assert alone.candidates == []


def test_no_rows_is_said(tmp_path: Path) -> None:
    file = table(tmp_path, {"id": [], "region": [], "amount": []})
    assert answer(file, metrics=[{}]).skipped == "there are no rows (columns: id, region, amount)"


def test_quantiles_are_exact_on_skewed_values(tmp_path: Path) -> None:
    amounts = [100 + (i * i) % 977 for i in range(3000)]
    file = table(tmp_path, {"invoice_no": [f"INV{i}" for i in range(3000)], "amount": amounts})
    quartiles = statistics.quantiles(amounts, n=100, method="inclusive")
    result = answer(file, metrics=[of("quantile", "amount", level_0_1=q) for q in (0.25, 0.5, 0.99)])
    assert [c.claim.value.number for c in result.candidates] == pytest.approx(
        [quartiles[24], quartiles[49], quartiles[98]]
    )


def test_what_adds_up_over_a_key_is_averaged_over_the_keys(tmp_path: Path) -> None:
    orders = [f"o{k}" for k in range(30) for _ in range(1 + k % 3)]
    revenue = [10 + k % 7 for k in range(len(orders))]
    region = ["East" if int(o[1:]) < 12 else "West" for o in orders]
    file = table(tmp_path, {"order_id": orders, "revenue": revenue, "region": region})
    per_order = {"aggregate": "mean", "measure": {"kind": "sum_per", "columns": ["revenue", "order_id"]}}
    found = only(answer(file, metrics=[per_order]))
    assert found.claim.value.number == pytest.approx(sum(revenue) / 30)
    assert found.claim.subject.metric == "mean(revenue per order_id)"
    assert found.statement.endswith("(each of 30 order_id values summed over its rows).")
    by_region = only(answer(file, metrics=[per_order], by=["region"]))
    east = sum(v for v, r in zip(revenue, region, strict=True) if r == "East") / 12
    west = sum(v for v, r in zip(revenue, region, strict=True) if r == "West") / 18
    assert {r["region"]: r["average revenue per order_id"] for r in by_region.table} == pytest.approx(
        {"East": east, "West": west}
    )
    assert "(12 order_id values)" in by_region.statement
