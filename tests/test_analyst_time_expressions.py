"""Time words, resolved against the newest event of the data."""

from datetime import date

import pytest

from analyst.questions.understanding import understand
from analyst.times.expressions import spans
from analyst_cards import SHOP, WORLD
from datasets.measures import Window

NEWEST = date(2025, 9, 9)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("sales in Q4 2024", "2024-10-01", "2025-01-01"),
        ("why did it drop in Q4?", "2024-10-01", "2025-01-01"),
        ("the third quarter of 2024", "2024-07-01", "2024-10-01"),
        ("sales in 2024", "2024-01-01", "2025-01-01"),
        ("March 2025", "2025-03-01", "2025-04-01"),
        ("sales in May", "2025-05-01", "2025-06-01"),
        ("sales in December", "2024-12-01", "2025-01-01"),
        ("the last 30 days", "2025-08-11", "2025-09-10"),
        ("last three months", "2025-06-10", "2025-09-10"),
        ("last month", "2025-08-01", "2025-09-01"),
        ("this month", "2025-09-01", "2025-10-01"),
        ("year to date", "2025-01-01", "2025-09-10"),
        ("since March", "2025-03-01", None),
        ("after March 2024", "2024-04-01", None),
        ("before 2020", None, "2020-01-01"),
        ("until June 2025", None, "2025-07-01"),
        ("between 5 May and 10 May", "2025-05-05", "2025-05-11"),
        ("between 2025-12-31 and 2025-01-01", "2025-01-01", "2026-01-01"),
        ("from June 2025 to March 2024", "2024-03-01", "2025-07-01"),
        ("from 2000 to 2010", "2000-01-01", "2011-01-01"),
        ("Nov–Feb 2025", "2024-11-01", "2025-03-01"),
        ("on 2025-03-15", "2025-03-15", "2025-03-16"),
        ("on March 15, 2025", "2025-03-15", "2025-03-16"),
        ("H1 2025", "2025-01-01", "2025-07-01"),
    ],
)
def test_a_span_is_read(text: str, since: str | None, until: str | None) -> None:
    (span,) = spans(text, NEWEST)
    assert (span.since and span.since.isoformat(), span.until and span.until.isoformat()) == (since, until)


@pytest.mark.parametrize(
    "text", ["may I ask", "the march of time", "more than 2000 rows", "price above 1999", "in second place", "30 days"]
)
def test_words_and_numbers_that_are_no_time_are_left_alone(text: str) -> None:
    assert spans(text, NEWEST) == []


def test_last_month_is_the_newest_one_that_the_data_covers_to_its_end() -> None:
    (whole,) = spans("last month", date(2025, 8, 31))
    assert whole.label == "August 2025"
    (running,) = spans("last month", date(2025, 8, 30))
    assert running.label == "July 2025"


@pytest.mark.parametrize(
    ("question", "window", "versus"),
    [
        ("revenue in March 2025 vs February 2025", "March 2025", "February 2025"),
        ("compare July with June", "July 2025", "June 2025"),
        ("How did revenue change from Q1 2025 to Q2 2025?", "Q2 2025", "Q1 2025"),
        ("Why did revenue drop in Q4 compared to the previous quarter?", "Q4 2024", "Q3 2024"),
        ("revenue in Q2 versus the same quarter last year", "Q2 2025", "Q2 2025 one year earlier"),
    ],
)
def test_two_spans_are_a_change(question: str, window: str, versus: str) -> None:
    (ask,) = understand(question, SHOP).asks
    assert ask.kind == "change"
    assert ask.window is not None
    assert ask.versus is not None
    assert (ask.window.label, ask.versus.label) == (window, versus)


def test_a_span_is_a_window_on_the_time_column_and_a_filter_on_a_year_column() -> None:
    (windowed,) = understand("total qty in 2024", SHOP).asks
    assert windowed.window == Window(column="ordered_on", start=date(2024, 1, 1), end=date(2025, 1, 1), label="2024")
    (filtered,) = understand("mean gdppercap in 2001", WORLD).asks
    assert [f.key for f in filtered.filters] == ["year eq [2001]"]
    assert filtered.window is None
