"""A query of a model measures: its figures come from the data, and come out the same each time."""

import duckdb
import pytest

from datasets.errors import UnsafeSQLError
from datasets.guard import check
from datasets.measured import check_measured
from datasets.plan_size import largest_step

MADE_UP = {
    "SELECT 999999 AS revenue": "measures nothing",
    "SELECT region, 999999 AS revenue FROM analysis LIMIT 1": "'revenue' is written into the query",
    "SELECT max(7) AS best FROM analysis": "'best' is written into the query",
    "WITH a AS (SELECT 5 AS x) SELECT x, count(*) FROM a, analysis GROUP BY 1": "'x' is written into the query",
    "SELECT region, x FROM analysis, (VALUES (42)) t(x)": "VALUES are written into the query",
    "SELECT 1.5 * 2 AS grown FROM analysis": "'grown' is written into the query",
    "SELECT count(*) FROM analysis TABLESAMPLE 10%": "a sample gives another result",
    "SELECT * FROM analysis USING SAMPLE 5": "a sample gives another result",
    "SELECT region, random() AS r FROM analysis": "'random' gives another result",
    "SELECT setseed(0.5), count(*) FROM analysis": "'setseed' gives another result",
    "SELECT count(*) FROM analysis WHERE day < now()": "'now' gives another result",
    "SELECT current_date AS today, count(*) FROM analysis": "'current_date' gives another result",
}
MEASURED = [
    "SELECT count(*) AS orders FROM analysis",
    "SELECT region, sum(revenue) * 100 AS cents FROM analysis GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
    "SELECT 'all' AS part, count(*) FROM analysis UNION ALL SELECT 'web', count(*) FROM analysis WHERE channel = 'Web'",
    "SELECT region FROM analysis a WHERE EXISTS (SELECT 1 FROM analysis b WHERE b.region = a.region)",
    "WITH m AS (SELECT region, avg(revenue) AS x FROM analysis GROUP BY 1) SELECT region, x FROM m WHERE x > 10",
    "SELECT region, row_number() OVER (ORDER BY sum(revenue) DESC) AS place FROM analysis GROUP BY region",
    "SELECT sum(CASE WHEN revenue > 5 THEN 1 ELSE 0 END) AS large FROM analysis",
]


@pytest.mark.parametrize("sql", MADE_UP)
def test_a_query_that_measures_nothing_is_refused(sql: str) -> None:
    with duckdb.connect() as con, pytest.raises(UnsafeSQLError) as refused:
        check_measured(con, check(con, sql))
    assert MADE_UP[sql] in str(refused.value)


@pytest.mark.parametrize("sql", MEASURED)
def test_a_query_that_measures_passes(sql: str) -> None:
    with duckdb.connect() as con:
        reading = check(con, sql)
        check_measured(con, reading)
    assert reading.reads_view


def test_pairs_of_rows_are_counted_though_duckdb_tells_no_estimate() -> None:
    explain = "EXPLAIN (FORMAT json) SELECT count(*) FROM t a, t b{} WHERE a.x <> 7"
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT i % 9 AS x, i AS y FROM range(1000) r(i)")
        sizes = [largest_step(str(con.execute(explain.format(more)).fetchall()[0][1])) for more in ("", ", t c, t d")]
    assert 10**5 < sizes[0] <= 10**6
    assert 10**11 < sizes[1] <= 10**12
