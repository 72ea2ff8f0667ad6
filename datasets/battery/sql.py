"""Step kind `sql`: one guarded SELECT over the analysis view, for what no other kind can measure."""

from pydantic import Field

from datasets.battery._kind import StepKind, StepParams, measured
from datasets.battery._wording.queries import MOST_CELLS, chart_of, named_columns, number_at, said
from datasets.errors import DatasetError
from datasets.evidence import Candidate, Claim, ClaimValue, StepResult, Subject
from datasets.plain import plain
from datasets.view import AnalysisView

MOST_ROWS = 1_000
_TABLE_ROWS = 50
_READ_BY_MODEL = "the query was written by a model; its SQL is with the evidence"


class SqlParams(StepParams):
    """A query in DuckDB's dialect over `analysis`, and what its result shows."""

    sql: str = Field(min_length=1, max_length=8_000)
    shows: str = Field(default="", max_length=200, description="in plain words; becomes the title of the chart")


def _run(params: SqlParams, view: AnalysisView) -> StepResult:
    view.explain(params.sql)
    table = view.query(params.sql, limit_rows=MOST_ROWS)
    columns = named_columns(table.columns)
    if not table.rows or all(value is None for row in table.rows for value in row):
        raise DatasetError("the query returns nothing")
    if len(columns) > MOST_CELLS:
        raise DatasetError(f"the query returns {len(columns)} columns; at most {MOST_CELLS} can be shown")
    rows = [dict(zip(columns, (plain(v) for v in row), strict=True)) for row in table.rows]
    leading = number_at(rows[0], columns)
    text = next((str(rows[0][c]) for c in columns if isinstance(rows[0][c], str)), None)
    candidate = Candidate(
        claim=Claim(
            subject=Subject(relation="value", metric=f"sql: {' '.join(params.sql.split())}"),
            value=ClaimValue(number=leading, text=text),
        ),
        statement=said(rows, columns),
        n=view.rows,
        interest_0_1=0.5,
        chart=chart_of(rows, columns, params.shows),
        table=rows[:_TABLE_ROWS],
        sql=[params.sql],
        caveats=[_READ_BY_MODEL],
    )
    return measured([candidate])


KIND = StepKind("sql", SqlParams, _run, "the result of one guarded query, where no other kind fits")
