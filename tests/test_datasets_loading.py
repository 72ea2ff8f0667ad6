"""Files of every shape become one typed table, and what was decided is said."""

import gzip
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from datasets import DatasetError
from datasets.battery import make_step, run_step
from loaded import Load, one, roles, rows, said, types

CITIES = "Order ID\tCity\tQty\r\n100\tSão Paulo\t12\r\n101\tKraków\t5\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["cities.txt", "cities.tsv", "cities.csv"])
def test_encodings_and_extensions_give_the_same_table(load: Load, encoding: str, name: str) -> None:
    dataset = load(CITIES.encode(encoding), name)
    assert [c.name for c in dataset.card.columns] == ["Order ID", "City", "Qty"]
    assert rows(dataset, 'SELECT * FROM analysis ORDER BY "Qty"') == [(101, "Kraków", 5), (100, "São Paulo", 12)]


def test_windows_1252_is_read_and_said(load: Load) -> None:
    dataset = load("name;price\nCafé €;1\nÄpfel;2\n".encode("cp1252"))
    assert rows(dataset, "SELECT name FROM analysis") == [("Café €",), ("Äpfel",)]
    assert any("Windows-1252" in note for note in dataset.card.notes)


def test_gzip(load: Load) -> None:
    assert one(load(gzip.compress(b"a,b\n1,2\n3,4\n"), "x.csv.gz"), "SELECT sum(b) FROM analysis") == 6
    with pytest.raises(DatasetError, match="damaged"):
        load(gzip.compress(b"a,b\n" + bytes(range(256)) * 50)[:-40], "y.csv.gz")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(load: Load, delimiter: str) -> None:
    text = "\n".join(delimiter.join(cells) for cells in (["a", "b", "c"], ["1", "x y", "2.5"], ["2", "z", "3.5"]))
    dataset = load(text)
    assert types(dataset) == {"a": "BIGINT", "b": "VARCHAR", "c": "DOUBLE"}
    assert one(dataset, "SELECT sum(c) FROM analysis") == 6.0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_line_ends(load: Load, end: str) -> None:
    dataset = load(end.join(["id,amount", *(f"{i},{i * 10}" for i in range(1, 51)), ""]))
    assert [c.name for c in dataset.card.columns] == ["id", "amount"]
    assert rows(dataset, "SELECT count(*), sum(amount) FROM analysis") == [(50, 12_750)]


def test_line_breaks_inside_quotes_stay(load: Load) -> None:
    dataset = load('id,text,stars\n1,"late\n\nsent from my phone",2\n2,broken,2\n3,"say ""hi"", twice",5\n')
    assert rows(dataset, "SELECT * FROM analysis") == [
        (1, "late\n\nsent from my phone", 2),
        (2, "broken", 2),
        (3, 'say "hi", twice', 5),
    ]


def test_a_lone_carriage_return_ends_no_record(load: Load) -> None:
    dataset = load('id,text\n1,a\rb\n2,"c\rd"\n3,e\r\n')
    assert rows(dataset, "SELECT * FROM analysis") == [(1, "a b"), (2, "c d"), (3, "e")]


def test_a_quotation_mark_that_never_closes_swallows_nothing(load: Load) -> None:
    dataset = load('id,height\n1,6"\n2,"5 foot\n3,7\n')
    assert one(dataset, "SELECT count(*) FROM analysis") == 3
    assert any("never closed" in note for note in dataset.card.notes)


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\n\n", b" \r\n \r\n", b",,\n,,\n"])
def test_no_data_is_said_in_one_sentence(load: Load, content: bytes, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no data in the file"):
        load(content)
    assert not list((tmp_path / "home").rglob("data.duckdb"))


def test_a_header_without_rows(load: Load) -> None:
    dataset = load("id,region,amount\n")
    assert [c.name for c in dataset.card.columns] == ["id", "region", "amount"]
    assert dataset.card.rows == 0
    assert any("no rows" in note for note in dataset.card.notes)
    assert rows(dataset, "SELECT count(*), max(amount) FROM analysis") == [(0, None)]
    assert dataset.snapshot().total["n"] == 0


def test_one_column_with_a_blank_line(load: Load) -> None:
    dataset = load("score\n3\n5\n\n7\n5\n")
    assert rows(dataset, "SELECT count(*), avg(score) FROM analysis") == [(4, 5.0)]
    assert any("1 blank line" in note for note in dataset.card.notes)


def test_one_row_and_constants(load: Load) -> None:
    assert types(load("id,region,amount\n1,North,19.5\n")) == {"id": "BIGINT", "region": "VARCHAR", "amount": "DOUBLE"}
    dataset = load("id,note,unit,amount\n1,,kg,10\n2,,kg,20\n3,,kg,30\n", "b.csv")
    assert roles(dataset) == {"id": "identifier", "note": "empty", "unit": "constant", "amount": "measure"}
    assert dataset.card.column("note").nulls == 3


def test_a_minimum_beside_a_maximum_is_no_number_of_minutes(load: Load) -> None:
    dataset = load("site,cases_min,cases_max,wait_min\nA,1,9,30\nB,2,7,45\nC,3,8,50\n")
    assert dataset.card.column("cases_min").unit is None
    assert dataset.card.column("wait_min").unit == "minutes"


def test_records_of_uneven_width_are_counted(load: Load) -> None:
    dataset = load("a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    assert rows(dataset, "SELECT * FROM analysis") == [(1, 2, 3), (4, 5, None), (6, 7, 8)]
    assert any("1 record with fewer cells" in n for n in dataset.card.notes)
    assert any("1 record with more cells" in n for n in dataset.card.notes)


def test_names_of_columns(load: Load) -> None:
    dataset = load(",a,A, a ,__row,rowid\n0,1,2,3,4,5\n")
    assert [c.name for c in dataset.card.columns] == ["Unnamed: 0", "a", "A.1", "a.2", "__row.1", "rowid"]
    assert rows(dataset, "SELECT * FROM analysis") == [(0, 1, 2, 3, 4, 5)]


def test_a_title_row_of_full_width_stays_the_header(load: Load) -> None:
    lines = ["JAMES LOGAN,,", "Wins,Name,NUM", *(f"{i % 5},P{i},{i if i < 1 else ''}" for i in range(40))]
    dataset = load("\n".join(lines))
    assert types(dataset) == {"JAMES LOGAN": "VARCHAR", "Unnamed: 1": "VARCHAR", "Unnamed: 2": "VARCHAR"}
    assert one(dataset, 'SELECT avg(TRY_CAST("JAMES LOGAN" AS DOUBLE)) FROM analysis') == 2.0
    assert dataset.card.column("Unnamed: 2").nulls == 39


@pytest.mark.parametrize(
    ("text", "names", "total"),
    [
        ("site,temp,wind\n,°C,m/s\nA,21.5,3\nB,20,4\nsite,temp,wind\nC,19.5,5\n", ["site", "temp", "wind"], 61.0),
        ("site,temp,wind\n[name],[degC],[m/s]\nA,21.5,3\nB,20,4\nC,19.5,5\n", ["site", "temp", "wind"], 61.0),
        ("k,2024,,2025,\n,n,eur,n,eur\nA,1,5.5,2,6\nB,3,7,4,8\nC,5,9,6,10\n",
         ["k", "2024 n", "2024 eur", "2025 n", "2025 eur"], 9.0),
        (" k | v \n---+---\n a | 1 \n b | 2 \n", ["k", "v"], 3.0),
        ("k~v\na~1\nb~2\n", ["k", "v"], 3.0),
        ('k,v,w\n"say \\"hi\\", ok",1,2\n"plain",2,3\n', ["k", "v", "w"], 3.0),
        ("k,v\r\na,1\r\nb,2\r\n\x1a", ["k", "v"], 3.0),
        ("k,v\na,$1.50\nb,$ -\nc,($2.00)\n", ["k", "v"], -0.5),
        ("k,v\na,1\nb,2\nTotal,3\nAverage,1.5\n", ["k", "v"], 3.0),
        ("\ufeffk,v\na,1\n\ufeffk,v\nb,2\n", ["k", "v"], 3.0),
        ("k,v\na,1\nb,2\n\nproduct,price,stock\nA,5,7\nB,6,8\n", ["k", "v"], None),
        ("k,state\na,open\nb,5\nc,6\nd,7\n", ["k", "state"], None),
    ],
)  # fmt: skip
def test_what_stands_around_the_rows_is_no_row(load: Load, text: str, names: list[str], total: float | None) -> None:
    dataset = load(text)
    assert list(types(dataset)) == names
    if total is None:
        assert one(dataset, "SELECT count(*) FROM analysis") == text.split("\n\n")[0].strip().count("\n")
    else:
        assert one(dataset, f'SELECT sum("{names[1]}") FROM analysis') == total


def test_no_header(load: Load) -> None:
    dataset = load("1,North,19.5\n2,South,20.5\n3,East,7\n")
    assert [c.name for c in dataset.card.columns] == ["column1", "column2", "column3"]
    assert dataset.card.rows == 3
    years = load("country,2010,2011\nA,1,2\nB,3,4\n", "years.csv")
    assert [c.name for c in years.card.columns] == ["country", "2010", "2011"]


def test_shapes_around_the_header(load: Load) -> None:
    declared = load("sep=;\na;b\n1,5;2\n2,5;3\n")
    assert rows(declared, "SELECT sum(a), sum(b) FROM analysis") == [(4.0, 5)]
    row_names = load("mpg,cyl\nMazda,21.0,6\nFiat,32.4,4\n", "r.csv")
    assert [c.name for c in row_names.card.columns] == ["Unnamed: 0", "mpg", "cyl"]
    trailing = load("a,b\n1,2,\n3,4,\n", "t.csv")
    assert [c.name for c in trailing.card.columns] == ["a", "b"]
    assert one(trailing, "SELECT sum(b) FROM analysis") == 6
    short = load("a,b,c,d\n1,2,3\n4,5,6\n7,8,9\n", "s.csv")
    assert [c.name for c in short.card.columns] == ["a", "b", "c", "d"]
    grown = load("a,b,c\n1,2,3\n4,5,6,7\n8,9,10,11\n8,9,10,11\n", "g.csv")
    assert [c.name for c in grown.card.columns] == ["a", "b", "c", "Unnamed: 3"]
    assert grown.card.rows == 4


REPORT = """Sales by region
Generated 2025-05-02 08:14 by report server
Filters: status = shipped, returned = no

Month,Region,Orders,Revenue
2025-01,North,86,3373.28
2025-01,South,66,8749.84
Subtotal 2025-01,,152,12123.12
2025-02,North,53,2004.93
2025-02,South,57,8215.33
Subtotal 2025-02,,110,10220.26
Grand total,,262,22343.38

"Note: revenue excludes VAT, figures are provisional"
"""


def test_titles_totals_and_footnotes_are_set_aside_and_said(load: Load) -> None:
    dataset = load(REPORT)
    assert [c.name for c in dataset.card.columns] == ["Month", "Region", "Orders", "Revenue"]
    assert rows(dataset, "SELECT count(*), sum(Orders), round(sum(Revenue), 2) FROM analysis") == [(4, 262, 22343.38)]
    said = " ".join(dataset.card.notes)
    assert "3 title lines" in said
    assert "3 total rows" in said
    assert "1 note below the table" in said


def test_a_total_that_is_no_sum_stays(load: Load) -> None:
    dataset = load("name,amount\nTotal Wine,10\nShell,20\nTotal,55\nBP,30\nEsso,1\nAral,2\nJet,3\n")
    assert one(dataset, "SELECT count(*) FROM analysis") == 7


def test_versions_stay_text_however_late_they_come(load: Load) -> None:
    lines = [f"2025-01-01 00:00,{'11.0.1' if i > 990 else '10.5'},{i}" for i in range(1000)]
    dataset = load("\n".join(["ts,source_version,bpm", *lines]))
    assert types(dataset)["source_version"] == "VARCHAR"
    assert one(dataset, "SELECT count(*) FROM analysis WHERE source_version = '11.0.1'") == 9


def test_a_few_unreadable_cells_are_counted_and_many_keep_the_text(load: Load) -> None:
    dataset = load("id,amount\n" + "\n".join(f"x{i},{'broken' if i == 700 else i}" for i in range(1000)))
    assert types(dataset)["amount"] == "BIGINT"
    assert dataset.card.column("amount").nulls == 1
    assert any("'amount': 1 cell could not be read (such as 'broken')" in n for n in dataset.card.notes)
    text = load("id,amount\n" + "\n".join(f"x{i},{'broken' if i % 50 == 0 else i}" for i in range(1000)), "b.csv")
    assert types(text)["amount"] == "VARCHAR"
    assert any("980 of 1,000 cells are numbers" in n for n in text.card.notes)


def test_long_identifiers_are_kept_to_the_digit(load: Load) -> None:
    dataset = load(
        "order_id,parent_id,trace_no,zip,qty\n"
        "9007199254740993,,2718281828459045235360287471352662497757,02013,1\n"
        "9007199254740994,9007199254740993,2718281828459045235360287471352662497758,10115,8\n"
    )
    assert types(dataset) == {
        "order_id": "BIGINT", "parent_id": "BIGINT", "trace_no": "VARCHAR", "zip": "VARCHAR", "qty": "BIGINT",
    }  # fmt: skip
    assert list(roles(dataset).values()) == ["identifier"] * 4 + ["measure"]
    assert one(dataset, "SELECT max(order_id) FROM analysis") == 9007199254740994
    assert one(dataset, "SELECT zip FROM analysis WHERE qty = 1") == "02013"


def test_roles_tell_groups_from_identifiers_and_row_numbers(load: Load) -> None:
    header = "row,order_id,store_id,line_no,user_id,year,month,zip,rating,value,active,city"
    lines = [
        f"{i},O{i // 3:03d},{i % 7},{i % 3},{1000 + i},{2000 + i % 9},{i % 12 + 1},"
        f"0{i % 80:04d},{i % 5 + 1},{i * 1.5},{i % 2},City {i % 4}"
        for i in range(1, 151)
    ]
    assert roles(load("\n".join([header, *lines]))) == {
        "row": "identifier", "order_id": "identifier", "store_id": "dimension", "line_no": "dimension",
        "user_id": "identifier", "year": "dimension", "month": "dimension", "zip": "identifier", "rating": "measure",
        "value": "measure", "active": "boolean", "city": "dimension",
    }  # fmt: skip


NUMBERS = [
    (["37,410", "1,037,410", "12"], "BIGINT", [37410, 1037410, 12], None),
    (["15.17%", "3%", "-0.5 %"], "DOUBLE", [15.17, 3.0, -0.5], "%"),
    (["$1,200.50", "$3", "-$4.25"], "DOUBLE", [1200.5, 3.0, -4.25], "$"),
    (["(12.50)", "3.25", "1,000.00"], "DOUBLE", [-12.5, 3.25, 1000.0], None),
    (["1,5", "2,25", "1.234,75"], "DOUBLE", [1.5, 2.25, 1234.75], None),
    (["1 234,50", "12 000 000", "3"], "DOUBLE", [1234.5, 12000000.0, 3.0], None),
    (["1.234", "12,50", "1.234.567"], "DOUBLE", [1234.0, 12.5, 1234567.0], None),
    (["1.234", "12", "1.234.567"], "BIGINT", [1234, 12, 1234567], None),
    (["1 234,50", "12,50", "-3"], "DOUBLE", [1234.5, 12.5, -3.0], None),
    (["12,34,567.50", "1,00,000", "5,000"], "DOUBLE", [1234567.5, 100000.0, 5000.0], None),
    (["1,200.75", "3", "10,000.50"], "DOUBLE", [1200.75, 3.0, 10000.5], None),
    (["0,125", "2,500", "13,750"], "DOUBLE", [0.125, 2.5, 13.75], None),
    (["1.234,50 €", "2,00 €", "-10,25 €"], "DOUBLE", [1234.5, 2.0, -10.25], "€"),
    (["CHF 1'234.50", "CHF 12'000", "CHF -3.25"], "DOUBLE", [1234.5, 12000.0, -3.25], "CHF"),
    (["₹ 1,00,000", "₹ 250.5", "(₹ 7)"], "DOUBLE", [100000.0, 250.5, -7.0], "₹"),
    (["12,5 %", "7,25 %", "0 %"], "DOUBLE", [12.5, 7.25, 0.0], "%"),
    (["100-", "250.50", "− 75.25"], "DOUBLE", [-100.0, 250.5, -75.25], None),
    (["1,5 kg", "250 g", "1.000,5 kg"], "DOUBLE", [1.5, 0.25, 1000.5], "kg"),
    (["12.5", "12,5", "3"], "VARCHAR", ["12.5", "12,5", "3"], None),
    (["1.5e3", "2E-2", "7"], "DOUBLE", [1500.0, 0.02, 7.0], None),
    (["5", "N/A", "7"], "BIGINT", [5, None, 7], None),
    (["5.5", "-", "NaN"], "DOUBLE", [5.5, None, None], None),
    (["+5", "-3", "0"], "BIGINT", [5, -3, 0], None),
    (["$5", "€6", "$7"], "VARCHAR", ["$5", "€6", "$7"], None),
    (["007", "12", "13"], "VARCHAR", ["007", "12", "13"], None),
    (["1_000", "0x1F", "12"], "VARCHAR", ["1_000", "0x1F", "12"], None),
    (["630308[495000-801000]", "0", "7"], "VARCHAR", ["630308[495000-801000]", "0", "7"], None),
    (["true", "FALSE", ""], "BOOLEAN", [True, False, None], None),
    (["yes", "no", "yes"], "VARCHAR", ["yes", "no", "yes"], None),
]


@pytest.mark.parametrize(("cells", "sql_type", "values", "unit"), NUMBERS)
def test_numbers_are_read_as_a_person_would(
    load: Load, cells: list[str], sql_type: str, values: list[Any], unit: str | None
) -> None:
    dataset = load("k;x\n" + "\n".join(f"{k};{cell}" for k, cell in zip("abc", cells, strict=True)))
    assert dataset.card.column("x").sql_type == sql_type
    assert [v for (v,) in rows(dataset, "SELECT x FROM analysis")] == values
    assert dataset.card.column("x").unit == unit


def test_the_decimal_sign_of_other_columns_decides_what_fits_both(load: Load) -> None:
    dataset = load("k;weight;price\nx;1.234;1,5\ny;2.500;2,25\nz;12.000;3,75\n")
    assert one(dataset, "SELECT sum(weight) FROM analysis") == 15734
    assert "'weight': a comma is read as the decimal sign, as other columns show" in said(dataset)
    alone = load("k;weight;price\nx;1.234;1.5\ny;2.500;2.25\nz;12.000;3.75\n", "b.csv")
    assert one(alone, "SELECT sum(weight) FROM analysis") == pytest.approx(15.734)


def test_amounts_in_several_currencies_are_not_one_measure(load: Load) -> None:
    dataset = load("k,amount\na,$100\nb,€200\nc,£50\n")
    assert types(dataset)["amount"] == "VARCHAR"
    assert "'amount': amounts in several currencies ($, £, €), which cannot be added" in said(dataset)


DATES: list[tuple[list[str], str, Any]] = [
    (["2024-01-31", "2024-2-1", "2023-12-05"], "DATE", date(2024, 2, 1)),
    (["10/1/2014", "10/31/2014", "1/2/2014"], "DATE", date(2014, 10, 31)),
    (["31.12.2024", "01.02.2024", "05.06.2024"], "DATE", date(2024, 12, 31)),
    (["19-Jan-18", "9-Feb-18", "1-Dec-17"], "DATE", date(2018, 2, 9)),
    (["January 5, 2020", "March 12, 2020", "May 1, 2020"], "DATE", date(2020, 5, 1)),
    (["5 Jan 2020", "12 Mar 2020", "1 May 2019"], "DATE", date(2020, 3, 12)),
    (["2025-01", "2025-02", "2024-12"], "DATE", date(2025, 2, 1)),
    (["Jan 2020", "Feb 2020", "Dec 2019"], "DATE", date(2020, 2, 1)),
    (["2014.03.23_20:24:00_TAI", "2014.03.23_20:36:00_TAI", "2014.03.22_00:00:00_TAI"], "TIMESTAMP",
     datetime(2014, 3, 23, 20, 36)),
    (["2023-01-25 14:24:34.550757731", "2023-01-21 08:50:00", "2023-01-26 08:50"], "TIMESTAMP",
     datetime(2023, 1, 26, 8, 50)),
    (["2023-01-25T14:24:34", "2023-01-25T14:24:35.5", ""], "TIMESTAMP", datetime(2023, 1, 25, 14, 24, 35, 500000)),
    (["1/2/2020 3:04 PM", "1/31/2020 11:00 AM", "N/A"], "TIMESTAMP", datetime(2020, 1, 31, 11, 0)),
    (["2024-01-01 00:00:00", "2024-01-02 00:00:00", ""], "DATE", date(2024, 1, 2)),
    (["2024-03-31T02:30:00Z", "2024-03-31T05:00:00+02:00", ""], "TIMESTAMP WITH TIME ZONE",
     datetime(2024, 3, 31, 3, 0, tzinfo=UTC)),
    (["20240131", "20240201", "20231205"], "DATE", date(2024, 2, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "sql_type", "newest"), DATES)
def test_dates_in_many_spellings(load: Load, cells: list[str], sql_type: str, newest: Any) -> None:
    dataset = load("event_date;k\n" + "\n".join(f'"{cell}";{i}' for i, cell in enumerate(cells)))
    assert dataset.card.column("event_date").sql_type == sql_type
    assert one(dataset, "SELECT max(event_date) FROM analysis") == newest
    assert dataset.card.time_column == "event_date"
    assert not dataset.card.notes


def test_day_or_month_first_follows_the_evidence(load: Load) -> None:
    dmy = load("k,d\n" + "\n".join(f"{k},{k:02d}/02/2024" for k in range(1, 29)))
    assert one(dmy, "SELECT count(DISTINCT month(d)) FROM analysis") == 1
    sibling = load("start,end\n10/1/2016,9/30/2017\n10/1/2016,9/28/2017\n", "b.csv")
    assert rows(sibling, "SELECT DISTINCT start FROM analysis") == [(date(2016, 10, 1),)]
    assert any("as another column shows" in n for n in sibling.card.notes)


def test_undecidable_order_is_said_and_mixed_orders_stay_text(load: Load) -> None:
    visits = load("ref,visit_date\nV01,11/11/2024\nV02,03/10/2024\nV03,07/01/2024\nV04,11/10/2024\n")
    assert types(visits)["visit_date"] == "DATE"
    assert any("order cannot be known; read day first" in n for n in visits.card.notes)
    mixed = load("ref,paid_on\nP1,31/03/2024\nP2,04/30/2024\nP3,04/04/2024\n", "m.csv")
    assert types(mixed)["paid_on"] == "VARCHAR"
    assert any("1 row fit only day first, 1 only month first, 1 either" in n for n in mixed.card.notes)


def test_a_running_sequence_decides_the_order(load: Load) -> None:
    dataset = load("k,d\n" + "\n".join(f"{m}{d},{m:02d}/{d:02d}/2024" for m in range(1, 13) for d in (3, 10)))
    assert one(dataset, "SELECT count(DISTINCT month(d)) FROM analysis") == 12
    assert any("cannot be known; read month first" in note for note in dataset.card.notes)


def test_digits_that_are_no_numbers_stay_as_they_are_written(load: Load) -> None:
    dataset = load('zip,version,price\n="01234",1.1,1.1\n="90210",1.10,1.10\n="00501",1.2,2\n')
    assert rows(dataset, "SELECT zip, version FROM analysis") == [("01234", "1.1"), ("90210", "1.10"), ("00501", "1.2")]
    assert types(dataset)["price"] == "DOUBLE"
    assert "'version': cells differ that are the same number" in said(dataset)


def test_seconds_since_1970(load: Load) -> None:
    dataset = load("created_at,v\n1700000000,1\n1700003600,2\n")
    assert one(dataset, "SELECT max(created_at) FROM analysis") == datetime(2023, 11, 14, 23, 13, 20)
    scales = "created,ts,event_time\n1704067200000,1704067200000000,1704067200.5\n"
    first = rows(load(scales, "scales.csv"), "SELECT created, ts, event_time FROM analysis")[0]
    assert first == (datetime(2024, 1, 1), datetime(2024, 1, 1), datetime(2024, 1, 1, 0, 0, 0, 500000))


def test_days_since_1900_as_spreadsheets_count_them(load: Load) -> None:
    dataset = load("order_date,shipped at,number\n45292,45292.5,45292\n45658,45659.75,45293\n")
    assert rows(dataset, "SELECT order_date, \"shipped at\", number FROM analysis") == [
        (date(2024, 1, 1), datetime(2024, 1, 1, 12), 45292), (date(2025, 1, 1), datetime(2025, 1, 2, 18), 45293),
    ]  # fmt: skip
    assert "'order_date': numbers of days since 1900" in said(dataset)


def test_dates_that_are_none_count_as_missing(load: Load) -> None:
    dataset = load("id,d\n1,2024-01-01\n2,0000-00-00\n3,2024-01-03\n")
    assert rows(dataset, "SELECT d FROM analysis") == [(date(2024, 1, 1),), (None,), (date(2024, 1, 3),)]


def test_words_for_missing_count_only_among_numbers(load: Load) -> None:
    dataset = load("site,country,surname,rating\nS1,NA,None,5\nS2,ZA,Null,N/A\nS3,NA,Nan,\n")
    assert rows(dataset, "SELECT country, surname, rating FROM analysis") == [
        ("NA", "None", 5), ("ZA", "Null", None), ("NA", "Nan", None),
    ]  # fmt: skip
    assert {c.name: c.nulls for c in dataset.card.columns} == {"site": 0, "country": 0, "surname": 0, "rating": 2}


def test_a_name_with_glob_characters_is_one_file(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a1.csv").write_text("x,y\n9,9\n")
    for name in ("a[1].csv", "b*.csv", "c?.csv", "it's {x}.csv", "naïve ü.csv"):
        assert one(load("x,y\n1,2\n", name), "SELECT sum(y) FROM analysis") == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2, 3], "b": ["x", "y", "z"]}',
        '{"a": {"0": 1, "1": 2, "2": 3}, "b": {"0": "x", "1": "y", "2": "z"}}',
        '{"columns": ["a", "b"], "index": [0, 1, 2], "data": [[1, "x"], [2, "y"], [3, "z"]]}',
        '[\n["a", "b"],\n[1, "x"], [2, "y"], [3, "z"]\n]',
        '{"k1": {"a": 1, "b": "x"}, "k2": {"a": 2, "b": "y"}, "k3": {"a": 3, "b": "z"}}',
    ],
)
def test_json_of_other_shapes_is_a_table(load: Load, text: str) -> None:
    dataset = load(text, "shape.json")
    assert rows(dataset, "SELECT a, b FROM analysis") == [(1, "x"), (2, "y"), (3, "z")]
    assert "JSON of " in said(dataset)


def test_json_and_json_lines(load: Load) -> None:
    lines = load('{"id": 9007199254740993, "v": 1, "d": "2024-01-05"}\n{"id": 9007199254740994, "v": 2}\n', "e.jsonl")
    assert rows(lines, "SELECT id, v, d FROM analysis") == [
        (9007199254740993, 1, date(2024, 1, 5)), (9007199254740994, 2, None),
    ]  # fmt: skip
    array = load('[{"a": 1, "b": {"c": [1, 2]}},\n {"a": 2, "b": null}]', "x.json")
    assert one(array, "SELECT sum(a) FROM analysis") == 3
    assert roles(array)["b.c"] == "text"
    wrapped = load('{"next": null, "results": [{"a": 1, "d": "2024-01-05"}, {"a": 5, "d": "2024-02-05"}]}', "w.json")
    assert rows(wrapped, "SELECT a, d FROM analysis") == [(1, date(2024, 1, 5)), (5, date(2024, 2, 5))]
    long = load('{"t": 2718281828459045235360287471352662497757, "x": 1}\n{"t": 3, "x": "y"}\n', "l.jsonl")
    assert rows(long, "SELECT t, x FROM analysis") == [("2718281828459045235360287471352662497757", "1"), ("3", "y")]
    written = load('[{"zip": "10115", "paid": "12.50"}, {"zip": "00501", "paid": "1,000.00"}]', "t.json")
    assert rows(written, "SELECT zip, paid FROM analysis") == [("10115", 12.5), ("00501", 1000.0)]
    assert "'paid': numbers given as text were read as numbers" in said(written)
    with pytest.raises(DatasetError, match="no data"):
        load("[]", "none.json")
    with pytest.raises(DatasetError, match="cannot be read"):
        load('{"a": 1}\n{"a": \n', "broken.jsonl")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"PK\x03\x04rest", "book.xlsx"),
        (b"\xd0\xcf\x11\xe0rest", "old.xls"),
        (b"SQLite format 3\x00rest", "x.db"),
        (b"01234567DUCKrest", "x.duckdb"),
        (b"\x28\xb5\x2f\xfdrest", "x.csv.zst"),
        (b"%PDF-1.7", "x.pdf"),
        (b"PAR1 this is not parquet", "x.parquet"),
        (b"<html><body><table><tr><td>1</td></tr></table></body></html>", "x.xls"),
        (b"a.csv".ljust(257, b"\x00") + b"ustar" + bytes(250), "x.tar"),
    ],
)
def test_kinds_that_cannot_be_read_are_named(load: Load, content: bytes, name: str) -> None:
    with pytest.raises(DatasetError) as caught:
        load(content, name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_folders_and_missing_files(load: Load, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DatasetError, match="no data files in the folder"):
        load(tmp_path / "empty")
    with pytest.raises(DatasetError, match="neither a dataset in the catalogue nor a file"):
        load(tmp_path / "nothing.csv")
    (tmp_path / "orders_2024.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DatasetError, match=r"did you mean 'orders_2024\.csv'"):
        load(tmp_path / "ordrs_2024.csv")


def test_rows_keep_the_order_of_the_file(load: Load) -> None:
    dataset = load("k,v\n" + "\n".join(f"{(i * 7919) % 20011},{i}" for i in range(20000)))
    assert [v for (v,) in rows(dataset, "SELECT v FROM analysis LIMIT 5")] == [0, 1, 2, 3, 4]
    assert one(dataset, "SELECT bool_and(v = n - 1) FROM (SELECT v, row_number() OVER () AS n FROM analysis)")


@pytest.mark.parametrize(
    ("cells", "unit", "values"),
    [
        (["350 g", "1.2 kg", "2 kg"], "kg", [0.35, 1.2, 2]),
        (["90 min", "1.5 h", "30 min"], "min", [90, 90, 30]),
        (["12cm", "7cm"], "cm", [12, 7]),
        (["5%", "0.12", "40%"], "%", [5, 12, 40]),
        (["5%", "12", "40%"], "%", [5, 12, 40]),
    ],
)
def test_units_in_the_cells_become_one_unit(load: Load, cells: list[str], unit: str, values: list[float]) -> None:
    dataset = load("item,amount\n" + "".join(f"i{n},{cell}\n" for n, cell in enumerate(cells)), "units.csv")
    assert dataset.card.column("amount").unit == unit
    assert [v for (v,) in rows(dataset, "SELECT amount FROM analysis")] == values
    if len({cell.strip("0123456789. ") for cell in cells}) > 1:
        assert "'amount'" in said(dataset)


def test_units_of_different_things_are_kept_as_text_and_not_averaged(load: Load) -> None:
    dataset = load("item,amount\na,5 kg\nb,3 m\nc,7 kg\n", "mixed.csv")
    assert types(dataset)["amount"] == "VARCHAR"
    assert "measure different things (kg, m)" in said(dataset)
    step = make_step(
        "answer", {"metrics": [{"aggregate": "mean", "measure": {"kind": "column", "columns": ["amount"]}}]}
    )
    measured = run_step(step, dataset.view())
    assert measured.candidates == []
    assert "different units (kg, m)" in str(measured.skipped)


@pytest.mark.parametrize(
    ("cells", "sql_type", "days"),
    [
        (["2024-01-31T23:30:00-05:00", "2024-02-01T00:30:00-05:00"], "TIMESTAMP", [31, 1]),
        (["2024-01-31T23:30:00+0100", "2024-07-31T23:30:00+0200"], "TIMESTAMP", [31, 31]),
        (["2024-01-31T23:30:00-05:00", "2024-01-31T23:30:00+09:00"], "TIMESTAMP WITH TIME ZONE", [1, 31]),
        (["2024-01-31T23:30:00Z", "2024-02-01T00:30:00Z"], "TIMESTAMP WITH TIME ZONE", [31, 1]),
    ],
    ids=["one offset", "summer and winter", "two places", "UTC"],
)
def test_times_of_one_place_keep_their_own_clock(load: Load, cells: list[str], sql_type: str, days: list[int]) -> None:
    dataset = load("at,v\n" + "".join(f"{cell},{n}\n" for n, cell in enumerate(cells)), "zones.csv")
    assert types(dataset)["at"] == sql_type
    assert [d for (d,) in rows(dataset, 'SELECT day(CAST("at" AS TIMESTAMP)) FROM analysis ORDER BY v')] == days
    assert ("on that clock" in said(dataset)) is (sql_type == "TIMESTAMP")
