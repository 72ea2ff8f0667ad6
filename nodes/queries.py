"""Trying a query on the data of a turn before it becomes a step."""

from collections.abc import Sequence

from analyst.protocol import Probe, Probed
from datasets import AnalysisView, Dataset
from datasets.errors import DatasetError
from graph.state import Json

PROBE_SECONDS = 10.0
PROBE_ROWS = 1_000


def probe_on(dataset: Dataset, directives: Sequence[tuple[str | None, Json]]) -> Probe:
    """Return a function that checks and runs one query on a view with these directives, opened at its first use.

    What is refused, fails, or passes a limit comes back as the error's sentence; nothing is kept.
    """
    opened: list[AnalysisView] = []

    def probe(sql: str) -> Probed:
        if not opened:
            opened.append(dataset.view(directives, time_limit_s=PROBE_SECONDS))
        try:
            opened[0].explain(sql)
            table = opened[0].query(sql, limit_rows=PROBE_ROWS)
        except DatasetError as error:
            return Probed((), 0, str(error))
        filled = [row for row in table.rows if any(value is not None for value in row)]
        return Probed(table.columns, len(filled))

    return probe
