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


def test_a_follow_up_may_name_another_period() -> None:
    ask = last_ask("Total qty by region in 2024", "what about 2025?")
    assert read(ask)[:2] == (["sum(qty)"], ("region",))
    assert ask.window is not None
    assert ask.window.label == "2025"


def test_follow_ups_chain() -> None:
    ask = last_ask("Total qty by month", "And by region?", "only the North")
    assert read(ask) == (["sum(qty)"], ("region",), None, ["region eq [North]"])


def test_a_whole_question_takes_over_nothing() -> None:
    ask = last_ask("Total qty by month for the North", "What is the average order_total per product line?")
    assert read(ask) == (["mean(order_total)"], ("Product Line",), None, [])


def test_words_of_the_assistant_are_not_followed() -> None:
    turns = [Turn(role="assistant", content="Total qty by month")]
    intent = understand("And by region?", SHOP, history=turns)
    assert all(m.measure.kind == "rows" for a in intent.asks for m in a.metrics)
