"""The shipped samples are what their README says, to the byte and to the cent."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from datasets import AnalysisView, Catalogue, Dataset
from datasets.directives import Dedupe, ExcludeRecent, NullSentinel
from datasets.quality import DataQualityFact, detect
from datasets.samples.make_samples import make

SAMPLES = Path(__file__).parents[1] / "datasets" / "samples"
README = " ".join((SAMPLES / "README.md").read_text(encoding="utf-8").split())
NOW = datetime(2025, 10, 16, tzinfo=UTC)
ONCE = "(SELECT DISTINCT * FROM analysis)"


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return Catalogue(tmp_path_factory.mktemp("home"), allow_paths=False)


@pytest.fixture(scope="module")
def first(catalogue: Catalogue) -> Iterator[Dataset]:
    with catalogue.open("shop_orders", now=NOW) as dataset:
        yield dataset


@pytest.fixture(scope="module")
def later(catalogue: Catalogue) -> Iterator[Dataset]:
    with catalogue.open("shop_orders_next", now=NOW) as dataset:
        yield dataset


def one(dataset: Dataset, sql: str) -> Any:
    return dataset.view().query(sql).rows[0][0]


def by_kind(view: AnalysisView) -> dict[str, DataQualityFact]:
    return {fact.kind: fact for fact in detect(view).facts}


def test_the_same_seed_gives_the_shipped_bytes() -> None:
    for name, text in make().items():
        shipped = (SAMPLES / name).read_bytes()
        assert shipped == text.encode()
        assert len(shipped) < 700_000


def test_the_files_are_as_large_and_as_old_as_the_readme_says(first: Dataset, later: Dataset) -> None:
    for dataset, rows, orders, last, revenue in (
        (first, 8396, 8390, date(2025, 10, 15), 1286704.30),
        (later, 8773, 8773, date(2025, 11, 5), 1346979.56),
    ):
        assert dataset.card.rows == rows
        assert one(dataset, "SELECT count(DISTINCT order_id) FROM analysis") == orders
        assert one(dataset, "SELECT max(order_date)::DATE FROM analysis") == last
        assert one(dataset, f"SELECT round(sum(revenue), 2) FROM {ONCE}") == pytest.approx(revenue)
        for figure in (f"{rows:,}", f"{orders:,}", f"{last:%Y-%m-%d}", f"{revenue:,.2f}"):
            assert figure in README


def test_the_detectors_find_what_is_wrong_in_the_first_delivery(first: Dataset) -> None:
    facts = by_kind(first.view())
    assert set(facts) == {"reporting_lag", "sentinel", "duplicates", "partial_period"}
    assert facts["reporting_lag"].directive == ExcludeRecent(column="order_date", days=3)
    assert facts["reporting_lag"].status == "suspected"
    assert "3, 4 and 1 rows against about 18 a day" in facts["reporting_lag"].statement
    assert facts["sentinel"].directive == NullSentinel(column="ship_days", values=(-999,))
    assert facts["sentinel"].claim.value.number == 80
    assert facts["duplicates"].directive == Dedupe()
    assert facts["duplicates"].claim.value.number == 6
    assert "2025-10-15 (15 of 31 days)" in facts["partial_period"].statement


def test_the_later_delivery_has_a_lag_of_its_own_and_no_repeats(later: Dataset) -> None:
    detection = detect(later.view())
    facts = {fact.kind: fact for fact in detection.facts}
    assert set(facts) == {"reporting_lag", "sentinel", "partial_period"}
    assert "6, 4 and 1 rows" in facts["reporting_lag"].statement
    assert ("duplicates", None) in detection.powered
    assert facts["sentinel"].claim.value.number == 86


def test_the_later_delivery_fills_the_days_that_were_late_and_changes_nothing_else(
    first: Dataset, later: Dataset
) -> None:
    per_day = f"SELECT order_date::DATE::VARCHAR, count(*), round(sum(revenue), 2) FROM {ONCE} GROUP BY 1 ORDER BY 1"
    before = {row[0]: row[1:] for row in first.view().query(per_day).rows}
    after = {row[0]: row[1:] for row in later.view().query(per_day).rows}
    changed = [day for day, figures in before.items() if after[day] != figures]
    assert changed == ["2025-10-13", "2025-10-14", "2025-10-15"]
    assert [before[day][0] for day in changed] == [3, 4, 1]
    assert [after[day][0] for day in changed] == [9, 22, 15]


@pytest.mark.parametrize(
    ("sql", "value", "figure"),
    [
        ("sum(revenue) FILTER (region = 'West' AND {q2})", 61245.17, "61,245.17"),
        ("sum(revenue) FILTER (region = 'West' AND {q3})", 44383.08, "44,383.08"),
        ("sum(revenue) FILTER (region = 'West' AND channel = 'Marketplace' AND {q2})", 22876.57, "22,876.57"),
        ("sum(revenue) FILTER (region = 'West' AND channel = 'Marketplace' AND {q3})", 9039.62, "9,039.62"),
        ("sum(revenue) FILTER (category = 'Furniture')", 634034.21, "634,034.21"),
        ("100 * sum(revenue) FILTER (category = 'Furniture') / sum(revenue)", 49.28, "49.3%"),
        ("100 * sum(revenue) FILTER (category = 'Kitchen') / sum(revenue)", 15.22, "15.2%"),
        ("100 * sum(revenue) FILTER ({q3}) / sum(revenue) FILTER ({q2}) - 100", -6.1, "-6.1%"),
        ("corr(units, discount_pct)", 0.84, "Pearson 0.84"),
        ("avg(ship_days)", -6.74, "-6.74 days"),
        ("avg(ship_days) FILTER (ship_days >= 0)", 2.81, "2.81"),
        ("avg(ship_days) FILTER (ship_days >= 0 AND channel = 'Store')", 1.15, "1.15 days"),
        ("avg(ship_days) FILTER (ship_days >= 0 AND channel = 'Marketplace')", 4.00, "Marketplace 4.00"),
    ],
)
def test_a_planted_fact_is_in_the_data(first: Dataset, sql: str, value: float, figure: str) -> None:
    q2 = "order_date BETWEEN DATE '2025-04-01' AND DATE '2025-06-30'"
    q3 = "order_date BETWEEN DATE '2025-07-01' AND DATE '2025-09-30'"
    found = one(first, f"SELECT {sql.format(q2=q2, q3=q3)} FROM {ONCE}")
    assert float(found) == pytest.approx(value, abs=0.006)
    assert figure in README


def test_only_the_marketplace_sends_back_and_no_other_region_moves_much(first: Dataset) -> None:
    view = first.view()
    shares = dict(
        view.query(f"SELECT channel, 100 * avg(CASE WHEN returned THEN 1 ELSE 0 END) FROM {ONCE} GROUP BY 1").rows
    )
    assert shares.pop("Marketplace") == pytest.approx(19.8, abs=0.05)
    assert {round(share, 1) for share in shares.values()} == {4.5, 4.6, 6.9}
    moves = view.query(
        "SELECT region, 100 * sum(revenue) FILTER (quarter(order_date) = 3) / sum(revenue) FILTER "
        f"(quarter(order_date) = 2) - 100 FROM {ONCE} WHERE year(order_date) = 2025 GROUP BY 1 ORDER BY 2"
    ).rows
    assert [(region, round(change, 1)) for region, change in moves] == [
        ("West", -27.5), ("East", -6.5), ("South", -3.2), ("Central", 0.4), ("North", 7.0),
    ]  # fmt: skip


def test_every_statement_can_be_run_again(first: Dataset) -> None:
    view = first.view()
    for fact in detect(view).facts:
        assert fact.sql
        for sql in fact.sql:
            assert view.query(sql).rows
