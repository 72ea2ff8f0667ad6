"""Follow-up questions take over what they leave out."""

import pytest

from analyst.protocol import Ask, Turn
from analyst.questions.understanding import understand
from analyst_cards import SHOP


def last_ask(*questions: str) -> Ask:
    """The ask of the last question, after the others."""
    turns = [Turn(role="user", content=q) for q in questions[:-1]]
    (ask,) = understand(questions[-1], SHOP, history=turns).asks
    return ask


def read(ask: Ask) -> tuple[list[str], tuple[str, ...], str | None, list[str]]:
    """Metrics, dimensions, grain and filters."""
    return [m.key for m in ask.metrics], ask.dimensions, ask.grain, [f.key for f in ask.filters]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("And by region?", (["sum(qty)"], ("region",), None, [])),
        ("per week instead", (["sum(qty)"], (), "week", [])),
        ("only the North", (["sum(qty)"], (), "month", ["region eq [North]"])),
        ("and the median?", (["median(qty)"], (), "month", [])),
        ("same for revenue", (["sum(order_total)"], (), "month", [])),
    ],
)
def test_a_follow_up_keeps_the_rest(question: str, expected: object) -> None:
    assert read(last_ask("Total qty by month", question)) == expected


@pytest.mark.parametrize(
    ("talk", "expected"),
    [
        # all groups of a column are asked for: the filter on one of them goes
        (("Total qty in the North", "and by region?"), (["sum(qty)"], ("region",), None, [])),
        (("Average order_total in the North", "and qty by region?"), (["mean(qty)"], ("region",), None, [])),
        (
            ("Total qty in the North by month", "and by product line?"),
            (["sum(qty)"], ("Product Line",), None, ["region eq [North]"]),
        ),
        (
            ("Total qty by month", "And by region?", "only the North", "and by month?"),
            (["sum(qty)"], (), "month", ["region eq [North]"]),
        ),
        # one grouping takes the place of the other, also where it is by periods
        (("Total qty by region", "and by month?"), (["sum(qty)"], (), "month", [])),
        (("Which region has the highest order_total?", "and by month?"), (["sum(order_total)"], (), "month", [])),
        # "the highest average" picks a region; it is no maximum
        (
            ("Does North still have the highest average order_total?", "and only for South?"),
            (["mean(order_total)"], (), None, ["region eq [South]"]),
        ),
        # a count of rows is not carried over to a measure
        (("How many orders in the North?", "and qty by region?"), (["sum(qty)"], ("region",), None, [])),
    ],
)
def test_a_follow_up_leaves_behind_what_it_overrules(talk: tuple[str, ...], expected: object) -> None:
    assert read(last_ask(*talk)) == expected


def test_the_other_end_of_a_ranking_is_by_the_same_metric() -> None:
    ask = last_ask("Which region has the highest order_total?", "and the lowest?")
    assert (ask.kind, ask.order, [m.key for m in ask.metrics]) == ("extreme", "asc", ["sum(order_total)"])


@pytest.mark.parametrize("why", ["why?", "And why is that?", "what is behind it?", "how come"])
def test_a_bare_why_is_about_the_metric_just_discussed(why: str) -> None:
    over_time = last_ask("Average qty by region", "and by month?", why)
    assert (over_time.kind, [m.key for m in over_time.metrics]) == ("change", ["mean(qty)"])
    turns = [Turn(role="user", content="Average qty by region")]
    intent = understand(why, SHOP, history=turns)
    (ask,) = intent.asks
    assert (ask.kind, [m.key for m in ask.metrics], ask.dimensions) == ("open", ["mean(qty)"], ("region",))
    assert intent.open
    assert intent.relevance["qty"] == intent.relevance["region"] == 1.0


@pytest.mark.parametrize("asked", ["Is that difference significant?", "And are those statistically significant?"])
def test_what_was_ranked_is_tested_where_its_significance_is_asked(asked: str) -> None:
    ask = last_ask("Which region has the highest average qty in 2024?", asked)
    assert (ask.kind, [m.key for m in ask.metrics], ask.dimensions) == ("compare", ["mean(qty)"], ("region",))
    assert ask.window is not None
    assert ask.window.label == "2024"


@pytest.mark.parametrize(("asked", "place"), [("what about the third?", "3"), ("And the second one?", "2")])
def test_the_nth_is_that_of_the_ranking_before(asked: str, place: str) -> None:
    ask = last_ask("Which region has the highest average qty?", asked)
    assert (ask.kind, ask.options["place"], ask.dimensions) == ("extreme", place, ("region",))
    assert [m.key for m in ask.metrics] == ["mean(qty)"]


def test_a_follow_up_may_name_another_period() -> None:
    ask = last_ask("Total qty by region in 2024", "what about 2025?")
    assert read(ask)[:2] == (["sum(qty)"], ("region",))
    assert ask.window is not None
    assert ask.window.label == "2025"


def test_follow_ups_chain() -> None:
    ask = last_ask("Total qty by month", "And by region?", "only the North")
    assert read(ask) == (["sum(qty)"], (), None, ["region eq [North]"])


def test_a_whole_question_takes_over_nothing() -> None:
    ask = last_ask("Total qty by month for the North", "What is the average order_total per product line?")
    assert read(ask) == (["mean(order_total)"], ("Product Line",), None, [])


def test_words_that_point_at_nothing_lean_on_nothing() -> None:
    asked = last_ask("Which product line has the highest qty?", "Is it still true that the North has more returns?")
    assert "Product Line" not in asked.dimensions


def test_words_of_the_assistant_are_not_followed() -> None:
    turns = [Turn(role="assistant", content="Total qty by month")]
    intent = understand("And by region?", SHOP, history=turns)
    assert all(m.measure.kind == "rows" for a in intent.asks for m in a.metrics)
