"""Seeded tables with one fault of the data at a known place, and tables that only look as if they had it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

FIRST = date(2024, 1, 1)
Column = Sequence[object]
Table = Mapping[str, Column]


class Judged(NamedTuple):
    """One kind of simulated table: whether the fact of that kind must be there, and how to make it."""

    name: str
    kind: str
    present: bool
    make: Callable[[Generator], Table]


def days_of(rng: Generator, rate: float, days: int = 90) -> list[date]:
    """An event a row, so many a day."""
    return [FIRST + timedelta(days=i) for i, n in enumerate(rng.poisson(rate, days)) for _ in range(n)]


def events(rng: Generator, rate: float = 20, days: int = 90, **more: Callable[[date, int], object]) -> Table:
    """Event table with further columns made from (day, position)."""
    day = days_of(rng, rate, days)
    table: dict[str, Column] = {"event_id": list(range(1, len(day) + 1)), "day": day}
    table["amount"] = [round(float(x), 2) for x in rng.lognormal(3, 0.6, len(day))]
    return {**table, **{name: [make(d, i) for i, d in enumerate(day)] for name, make in more.items()}}


def index(day: date) -> int:
    return (day - FIRST).days


def stale(rng: Generator) -> Table:
    return events(rng, note=lambda d, i: "" if index(d) >= 60 or i % 25 == 0 else 2.5 + i % 7)


def seasonal_column(rng: Generator) -> Table:
    return events(rng, 4, 700, wind_chill=lambda d, i: "" if d.month in range(4, 10) else -2.5 - i % 7)


def closed_when_done(rng: Generator) -> Table:
    status = {i: "Open" if rng.random() < 0.03 else "Closed" for i in range(3_000)}
    return events(
        rng,
        status=lambda d, i: "Open" if index(d) >= 60 else status[i],
        fee=lambda d, i: "" if index(d) >= 60 or status[i] == "Open" else 3 + i % 9,
    )


def late_start(rng: Generator) -> Table:
    return events(rng, channel_fee=lambda d, i: "" if index(d) < 40 else 1.5 + i % 9)


def first_differences(rng: Generator) -> Table:
    return events(rng, moving_average=lambda d, i: "" if index(d) < 7 else 10.5 + i % 9)


def daily(rng: Generator, values: Sequence[object], **more: Sequence[object]) -> Table:
    return {"day": [FIRST + timedelta(days=i) for i in range(len(values))], "level": values, **more}


def frozen(rng: Generator) -> Table:
    return daily(rng, [round(float(x), 2) for x in rng.normal(50, 5, 83)] + [48.27] * 7)


def moving(rng: Generator) -> Table:
    return daily(rng, [round(float(x), 2) for x in rng.normal(50, 5, 90)])


def steps_often(rng: Generator) -> Table:
    return daily(rng, [float(x) for x in np.repeat(rng.integers(40, 60, 13), 7)])


def not_applicable(rng: Generator) -> Table:
    kind = [str(x) for x in rng.choice(["card", "cash", "transfer"], 3_000)]
    return events(rng, method=lambda d, i: kind[i], iban=lambda d, i: f"DE{i % 97}" if kind[i] == "transfer" else "")


def gaps_at_random(rng: Generator) -> Table:
    kind = [str(x) for x in rng.choice(["card", "cash", "transfer"], 3_000)]
    gone = rng.random(3_000) < 0.3
    return events(rng, method=lambda d, i: kind[i], iban=lambda d, i: "" if gone[i] else f"DE{i % 97}")


def with_gaps(rng: Generator) -> Table:
    gone = {FIRST + timedelta(days=int(i)) for i in rng.choice(80, 4, replace=False) + 3}
    table = events(rng, 20)
    kept = [i for i, d in enumerate(table["day"]) if d not in gone]
    return {name: [column[i] for i in kept] for name, column in table.items()}


def weekdays_only(rng: Generator) -> Table:
    table = events(rng, 20)
    kept = [i for i, d in enumerate(table["day"]) if isinstance(d, date) and d.weekday() < 5]
    return {name: [column[i] for i in kept] for name, column in table.items()}


def switched(factor: float, until: int = 10_000) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        size = rng.lognormal(4, 0.5, 3_000)
        return events(rng, weight=lambda d, i: round(float(size[i]) * (factor if 45 <= index(d) < until else 1), 3))

    return make


def growing(rng: Generator) -> Table:
    size = rng.lognormal(4, 0.5, 3_000)
    return events(rng, weight=lambda d, i: round(float(size[i]) * 1.03 ** index(d), 3))


def by_region(total: bool) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        rows: list[tuple[object, ...]] = []
        for i in range(60):
            values = [int(x) for x in rng.integers(20, 200, 4)]
            other = sum(values) if total else int(rng.integers(20, 200))
            rows += [(FIRST + timedelta(days=i), r, v) for r, v in zip(("N", "S", "E", "W"), values, strict=True)]
            rows.append((FIRST + timedelta(days=i), "All", other))
        return dict(zip(("day", "region", "units"), zip(*rows, strict=True), strict=True))

    return make


def accounts(shape: str) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        table: dict[str, list[object]] = {"day": [], "account": [], "held": []}
        for account in range(12):
            t = np.arange(120)
            if shape == "balance":
                values = 1_000 + np.cumsum(rng.normal(0, 20, 120))
            else:
                mean = (
                    np.full(120, 100.0)
                    + (0.4 * t if shape == "trend" else 0)
                    + (20 * np.sin(t * 2 * np.pi / 7) if shape == "weekly" else 0)
                )
                values = rng.normal(mean, 15)
            table["day"] += [FIRST + timedelta(days=int(i)) for i in t]
            table["account"] += [f"A{account}"] * 120
            table["held"] += [round(float(v), 2) for v in values]
        return table

    return make


def order_lines(agree: bool) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        n = 800
        units, price = rng.integers(1, 12, n), np.round(rng.lognormal(3, 0.6, n), 2)
        total = np.round(units * price, 2)
        broken = rng.random(n) < (0.02 if agree else 1.0)
        total = np.where(broken, np.round(rng.lognormal(5, 0.6, n), 2), total)
        return {
            "line": [f"L{i}" for i in range(n)], "units": units.tolist(), "unit_cost": price.tolist(),
            "line_total": total.tolist(),
        }  # fmt: skip

    return make


def tickets(wrong_share: float, *, ordered: bool = True) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        n = 600
        opened = [datetime(2024, 1, 1) + timedelta(minutes=int(m)) for m in rng.integers(0, 100_000, n)]
        takes = rng.exponential(3_000, n) + 1
        takes = np.where(rng.random(n) < wrong_share, -takes, takes) if ordered else rng.normal(0, 5_000, n)
        closed = [o + timedelta(minutes=int(m)) for o, m in zip(opened, takes, strict=True)]
        return {"ticket": [f"T{i}" for i in range(n)], "opened_at": opened, "closed_at": closed}

    return make


def capped(rng: Generator) -> Table:
    values = np.minimum(np.round(rng.lognormal(0.8, 0.5, 2_000), 3), 5.0)
    return {"house": [f"H{i}" for i in range(2_000)], "house_value": values.tolist()}


def natural_bound(rng: Generator) -> Table:
    scores = np.minimum(np.round(rng.normal(80, 15, 2_000), 1), 100.0)
    sizes = np.round(rng.lognormal(3, 0.5, 2_000), 2)
    return {"test": [f"H{i}" for i in range(2_000)], "result": scores.tolist(), "size_cm": sizes.tolist()}


def exported(rows: int, *, in_order: bool) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        day = sorted(FIRST + timedelta(days=int(i)) for i in rng.integers(0, 200, rows))
        if not in_order:
            day = [day[int(i)] for i in rng.permutation(rows)]
        return {"day": day, "amount": [round(float(x), 2) for x in rng.lognormal(3, 0.6, rows)]}

    return make


def groups(rename: str) -> Callable[[Generator], Table]:
    """A third of the rows belongs to a group that, on day 50, gets a new name, or gives way to a smaller one."""

    def make(rng: Generator) -> Table:
        other = [str(x) for x in rng.choice(["Chairs", "Desks", "Lamps"], 4_000)]
        keep = rng.random(4_000)

        def group(day: date, i: int) -> str:
            if other[i] != "Lamps" or rename == "none":
                return other[i]
            if index(day) < 50:
                return "Lamps"
            return "Lighting" if rename == "name" or keep[i] < 0.4 else "Chairs"

        return events(rng, product=group)

    return make


def season(rng: Generator) -> Table:
    return events(
        rng,
        days=180,
        product=lambda d, i: "Sledges" if d.month < 3 and i % 2 else ("Tents" if d.month > 4 and i % 3 else "Shoes"),
    )


def two_ways(kind: str) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        def written(d: date, i: int) -> object:
            if kind == "decimal":
                return f"{i % 90},{i % 9}5" if i % 3 else f"{i % 90}.{i % 9}5"
            if kind == "currency":
                return f"${i % 90}.50" if i % 3 else f"€{i % 90}.50"
            if kind == "dates":
                return f"{i % 15 + 13}/{i % 12 + 1}/2024" if i % 2 else f"{i % 12 + 1}/{i % 15 + 13}/2024"
            return f"+49 30 {i * 7919 % 90_000}" if i % 2 else f"0{i % 90} 1234-{i % 77}"

        return events(rng, 5, written=written)

    return make


def clock(hours: int, month: int = 6) -> Callable[[Generator], Table]:
    def make(rng: Generator) -> Table:
        start, table = datetime(2024, month, 1) - timedelta(days=40), {"at": [], "amount": []}  # type: ignore[var-annotated]
        for day in range(80):
            for hour in np.clip(rng.normal(11, 2.2, 40), 5, 17):
                shifted = float(hour) + (hours if day >= 40 else 0)
                table["at"].append((start + timedelta(days=day, hours=shifted)).replace(microsecond=0))
                table["amount"].append(round(float(rng.lognormal(3, 0.6)), 2))
        return table

    return make


def midnights(rng: Generator) -> Table:
    return {
        "at": [datetime(2024, 1, 1) + timedelta(days=i // 5, minutes=0 if i % 3 else i % 900) for i in range(900)],
        "amount": [round(float(x), 2) for x in rng.lognormal(3, 0.6, 900)],
    }


def refunds(rng: Generator) -> Table:
    n = 600
    amounts = [round(float(x), 2) for x in rng.lognormal(3, 0.8, n)]
    taken = [int(i) for i in rng.choice(n, 40, replace=False)]
    rows = [(f"O{i}", FIRST + timedelta(days=i // 8), a) for i, a in enumerate(amounts)]
    rows += [(f"O{i}", FIRST + timedelta(days=i // 8 + 9), -amounts[i]) for i in taken]
    return dict(zip(("order_id", "day", "paid"), zip(*rows, strict=True), strict=True))


def temperatures(rng: Generator) -> Table:
    return daily(rng, [round(float(x), 1) for x in rng.normal(6, 5, 400)])


def odd_dates(value: str) -> Callable[[Generator], Table]:
    return lambda rng: events(rng, 6, booked_on=lambda d, i: value if i in {40, 301} else d - timedelta(days=i % 9))


def due_dates(rng: Generator) -> Table:
    return events(rng, 6, due_on=lambda d, i: date(2031, 1, 1) if i % 300 == 5 else d + timedelta(days=30 + i % 9))


RULES = (
    Judged("stopped 30 days ago", "stale_column", True, stale),
    Judged("absent every summer", "stale_column", False, seasonal_column),
    Judged("absent while a status says so", "stale_column", False, closed_when_done),
    Judged("filled from day 40 on", "late_start", True, late_start),
    Judged("first values of an average", "late_start", False, first_differences),
    Judged("7 days of one value", "frozen_tail", True, frozen),
    Judged("a moving measure", "frozen_tail", False, moving),
    Judged("a measure in steps of a week", "frozen_tail", False, steps_often),
    Judged("only for transfers", "structural_null", True, not_applicable),
    Judged("30 % missing at random", "structural_null", False, gaps_at_random),
    Judged("4 days without rows", "calendar_gaps", True, with_gaps),
    Judged("no rows at weekends", "calendar_gaps", False, weekdays_only),
    Judged("grams instead of 10 g from day 45", "unit_switch", True, switched(10)),
    Judged("cents instead of units", "unit_switch", True, switched(100)),
    Judged("thousandth part", "unit_switch", True, switched(0.001)),
    Judged("grams instead of kilograms for 20 days", "unit_switch", True, switched(1_000, 65)),
    Judged("20 days of real demand by 8", "unit_switch", False, switched(8, 65)),
    Judged("a real shift by 8", "unit_switch", False, switched(8)),
    Judged("3 % growth a day", "unit_switch", False, growing),
    Judged("'All' is the sum", "total_rows", True, by_region(True)),
    Judged("'All' is a region", "total_rows", False, by_region(False)),
    Judged("account balances", "balance", True, accounts("balance")),
    Judged("flat flows", "balance", False, accounts("flat")),
    Judged("weekly flows", "balance", False, accounts("weekly")),
    Judged("growing flows", "balance", False, accounts("trend")),
    Judged("total = units x price, 2 % broken", "identity", True, order_lines(True)),
    Judged("independent measures", "identity", False, order_lines(False)),
    Judged("closed before opened in 6 %", "impossible_order", True, tickets(0.06)),
    Judged("always closed after", "impossible_order", False, tickets(0.0)),
    Judged("two times without order", "impossible_order", False, tickets(0.5, ordered=False)),
    Judged("capped at 5", "capped", True, capped),
    Judged("100 points at most; no cap", "capped", False, natural_bound),
    Judged("1,000 rows in order", "truncated", True, exported(1_000, in_order=True)),
    Judged("1,000 rows in no order", "truncated", False, exported(1_000, in_order=False)),
    Judged("987 rows in order", "truncated", False, exported(987, in_order=True)),
    Judged("a group under a new name", "renamed_category", True, groups("name")),
    Judged("a new group of other size", "renamed_category", False, groups("smaller")),
    Judged("groups that stay", "renamed_category", False, groups("none")),
    Judged("products of a season", "renamed_category", False, season),
    Judged("1,5 beside 1.5", "mixed_formats", True, two_ways("decimal")),
    Judged("$ beside €", "mixed_formats", True, two_ways("currency")),
    Judged("31/1/2024 beside 1/31/2024", "mixed_formats", True, two_ways("dates")),
    Judged("phone numbers", "mixed_formats", False, two_ways("phones")),
    Judged("clock moved by 5 hours", "clock_shift", True, clock(5)),
    Judged("mostly midnight", "clock_shift", True, midnights),
    Judged("a steady clock", "clock_shift", False, clock(0)),
    Judged("daylight saving", "clock_shift", False, clock(1, month=4)),
    Judged("40 refunds", "reversals", True, refunds),
    Judged("temperatures around 0", "reversals", False, temperatures),
    Judged("two bookings in 1970", "impossible_dates", True, odd_dates("1970-01-01")),
    Judged("two bookings in 2204", "impossible_dates", True, odd_dates("2204-05-01")),
    Judged("due dates ahead", "impossible_dates", False, due_dates),
)
