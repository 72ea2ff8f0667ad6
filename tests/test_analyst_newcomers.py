"""Questions of people who see the tool for the first time, on a table with one row an order."""

import pytest

from analyst.plans.focus import focus_of
from analyst.plans.planning import plan_battery
from analyst.protocol import Ask
from analyst.questions.understanding import understand
from analyst_cards import ORDERS, SHOP, column, measure, time
from datasets.schema import SchemaCard

PEOPLE = SchemaCard(
    dataset="people",
    rows=1338,
    columns=(
        measure("age"),
        column("sex", "dimension", values=("female", "male"), distinct=2, rows=1338),
        measure("bmi"),
        measure("children"),
        column("smoker", "boolean", values=("no", "yes"), distinct=2, rows=1338),
        column("region", "dimension", values=("northeast", "southeast", "southwest"), distinct=3, rows=1338),
        measure("charges"),
    ),
)

STAFF = SchemaCard(
    dataset="staff",
    rows=1500,
    time_column="hire_date",
    columns=(
        column("employee_id", "identifier", distinct=1500, rows=1500),
        time("hire_date"),
        column("department", "dimension", values=("Sales", "IT", "HR", "paid"), distinct=4, rows=1500),
        column("gender", "dimension", values=("F", "M"), distinct=2, rows=1500),
        column("remote", "boolean", values=("No", "Yes"), distinct=2, rows=1500),
        measure("overtime_hours"),
        measure("satisfaction"),
        measure("age"),
        measure("salary"),
        column("left", "boolean", values=("No", "Yes"), distinct=2, rows=1500),
        measure("sessions"),
    ),
)


TRAFFIC = SchemaCard(
    dataset="traffic",
    rows=1600,
    time_column="date",
    columns=(
        time("date"),
        column("channel", "dimension", values=("organic", "email"), distinct=2, rows=1600),
        measure("sessions").model_copy(update={"sql_type": "BIGINT", "minimum": "0", "maximum": "400"}),
        measure("signups").model_copy(update={"sql_type": "BIGINT", "minimum": "0", "maximum": "30"}),
        measure("revenue"),
    ),
)


def only(question: str) -> Ask:
    """The one ask of a clear question."""
    intent = understand(question, ORDERS)
    assert intent.unclear is None, intent.unclear
    (ask,) = intent.asks
    return ask


@pytest.mark.parametrize(
    ("question", "metric"),
    [
        ("What is the average revenue per order in the North?", "mean(revenue)"),
        ("What is the average revenue per order in Q2?", "mean(revenue)"),
        ("median revenue for each order", "median(revenue)"),
        ("How much revenue per order?", "mean(revenue)"),
    ],
)
def test_a_key_of_every_row_is_no_grouping(question: str, metric: str) -> None:
    ask = only(question)
    assert (ask.kind, [m.key for m in ask.metrics], ask.dimensions) == ("value", [metric], ())


def test_a_key_that_repeats_is_added_up_before_it_is_averaged() -> None:
    (ask,) = understand("average qty per order_id", SHOP).asks
    assert ([m.key for m in ask.metrics], ask.dimensions) == (["mean(qty per order_id)"], ())


@pytest.mark.parametrize(
    "question",
    [
        "Which region dropped the most in November?",
        "Which region grew the most last month?",
        "Which region had the biggest drop in November?",
    ],
)
def test_what_moved_most_is_a_change_split_by_it(question: str) -> None:
    ask = only(question)
    assert (ask.kind, [m.key for m in ask.metrics], ask.dimensions) == ("change", ["sum(revenue)"], ("region",))
    assert ask.window is not None
    assert ask.options["moved"] == ("up" if "grew" in question else "down")


@pytest.mark.parametrize(
    ("question", "dimensions", "grain", "order", "filters"),
    [
        ("Which month was best for Desk in the West?", (), "month", "desc", ["product eq [Desk]", "region eq [West]"]),
        ("Which month was worst?", (), "month", "asc", []),
        ("Which region is best?", ("region",), None, "desc", []),
    ],
)
def test_best_and_worst_are_of_the_main_measure(
    question: str, dimensions: tuple[str, ...], grain: str | None, order: str, filters: list[str]
) -> None:
    ask = only(question)
    assert (ask.kind, [m.key for m in ask.metrics]) == ("extreme", ["sum(revenue)"])
    assert (ask.dimensions, ask.grain, ask.order, sorted(f.key for f in ask.filters)) == (
        dimensions,
        grain,
        order,
        filters,
    )


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("Total revenue of all rows, including status 9", []),
        ("Total revenue including Desk", []),
        ("Total revenue in the North including status 9", ["region eq [North]"]),
        ("Number of orders including a Desk", ["product eq [Desk]"]),
        ("total revenue excluding status 9", ["status ne [9]"]),
    ],
)
def test_what_is_included_limits_nothing(question: str, filters: list[str]) -> None:
    assert [f.key for f in only(question).filters] == filters


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How is revenue developing?", [("trend", None)]),
        ("How has revenue developed?", [("trend", None)]),
        ("How is revenue developing, and why did it change last month?", [("trend", None), ("change", None)]),
        ("Are there anomalies in the daily revenue?", [("trend", "day")]),
        ("Are there spikes in weekly revenue?", [("trend", "week")]),
        ("Are there anomalies in revenue?", [("outliers", None)]),
    ],
)
def test_developments_and_spikes_are_looked_at_over_time(question: str, expected: list[tuple[str, str | None]]) -> None:
    found = understand(question, ORDERS).asks
    assert [(a.kind, a.grain) for a in found] == expected
    assert all({c for m in a.metrics for c in m.measure.columns} == {"revenue"} for a in found)


def test_exploration_never_sums_percentages_and_discounts() -> None:
    intent = understand("Analyze the total revenue and where the discount comes in", ORDERS)
    focus = focus_of(intent, ORDERS, [])
    summed = {m.measure.columns[0] for m, _ in focus.metrics if m.aggregate == "sum"}
    assert "revenue" in summed
    assert not summed & {"discount", "unit_price"}


@pytest.mark.parametrize("said", ["include status 9 again", "please use EUR for revenue", "Exclude the North again."])
def test_how_things_shall_be_done_is_a_statement(said: str) -> None:
    intent = understand(said, ORDERS)
    assert intent.statements
    assert (intent.asks, intent.unclear) == ((), None)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("rerun please", "to repeat or check earlier work"),
        ("same as last time", "to repeat or check earlier work"),
        ("the usual", "to repeat or check earlier work"),
        ("thanks", "You're welcome."),
        ("ok", "Ask something about orders"),
        ("hello", "Ask something about orders"),
        ("what do you remember?", "recallyst memory list"),
        ("what do you know about this data?", "recallyst memory list"),
    ],
)
def test_what_is_no_question_gets_a_short_friendly_sentence(said: str, sentence: str) -> None:
    intent = understand(said, ORDERS)
    assert intent.asks == ()
    assert sentence in (intent.unclear or "")


@pytest.mark.parametrize(
    ("question", "kind", "metrics", "dimensions"),
    [
        ("do smokers pay more?", "compare", ["mean(charges)"], ("smoker",)),
        ("do smokers pay less?", "compare", ["mean(charges)"], ("smoker",)),
        ("how much more do smokers pay?", "compare", ["mean(charges)"], ("smoker",)),
        ("does smoking matter?", "compare", ["mean(charges)"], ("smoker",)),
        ("is bmi higher in the southeast?", "compare", ["mean(bmi)"], ("region",)),
        ("do older people pay more?", "relation", ["mean(age)", "mean(charges)"], ()),
        ("who charges more, older or younger people?", "relation", ["mean(age)", "mean(charges)"], ()),
        ("does age matter?", "relation", ["mean(age)", "mean(charges)"], ()),
        ("do people with more children pay more?", "relation", ["mean(children)", "mean(charges)"], ()),
    ],
)
def test_a_comparison_without_its_other_side(
    question: str, kind: str, metrics: list[str], dimensions: tuple[str, ...]
) -> None:
    (ask,) = understand(question, PEOPLE).asks
    assert (ask.kind, [m.key for m in ask.metrics], ask.dimensions, ask.filters) == (kind, metrics, dimensions, ())


@pytest.mark.parametrize(
    ("question", "filters", "notes"),
    [
        ("average charges of smokrs", ["smoker eq [yes]"], 0),
        ("average charges with more than 2 children", ["children gt [2]"], 0),
        ("average charges in the north", [], 1),
        ("average charges in the southeast", ["region eq [southeast]"], 0),
    ],
)
def test_what_limits_the_rows_is_used_or_told(question: str, filters: list[str], notes: int) -> None:
    intent = understand(question, PEOPLE)
    assert [f.key for a in intent.asks for f in a.filters] == filters
    assert len(intent.notes) == notes


@pytest.mark.parametrize(
    ("question", "kind", "metrics", "dimensions"),
    [
        ("do women earn less than men?", "compare", ["mean(salary)"], ("gender",)),
        ("do remote workers leave more often?", "compare", ["share(left in [Yes])"], ("remote",)),
        ("do people who work overtime leave more?", "compare", ["mean(overtime_hours)"], ("left",)),
        ("are older employees more satisfied?", "relation", ["mean(age)", "mean(satisfaction)"], ()),
        ("compare IT and Sales salaries", "compare", ["mean(salary)"], ("department",)),
        ("is IT better paid than paid on salary?", "compare", ["mean(salary)"], ("department",)),
        ("top 5 salaries", "extreme", ["max(salary)"], ()),
        ("sessions per age by department", "value", ["mean(sessions / age)"], ("department",)),
    ],
)
def test_questions_on_staff(question: str, kind: str, metrics: list[str], dimensions: tuple[str, ...]) -> None:
    ask = understand(question, STAFF).asks[0]
    assert (ask.kind, [m.key for m in ask.metrics], ask.dimensions) == (kind, metrics, dimensions)


def test_a_letter_stands_for_a_sex_only_in_a_column_of_sexes() -> None:
    (ask,) = understand("how many women are in HR?", STAFF).asks
    assert {f.key for f in ask.filters} == {"gender eq [F]", "department eq [HR]"}


def test_what_adds_up_is_totalled_by_the_day_before_it_is_averaged() -> None:
    (ask,) = understand("how many sessions per day on average?", STAFF).asks
    assert ([m.key for m in ask.metrics], ask.grain, ask.options["averaged"]) == (["sum(sessions)"], "day", "yes")
    assert not any("averaged" in a.options for a in understand("average age per day", STAFF).asks)


@pytest.mark.parametrize(
    ("question", "kind", "metric", "dimensions"),
    [
        ("what is our conversion rate?", "value", "pooled(signups / sessions)", ()),
        ("conversion rate by channel", "value", "pooled(signups / sessions)", ("channel",)),
        ("which channel converts best?", "extreme", "pooled(signups / sessions)", ("channel",)),
        ("which channel has the highest signup rate?", "extreme", "pooled(signups / sessions)", ("channel",)),
        ("revenue per session by channel", "value", "pooled(revenue / sessions)", ("channel",)),
        ("Create a column \"rps\" as revenue divided by sessions. What is the mean of rps?", "value",
         "mean(revenue / sessions)", ()),
    ],
)  # fmt: skip
def test_a_rate_of_counts_is_all_of_one_by_all_of_the_other(
    question: str, kind: str, metric: str, dimensions: tuple[str, ...]
) -> None:
    (ask,) = understand(question, TRAFFIC).asks
    assert (ask.kind, [m.key for m in ask.metrics], ask.dimensions) == (kind, [metric], dimensions)


def test_followed_over_time_a_rate_is_that_of_each_row() -> None:
    for question in ("conversion rate over time", "conversion rate by month"):
        steps = plan_battery(understand(question, TRAFFIC), TRAFFIC, ()).steps
        kept = [m["aggregate"] for s in steps for m in (s.params.get("metrics") or [s.params.get("metric")]) if m]
        assert "pooled" not in kept
        assert "mean" in kept


@pytest.mark.parametrize("question", ["which region is most expensive?", "Which region is the cheapest?"])
def test_what_is_expensive_is_so_on_average(question: str) -> None:
    (ask,) = understand(question, PEOPLE).asks
    assert ([m.key for m in ask.metrics], ask.dimensions) == (["mean(charges)"], ("region",))
