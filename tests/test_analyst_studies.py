"""Questions for studies of their own kind: each is read, planned and measured; others are left alone."""

from typing import Any

import pytest

from analyst.plans.planning import plan_battery
from analyst.protocol import Intent
from analyst.questions.understanding import understand
from analyst_cards import SHOP, column, measure, time
from datasets.schema import SchemaCard

EVENTS = SchemaCard(
    dataset="events",
    rows=5000,
    time_column="event_time",
    columns=(
        column("user_id", "dimension", "BIGINT", distinct=900, rows=5000),
        time("event_time"),
        time("signup_date"),
        column("event", "dimension", values=("visit", "cart", "pay"), distinct=3, rows=5000),
        column("device", "dimension", values=("phone", "desktop"), distinct=2, rows=5000),
        measure("amount"),
    ),
)
TEST = SchemaCard(
    dataset="test",
    rows=4000,
    columns=(
        column("visitor", "identifier", "BIGINT", distinct=4000, rows=4000),
        column("variant", "dimension", values=("A", "B"), distinct=2, rows=4000),
        column("converted", "dimension", values=("no", "yes"), distinct=2, rows=4000),
        measure("basket_value"),
    ),
)
TRIALS = SchemaCard(
    dataset="trials",
    rows=300,
    time_column="applied_on",
    columns=(
        column("name", "text", distinct=300, rows=300),
        column("applied_on", "time", "DATE", distinct=200, rows=300),
        column("interviewed_on", "time", "DATE", distinct=150, rows=300, nulls=120),
        column("hired_on", "time", "DATE", distinct=60, rows=300, nulls=240),
        column("team", "dimension", values=("Sales", "Support"), distinct=2, rows=300),
    ),
)


TICKETS = SchemaCard(
    dataset="tickets",
    rows=800,
    time_column="opened_at",
    columns=(
        column("ticket", "identifier", distinct=800, rows=800),
        time("opened_at"),
        time("closed_at").model_copy(update={"nulls": 90}),
        column("team", "dimension", values=("A", "B"), distinct=2, rows=800),
    ),
)
TELCO = SchemaCard(
    dataset="telco",
    rows=900,
    columns=(
        column("customerID", "identifier", distinct=900, rows=900),
        measure("tenure"),
        column("Contract", "dimension", values=("Month-to-month", "One year"), distinct=2, rows=900),
        column("Churn", "boolean", values=("No", "Yes"), distinct=2, rows=900),
    ),
)


def read(question: str, card: SchemaCard) -> Intent:
    return understand(question, card)


def first_step(question: str, card: SchemaCard) -> tuple[str, dict[str, Any]]:
    step = plan_battery(read(question, card), card, ()).steps[0]
    assert step.stated
    return step.kind, step.params


@pytest.mark.parametrize(
    ("question", "card", "kind", "params"),
    [
        ("Show retention by signup month", EVENTS, "retention", {"entity": "user_id", "start": "signup_date"}),
        ("How many users come back after a week?", EVENTS, "retention", {"entity": "user_id"}),
        ("How long do tickets stay open?", TICKETS, "survival", {"start": "opened_at", "end": "closed_at"}),
        ("What share is still open after 3 weeks?", TICKETS, "survival", {"at": [3.0], "unit": "weeks"}),
        ("Do tickets of team A stay open longer than those of team B?", TICKETS, "survival", {"by": "team"}),
        ("How long until customers churn?", TELCO, "survival", {"duration": "tenure", "by": None}),
        ("Is survival different between the contracts?", TELCO, "survival", {"by": "Contract"}),
        ("What is our conversion funnel?", EVENTS, "funnel", {"entity": "user_id", "stage": "event"}),
        ("Where do users drop off, by device?", EVENTS, "funnel", {"stage": "event", "by": "device"}),
        ("Show the funnel", TRIALS, "funnel", {"columns": ["applied_on", "interviewed_on", "hired_on"]}),
        ("Did variant B win?", TEST, "experiment", {"variant": "variant"}),
        ("What did the A/B test show for basket_value?", TEST, "experiment", {"variant": "variant"}),
        ("Which variant performs better?", TEST, "experiment", {"variant": "variant"}),
        ("Forecast order_total for next month", SHOP, "forecast", {"grain": "month"}),
        ("Forecast qty for the next 3 weeks", SHOP, "forecast", {"grain": "week", "horizon": 3}),
        ("Does qty lead order_total?", SHOP, "leads", {}),
        ("How many weeks after qty does order_total follow?", SHOP, "leads", {"grain": "week"}),
        ("Is there a delay between qty and order_total?", SHOP, "leads", {}),
        ("How much order_total will there be next month?", SHOP, "forecast", {"grain": "month"}),
    ],
)
def test_a_study_is_the_first_step(question: str, card: SchemaCard, kind: str, params: dict[str, Any]) -> None:
    planned, given = first_step(question, card)
    assert planned == kind
    assert {k: given.get(k) for k in params} == params


def test_an_experiment_is_judged_by_what_is_named_else_by_the_outcome() -> None:
    _, won = first_step("Did variant B win?", TEST)
    assert won["metric"]["aggregate"] == "share"
    assert won["metric"]["measure"]["columns"] == ["converted"]
    assert won["metric"]["measure"]["values"] == ["yes"]
    assert "filters" not in won
    _, basket = first_step("What did the A/B test show for basket_value?", TEST)
    assert basket["metric"] == {"aggregate": "mean", "measure": {"kind": "column", "columns": ["basket_value"]}}


def test_what_drove_a_change_is_looked_for_over_the_dimensions() -> None:
    steps = plan_battery(read("What drove the drop in order_total last month?", SHOP), SHOP, ()).steps
    kinds = [s.kind for s in steps if s.stated]
    assert kinds[:2] == ["change", "drivers"]
    assert {"region", "Product Line"} <= set(steps[1].params["dimensions"])


@pytest.mark.parametrize(
    ("question", "card"),
    [
        ("What is the average amount by event?", EVENTS),
        ("How many events are there by device?", EVENTS),
        ("What is the conversion rate by variant?", TEST),
        ("Which region leads in qty?", SHOP),
        ("What were total qty and average order_total the week before 2024-12-24?", SHOP),
        ("Which region leads in qty and order_total?", SHOP),
        ("Which variant has the highest basket_value?", TEST),
        ("Predict nothing: which columns are correlated with order_total?", SHOP),
        ("How long does it take until an order is shipped?", SHOP),
        ("How long does it take to close tickets by team?", TICKETS),
        ("Show retention by signup month", SHOP.model_copy(update={"time_column": None})),
    ],
)
def test_other_questions_are_no_studies(question: str, card: SchemaCard) -> None:
    kinds = {a.kind for a in read(question, card).asks}
    assert not kinds & {"retention", "survival", "funnel", "experiment", "forecast", "leads"}


@pytest.mark.parametrize(
    ("question", "grain"),
    [
        ("Are there any unusual days in order_total?", "day"),
        ("Which week stands out?", "week"),
        ("Any odd months in qty?", "month"),
    ],
)
def test_unusual_periods_are_looked_for_in_time(question: str, grain: str) -> None:
    kind, params = first_step(question, SHOP)
    assert kind == "trend"
    assert (params["spikes"], params["grain"]) == (True, grain)


def test_a_measure_that_is_not_there_is_said_and_not_replaced() -> None:
    one = SHOP.model_copy(update={"columns": tuple(c for c in SHOP.columns if c.name != "qty")})
    said = read("What is the median weight by region?", one)
    assert not said.asks
    assert said.unclear == 'There is no column or value "weight" in shop.'
    assert read("What is the median order_total by region?", one).unclear is None
    assert read("What is the average order value by region?", one).unclear is None
    assert read("What is the total number of rows by region?", one).unclear is None


def test_an_average_per_order_is_taken_over_orders_and_not_over_their_rows() -> None:
    lines = SHOP.model_copy(
        update={"columns": (column("order_id", "identifier", distinct=200, rows=500), *SHOP.columns[1:])}
    )
    for question in ("What is the average order_total per order_id?", "Average order_total per order_id by region"):
        (ask,) = read(question, lines).asks
        assert ask.metrics[0].key == "mean(order_total per order_id)"
        assert "order_id" not in ask.dimensions
    (ask,) = read("Average order_total per region", lines).asks
    assert (ask.metrics[0].key, ask.dimensions) == ("mean(order_total)", ("region",))


def test_a_level_of_significance_is_a_rule_for_differences() -> None:
    asked = "Do qty differ significantly by region? Use a significance level of 0.05."
    rules = [a.options.get("rules", "") for a in read(asked, SHOP).asks if a.kind == "compare"]
    assert rules
    assert '"say": "significant"' in rules[0]
    assert "0.05" in rules[0]
    assert not any(a.options.get("rules") for a in read("Do qty differ by region?", SHOP).asks)
