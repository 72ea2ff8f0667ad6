"""What questions mean: kinds, metrics, dimensions, filters and options."""

import random

import pytest

from analyst.protocol import Ask, Intent
from analyst.questions.understanding import understand
from analyst_cards import PEOPLE, SHOP, TICKETS, WORLD
from datasets.schema import SchemaCard


def asks(question: str, card: SchemaCard) -> tuple[Ask, ...]:
    """The asks of a question that is clear."""
    intent = understand(question, card)
    assert intent.unclear is None, intent.unclear
    return intent.asks


def metrics(ask: Ask) -> list[str]:
    """Metric keys of an ask."""
    return [m.key for m in ask.metrics]


def filters(ask: Ask) -> list[str]:
    """Filter keys of an ask."""
    return sorted(f.key for f in ask.filters)


@pytest.mark.parametrize(
    ("question", "card", "expected"),
    [
        ("Calculate the mean age of the persons.", PEOPLE, ["mean(Age)"]),
        ("mean and standard deviation of annual income", PEOPLE, ["mean(annual_income_usd)", "std(annual_income_usd)"]),
        ("What is the median 'Body Mass Index (BMI)'?", PEOPLE, ["median(Body Mass Index (BMI))"]),
        ("average BMI", PEOPLE, ["mean(Body Mass Index (BMI))"]),
        ("total qty?", SHOP, ["sum(qty)"]),
        ("Total quantity", SHOP, ["sum(qty)"]),
        ("What is the total revenue?", SHOP, ["sum(order_total)"]),
        ("How many orders are there?", SHOP, ["distinct(order_id)"]),
        ("how many rows", SHOP, ["count(*)"]),
        ("the survival rate by sex, to improve overall safety management", PEOPLE, ["share(Survived in [1])"]),
        ("quartiles and 99th percentile of qty", SHOP, [f"quantile(qty, {q})" for q in (0.25, 0.5, 0.75, 0.99)]),
        ("range of income", PEOPLE, ["min(annual_income_usd)", "max(annual_income_usd)"]),
        ("latest ordered_on", SHOP, ["max(ordered_on)"]),
        ("mean life expectancy", WORLD, ["mean(lifeexp)"]),
        ("average GDP per capita", WORLD, ["mean(gdppercap)"]),
        ("mean number of cases recorded across all nations and years", WORLD, ["mean(No. of cases)"]),
        ("average difference between kids and parents", PEOPLE, ["mean(kids - parents)"]),
        ("average resolution time", TICKETS, ["mean(closed_at - opened_at [days])"]),
        ("What is the rejection rate?", TICKETS, ["share(state in [Declined])"]),
        ("Share of goals that met the target", TICKETS, ["share(percent_complete >= target_percentage)"]),
        ("smoking rate", PEOPLE, ["share(smoker in [yes])"]),
    ],
)  # fmt: skip
def test_a_value_question_names_its_metrics(question: str, card: SchemaCard, expected: list[str]) -> None:
    (ask,) = asks(question, card)
    assert (ask.kind, metrics(ask)) == ("value", expected)


@pytest.mark.parametrize(
    ("question", "dimensions", "grain"),
    [
        ("qty by region", ("region",), None),
        ("Total qty per region and product line", ("region", "Product Line"), None),
        ("average order_total for each 'Product Line'", ("Product Line",), None),
        ("revenue by month", (), "month"),
        ("weekly qty per region", ("region",), "week"),
        ("total quantity sold per region", ("region",), None),
        ("orders placed by customers", (), None),
    ],
)
def test_grouping_words_name_dimensions_and_grains(
    question: str, dimensions: tuple[str, ...], grain: str | None
) -> None:
    (ask,) = asks(question, SHOP)
    assert (ask.dimensions, ask.grain) == (dimensions, grain)


@pytest.mark.parametrize(
    ("question", "card", "expected"),
    [
        ("How many women survived?", PEOPLE, ["Sex eq [female]", "Survived eq [1]"]),
        ("mean age of male smokers who did not survive", PEOPLE,
         ["Sex eq [male]", "Survived eq [0]", "smoker eq [yes]"]),
        ("average income of people older than 60", PEOPLE, ["Age gt [60]"]),
        ("mean income where age is between 20 and 30", PEOPLE, ["Age between [20, 30]"]),
        ("how many persons have at least 2 kids?", PEOPLE, ["kids ge [2]"]),
        ("count of persons with income above 50k in tclass 1", PEOPLE,
         ["annual_income_usd gt [50000]", "tclass eq [1]"]),
        ("average qty where status = 9", SHOP, ["status eq [9]"]),
        ("total qty for North and South", SHOP, ["region in [North, South]"]),
        ("total qty without the North", SHOP, ["region ne [North]"]),
        ("total votes_dem in the \"Americas\" area from 2001 to 2002", WORLD,
         ["WHO Area eq [Americas]", "year between [2001, 2002]"]),
        ("How many persons have a missing age?", PEOPLE, ["Age is_null []"]),
    ],
)  # fmt: skip
def test_conditions_become_filters(question: str, card: SchemaCard, expected: list[str]) -> None:
    assert filters(asks(question, card)[0]) == expected


def test_a_value_held_by_two_columns_is_read_on_the_one_that_is_named() -> None:
    (ask,) = asks("how many tickets of the assignment group Hardware", TICKETS)
    assert filters(ask) == ["assignment_group eq [Hardware]"]


@pytest.mark.parametrize(
    ("question", "card", "kinds"),
    [
        ("Total revenue and orders, and revenue by region", SHOP, ["value", "value"]),
        ("How many orders, mean qty, latest ordered_on, and how many orders per region?", SHOP, ["value", "value"]),
        ("Total revenue, revenue by region, average order value. Any duplicates?", SHOP, ["value"] * 3 + ["quality"]),
        ("Sum of qty, and list the regions", SHOP, ["value", "list"]),
        ("Is order_id a key? Is status?", SHOP, ["quality", "quality"]),
        ("Describe age. Any outliers?", PEOPLE, ["distribution", "outliers"]),
        ("What is the revenue trend? What changed last month?", SHOP, ["trend", "change"]),
        ("Calculate the mean age. Round the result to two decimal places.", PEOPLE, ["value"]),
        ("What is the mean age? Calculate the mean of the 'Age' column, ignoring missing values.", PEOPLE, ["value"]),
    ],
)
def test_compound_questions_are_split_and_restated_ones_are_not(
    question: str, card: SchemaCard, kinds: list[str]
) -> None:
    assert [a.kind for a in asks(question, card)] == kinds


def test_each_part_of_a_compound_question_keeps_its_own_grouping() -> None:
    whole, split = asks("Total revenue and orders, and revenue by region", SHOP)
    assert (metrics(whole), whole.dimensions) == (["sum(order_total)", "distinct(order_id)"], ())
    assert (metrics(split), split.dimensions) == (["sum(order_total)"], ("region",))


def test_an_order_total_counts_once_per_order() -> None:
    (ask,) = asks("average order value", SHOP)
    assert (metrics(ask), ask.options) == (["mean(order_total)"], {"once_per": "order_id"})


@pytest.mark.parametrize(
    ("question", "card", "expected"),
    [
        ("Which region has the highest revenue?", SHOP, (["sum(order_total)"], ("region",), (), "desc", 1)),
        ("top 2 product lines by qty", SHOP, (["sum(qty)"], ("Product Line",), (), "desc", 2)),
        ("Which region has the fewest orders?", SHOP, (["distinct(order_id)"], ("region",), (), "asc", 1)),
        ("Which nation has the highest number of cases in a single year?", WORLD,
         (["max(No. of cases)"], (), ("Nation", "year"), "desc", 1)),
        ("Which sex has the lowest average income?", PEOPLE, (["mean(annual_income_usd)"], ("Sex",), (), "asc", 1)),
        ("Who is the oldest person?", PEOPLE, (["max(Age)"], (), ("full_name",), "desc", 1)),
        ("What is the income of the person with the highest BMI?", PEOPLE,
         (["max(Body Mass Index (BMI))"], (), ("annual_income_usd", "person_id"), "desc", 1)),
        ("Which class had the highest survival rate?", PEOPLE,
         (["share(Survived in [1])"], ("tclass",), (), "desc", 1)),
    ],
)  # fmt: skip
def test_which_one_is_a_group_or_a_row(question: str, card: SchemaCard, expected: tuple[object, ...]) -> None:
    (ask,) = asks(question, card)
    assert ask.kind == "extreme"
    assert (metrics(ask), ask.dimensions, ask.columns, ask.order, ask.top) == expected


@pytest.mark.parametrize(
    ("question", "card", "kind", "options"),
    [
        ("Is age normally distributed? Use the Shapiro-Wilk test with a significance level of 0.01.", PEOPLE,
         "distribution", {"test": "shapiro", "alpha": "0.01"}),
        ("Does BMI follow a normal distribution? Consider it normal if the absolute skewness is less than 0.5.", PEOPLE,
         "distribution", {"test": "skewness", "threshold": "0.5"}),
        ("Are there outliers in income? Use a Z-score above 3.", PEOPLE, "outliers", {"method": "z", "threshold": "3"}),
        ("Find the outliers in income with the IQR rule and the mean without them.", PEOPLE, "outliers",
         {"method": "iqr", "also": "without"}),
        ("Spearman correlation between age and income", PEOPLE, "relation", {"method": "spearman"}),
        ("Which columns are related to income?", PEOPLE, "relation", {"screen": "target"}),
        ("Which pairs are correlated?", PEOPLE, "relation", {"screen": "pairs"}),
        ("What percentage of values is missing in Age?", PEOPLE, "quality", {"what": "missing", "as": "share"}),
        ("How many duplicate rows are there?", PEOPLE, "quality", {"what": "duplicates"}),
        ("Is person_id a unique key?", PEOPLE, "quality", {"what": "keys"}),
        ("Why did revenue drop in Q4?", SHOP, "change", {"why": "yes"}),
        ("Do North and South differ in qty?", SHOP, "compare", {"segments": "North|South"}),
        ("Did women survive more often than men?", PEOPLE, "compare", {"segments": "female|male"}),
        ("What share of revenue comes from the North?", SHOP, "share", {"segment": "North"}),
        ("What do the notes say?", PEOPLE, "list", {"what": "terms"}),
    ],
)  # fmt: skip
def test_kinds_and_their_options(question: str, card: SchemaCard, kind: str, options: dict[str, str]) -> None:
    ask = asks(question, card)[0]
    assert ask.kind == kind
    assert options.items() <= ask.options.items()


def test_repeats_are_sought_in_rows_unless_the_column_could_be_a_key() -> None:
    (ask,) = [a for a in asks("Find repeated identical orders by region", SHOP) if a.kind == "quality"]
    assert ask.columns == ()
    (ask,) = [a for a in asks("Are there duplicates by order_id?", SHOP) if a.kind == "quality"]
    assert ask.columns == ("order_id",)
    (ask,) = [a for a in asks("Are there duplicates in region?", SHOP) if a.kind == "quality"]
    assert ask.columns == ("region",)


def test_columns_named_to_the_letter_settle_loose_words() -> None:
    (ask,) = asks(
        "Are the votes for the party normally distributed?\nTest whether the 'pct_dem' column follows a normal "
        "distribution using the Shapiro-Wilk test.",
        WORLD,
    )
    assert metrics(ask) == ["mean(pct_dem)"]


def test_percentages_and_lists_of_siblings_pick_the_right_column() -> None:
    (share,) = asks("mean percentage of votes for the Democratic party", WORLD)
    assert metrics(share) == ["mean(pct_dem)"]
    (both,) = asks("correlation between the votes for the Democratic and Republican parties", WORLD)
    assert metrics(both) == ["mean(votes_dem)", "mean(votes_gop)"]


def test_made_up_columns_are_measures_or_ranges() -> None:
    (relation,) = asks(
        'Create a new column "family" by adding "kids" and "parents". Then correlate "family" with income.', PEOPLE
    )
    assert metrics(relation) == ["mean(kids + parents)", "mean(annual_income_usd)"]
    young, old = asks(
        "Make a new column called \"band\" with the age groups 'young' (0-29) and 'old' (30 and above). "
        "Calculate the mean income for each band.",
        PEOPLE,
    )
    assert (young.options["group"], filters(young)) == ("young", ["Age between [0, 29]"])
    assert (old.options["group"], filters(old)) == ("old", ["Age ge [30]"])


def test_a_quoted_name_is_taken_as_it_stands_or_refused_with_what_is_near() -> None:
    assert metrics(asks('mean of "no. of cases_max"', WORLD)[0]) == ["mean(No. of cases_max)"]
    intent = understand('What is the mean of the "order_totals" column?', SHOP)
    assert intent.asks == ()
    assert intent.unclear is not None
    assert '"order_totals"' in intent.unclear
    assert '"order_total"' in intent.unclear


@pytest.mark.parametrize(
    "question",
    ["what is the weather", "???", "", "DROP TABLE shop", "SELECT * FROM read_text('/etc/hosts')", "PRAGMA threads=1"],
)
def test_a_question_that_says_nothing_about_the_data_is_unclear(question: str) -> None:
    intent = understand(question, SHOP)
    assert intent.asks == ()
    assert intent.unclear


@pytest.mark.parametrize(
    "question", ["total qty; COPY (SELECT 1) TO 'x.csv'", "total qty; drop table shop", "total qty -- and more"]
)
def test_code_is_set_aside_and_the_words_are_read(question: str) -> None:
    (ask,) = asks(question, SHOP)
    assert metrics(ask) == ["sum(qty)"]


def test_a_condition_is_read_but_not_its_bypass() -> None:
    (ask,) = asks("average qty where region = 'North' OR 1=1 --", SHOP)
    assert filters(ask) == ["region eq [North]"]


def test_statements_are_kept_apart_from_questions() -> None:
    intent = understand("Please always report revenue by week. What is the total revenue?", SHOP)
    assert intent.statements == ("Please always report revenue by week.",)
    assert [metrics(a) for a in intent.asks] == [["sum(order_total)"]]
    only = understand("In this file a status of 9 means cancelled; leave those rows out.", SHOP)
    assert (only.asks, only.unclear) == ((), None)
    assert len(only.statements) == 2


@pytest.mark.parametrize("question", ["Summarise this file.", "Give me an overview", "Explore the data", "profile it"])
def test_open_questions_ask_for_exploration(question: str) -> None:
    intent = understand(question, SHOP)
    assert intent.open
    assert [a.kind for a in intent.asks] == ["open"]


def test_goals_are_open_and_say_which_columns_matter() -> None:
    intent = understand(
        "Find the imbalance in how tickets are assigned across agents and cut resolution times", TICKETS
    )
    assert intent.open
    assert {"assigned_to", "opened_at", "closed_at"} <= {c for c, r in intent.relevance.items() if r >= 0.6}
    assert intent.relevance.get("target_percentage", 0.0) < 0.4


def test_nothing_that_can_be_typed_makes_it_fail() -> None:
    text = (
        "mean of by per which highest top 5 why vs Q4 2024 between and missing month share new column called outliers"
    )
    words = [
        *text.split(),
        *"';?.,(){}%=",
        "'region'",
        '"qty"',
        "North",
        "SELECT",
        "--",
        "\x00",
        "漢字",
        "1e5",
        "😀",
        "@x[y]",
    ]
    chance = random.Random(7)
    for card in (SHOP, PEOPLE, WORLD, TICKETS, SchemaCard(dataset="none", rows=0, columns=())):
        for _ in range(60):
            question = " ".join(chance.choice(words) for _ in range(chance.randint(1, 14)))
            intent = understand(question, card)
            assert isinstance(intent, Intent)
            assert all(card.has(c) for a in intent.asks for c in (*a.dimensions, *a.columns))
            assert all(m.sql for a in intent.asks for m in a.metrics)
            assert all(f.sql for a in intent.asks for f in a.filters)


def test_a_question_that_names_nothing_is_near_no_column_by_chance() -> None:
    for question in ("What stands out?", "Give me an overview of this data.", "Explore the table, please."):
        assert understand(question, SHOP).relevance == {}
    assert understand("What stands out in returns by region?", SHOP).relevance["region"] > 0.5


@pytest.mark.parametrize("verb", ["increase with", "rise with", "go down with", "fall with the"])
def test_one_measure_that_moves_with_another_is_a_relation(verb: str) -> None:
    (ask,) = asks(f"Does income {verb} Age?", PEOPLE)
    assert ask.kind == "relation"
    assert {c for m in ask.metrics for c in m.measure.columns} == {"annual_income_usd", "Age"}
    assert all(a.kind != "relation" for a in asks("Does income grow with time?", PEOPLE))
