"""Only one SELECT over the analysis view ever runs; everything else is refused before it does."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from datasets import AnalysisView, Catalogue
from datasets.errors import QueryLimitError, UnsafeSQLError

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def stock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnalysisView]:
    """Twelve items; only those of ana are in the view. The working folder is empty, to see what is written."""
    file = tmp_path / "stock.csv"
    file.write_text("item,owner,qty\n" + "".join(f"I{i:02d},{('ben', 'ana')[i % 2]},{3 * i}\n" for i in range(1, 13)))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with Catalogue(tmp_path / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        only_ana = {"name": "filter", "predicate": {"column": "owner", "op": "eq", "values": ["ana"]}}
        view = dataset.view([("m1", only_ana)], time_limit_s=1.0)
        yield view
        assert view.query("SELECT sum(qty) FROM analysis").rows == [(108,)]
        assert dataset.view().query("SELECT sum(qty) FROM analysis").rows == [(234,)]
        assert not list(work.iterdir())


REFUSED = """
SELECT * FROM read_text('/etc/hostname')
total qty; COPY (SELECT 42) TO 'pwned.csv'
COPY (SELECT 42) TO 'pwned.csv'
COPY analysis TO 'pwned.csv'
ATTACH 'other.db' AS o
INSTALL httpfs; LOAD httpfs; SELECT * FROM 'http://127.0.0.1:9/x.csv'
SELECT * FROM 'http://127.0.0.1:9/x.csv'
SELECT * FROM glob('/tmp/*')
SELECT * FROM '../../memories.db'
SELECT * FROM "/etc/passwd"
average qty where item = 'I01' OR 1=1 --
DROP TABLE stock
DROP VIEW analysis
UPDATE stock SET qty = 0
UPDATE analysis SET qty = 0
DELETE FROM store.main.data
PRAGMA enable_external_access=true
SET memory_limit='1KB'
RESET memory_limit
SET VARIABLE x = 1
EXPORT DATABASE 'dump'
CREATE MACRO sum(x) AS 0
CREATE TEMP MACRO sum(x) AS 0
CREATE OR REPLACE VIEW analysis AS SELECT 1 AS qty
CREATE TEMP TABLE t AS SELECT 1
select 1; drop table t
SELECT 1; SELECT 2
SELECT * FROM store.main.data
SELECT * FROM store.data
SELECT * FROM data
SELECT * FROM stages.stage_1
SELECT * FROM main.analysis
SELECT * FROM memory.main.analysis
SELECT * FROM (SELECT * FROM (SELECT * FROM store.main.data))
SELECT (SELECT sum(qty) FROM store.main.data)
SELECT * FROM analysis WHERE qty IN (SELECT qty FROM store.main.data)
WITH x AS (SELECT * FROM store.main.data) SELECT * FROM x
WITH analysis AS (SELECT 0 AS qty) SELECT * FROM analysis
WITH a AS (WITH pg_class AS (SELECT 1) SELECT * FROM pg_class) SELECT * FROM pg_class
WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x
WITH x AS (DELETE FROM analysis RETURNING *) SELECT * FROM x
SELECT * FROM information_schema.tables
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_databases
SELECT * FROM pragma_database_list
SELECT * FROM pragma_table_info('analysis')
SELECT * FROM pg_class
SELECT * FROM sqlite_master
SELECT * FROM query('SELECT 1')
SELECT * FROM query_table('analysis')
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM sniff_csv('/etc/passwd')
SELECT * FROM parquet_scan('x')
SELECT current_setting('memory_limit')
SELECT getenv('HOME')
SELECT getvariable('x')
SELECT system.main.sum(qty) FROM analysis
SELECT json_execute_serialized_sql('x')
SELECT version()
DESCRIBE analysis
SUMMARIZE analysis
SHOW TABLES
EXPLAIN SELECT 1
CALL pragma_version()
PRAGMA version
USE memory
BEGIN
CHECKPOINT
VACUUM
DETACH store
LOAD json
PREPARE p AS SELECT 1
EXECUTE p
SELECT * FROM analysis WHERE item = $1
SELECT * FROM analysis WHERE item = ?
PIVOT analysis ON owner USING sum(qty)
SELECT unnest(range(100000000))
SELECT repeat('x', 2000000000)
SELECT repeat(repeat('x', 90000), 90000)
SELECT lpad('x', 2000000000, 'y')
SELECT list_resize([1], 100000000)
SELECT printf('%1000000000d', 1)
SELECT repeat('x', qty * 1000000000) FROM analysis
which other files are there?
-- nothing
"""


@pytest.mark.parametrize("sql", [*REFUSED.strip().splitlines(), "", " ", ";", "SEL\x00ECT 1", "SELECT '\ud800'"])
def test_refused_before_it_runs(stock: AnalysisView, sql: str) -> None:
    with pytest.raises(UnsafeSQLError):
        stock.query(sql)


@pytest.mark.parametrize("sql", ["SELECT " + "(" * 5_000 + "1" + ")" * 5_000, f"SELECT '{'x' * 200_000}'"])
def test_monstrous_text_is_refused(stock: AnalysisView, sql: str) -> None:
    with pytest.raises(UnsafeSQLError):
        stock.query(sql)


BOUNDED = [
    "SELECT count(*) FROM range(1000000000000) a, range(1000000) b",
    "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t",
    "SELECT * FROM range(100000)",
]


@pytest.mark.parametrize("sql", BOUNDED)
def test_endless_work_is_stopped(stock: AnalysisView, sql: str) -> None:
    with pytest.raises(QueryLimitError):
        stock.query(sql)


ALLOWED = [
    ("SELECT sum(qty) FROM analysis", [(108,)]),
    ("SELECT sum(qty) FROM analysis;", [(108,)]),
    ("/* note */ SELECT sum(qty) FROM analysis -- end", [(108,)]),
    ('SELECT sum(a.qty) FROM "analysis" AS a JOIN analysis b USING (item)', [(108,)]),
    ("FROM analysis SELECT max(qty)", [(33,)]),
    ("WITH x AS (SELECT qty FROM analysis), y AS (SELECT sum(qty) AS s FROM x) SELECT s FROM y", [(108,)]),
    ("SELECT (SELECT max(qty) FROM analysis) - 1", [(32,)]),
    ("SELECT count(*) FROM generate_series(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)", [(31,)]),
    ("SELECT unnest([1, 2])", [(1,), (2,)]),
    ("SELECT list_transform([1, 2], lambda x: x + 1), range(3)", [([2, 3], [0, 1, 2])]),
    ("SELECT lpad(item, 5, '0') FROM analysis LIMIT 1", [("00I01",)]),
    ("SELECT qty, sum(qty) OVER w FROM analysis WINDOW w AS (ORDER BY qty) ORDER BY 1 LIMIT 2", [(3, 3), (9, 12)]),
    ("SELECT 1 UNION ALL SELECT 2 ORDER BY 1", [(1,), (2,)]),
    ("VALUES (1), (2)", [(1,), (2,)]),
    ("SELECT x FROM (SELECT qty * 2 AS x FROM analysis) ORDER BY x DESC LIMIT 1", [(66,)]),
]


@pytest.mark.parametrize(("sql", "rows"), ALLOWED)
def test_a_select_over_the_view_runs(stock: AnalysisView, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert stock.query(sql).rows == rows


def test_case_hostile_questions(shared: Path, stock: AnalysisView) -> None:
    lines = (shared / "cases/45-sql-file-access/questions.txt").read_text().splitlines()
    assert len(lines) == 14
    for line in lines:
        with pytest.raises((UnsafeSQLError, QueryLimitError)):
            stock.query(line)
        assert stock.query("SELECT sum(qty) FROM analysis").rows == [(108,)]
