"""The labelled files, where they are present, load with the values that were computed independently."""

from datetime import datetime
from pathlib import Path

import pytest

from datasets.plain import plain
from loaded import Load, one, roles, rows, types


@pytest.mark.parametrize("name", ["unicode_text.txt", "utf8_bom_quoted.csv"])
def test_case_utf16_and_bom(load: Load, shared: Path, name: str) -> None:
    dataset = load(shared / "cases/02-utf16-and-bom" / name)
    assert [c.name for c in dataset.card.columns] == ["Order ID", "City", "Qty"]
    assert rows(dataset, "SELECT count(*), sum(Qty) FROM analysis") == [(7, 100)]
    cities = {"São Paulo", "Kraków", "Zürich", "東京", "Νάξος", "Łódź", "Malmö"}
    assert set(dataset.card.column("City").values) == cities


def test_case_preamble_and_totals(load: Load, shared: Path) -> None:
    dataset = load(shared / "cases/03-preamble-and-total-row/region_report.csv")
    assert rows(dataset, "SELECT count(*), sum(Orders), round(sum(Revenue), 2) FROM analysis") == [(16, 977, 82171.76)]
    by_region = rows(dataset, "SELECT Region, round(sum(Revenue), 2) FROM analysis GROUP BY 1 ORDER BY 1")
    assert by_region == [("East", 12976.23), ("North", 18399.06), ("South", 33414.83), ("West", 17381.64)]
    said = " ".join(dataset.card.notes)
    assert all(part in said for part in ("3 title lines", "5 total rows", "1 note"))


def test_case_quoted_newlines_and_doubled_returns(load: Load, shared: Path) -> None:
    reviews = load(shared / "cases/05-quoted-newlines-and-crcrlf/reviews.csv")
    assert rows(reviews, "SELECT count(*), sum(stars), avg(stars) FROM analysis") == [(40, 105, 2.625)]
    assert one(reviews, "SELECT count(*) FROM analysis WHERE contains(text, chr(10))") == 10
    doubled = load(shared / "cases/05-quoted-newlines-and-crcrlf/crcrlf.csv")
    sql = "SELECT count(*), count(DISTINCT id), sum(amount) FROM analysis"
    assert rows(doubled, sql) == [(12_000, 12_000, 600_005)]


def test_case_late_versions(load: Load, shared: Path) -> None:
    dataset = load(shared / "cases/09-late-version-strings/heart_rate.csv")
    assert rows(dataset, "SELECT count(*), sum(bpm), max(ts) FROM analysis") == [
        (21_500, 1_601_730, datetime(2025, 1, 15, 22, 19))
    ]
    by_version = dict(rows(dataset, "SELECT source_version, count(*) FROM analysis GROUP BY 1"))
    assert by_version == {"10.5": 9_000, "10.6": 11_700, "11.1": 200, "11.0.1": 600}


def test_case_long_ids(load: Load, shared: Path) -> None:
    dataset = load(shared / "cases/10-long-ids/orders.csv")
    card = dataset.card
    assert (card.rows, card.column("order_id").distinct, card.column("parent_id").distinct) == (21, 20, 16)
    assert (card.column("parent_id").nulls, card.column("trace_no").distinct) == (4, 20)
    assert [c.role for c in card.columns] == ["identifier"] * 4 + ["measure"]
    assert card.column("order_id").values[0] == "9007199254740996"
    assert one(dataset, "SELECT sum(qty) FROM analysis") == 95


def test_case_day_month_dates(load: Load, shared: Path) -> None:
    folder = shared / "cases/12-day-month-dates"
    bookings = load(folder / "bookings_dmy.csv")
    by_month = [
        s for _, s in rows(bookings, "SELECT month(booked_on), sum(amount) FROM analysis GROUP BY 1 ORDER BY 1")
    ]
    assert by_month == [338, 247, 351, 379, 385, 277, 341, 339, 398, 289, 293, 125]
    visits = load(folder / "visits_ambiguous.csv")
    assert one(visits, "SELECT sum(visits) FROM analysis") == 554
    assert one(visits, "SELECT sum(visits) FROM analysis WHERE month(visit_date) = 9") == 66
    assert any("cannot be known" in n for n in visits.card.notes)
    payments = load(folder / "payments_mixed_halves.csv")
    assert one(payments, "SELECT sum(amount) FROM analysis") == 1_052
    assert any("10 rows fit only day first, 9 only month first, 11 either" in n for n in payments.card.notes)


def test_case_na_is_namibia(load: Load, shared: Path) -> None:
    dataset = load(shared / "cases/14-na-is-namibia/sites.csv")
    countries = dict(rows(dataset, "SELECT country, count(*) FROM analysis GROUP BY 1"))
    assert countries == {"NA": 12, "ZA": 6, "CA": 6, "US": 6, "BW": 6}
    assert dataset.card.column("surname").nulls == 0
    assert rows(dataset, "SELECT count(rating), sum(rating) FROM analysis") == [(29, 101)]
    assert dataset.card.column("rating").nulls == 7


def test_case_types_of_parquet(load: Load, shared: Path) -> None:
    dataset = load(shared / "cases/34-checkpoint-types/types.parquet")
    sums = rows(dataset, "SELECT sum(big_id), sum(price), max(seen_at), count(ratio), avg(ratio) FROM analysis")[0]
    assert [plain(v) for v in sums[:4]] == ["108000000000000000066", 72.6, "2025-03-30T11:30:00Z", 9]
    assert sums[4] == pytest.approx(1.416667, abs=1e-6)
    assert dataset.card.column("empty_col").nulls == 12
    assert one(dataset, "SELECT count(*) FROM analysis WHERE flag") == 6
    assert any("'ratio': 1 cell NaN and 1 cell infinite" in n for n in dataset.card.notes)


def test_case_boolean_spellings(load: Load, shared: Path) -> None:
    dataset = load(shared / "cases/44-boolean-spellings/members.csv")
    assert roles(dataset) == {
        "member": "identifier", "active": "dimension", "opted_in": "boolean", "flag": "boolean", "answer": "dimension",
    }  # fmt: skip
    assert rows(dataset, "SELECT count(*) FILTER (opted_in), count(*) FILTER (NOT opted_in) FROM analysis") == [
        (30, 15)
    ]
    assert rows(dataset, "SELECT sum(flag), count(*) FILTER (flag = 0) FROM analysis") == [(40, 20)]
    assert dict(rows(dataset, "SELECT answer, count(*) FROM analysis GROUP BY 1")) == {"Y": 29, "N": 30, "N/A": 1}


def test_labelled_tables_have_sensible_cards(load: Load, shared: Path) -> None:
    tables = shared / "dabench/tables"
    logan = load(tables / "Current_Logan.csv")
    assert round(100 * logan.card.column("Unnamed: 8").nulls / logan.card.rows, 2) == 95.12
    assert one(logan, 'SELECT round(avg(TRY_CAST("JAMES LOGAN" AS DOUBLE)), 2) FROM analysis') == 2.6
    gapminder = load(tables / "gapminder_cleaned.csv")
    assert gapminder.card.rows == 1_704
    assert roles(gapminder) == {
        "year": "dimension", "pop": "measure", "lifeexp": "measure", "gdppercap": "measure",
        "country": "dimension", "continent": "dimension",
    }  # fmt: skip
    election = load(tables / "election2016.csv")
    assert (types(election)["diff"], types(election)["combined_fips"]) == ("BIGINT", "VARCHAR")
    assert election.card.column("per_point_diff").unit == "%"
    storms = load(tables / "cost_data_with_errors.csv")
    assert (storms.card.column("max_sust_wind").nulls, storms.card.column("min_p").nulls) == (24, 101)
    titanic = load(tables / "titanic_train.csv")
    assert roles(titanic) == {
        "PassengerId": "identifier", "Survived": "boolean", "Pclass": "dimension", "Name": "text", "Sex": "dimension",
        "Age": "measure", "SibSp": "measure", "Parch": "measure", "Ticket": "identifier", "Fare": "measure",
        "Cabin": "dimension", "Embarked": "dimension",
    }  # fmt: skip
    assert load(tables / "microsoft.csv").card.time_column == "Date"
    assert one(load(tables / "microsoft.csv"), 'SELECT round(avg("Volume"), 2) FROM analysis') == 22607406.19


def test_incident_tables_choose_the_event_time(load: Load, shared: Path) -> None:
    expected = {
        "flag-1": "opened_at", "flag-13": "opened_at", "flag-16": "purchased_on", "flag-19": "opened_at",
        "flag-22": "opened_at", "flag-28": "start_date", "flag-31": "start_date", "flag-41": "opened_at",
    }  # fmt: skip
    for name, column in expected.items():
        assert load(shared / "insightbench" / f"{name}.csv").card.time_column == column
