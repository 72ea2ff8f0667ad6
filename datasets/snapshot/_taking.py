"""What a dataset held at one moment, compact enough to keep with every session."""

from collections.abc import Collection
from hashlib import blake2b
from typing import Any, Literal

import duckdb
from pydantic import BaseModel, ConfigDict, Field

from datasets.loading import TABLE
from datasets.schema import Fingerprint, SchemaCard
from datasets.sql import ident

Bucket = Literal["day", "week", "month"]

MAX_DAYS = 1_000
MAX_MEASURES = 12
MAX_GROUPS = 50
RECENT_DAYS = 200


class Snapshot(BaseModel):
    """Rows, sums and non-missing values by day (by week or month beyond 1,000 days), as loaded, without workarounds."""

    model_config = ConfigDict(frozen=True)

    fingerprint: Fingerprint
    columns: dict[str, str] = Field(description="name to type, in file order")
    time_column: str | None = None
    bucket: Bucket = "day"
    daily: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description='first day of the bucket (ISO) to {"n": int, "sum": {measure: float}, "non_null": {measure: int}}',
    )
    recent: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="where the bucket is longer than a day: the newest 200 days, by day"
    )
    total: dict[str, Any] = Field(default_factory=dict, description="the same over all rows, dated or not")
    groups: dict[str, list[str]] = Field(
        default_factory=dict,
        description="of each column of three to fifty names: short digests of them, which tell no value",
    )

    @property
    def by_day(self) -> dict[str, dict[str, Any]]:
        """Numbers by day: of all days, or of the newest where the whole is kept in longer buckets."""
        return self.daily if self.bucket == "day" else self.recent

    def of(self, measures: Collection[str]) -> "Snapshot":
        """Return what it holds of some measures only, and of the rows."""

        def kept(days: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
            return {
                day: {"n": numbers["n"]}
                | {part: {m: v for m, v in numbers[part].items() if m in measures} for part in ("sum", "non_null")}
                for day, numbers in days.items()
            }

        return self.model_copy(update={"daily": kept(self.daily), "recent": kept(self.recent)})


def take(con: duckdb.DuckDBPyConnection, card: SchemaCard, fingerprint: Fingerprint) -> Snapshot:
    """Measure the parsed copy attached as `store`."""
    measures = [c.name for c in card.by_role("measure") if c.numeric][:MAX_MEASURES]
    cells = ["count(*)"]
    for name in measures:
        c = ident(name)
        cells += [f"sum({c}) FILTER (isfinite({c}::DOUBLE))::DOUBLE", f"count({c})"]
    source = f"store.main.{TABLE}"

    def entry(row: tuple[Any, ...]) -> dict[str, Any]:
        sums = {m: float(row[1 + 2 * i]) for i, m in enumerate(measures) if row[1 + 2 * i] is not None}
        return {"n": int(row[0]), "sum": sums, "non_null": {m: int(row[2 + 2 * i]) for i, m in enumerate(measures)}}

    whole = con.execute(f"SELECT {', '.join(cells)} FROM {source}").fetchone()
    columns = {c.name: c.sql_type for c in card.columns}
    few = [c for c in card.by_role("dimension") if 2 < c.distinct <= min(MAX_GROUPS, len(c.values))]
    groups = {c.name: sorted(_digest(v) for v in c.values) for c in few}
    total = entry(whole) if whole else {}
    if card.time_column is None:
        return Snapshot(fingerprint=fingerprint, columns=columns, total=total, groups=groups)
    day = f"CAST({ident(card.time_column)} AS DATE)"
    bounds = con.execute(
        f"SELECT count(DISTINCT {day}), count(DISTINCT date_trunc('week', {day})) FROM {source}"
    ).fetchone()
    assert bounds is not None
    bucket: Bucket = "day" if bounds[0] <= MAX_DAYS else "week" if bounds[1] <= MAX_DAYS else "month"

    def dated(bucket: Bucket, newest_days: int | None = None) -> dict[str, dict[str, Any]]:
        known = f"{day} IS NOT NULL"
        if newest_days is not None:
            known = f"{day} > (SELECT max({day}) FROM {source} WHERE {known}) - {newest_days}"
        rows = con.execute(
            f"SELECT CAST(date_trunc('{bucket}', {day}) AS DATE)::VARCHAR, {', '.join(cells)} FROM {source}"
            f" WHERE {known} GROUP BY 1 ORDER BY 1"
        ).fetchall()
        return {str(row[0]): entry(row[1:]) for row in rows}

    return Snapshot(
        fingerprint=fingerprint,
        columns=columns,
        time_column=card.time_column,
        bucket=bucket,
        daily=dated(bucket),
        recent={} if bucket == "day" else dated("day", RECENT_DAYS),
        total=total,
        groups=groups,
    )


def _digest(value: str) -> str:
    return blake2b(value.encode(), digest_size=6).hexdigest()
