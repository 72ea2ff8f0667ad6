"""Ordinary questions on small tables: what is read, what is measured, and what the answer says it did not use."""

import csv
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from analyst.plans.planning import plan_battery
from analyst.protocol import Intent
from analyst.questions.understanding import understand
from analyst.reading.derived import derived_measures
from analyst.reading.matching import Matcher
from datasets import Catalogue, Dataset
from datasets.battery import run_step
from datasets.evidence import Candidate

NOW = datetime(2026, 2, 1, tzinfo=UTC)
Row = Sequence[object]


class Table:
    """A dataset that questions are put to; only what a question asks for is measured."""

    def __init__(self, dataset: Dataset) -> None:
        self.card = dataset.card
        self.view = dataset.view([])
        self.matcher = Matcher(dataset.card)

    def read(self, question: str) -> Intent:
        return understand(question, self.card, matcher=self.matcher)

    def ask(self, question: str) -> Candidate:
        """The first candidate of the first step that the question asks for."""
        intent = self.read(question)
        plan = plan_battery(intent, self.card, derived_measures(self.card, question, self.matcher))
        step = next(s for s in plan.steps if s.stated)
        result = run_step(step, self.view)
        assert result.candidates, result.skipped
        return result.candidates[0]

    def said(self, question: str) -> str:
        return self.ask(question).statement


def _table(folder: Path, name: str, header: Sequence[str], rows: Sequence[Row]) -> Table:
    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return Table(Catalogue(folder / "home", allow_paths=True).open(str(path), now=NOW))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ordinary")


@pytest.fixture(scope="module")
def tickets(folder: Path) -> Table:
    """Sixty tickets: one every six days from 2 January 2023, closed after 1 to 15 days."""
    rows: list[Row] = []
    for i in range(60):
        opened = datetime(2023, 1, 2) + timedelta(days=6 * i)
        closed = opened + timedelta(days=1 + i % 15)
        place = ("Oslo", "Oslo", "Rome", "Oslo", "Rome", "Bern")[i % 6]
        people = ("Ann Lee", "Bob Ray", "Cy Fox")
        state = "Closed" if i % 5 < 3 else "Resolved"
        kind = ("Hardware", "Software", "Network", "Hardware")[i % 4]
        priority = ("1 - Critical", "2 - High", "3 - Moderate")[i % 3]
        rows.append(
            (f"T{i:04d}", opened, closed, place, kind, state, priority, people[i % 3], people[(i * 7 + i // 4) % 3])
        )
    header = ("number", "opened_at", "closed_at", "location", "category", "state", "priority", "assigned_to")
    return _table(folder, "tickets", (*header, "closed_by"), rows)


@pytest.fixture(scope="module")
def world(folder: Path) -> Table:
    """Six countries in three years, two continents; lifeexp is a level."""
    start = {"peru": 40, "chile": 50, "cuba": 60, "chad": 38, "kenya": 45, "egypt": 48}
    moves = {"peru": 12, "chile": 20, "cuba": 9, "chad": -6, "kenya": 4, "egypt": 15}
    rows = [
        (country, "americas" if i < 3 else "africa", year, life + moves[country] * step, 1000 * (i + 1) * (step + 1))
        for i, (country, life) in enumerate(start.items())
        for step, year in enumerate((1990, 2000, 2010))
    ]
    return _table(folder, "world", ("country", "continent", "year", "lifeexp", "gdppercap"), rows)


@pytest.fixture(scope="module")
def people(folder: Path) -> Table:
    """Forty people with ages 10 to 49, of whom some smoke, some survived, some have children."""
    rows = [
        (
            f"P{i:03d}",
            "female" if i % 2 else "male",
            10 + i,
            ("no", "no", "yes")[i % 3],
            i % 4,
            (1, 0, 1, 1, 0)[i % 5],
            1 + i % 3,
            100 + 7 * i,
            "" if i % 8 == 0 else f"C{i}",
        )
        for i in range(40)
    ]
    header = ("person_id", "sex", "age", "smoker", "children", "Survived", "class", "charges", "cabin")
    return _table(folder, "people", header, rows)


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("How many tickets took more than 10 days to close?", 20),
        ("How many tickets were resolved within 2 days?", 8),
        ("What is the longest time a ticket stayed open, in days?", 15),
        ("How many high priority tickets are there?", 20),
        ("How many tickets without high priority are there?", 40),
        ("How many tickets are there per location on average?", 20),
        ("What percent of tickets is in state Closed?", 0.6),
        ("What percent of tickets is Closed?", 0.6),
        ("What share of hardware tickets came from Oslo?", 0.5),
    ],
)
def test_tickets_are_counted_as_asked(tickets: Table, question: str, number: float) -> None:
    value = tickets.ask(question).claim.value
    assert value.number == pytest.approx(number)


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("What is the average charges of people with no children?", 226.0),
        ("How many men without children are there?", 10),
        ("How many people have more than two children?", 10),
        ("How many women in first class died?", None),
        ("How many people did not survive?", 16),
        ("How many smokers are older than 30?", 6),
        ("How many people are between 20 and 29 years old?", 10),
        ("How many people paid more than 300?", 11),
        ("How many people have no cabin?", 5),
        ("What share of people was under 18?", 0.2),
        ("What share of people has charges over 300?", 0.275),
    ],
)
def test_conditions_in_ordinary_words_limit_the_rows(people: Table, question: str, number: float | None) -> None:
    rows = [(i % 2, 1 + i % 3, (1, 0, 1, 1, 0)[i % 5]) for i in range(40)]
    wanted = sum(r == (1, 1, 0) for r in rows) if number is None else number
    found = people.ask(question)
    assert found.claim.value.number == pytest.approx(wanted), found.statement
    assert people.read(question).notes == ()


def test_a_share_is_of_what_stands_before_the_verb(people: Table) -> None:
    (smoke,) = people.read("What percentage of women smoke?").asks
    (first,) = people.read("What share of first class people were women?").asks
    assert ([m.key for m in smoke.metrics], [f.key for f in smoke.filters]) == (
        ["share(smoker in [yes])"],
        ["sex eq [female]"],
    )
    assert ([m.key for m in first.metrics], [f.key for f in first.filters]) == (
        ["share(sex in [female])"],
        ["class eq [1]"],
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "How did lifeexp change between 1990 and 2010 in africa?",
            "from 1990 to 2010: 43.67 to 52.33 (+8.6667, +19.8%)",
        ),
        ("Which country's lifeexp fell the most between 1990 and 2010?", "chad falls most"),
        ("Which country had the biggest increase in lifeexp between 1990 and 2010?", "chile rises most"),
        ("How did the average lifeexp in africa develop over the years?", "rises along year with every step"),
        ("Which african country had the highest gdppercap in 2010?", "egypt (year 2010) has the highest gdppercap"),
        ("Which 2 countries had the highest gdppercap in 2010?", "egypt"),
    ],
)
def test_a_column_of_years_is_time(world: Table, question: str, said: str) -> None:
    assert said in world.said(question)


def test_a_level_is_averaged_and_years_bound_no_other_column(world: Table) -> None:
    (ask,) = world.read("Which country had the biggest increase in gdppercap between 1990 and 2010?").asks
    assert [m.key for m in ask.metrics] == ["mean(gdppercap)"]
    assert (ask.filters, ask.options["before"], ask.options["after"]) == ((), "1990", "2010")


@pytest.mark.parametrize(
    ("question", "order"),
    [("Does Oslo still take the longest wait?", "desc"), ("Is the wait in Oslo the lowest?", "asc")],
)
def test_one_that_is_said_to_be_first_is_ranked_among_its_kind(folder: Path, question: str, order: str) -> None:
    rows: list[Row] = [(("Oslo", "Rome", "Bern")[i % 3], 5.5 + i * 7 % 41) for i in range(120)]
    (ask,) = _table(folder, "visits", ("site", "wait_min"), rows).read(question).asks
    assert ([m.key for m in ask.metrics], ask.dimensions, ask.order) == (["mean(wait_min)"], ("site",), order)
    assert ask.filters == ()


def test_halves_of_one_year_are_compared(tickets: Table) -> None:
    (ask,) = tickets.read("How many tickets were opened in the second half of 2023 compared with the first half?").asks
    assert ask.kind == "change"
    assert ask.window is not None
    assert ask.versus is not None
    assert (ask.window.key, ask.versus.key) == (
        "opened_at [2023-07-01, 2024-01-01)",
        "opened_at [2023-01-01, 2023-07-01)",
    )


def test_number_of_names_no_column_called_number(tickets: Table) -> None:
    assert tickets.said("Top 3 locations by number of tickets").startswith("Oslo has the most rows: 30 of 60")


def test_a_time_is_measured_by_its_verb(tickets: Table) -> None:
    (ask,) = tickets.read("What is the average time to close by category, in days?").asks
    assert ([m.key for m in ask.metrics], ask.dimensions) == (["mean(closed_at - opened_at [days])"], ("category",))


def test_what_happened_is_counted_not_its_dates(tickets: Table) -> None:
    (ask,) = tickets.read("Has the number of tickets opened per month gone up over 2023?").asks
    assert (ask.kind, [m.key for m in ask.metrics], ask.grain) == ("trend", ["count(*)"], "month")
    assert ask.window is not None
    assert ask.window.label == "2023"


def test_the_nth_is_named_with_who_stands_before(tickets: Table) -> None:
    found = tickets.ask("Which location has the second most tickets?")
    assert (found.claim.value.text, found.claim.value.number) == ("Rome", 20)
    assert found.statement == "Rome has the second most rows: 20 of 60 rows (33.3%), after Oslo (30)."


def test_rows_per_month_are_averaged(tickets: Table) -> None:
    found = tickets.ask("How many tickets are there per month on average?")
    assert found.claim.value.number == pytest.approx(5.0)
    assert found.statement.startswith("On average there are 5 rows per month (12 months, from ")


def test_the_verb_tells_which_person_is_meant_and_the_answer_says_so(tickets: Table) -> None:
    intent = tickets.read("Which agent closed the most tickets?")
    assert intent.asks[0].dimensions == ("closed_by",)
    assert intent.notes == ('"agent" is read as closed_by; it could also mean assigned_to.',)


def test_the_n_rows_are_named(people: Table) -> None:
    found = people.ask("Top 3 charges")
    assert [row["charges"] for row in found.table] == [373, 366, 359]
    assert [r["charges"] for r in people.ask("Which 3 people have the highest charges?").table] == [373, 366, 359]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which port had the highest charges?", "port"),
        ("How many people had a dog?", "dog"),
        ("How many people travelled alone?", "alone"),
        ("Average charges by colour", "colour"),
        ("How many people from Germany smoke?", "Germany"),
    ],
)
def test_a_word_of_substance_that_is_not_used_is_told(people: Table, question: str, words: str) -> None:
    assert people.read(question).notes == (f'"{words}" is not a column or value here and was not used.',)


@pytest.mark.parametrize(
    "question",
    [
        "How many women are there?",
        "What is the average age of smokers in second class?",
        "Which class has the highest survival rate?",
        "Is there a relationship between age and charges?",
        "Do smokers pay more than non-smokers?",
        "Show me the distribution of charges in detail",
        "How many people are there in total?",
    ],
)
def test_words_of_the_language_of_questions_raise_no_note(people: Table, question: str) -> None:
    assert people.read(question).notes == ()


def test_codes_with_leading_zeros_stay_as_they_are(folder: Path) -> None:
    rows = [(f"{n:05d}", n % 90) for n in range(357, 99_000, 1_900)]
    table = _table(folder, "addresses", ("zip", "spend"), rows)
    assert table.said("What is the smallest zip?") == "The lowest zip is 00357 (52 rows)."
    assert table.said("What is the highest zip?").startswith("The highest zip is 97257")


def test_a_reversal_within_groups_is_told(folder: Path) -> None:
    counts = (("A", "mild", 87, 81), ("A", "severe", 263, 180), ("B", "mild", 270, 234), ("B", "severe", 80, 52))
    rows = [(h, s, "yes" if i < k else "no") for h, s, n, k in counts for i in range(n)]
    table = _table(folder, "hospitals", ("hospital", "severity", "recovered"), rows)
    said = table.said("Which hospital has the higher recovery rate?")
    assert said.startswith("B has a higher share with recovered = yes than A: 81.7%")
    assert "within groups of severity the difference turns round" in said


@pytest.fixture(scope="module")
def visits(folder: Path) -> Table:
    """A year of days with far fewer visits at weekends, and one Saturday like a Tuesday."""
    days = [datetime(2024, 1, 1) + timedelta(days=i) for i in range(364)]
    rows = []
    for i, day in enumerate(days):
        usual = 200 if day.weekday() < 5 else 100
        rows.append((day.date(), 300 if day == datetime(2024, 9, 7) else usual + (i * 13) % 17))
    return _table(folder, "visits", ("day", "visits"), rows)


def test_weekends_are_compared_with_weekdays(visits: Table) -> None:
    assert visits.ask("How many visits were there on weekends?").claim.value.number == 11_437
    for question in ("Are weekends different?", "Are there fewer visits each weekend?"):
        found = visits.ask(question)
        assert (
            "is lower at weekends than on weekdays: 109.97 against 207.95, -47.1%; in total 11,437 on"
            in found.statement
        )
    assert visits.read("How many visits were there on weekends?").notes == ()


def test_days_are_judged_within_their_week(visits: Table) -> None:
    assert "spikes in 2024-09-07" in visits.said("Were there any unusual days?")


def test_each_column_called_alike_is_totalled(folder: Path) -> None:
    table = _table(folder, "bills", ("amount", "amount", "amount", "team"), [(i, 2 * i, 3, "x") for i in range(1, 31)])
    (ask,) = table.read("Total of each amount column?").asks
    assert len(ask.metrics) == 3
    assert ask.dimensions == ()


def test_counts_are_read_to_the_number_and_rows_by_their_place(people: Table, tickets: Table) -> None:
    assert people.ask("How many people have exactly 2 children?").claim.value.number == 10
    assert people.ask("What do smokers with 2 children pay on average?").claim.value.number == pytest.approx(240.0)
    assert people.ask("Which person has the second highest charges?").claim.value.number == 366
    assert tickets.read("How many tickets from Germany are there in Oslo?").notes == (
        '"Germany" is not a column or value here and was not used.',
    )


@pytest.mark.parametrize(
    "question",
    ["Why do some tickets take so long to resolve, and is it getting worse?", "Why are the tickets closed so slowly?"],
)
def test_why_something_is_as_it_is_compares_no_periods(tickets: Table, question: str) -> None:
    intent = tickets.read(question)
    assert intent.open
    assert all(a.kind == "open" for a in intent.asks)


def test_rows_named_like_the_column_of_their_dates_are_counted(folder: Path) -> None:
    rows = [(f"2025-01-{1 + i % 28:02d}", "Mitte" if i % 3 else "Nord", 20 + i) for i in range(84)]
    visits = _table(folder, "visits", ("visit_date", "clinic", "fee"), rows)
    assert visits.said("Which clinic has the most visits?").startswith("Mitte has the most rows: 56 of 84 rows")
    assert visits.said("Which clinic has the fewest visits?").startswith("Nord has the fewest rows: 28 of 84 rows")
    assert visits.read("Are weekends and weekdays different in fee?").notes == ()
