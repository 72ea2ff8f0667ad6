"""Workbooks, archives, databases and folders become one table; nothing that they bring along is run."""

import bz2
import gzip
import io
import lzma
import shutil
import sqlite3
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import pytest
import zstandard

from analyst.reports.wording import columns_sentence
from datasets import Catalogue, DatasetError
from datasets.loading import Overrides
from datasets.quality import detect
from loaded import Load, one, rows, said, types

SALES = "sale_id,store_id,amount\n" + "".join(f"{i},{i % 4 + 1},{i * 10}\n" for i in range(1, 41))
STORES = "id,town,region\n1,Bonn,West\n2,Kiel,North\n3,Jena,East\n4,Ulm,South\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "retail"
    made.mkdir()
    (made / "sales.csv").write_text(SALES)
    (made / "stores.csv").write_text(STORES)
    (made / "rates.csv").write_text("currency,rate\nUSD,1.1\nGBP,0.9\nCHF,1.0\n")
    (made / ".hidden.csv").write_text("a,b\n1,2\n")
    (made / "notes.md").write_text("# not data")
    return made


@pytest.mark.parametrize(
    ("pack", "ending"),
    [
        (gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz"),
        (zstandard.ZstdCompressor().compress, "zst"),
    ],
)  # fmt: skip
def test_packed_files(load: Load, pack: object, ending: str) -> None:
    assert callable(pack)
    packed = pack(SALES.encode())
    assert one(load(packed, f"sales.csv.{ending}"), "SELECT sum(amount) FROM analysis") == 8_200
    with pytest.raises(DatasetError, match="damaged"):
        load(packed[:-20], f"cut.csv.{ending}")


def _zip(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_a_zip_of_one_file_and_of_several(load: Load, tmp_path: Path) -> None:
    assert one(load(_zip({"in/sales.csv": SALES}), "one.zip"), "SELECT count(*) FROM analysis") == 40
    several = load(_zip({"../../sales.csv": SALES, "stores.csv": STORES, "__MACOSX/x": "?"}), "two.zip")
    assert rows(several, "SELECT region, count(*) FROM analysis GROUP BY 1 ORDER BY 1") == [
        ("East", 10), ("North", 10), ("South", 10), ("West", 10),
    ]  # fmt: skip
    assert not list(tmp_path.parent.glob("sales.csv"))
    assert "1 name in the archive (such as '../../sales.csv') would lead out of the folder" in said(several)
    deep = _zip({"a.csv": SALES})
    for _ in range(5):
        deep = gzip.compress(deep)
    with pytest.raises(DatasetError, match="packed more than three times"):
        load(deep, "deep.gz")


def test_a_folder_is_one_dataset_joined_on_its_keys(load: Load, folder: Path) -> None:
    dataset = load(folder)
    assert list(types(dataset)) == ["sale_id", "store_id", "amount", "town", "region"]
    assert rows(dataset, "SELECT town, sum(amount) FROM analysis GROUP BY 1 ORDER BY 1") == [
        ("Bonn", 2_200), ("Jena", 2_000), ("Kiel", 1_900), ("Ulm", 2_100),
    ]  # fmt: skip
    report = said(dataset)
    assert "3 tables: 'sales.csv' (40 rows) is analysed" in report
    assert "joined with 'stores.csv' (4 rows): 'store_id' of 'sales.csv' is its key 'id'" in report
    assert "not joined, as no key leads there: 'rates.csv' (3 rows)" in report
    told = columns_sentence(dataset.card)
    assert "Not joined, as no key leads there: 'rates.csv' (3 rows); `recallyst datasets add --table`" in told


def test_a_join_never_adds_or_drops_a_row(load: Load, folder: Path) -> None:
    (folder / "stores.csv").write_text(STORES + "4,Ulm again,South\n")
    assert list(types(load(folder))) == ["sale_id", "store_id", "amount"]
    (folder / "stores.csv").write_text(STORES.replace("4,Ulm,South\n", "5,Ulm,South\n"))
    assert list(types(load(folder))) == ["sale_id", "store_id", "amount"], "a quarter of the sales has no store there"
    (folder / "sales.csv").write_text(SALES + "41,,5\n42,9,5\n")
    (folder / "stores.csv").write_text(STORES)
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), count(town), sum(amount) FROM analysis") == [(42, 40, 8_210)]
    assert "1 row without a match: 2.4% of its values are not found there" in said(dataset)
    (folder / "stores.csv").write_text(STORES.replace("4,Ulm,South\n", "5,Ulm,South\n"))
    report = said(load(folder))
    assert "not joined with 'stores.csv' by 'store_id' of 'sales.csv'; 11 rows without a match: 27%" in report


def test_files_of_one_shape_are_put_under_each_other(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "sales-2024-01.csv").write_text("day,code,amount\n13/01/2024,7,1\n14/01/2024,8,2\n")
    (folder / "sales-2024-02.csv").write_text("amount;day;code\n3;02/02/2024;007\n4;03/02/2024;008\n")
    (folder / "broken.parquet").write_text("PAR1 no")
    dataset = load(folder)
    assert rows(dataset, "SELECT day, code, amount, source FROM analysis ORDER BY amount") == [
        (date(2024, 1, 13), "7", 1, "sales-2024-01"), (date(2024, 1, 14), "8", 2, "sales-2024-01"),
        (date(2024, 2, 2), "007", 3, "sales-2024-02"), (date(2024, 2, 3), "008", 4, "sales-2024-02"),
    ]  # fmt: skip
    assert "2 tables with the same columns were put under each other" in said(dataset)
    assert "'broken.parquet' was left out" in said(dataset)
    before = dataset.fingerprint.content_hash
    (folder / "sales-2024-02.csv").rename(folder / "sales-2024-03.csv")
    assert load(folder).fingerprint.content_hash != before


def test_copies_of_a_table_are_read_once(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir()
    jan = "id,day,amount\n1,2024-01-05,5\n2,2024-01-06,6\n3,2024-01-07,7\n"
    (folder / "jan.csv").write_text(jan)
    (folder / "jan (1).csv").write_text(jan)
    (folder / "jan export.csv").write_text("day;amount;id\n2024-01-06;6.00;2\n2024-01-05;5.00;1\n2024-01-07;7.00;3\n")
    (folder / "feb.csv").write_text(jan.replace("-01-", "-02-"))
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), sum(amount), count(DISTINCT source) FROM analysis") == [(6, 36, 2)]
    assert "'jan.csv' is, byte for byte, the file 'jan (1).csv': read once" in said(dataset)
    assert "'jan export.csv' holds the same rows as" in said(dataset)
    (folder / "feb.csv").unlink()
    assert rows(load(folder), "SELECT count(*), sum(amount) FROM analysis") == [(3, 18)]


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\0\0\0\r", b"\xecH\xd08W\xf44\x85n\xdcc\x89", b"\xe0\r\x00CK\xf2\xe26\xce\xc8e\xf1"]
)
def test_bytes_that_are_no_table_are_refused(load: Load, content: bytes) -> None:
    with pytest.raises(DatasetError, match=r"is a picture|no text and no table"):
        load(content, "bad.png")


def test_an_archive_whose_entry_has_no_name_is_refused(load: Load) -> None:
    with pytest.raises(DatasetError, match="archive is empty"):
        load(_zip({"q": SALES}).replace(b"q", b"\0"), "bad.zip")


def test_deliveries_whose_columns_changed_are_one_table(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "sales_jan_2024.csv").write_text("id,amount\n1,5\n2,6\n")
    (folder / "sales_feb_2024.csv").write_text("amount,id,channel\n7,3,web\n8,4,shop\n")
    (folder / "stores.csv").write_text("id,amount,town\n1,5,Ulm\n")
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), sum(amount), count(channel) FROM analysis") == [(4, 26, 2)]
    assert "2 tables with nearly the same columns were put under each other" in said(dataset)
    assert "'channel' is missing in 'sales_jan_2024.csv'" in said(dataset)


def test_a_link_out_of_a_folder_is_not_followed(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("id,word\n1,hush\n")
    (folder / "sales.csv").write_text("id,amount\n1,5\n2,6\n")
    (folder / "other.csv").symlink_to(tmp_path / "secret.csv")
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), sum(amount) FROM analysis") == [(2, 11)]
    assert "secret" not in said(dataset)
    assert "other" not in said(dataset)


def test_sqlite_is_read_and_runs_nothing(load: Load, tmp_path: Path) -> None:
    file = tmp_path / "shop 'x'; drop.db"
    with sqlite3.connect(file) as con:
        con.execute(
            'CREATE TABLE "sales; DROP TABLE x --" (sale_id INTEGER, store_id, amount REAL, zip TEXT, "a""b" BLOB)'
        )
        con.executemany(
            'INSERT INTO "sales; DROP TABLE x --" VALUES (?,?,?,?,?)',
            [(i, i % 4 + 1, i * 2.5, f"0{i:04d}", b"\x01") for i in range(1, 31)] + [(31, None, None, None, None)],
        )
        con.execute("CREATE TABLE stores (id INTEGER PRIMARY KEY, town TEXT)")
        con.executemany("INSERT INTO stores VALUES (?,?)", [(1, "Bonn"), (2, "Kiel"), (3, "Jena"), (4, "Ulm")])
        con.execute("CREATE VIEW spy AS SELECT * FROM stores")
        con.execute("CREATE TABLE empty_one (x)")
        con.execute('CREATE TABLE orders (store_id, "amount" TEXT)')
    con.close()
    before = sorted(p.name for p in tmp_path.iterdir())
    dataset = load(file)
    assert types(dataset)["zip"] == "VARCHAR"
    assert rows(dataset, "SELECT count(*), sum(amount), min(zip) FROM analysis") == [(31, 1_162.5, "00001")]
    assert "views are not read: spy" in said(dataset)
    assert "empty tables left out: empty_one, orders" in said(dataset)
    assert sorted(p.name for p in tmp_path.iterdir()) in (before, sorted([*before, "home"]))


def test_duckdb_tables_are_copied_and_views_never_run(load: Load, tmp_path: Path) -> None:
    file, bait = tmp_path / "lake[1].duckdb", tmp_path / "secret.csv"
    bait.write_text("a,b\nsecret,1\n")
    con = duckdb.connect(str(file))
    con.execute(
        "CREATE TABLE sales AS SELECT range AS sale_id, range % 4 + 1 AS store_id, 1.5 AS amount FROM range(20)"
    )
    con.execute("CREATE SCHEMA ref")
    con.execute("CREATE TABLE ref.stores AS SELECT range + 1 AS id, 'Town ' || range AS town FROM range(4)")
    con.execute(f"CREATE VIEW spy AS SELECT * FROM read_csv('{bait}')")
    con.execute("CREATE MACRO sum(x) AS 0")
    con.close()
    dataset = load(file)
    assert rows(dataset, "SELECT count(*), sum(amount) FROM analysis") == [(20, 30)]
    assert "secret" not in said(dataset)
    assert "views are not read: spy" in said(dataset)


def test_case_xlsx_report(load: Load, shared: Path) -> None:
    dataset = load(shared / "cases/19-xlsx-report/stock.xlsx")
    assert types(dataset) == {
        "Site": "VARCHAR", "Counted on": "DATE", "2024 Qty": "BIGINT", "2024 Value": "DOUBLE", "2025 Qty": "BIGINT",
        "2025 Value": "DOUBLE", "Code": "VARCHAR",
    }  # fmt: skip
    total = 'sum("2025 Qty"), round(sum("2025 Value"), 2), sum("2024 Qty"), round(sum("2024 Value"), 2)'
    assert rows(dataset, f"SELECT count(*), {total} FROM analysis") == [(14, 890, 7861.18, 767, 6671.66)]
    per_site = rows(dataset, 'SELECT Site, sum("2025 Qty") FROM analysis GROUP BY 1 ORDER BY 1')
    assert [n for _, n in per_site] == [122, 184, 139, 99, 116, 69, 161]
    counted = 'min("Counted on"), max("Counted on"), count(DISTINCT "Counted on"), min("Code"), max("Code")'
    assert rows(dataset, f"SELECT {counted} FROM analysis") == [
        (date(2025, 6, 1), date(2025, 6, 27), 14, "00008", "00668")
    ]
    for part in ("2 title lines", "heading of 2 rows", "1 blank row", "1 total row", "'Cover'"):
        assert part in said(dataset)


def test_json_of_drifting_shape(load: Load) -> None:
    drifting = load(
        '{"id": 1, "user": {"name": "Ana", "geo": {"city": "Bonn"}}, "v": 1}\n'
        '{"id": 2, "user": {"name": "Ben"}, "v": "2", "tags": ["a"]}\n'
        '{"id": 3, "user": null, "v": 3.5, "late": "2024-05-01"}\n',
        "d.jsonl",
    )
    assert types(drifting) == {
        "id": "BIGINT", "user.name": "VARCHAR", "user.geo.city": "VARCHAR", "v": "DOUBLE", "tags": "VARCHAR[]",
        "late": "DATE",
    }  # fmt: skip
    assert one(drifting, "SELECT sum(v) FROM analysis") == 6.5
    lines = "".join(f'{{"k": {i}}}\n' for i in range(20)) + '{"k": 21\n' + '{"k": 22}\n'
    broken = load(lines, "b.jsonl")
    assert one(broken, "SELECT count(*) FROM analysis") == 21
    assert "1 line set aside that could not be read as JSON" in said(broken)


def test_repeated_headers_and_cells_beyond_the_header_are_kept_aside(load: Load, tmp_path: Path) -> None:
    dataset = load("id,amount\n1,10\nid,amount\n2,20\n3,30,lost?\nid,amount\n")
    assert rows(dataset, "SELECT count(*), sum(amount) FROM analysis") == [(3, 60)]
    assert "the header is repeated 2 times" in said(dataset)
    (copy,) = (tmp_path / "home" / "cache").glob("*/data.duckdb")
    with duckdb.connect(str(copy), read_only=True) as con:
        assert con.execute("SELECT row_number, cell FROM rejects").fetchall() == [(3, "lost?")]
        assert con.execute("SELECT reason, count(*) FROM set_aside GROUP BY 1").fetchall() == [("header", 2)]


def test_a_row_of_units_is_kept_aside(load: Load, tmp_path: Path) -> None:
    load("site,temp\n,°C\nA,21.5\nB,20\nC,19\n")
    (copy,) = (tmp_path / "home" / "cache").glob("*/data.duckdb")
    with duckdb.connect(str(copy), read_only=True) as con:
        assert con.execute("SELECT reason, content FROM set_aside").fetchall() == [("heading", " | °C")]


def test_numbers_past_computing_are_set_aside(load: Load) -> None:
    dataset = load("k,x\n" + "".join(f"{i},{i}.5\n" for i in range(1000)) + "a,1e308\n")
    assert rows(dataset, "SELECT count(x), sum(x) FROM analysis") == [(1000, 500_000.0)]
    assert "'x': 1 cell could not be read (such as '1e308')" in said(dataset)
    con = duckdb.connect()
    file = dataset.card.dataset + ".parquet"
    con.execute(f"COPY (SELECT CASE WHEN range = 3 THEN 1e308 ELSE range END AS x, 1 AS k FROM range(9)) TO '{file}'")
    con.close()
    typed = load(Path(file).read_bytes(), "t.parquet")
    Path(file).unlink()
    assert rows(typed, "SELECT count(x), max(x) FROM analysis") == [(8, 8.0)]
    assert "1 cell beyond what can be computed with count as missing" in said(typed)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("shift_jis", "名前,都市\n田中,東京\n鈴木,大阪\n"),
        ("cp1251", "имя,город\nИван,Москва\nОльга,Казань\n"),
        ("cp1250", "jméno,město\nŘehoř,Plzeň\nŽofie,Třebíč\nŁukasz,Łódź\n"),
        ("cp1252", "name,preis\nCafé,€ frei\nNaïve,zwei\nÜber,drei\n"),
        ("cp1252", "town,n\nZürich,a\nSão Paulo,b\nKøbenhavn,c\n"),
        ("cp1254", "şehir,semt\nİstanbul,Beşiktaş\nMuğla,Göğüs\n"),
        ("mac_roman", "ville,nom\nMontréal,Évry\nOrléans,Noël\n"),
        ("cp850", "stadt,name\nDüsseldorf,Größe\nKöln,Übel\n"),
        ("utf-32", "name,stadt\nJürgen,Köln\nFrançois,Málaga\n"),
    ],
)
def test_other_encodings_are_recognised(load: Load, encoding: str, text: str) -> None:
    dataset = load(text.encode(encoding))
    lines = [tuple(line.split(",")) for line in text.splitlines()]
    assert [tuple(types(dataset)), *rows(dataset, "SELECT * FROM analysis")] == lines


def test_a_damaged_byte_does_not_change_the_encoding(load: Load) -> None:
    dataset = load(b"name,stadt\n" + "Jürgen,Köln\n".encode() * 20 + b"Fran\xffois,Essen\n")
    assert one(dataset, "SELECT count(*) FROM analysis WHERE stadt = 'Köln'") == 20
    assert "1 character could not be decoded" in said(dataset)


def test_a_copy_of_a_folder_is_the_same_data(load: Load, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "again")
    assert load(folder).fingerprint.content_hash == load(tmp_path / "again").fingerprint.content_hash


def test_amounts_of_a_joined_table_count_once_each(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    orders = "".join(f"{n},c{n % 7},{3 + n % 5}\n" for n in range(60))
    lines = "".join(f"{n // 2},{n % 2},{5 + n % 40}\n" for n in range(110))
    (folder / "orders.csv").write_text("order_id,customer,shipping\n" + orders)
    (folder / "items.csv").write_text("order_id,line,price\n" + lines)
    dataset = load(folder)
    column = dataset.card.column("shipping")
    assert column.looked_up_by == "order_id"
    assert dataset.card.column("price").looked_up_by is None
    assert "5 rows of 'orders.csv' that nothing refers to left out" in said(dataset)
    (fact,) = [f for f in detect(dataset.view()).facts if f.kind == "repeated_value"]
    assert fact.column == "shipping"
    assert [rows(dataset, sql) for sql in fact.sql] == [[(sum(3 + n % 5 for n in range(55)),)], [(2 * 275,)]]


def test_tables_are_joined_on_keys_of_several_columns(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "orders.csv").write_text("order_id,shipping\n" + "".join(f"{i},{3 + i % 5}\n" for i in range(100)))
    (folder / "items.csv").write_text(
        "order_id,line_no,price\n" + "".join(f"{i // 3},{i % 3 + 1},{5 + i % 40}\n" for i in range(300))
    )
    (folder / "parcels.csv").write_text(
        "order_id,line_no,weight_kg\n" + "".join(f"{i // 3},{i % 3 + 1},{i % 11}\n" for i in range(295))
    )
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), sum(price), sum(weight_kg) FROM analysis") == [
        (300, sum(5 + i % 40 for i in range(300)), sum(i % 11 for i in range(295)))
    ]
    assert dataset.card.column("shipping").looked_up_by == "order_id"
    assert dataset.card.column("weight_kg").looked_up_by is None, "one parcel for each line"
    assert "'order_id' + 'line_no' of 'items.csv' are its key 'order_id' + 'line_no'; 5 rows without" in said(dataset)


def test_amounts_of_a_store_and_day_count_once_each(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "stores"
    folder.mkdir()
    days = [(store, f"2024-01-{day:02d}") for store in "ABC" for day in range(1, 21)]
    budget = "".join(f"{store},{day},{100 + i}\n" for i, (store, day) in enumerate(days))
    (folder / "budget.csv").write_text("store,date,budget\n" + budget)
    sales = "".join(f"{i},{days[i % 60][0]},{days[i % 60][1]},{i % 50}\n" for i in range(600))
    (folder / "sales.csv").write_text("sale_id,store,date,amount\n" + sales)
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), sum(amount) FROM analysis") == [(600, sum(i % 50 for i in range(600)))]
    assert dataset.card.column("budget").looked_up_by == "store + date key"
    (fact,) = [f for f in detect(dataset.view()).facts if f.kind == "repeated_value"]
    assert rows(dataset, fact.sql[0]) == [(sum(100 + i for i in range(60)),)]


def test_two_tables_of_events_are_never_multiplied(load: Load, tmp_path: Path) -> None:
    folder = tmp_path / "events"
    folder.mkdir()
    (folder / "customers.csv").write_text("customer_id,segment\n" + "".join(f"{i},{'AB'[i % 2]}\n" for i in range(40)))
    orders = "".join(f"{i},{i % 40},2024-01-{i % 28 + 1:02d},{i % 30}\n" for i in range(300))
    (folder / "orders.csv").write_text("order_id,customer_id,date,amount\n" + orders)
    visits = "".join(f"{i},{i % 40},2024-01-{i % 28 + 1:02d},{i % 9}\n" for i in range(900))
    (folder / "visits.csv").write_text("visit_id,customer_id,date,clicks\n" + visits)
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), sum(clicks) FROM analysis") == [(900, sum(i % 9 for i in range(900)))]
    assert "not joined, as no key leads there: 'orders.csv' (300 rows)" in said(dataset)
    daily = [(f"2024-01-{day:02d}", 10 + day) for day in range(1, 29)]
    (folder / "visits.csv").write_text("date,visits\n" + "".join(f"{day},{n}\n" for day, n in daily))
    dataset = load(folder)
    assert rows(dataset, "SELECT count(*), sum(amount) FROM analysis") == [(300, sum(i % 30 for i in range(300)))]
    assert dataset.card.column("visits").looked_up_by == "date"
    per_visit = (
        "SELECT sum(a) / sum(v) FROM (SELECT sum(amount) AS a, any_value(visits) AS v FROM analysis GROUP BY date)"
    )
    assert one(dataset, per_visit) == sum(i % 30 for i in range(300)) / sum(n for _, n in daily)


WORLD_BANK = (
    '"Data Source","Indicators",\n\n"Country Name","Code","Indicator","2018","2019","2020",\n'
    '"Aruba","ABW","Population","10","11","12",\n"Kosovo","XKX","Population","","","17",\n'
)


@pytest.mark.parametrize(
    ("text", "column", "first", "expected"),
    [
        (WORLD_BANK, "year", 2018, [(6, 50)]),
        ("shop,Jan 2024,Feb 2024,Mar 2024,Total\nA,1,2,3,6\nB,4,5,,9\n", "month", date(2024, 1, 1), [(6, 15)]),
        ("Konto;Mrz 24;Apr 24;Mai 24\nUmsatz;1.200,50;1,00;-2,50\n", "month", date(2024, 3, 1), [(3, 1199)]),
        ("sku,wk1,wk2,wk3\nA,1,2,3\nB,2,3,4\n", "week", 1, [(6, 15)]),
        ("store,Oct,Nov,Dec,Jan\nA,1,2,3,4\nB,4,5,6,7\n", "month", 1, [(8, 32)]),
        ("place,1/22/20,1/23/20,1/24/20\nA,1,2,3\nB,2,3,4\n", "date", date(2020, 1, 22), [(6, 15)]),
        ("place,2022,2021,2020\nA,1,2,3\nB,2,3,4\n", "year", 2020, [(6, 15)]),
    ],
)
def test_columns_that_are_periods_become_a_column_of_time(
    load: Load, text: str, column: str, first: object, expected: list[tuple[int, int]]
) -> None:
    dataset = load(text)
    assert rows(dataset, "SELECT count(*), sum(value) FROM analysis") == expected
    assert one(dataset, f"SELECT min({column}) FROM analysis") == first
    assert "each record became" in said(dataset)


def test_measures_by_period_stand_beside_each_other(load: Load) -> None:
    dataset = load(
        "country,area,sales_2023_q1,sales_2023_q2,sales_2023_q3,profit_2023_q1,profit_2023_q2,profit_2023_q3\n"
        "A,7,10,20,30,1,2,3\nB,8,11,21,31,2,3,4\n"
    )
    assert rows(dataset, "SELECT quarter, sum(sales), sum(profit) FROM analysis GROUP BY 1 ORDER BY 1") == [
        (date(2023, 1, 1), 21, 3), (date(2023, 4, 1), 41, 5), (date(2023, 7, 1), 61, 7),
    ]  # fmt: skip
    assert dataset.card.column("area").looked_up_by == "country", "an area counts once for its country"


def test_several_indicators_in_one_column_are_told(load: Load, tmp_path: Path) -> None:
    dataset = load("country,Indicator Name,2000,2001,2002\nA,GDP,1,2,..\nA,CO2,10,20,30\nB,GDP,3,4,5\nB,CO2,7,8,9\n")
    assert rows(dataset, "SELECT sum(value) FROM analysis WHERE \"Indicator Name\" = 'GDP'") == [(15,)]
    assert dataset.card.doubts == (
        "'value' holds 2 different things, told apart by 'Indicator Name': ask about one of them",
    )
    folder = tmp_path / "world"
    folder.mkdir()
    (folder / "gdp.csv").write_text("country,2000,2001,2002\nA,1,2,3\nB,4,5,6\n")
    (folder / "people.csv").write_text("country,2000,2001,2002\nA,7,8,9\nB,4,5,6\n")
    assert "told apart by 'source'" in load(folder).card.doubts[0]


@pytest.mark.parametrize(
    "text",
    [
        "id,1,2,3,4,5\n7,5,4,3,2,1\n8,5,4,3,2,1\n",
        "id,Q1,Q2,Q3\na,5,4,3\nb,5,4,3\n",
        "country,2018,2019,2020\nA,yes,no,yes\nB,no,no,yes\n",
        "country,2018,2019\nA,1,2\nB,3,4\n",
    ],
)
def test_columns_that_are_no_periods_stay(load: Load, text: str) -> None:
    assert ",".join(types(load(text))) == text.splitlines()[0]


def test_the_catalogue_keeps_a_table_wide(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text("country,2018,2019,2020\nA,1,2,3\nB,3,4,5\n")
    catalogue = Catalogue(tmp_path / "home", allow_paths=True)
    entry = catalogue.add(file, overrides=Overrides(keep_wide=True))
    with catalogue.open(entry.key, now=datetime(2026, 1, 1, tzinfo=UTC)) as dataset:
        assert list(types(dataset)) == ["country", "2018", "2019", "2020"]


SAP = (
    "Listenausgabe        1\n-------------------\n|Belegnr. |Buch.dat. |  Betrag  |\n-------------------\n"
    "|4900001  |31.01.2024|1.234,56  |\n|4900002  |01.02.2024|  500,00- |\n|4900003  |15.02.2024|   10,00  |\n"
    "-------------------\n"
)
BANK = 'Date,Text,Balance\n30-Apr-2024,A,"1,00,000.00 Cr"\n01-May-2024,B,"5,000.00 Cr"\n02-May-2024,C,499.50 Dr\n'
SURVEY = (
    "id,Q1,Q2\nResponse,How old?,Rate us - price\n"
    '"{""ImportId"":""a""}","{""ImportId"":""b""}","{""ImportId"":""c""}"\n'
    "R_1,34,4\nR_2,51,5\n"
)
ANALYTICS = (
    '# ------\n# Pages\n# Account: X\n# ------\n\nDay,Sessions,Bounce,Revenue,Users\n1/1/24,"1,234",45%,$100.00,9\n'
    '1/2/24,"1,100",44%,$80.50,8\n1/13/24,900,40%,$20.00,7\n,"3,234",43%,$200.50,24\n'
)


@pytest.mark.parametrize(
    ("text", "sql", "expected"),
    [
        (SAP, 'SELECT count(*), round(sum("Betrag"), 2), max("Buch.dat.") FROM analysis',
         (3, 744.56, date(2024, 2, 15))),
        (BANK, "SELECT count(*), sum(Balance), max(Date) FROM analysis", (3, 104_500.5, date(2024, 5, 2))),
        (ANALYTICS, "SELECT sum(Sessions), sum(Revenue), max(Day) FROM analysis", (3_234, 200.5, date(2024, 1, 13))),
        (SURVEY, "SELECT count(*), sum(Q1), sum(Q2) FROM analysis", (2, 85, 9)),
        ("id,Q1,Q2\nno,How old?,Rate us now\na,34,4\nb,51,5\nc,1,1\n",
         "SELECT count(*), sum(Q1) FROM analysis", (3, 86)),
        ("day;amount\n1;1.250,00-\n2;300,00+\n", "SELECT sum(amount) FROM analysis", (-950.0,)),
        ("week,n\n2024-W01,1\n2020-W53,2\n", "SELECT min(week), max(week) FROM analysis",
         (date(2020, 12, 28), date(2024, 1, 1))),
        ("Datum;n\n20240131;1\n00000000;2\n", "SELECT min(Datum), count(Datum) FROM analysis", (date(2024, 1, 31), 1)),
        ("who,budget\nA,5 Cr\nB,7 Cr\n", "SELECT max(budget) FROM analysis", ("7 Cr",)),
    ],
)  # fmt: skip
def test_exports_of_programs_have_the_right_values(
    load: Load, text: str, sql: str, expected: tuple[object, ...]
) -> None:
    assert rows(load(text, "export.txt"), sql) == [expected]
