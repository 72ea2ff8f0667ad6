"""Make the sample datasets: the orders of a shop that does not exist, and the same shop three weeks later.

Run `python -m datasets.samples.make_samples`; the same seed gives the same bytes. README.md lists what is planted.
Only `random.random` is used, whose sequence Python guarantees for a seed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

SEED = 19
FIRST_DAY = date(2024, 8, 1)
LAST_DAY = date(2025, 10, 15)
NEXT_LAST_DAY = date(2025, 11, 5)
DECLINE_FROM = date(2025, 7, 1)

ARRIVED_BY_AGE_DAYS = (0.08, 0.15, 0.25)
"""Share of a day's orders that the export holds on the day itself, one day and two days later; then all."""

ORDERS_PER_DAY = 19.0
WEEKDAYS = (1.04, 0.98, 0.96, 1.02, 1.12, 1.03, 0.85)
GROWTH_PER_MONTH = 0.004
REGIONS = {"North": 0.26, "South": 0.21, "East": 0.19, "West": 0.23, "Central": 0.11}
CHANNELS = {"Web": 0.42, "Store": 0.27, "Marketplace": 0.20, "Phone": 0.11}
CHANNELS_OF_WEST = {"Web": 0.28, "Store": 0.18, "Marketplace": 0.45, "Phone": 0.09}
LEFT_AFTER_DECLINE = 0.45
"""What remains of the orders from West's marketplace from 1 July 2025 on."""

CATEGORIES = {"Furniture": 0.22, "Lighting": 0.18, "Kitchen": 0.24, "Garden": 0.19, "Office": 0.17}
PRICE = {"Furniture": 118.0, "Lighting": 41.0, "Kitchen": 33.0, "Garden": 37.0, "Office": 21.0}
UNITS = {1: 0.36, 2: 0.22, 3: 0.13, 4: 0.09, 5: 0.06, 6: 0.05, 8: 0.04, 10: 0.03, 12: 0.02}
RETURNED = {"Web": 0.07, "Store": 0.04, "Marketplace": 0.19, "Phone": 0.06}
SHIP_DAYS = {"Web": 3, "Store": 1, "Marketplace": 4, "Phone": 3}
NO_SHIP_DAYS = -999
NO_SHIP_DAYS_SHARE = 0.008
REPEATED_ROWS = 6

COLUMNS = (
    "order_id", "order_date", "region", "channel", "category", "units", "unit_price", "discount_pct", "revenue",
    "returned", "ship_days",
)  # fmt: skip

K = TypeVar("K")


class Order(NamedTuple):
    """One row of the file, and how long after its day the export learns of it."""

    day: date
    cells: tuple[str, ...]
    late_days: int


def make(seed: int = SEED) -> dict[str, str]:
    """Return file name → text of the two deliveries."""
    orders = _orders(Random(seed))
    first = [o.cells for o in orders if o.day + timedelta(days=o.late_days) <= LAST_DAY]
    later = [o.cells for o in orders if o.day + timedelta(days=o.late_days) <= NEXT_LAST_DAY]
    return {"shop_orders.csv": _csv(_with_repeats(first)), "shop_orders_next.csv": _csv(later)}


def _orders(rng: Random) -> list[Order]:
    orders: list[Order] = []
    days = (NEXT_LAST_DAY - FIRST_DAY).days + 1
    for day in (FIRST_DAY + timedelta(days=i) for i in range(days)):
        months = (day - FIRST_DAY).days / 30.4
        level = ORDERS_PER_DAY * WEEKDAYS[day.weekday()] * math.exp(GROWTH_PER_MONTH * months)
        today = [
            (region, channel)
            for region, share in REGIONS.items()
            for channel, part in (CHANNELS_OF_WEST if region == "West" else CHANNELS).items()
            for _ in range(_poisson(rng, level * share * part * _left(day, region, channel)))
        ]
        _shuffle(rng, today)
        for region, channel in today:
            cells = (f"SO-{100_001 + len(orders)}", day.isoformat(), region, channel, *_sale(rng, channel))
            orders.append(Order(day, cells, _late_days(rng)))
    return orders


def _left(day: date, region: str, channel: str) -> float:
    declined = region == "West" and channel == "Marketplace" and day >= DECLINE_FROM
    return LEFT_AFTER_DECLINE if declined else 1.0


def _sale(rng: Random, channel: str) -> tuple[str, ...]:
    category = _choose(rng, CATEGORIES)
    units = _choose(rng, UNITS)
    price = round(PRICE[category] * math.exp(0.35 * _normal(rng)), 2)
    discount = _discount(rng, units)
    cents = round(price * 100) * units * (100 - discount)
    returned = "yes" if rng.random() < RETURNED[channel] else "no"
    ship_days = max(0, SHIP_DAYS[channel] + round(1.3 * _normal(rng)))
    if rng.random() < NO_SHIP_DAYS_SHARE:
        ship_days = NO_SHIP_DAYS
    return (
        category, str(units), f"{price:.2f}", str(discount), f"{cents // 10_000}.{cents // 100 % 100:02d}", returned,
        str(ship_days),
    )  # fmt: skip


def _discount(rng: Random, units: int) -> int:
    """Larger orders earn larger discounts, with room for the seller."""
    earned = 0 if units < 3 else 5 if units < 6 else 10 if units < 10 else 15
    return max(0, earned + _choose(rng, {-5: 0.15, 0: 0.7, 5: 0.15}))


def _late_days(rng: Random) -> int:
    """Days until the export holds the order."""
    draw = rng.random()
    return next((age for age, share in enumerate(ARRIVED_BY_AGE_DAYS) if draw < share), len(ARRIVED_BY_AGE_DAYS))


def _with_repeats(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Deliver six rows a second time, 40 rows after the first."""
    step = len(rows) // (REPEATED_ROWS + 1)
    again = {step * (i + 1): rows[step * (i + 1) - 40] for i in range(REPEATED_ROWS)}
    return [row for i, own in enumerate(rows) for row in ([again[i]] if i in again else []) + [own]]


def _choose(rng: Random, shares: dict[K, float]) -> K:
    draw = rng.random() * sum(shares.values())
    for value, share in shares.items():
        draw -= share
        if draw < 0:
            return value
    return next(reversed(shares))


def _poisson(rng: Random, mean: float) -> int:
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


def _normal(rng: Random) -> float:
    return math.sqrt(-2.0 * math.log(1.0 - rng.random())) * math.cos(2.0 * math.pi * rng.random())


def _shuffle(rng: Random, items: list[tuple[str, str]]) -> None:
    for i in range(len(items) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        items[i], items[j] = items[j], items[i]


def _csv(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(",".join(row) + "\n" for row in [COLUMNS, *rows])


def main() -> None:
    """Write the files into a folder, by default this one."""
    parser = argparse.ArgumentParser(description="Make the sample datasets.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    out: Path = parser.parse_args().out
    for name, text in make().items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
