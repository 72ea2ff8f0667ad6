"""Recall and false alarms of the data-quality detectors on seeded simulations, and what they say about real tables.

    python benchmarks/detectors.py [--series 400] [--tables FOLDER ...]

Simulated tables carry the fault at a known place. Real tables are listed with every fact that is not informational;
each line is to be judged by eye, a lag or a sentinel on them counts as a false alarm unless it is true.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import simulated
from datasets import Catalogue, DatasetError
from datasets.quality import DataQualityFact, detect
from datasets.quality._edge import read_edge

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FIRST = date(2024, 1, 1)
LAGS = (1, 2, 3, 7)
SHARED = Path(__file__).parents[2] / "shared"
Table = Mapping[str, Sequence[object]]
Counts = NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--series", type=int, default=150, help="simulated series for each line of the lag table")
    parser.add_argument("--rounds", type=int, default=20, help="simulated tables for each line of the other rules")
    parser.add_argument("--tables", type=Path, nargs="*", default=[SHARED / "insightbench", SHARED / "dabench/tables"])
    options = parser.parse_args()
    reporting_lag(options.series)
    with tempfile.TemporaryDirectory() as folder:
        other_rules(Path(folder), options.rounds)
        real_tables(Path(folder), [f for top in options.tables if top.is_dir() for f in sorted(top.glob("*.csv"))])


# r1 on daily counts: the detector's own reader, without a file in between.


def series(rng: np.random.Generator, days: int, rate: float, shape: str) -> Counts:
    """Daily counts of one shape, without a lag."""
    t = np.arange(days)
    mean = np.full(days, rate)
    if shape == "weekly":
        mean = mean * np.array([1.1, 1.15, 1.1, 1.05, 1.2, 0.8, 0.6])[t % 7]
    if shape == "decline":
        mean = mean * np.exp(-0.01 * (t - days / 2))
    if shape == "season":
        mean = mean * (1 + 0.4 * np.sin(2 * np.pi * t / 365 + 7 * rng.random()))
    if shape.startswith("AR"):
        noise = np.zeros(days)
        for i in range(1, days):
            noise[i] = float(shape[2:]) * noise[i - 1] + rng.normal(0, 0.12)
        mean = mean * np.exp(noise)
    return rng.poisson(mean)


def reporting_lag(runs: int) -> None:
    """Print false alarms without a lag, and for each length: found / found with exactly that length."""
    print(f"r1 reporting lag, {runs} series a line; a lag keeps 10 % of its days' rows (25 % where it is one day)")
    print(f"{'days':>5} {'rows/day':>8} {'shape':>8} {'false':>6}  " + "  ".join(f"{f'L={n}':>11}" for n in LAGS))
    for days in (60, 180, 420):
        for rate in (5, 20, 200):
            for shape in ("clean", "weekly", "decline", "season", "AR0.6", "AR0.9"):
                print(_lag_line(days, rate, shape, runs))


def _lag_line(days: int, rate: int, shape: str, runs: int) -> str:
    seed = [days, rate, sum(map(ord, shape))]
    false = sum(
        read_edge(series(np.random.default_rng([*seed, r]), days, rate, shape), 0).tail is not None for r in range(runs)
    )
    cells = []
    for lag in LAGS:
        found = exact = 0
        for r in range(runs // 3):
            rng = np.random.default_rng([*seed, lag, r])
            counts = series(rng, days, rate, shape)
            counts[-lag:] = rng.binomial(counts[-lag:], 0.1 if lag > 1 else 0.25)
            tail = read_edge(counts, 0).tail
            found += tail is not None
            exact += tail is not None and tail.days == lag
        cells.append(f"{found / (runs // 3):5.2f}/{exact / (runs // 3):5.2f}")
    return f"{days:>5} {rate:>8} {shape:>8} {false / runs:>6.3f}  " + "  ".join(cells)


# The other rules, on whole tables through the catalogue.


def events(rng: np.random.Generator, rate: float, days: int = 90) -> dict[str, list[object]]:
    """An event table: id, day, region, amount."""
    day = [FIRST + timedelta(days=i) for i, n in enumerate(rng.poisson(rate, days)) for _ in range(n)]
    n = len(day)
    return {
        "event_id": list(range(1, n + 1)),
        "day": list(day),
        "region": [str(x) for x in rng.choice(["N", "S", "E", "W"], n)],
        "amount": [round(float(x), 2) for x in rng.lognormal(3, 0.6, n)],
    }


def null_lag(rate: float, lag: int) -> Callable[[np.random.Generator], Table]:
    def make(rng: np.random.Generator) -> Table:
        table = events(rng, rate)
        edge = FIRST + timedelta(days=90 - lag)
        late = [isinstance(d, date) and d >= edge for d in table["day"]]
        gaps = rng.random(len(late)) < 0.03
        return {
            **table,
            "margin": ["" if x or g else 1.5 for x, g in zip(late, gaps, strict=True)],
            "x": table["amount"],
        }

    return make


def life_cycle(rng: np.random.Generator) -> Table:
    table = events(rng, 20)
    edge = FIRST + timedelta(days=85)
    is_open = [(isinstance(d, date) and d >= edge) or bool(rng.random() < 0.03) for d in table["day"]]
    status = ["Open" if o else ("Closed" if rng.random() < 0.5 else "Resolved") for o in is_open]
    return {**table, "status": status, "fee": ["" if o else 3.0 + i % 9 for i, o in enumerate(is_open)]}


def sentinel(code: object) -> Callable[[np.random.Generator], Table]:
    def make(rng: np.random.Generator) -> Table:
        table = events(rng, 15)
        return {**table, "days": [code if rng.random() < 0.01 else int(x) for x in rng.poisson(9, len(table["day"]))]}

    return make


def skewed(rng: np.random.Generator) -> Table:
    table = events(rng, 15)
    n = len(table["day"])
    return {
        **table,
        "views": [int(x) for x in rng.lognormal(7, 2, n)],
        "change": [int(x) for x in rng.normal(0, 600, n)],
        "vote": [int(x) for x in rng.integers(-1, 2, n)],
        "kids": [int(x) for x in rng.poisson(0.4, n)],
    }


def repeats(with_id: bool) -> Callable[[np.random.Generator], Table]:
    def make(rng: np.random.Generator) -> Table:
        rows = list(zip(*events(rng, 10).values(), strict=True))
        rows += [rows[int(i)] for i in rng.integers(0, len(rows), 5)]
        table = dict(zip(events(rng, 1), zip(*rows, strict=True), strict=True))
        return table if with_id else {"region": table["region"], "day": table["day"], "units": [1] * len(rows)}

    return make


def no_id(rng: np.random.Generator) -> Table:
    n = 900
    return {
        "day": [FIRST + timedelta(days=i // 15) for i in range(n)],
        "region": [str(x) for x in rng.choice(["N", "S"], n)],
        "units": [int(x) for x in rng.integers(1, 4, n)],
    }


def loaded_twice(rng: np.random.Generator) -> Table:
    rows = list(zip(*no_id(rng).values(), strict=True))
    again = [row for row in rows if row[0] == FIRST + timedelta(days=33)]
    return dict(zip(("day", "region", "units"), zip(*(rows + again), strict=True), strict=True))


def order_lines(total: bool) -> Callable[[np.random.Generator], Table]:
    def make(rng: np.random.Generator) -> Table:
        names = "order_id order_day customer_id customer_age sku unit_price region region_fee line_amount"
        table: dict[str, list[object]] = {name: [] for name in (names + " order_total" * total).split()}
        for order in range(150):
            amounts = [round(float(x), 2) for x in rng.lognormal(3, 0.5, int(rng.integers(1, 5)))]
            customer = int(rng.integers(0, 40))
            for amount in amounts:
                sku = int(rng.integers(0, 25))
                row: list[object] = [
                    f"O{order}",
                    FIRST + timedelta(days=order),
                    f"C{customer}",
                    20 + customer,
                    f"SKU{sku}",
                ]
                row += [
                    9.5 + sku,
                    "NSEW"[order % 4],
                    1.5 + order % 4,
                    amount,
                    *([round(sum(amounts), 2)] if total else []),
                ]
                for column, value in zip(table.values(), row, strict=True):
                    column.append(value)
        return table

    return make


RULES = (
    *(
        simulated.Judged(f"{rate:g} rows/day, L={lag}", "null_lag", True, null_lag(rate, lag))
        for rate in (1, 20)
        for lag in (3, 7)
    ),
    simulated.Judged("20 rows/day, none late", "null_lag", False, null_lag(20, 0)),
    simulated.Judged("open cases, named by a status", "null_lag", False, life_cycle),
    *(
        simulated.Judged(f"code {code} in 1 % of rows", "sentinel", True, sentinel(code))
        for code in (-999, 9999, "-99")
    ),
    simulated.Judged("code 12 inside the range", "sentinel", False, sentinel(12)),
    simulated.Judged("skewed, signed and small integers", "sentinel", False, skewed),
    simulated.Judged("5 repeats, with an identifier", "duplicates", True, repeats(True)),
    simulated.Judged("repeats without an identifier", "duplicates", False, repeats(False)),
    simulated.Judged("a day loaded twice, no identifier", "double_load", True, loaded_twice),
    simulated.Judged("few values, no identifier", "double_load", False, no_id),
    simulated.Judged("order totals on order lines", "repeated_value", True, order_lines(True)),
    simulated.Judged("prices, ages and fees only", "repeated_value", False, order_lines(False)),
)


def other_rules(folder: Path, rounds: int) -> None:
    """Print for each rule how often the fact was found where it is, and where it is not."""
    print(f"\nother rules, {rounds} tables a line")
    for rule in (*RULES, *simulated.RULES):
        hits = sum(
            any(
                f.kind == rule.kind and not (f.informational and rule.kind in {"duplicates"})
                for f in facts_of(folder, rule.make(np.random.default_rng(r)))
            )
            for r in range(rounds)
        )
        word = "recall" if rule.present else "false alarms"
        print(f"{rule.kind:>16}  {rule.name:<36} {word:>12} {hits / rounds:.2f}")


def facts_of(folder: Path, table: Table) -> list[DataQualityFact]:
    """Write the table to a file, open it through a catalogue and detect."""
    file = folder / "table.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([table, *zip(*table.values(), strict=True)])
    with Catalogue(folder, allow_paths=True).open(str(file), now=NOW) as dataset:
        return detect(dataset.view()).facts


def real_tables(folder: Path, files: Sequence[Path]) -> None:
    """Print every fact about real tables that is not informational."""
    alarms = dict.fromkeys(("reporting_lag", "null_lag", "sentinel"), 0)
    seconds = 0.0
    print(f"\n{len(files)} real tables")
    for file in files:
        try:
            with Catalogue(folder, allow_paths=True).open(str(file), now=NOW) as dataset:
                detection = detect(dataset.view())
        except DatasetError as error:
            print(f"  {file.name}: {error}")
            continue
        seconds += detection.seconds
        for fact in detection.facts:
            if not fact.informational:
                print(f"  {file.name}: {fact.kind}: {fact.statement}")
                alarms[fact.kind] = alarms.get(fact.kind, 0) + 1
    print("  facts by kind: " + ", ".join(f"{kind} {count}" for kind, count in alarms.items()))
    if files:
        print(f"  {1000 * seconds / len(files):.0f} ms a table")


if __name__ == "__main__":
    main()
