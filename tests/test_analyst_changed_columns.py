"""Questions that change or make columns first, and calculations that are not read."""

import pytest

from analyst.plans.balances import not_summed
from analyst.plans.drafts import Draft
from analyst.questions.understanding import understand
from analyst_cards import column, measure, time
from datasets.schema import SchemaCard

PRICES = SchemaCard(
    dataset="prices",
    rows=250,
    time_column="Date",
    columns=(
        time("Date").model_copy(update={"distinct": 250, "rows": 250}),
        measure("Open"),
        measure("Close"),
        measure("Volume"),
    ),
)
VOYAGE = SchemaCard(
    dataset="voyage",
    rows=500,
    columns=(
        column("Pclass", "dimension", "BIGINT", values=("1", "2", "3"), distinct=3),
        column("Sex", "dimension", values=("male", "female"), distinct=2),
        column("Survived", "boolean", "BIGINT", values=("0", "1"), distinct=2),
        measure("Age"),
        measure("Fare"),
        column("year", "dimension", "BIGINT", values=("1952", "2007"), distinct=2),
    ),
)


def read(question: str, card: SchemaCard) -> tuple[list[str], list[str]]:
    """Metric keys and filter keys of all asks of a question that is clear."""
    intent = understand(question, card)
    assert intent.unclear is None, intent.unclear
    return [m.key for a in intent.asks for m in a.metrics], [f.key for a in intent.asks for f in a.filters]


@pytest.mark.parametrize(
    ("question", "card", "wanted"),
    [
        ("Fill missing values in Age with the median and report the mean of Age.", VOYAGE, "mean(filled_median(Age))"),
        ("Apply a log10 transformation to Fare. What is the skewness?", VOYAGE, "skewness(log10(Fare))"),
        ("Normalize Fare with min-max scaling and report its mean.", VOYAGE, "mean(minmax(Fare))"),
        ("What is the z-score of the highest Fare?", VOYAGE, "max(zscore(Fare))"),
        ("What is the interquartile range of Age?", VOYAGE, "iqr(Age)"),
        ("What is the coefficient of variation of Fare?", VOYAGE, "cv(Fare)"),
        ("What is the standard deviation of daily returns of Close?", PRICES, "std(change_pct(Close, Date))"),
        ("What is the average 7-day moving average of Close?", PRICES, "mean(moving 7(Close, Date))"),
        (
            "Create a column 'Spread' as Close divided by (Open + 1) and report its median.",
            PRICES,
            "median(Close / (Open + 1))",
        ),
        ("What is the standard deviation of the daily log returns of Close?", PRICES, "std(change_ln(Close, Date))"),
        ("Calculate the daily range as Open minus Close. What is its maximum?", PRICES, "max(Open - Close)"),
        (
            'Create a column "Size" as the product of Open, Close and Volume. What is the median of Size?',
            PRICES,
            "median(Open * Close * Volume)",
        ),
        (
            'Create a new column "total_sum" as the sum of Open and Close. Which Date has the highest total?',
            PRICES,
            "mean(Open + Close)",
        ),
        ("What was Close on 2024-03-01?", PRICES, "mean(Close)"),
    ],
)
def test_a_changed_or_made_up_column_is_what_is_measured(question: str, card: SchemaCard, wanted: str) -> None:
    metrics, _ = read(question, card)
    assert wanted in metrics


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Calculate the percentage change of Close from the first to the last day.", ("2024-01-02", "2024-12-30")),
        ("How did Close change from the first to the last month in the data?", ("January 2024", "December 2024")),
    ],
)
def test_the_ends_of_the_data_are_set_against_each_other(question: str, wanted: tuple[str, str]) -> None:
    bounds = {"minimum": "2024-01-02", "maximum": "2024-12-30"}
    dated = tuple(c.model_copy(update=bounds) if c.name == "Date" else c for c in PRICES.columns)
    (ask,) = understand(question, PRICES.model_copy(update={"columns": dated})).asks
    assert ask.kind == "change"
    assert ask.versus is not None
    assert ask.window is not None
    assert (ask.versus.label, ask.window.label) == wanted


def test_ranges_without_quotes_are_the_groups() -> None:
    ranges = "Categorise by Age into Young (less than 30), Middle (30 to 60) and Old (above 60)."
    intent = understand(f"{ranges} What is the mean Fare in each category?", VOYAGE)
    assert [(a.options["group"], *(f.key for f in a.filters)) for a in intent.asks] == [
        ("Young", "Age lt [30]"), ("Middle", "Age between [30, 60]"), ("Old", "Age gt [60]"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "card", "wanted"),
    [
        ("What was the average Fare in first class?", VOYAGE, "Pclass eq [1]"),
        ("What is the average Volume on Mondays?", PRICES, "Date weekday [1]"),
        ("How many days had Close above Open?", PRICES, "Close above_column [Open]"),
        ("How many people older than 60 survived?", VOYAGE, "Age gt [60]"),
    ],
)
def test_conditions_in_words(question: str, card: SchemaCard, wanted: str) -> None:
    _, filters = read(question, card)
    assert wanted in filters
    assert not any(f.startswith("Survived gt") for f in filters)


def test_weekends_versus_weekdays_are_a_value_each() -> None:
    metrics, filters = read("What is the average Volume on weekends versus weekdays?", PRICES)
    assert metrics == ["mean(Volume)", "mean(Volume)"]
    assert filters == ["Date weekday [6, 7]", "Date weekday [1, 2, 3, 4, 5]"]


def test_a_share_of_a_comparison_counts_the_comparison() -> None:
    metrics, filters = read("What percentage of women had a Fare above 50?", VOYAGE)
    assert metrics == ["share(Fare > 50)"]
    assert filters == ["Sex eq [female]"]


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("Is the share of third class people higher among women than among men?", "share(Pclass in [3])"),
        ("Is the share of people with a Fare above 50 higher in female than in male?", "share(Fare > 50)"),
    ],
)
def test_a_share_in_two_named_groups_is_that_of_the_condition(question: str, share: str) -> None:
    (ask,) = understand(question, VOYAGE).asks
    assert [m.key for m in ask.metrics] == [share]
    assert ask.dimensions == ("Sex",)
    assert ask.filters == ()


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("How many people have a Fare above the overall average Fare?", ["Fare above_level [mean]"]),
        ("What is the mean Age of people with a Fare below the median?", ["Fare below_level [0.5]"]),
        (
            "What is the mean Age of women with Fare above the 90th percentile?",
            ["Fare above_level [0.9]", "Sex eq [female]"],
        ),
        ("What is the mean Age of people in the top 10% by Fare?", ["Fare top_share [0.1]"]),
        (
            "How many people are above average in both Fare and Age?",
            ["Age above_level [mean]", "Fare above_level [mean]"],
        ),
        ("What is the mean Age where Fare is in the bottom quartile?", ["Fare bottom_share [0.25]"]),
        ("What is the mean Age of people not in the top 5% by Fare?", ["Fare below_level [0.95]"]),
        ("How many people have a z-score of Fare above 3?", []),
    ],
)
def test_a_condition_on_a_level_of_all_rows_is_read(question: str, conditions: list[str]) -> None:
    assert sorted(read(question, VOYAGE)[1]) == conditions
    assert understand(question, VOYAGE).unclear is None


@pytest.mark.parametrize(
    "question",
    [
        "Train a random forest with an 80/20 train test split to predict Fare. What is the RMSE?",
        "What fraction of total Fare comes from the top 10% of people?",
        "List the 3 highest Fare values within each Pclass.",
        "How many people have a Fare above the average Fare of their Pclass?",
        "Fill missing Age with the mean Age of the same Pclass. What is the standard deviation of Age then?",
        "What is the 5-row moving average of Fare?",
    ],
)
def test_what_is_not_read_is_said_and_nothing_else_is_measured(question: str) -> None:
    intent = understand(question, VOYAGE)
    assert intent.unclear
    assert intent.asks == ()
    assert not intent.open


def test_an_asked_sum_of_a_balance_is_that_of_the_newest_day() -> None:
    card = PRICES.model_copy(update={"columns": (time("Date"), measure("stock"))})
    stock = {"aggregate": "sum", "measure": {"kind": "column", "columns": ["stock"]}}
    total = Draft("answer", {"metrics": [stock], "window": None, "grain": None}, "total stock")
    monthly = Draft("answer", {"metrics": [stock], "window": None, "grain": "month"}, "total stock by month")
    flow = Draft("answer", {"metrics": [{"aggregate": "count"}], "window": None, "grain": None}, "rows")
    drafts, notes = not_summed([total, monthly, flow], {"stock"}, card)
    assert drafts[0].params["window"]["start"] == "2025-09-09"
    assert drafts[1].params["metrics"][0]["aggregate"] == "mean"
    assert drafts[2] is flow
    assert len(notes) == 2
    assert not_summed([total], set(), card) == ([total], [])
