"""How a model's reading joins what the code has read."""

from typing import Any

import pytest

from analyst import BuiltinAnalyst, Intent
from analyst.model.asks import ask_of
from analyst.model.reading import check_reading, settled_reading
from analyst_cards import ORDERS
from prompts import Rejected
from prompts.understand import UnderstandReply
from prompts.vocabulary import AskReply
from scripted_chat import asks, reading


def read(question: str, *given: dict[str, Any], **changes: Any) -> tuple[Intent, Intent, tuple[str, ...]]:
    """The built-in reading, the joined one, and the remarks."""
    reply = UnderstandReply.model_validate(reading(question, *given, **changes))
    check_reading(reply, question, ORDERS)
    built = BuiltinAnalyst().understand(question, ORDERS)
    settled = settled_reading(reply, built, ORDERS, ())
    return built, settled.intent, settled.remarks


def test_what_the_code_read_stays_and_comes_first() -> None:
    question = "Which region has the highest revenue, and how does discount relate to it?"
    other = asks("the highest", by=["product"])
    built, intent, _ = read(question, other)
    assert intent.asks[: len(built.asks)] == built.asks
    assert not any("product" in a.dimensions for a in intent.asks)


def test_other_words_are_read_where_the_code_reads_nothing_and_it_is_said() -> None:
    built, intent, remarks = read("What was our biggest earner territory?", asks("our biggest earner territory"))
    if not built.asks:
        assert [a.dimensions for a in intent.asks] == [("region",)]
        assert remarks == ("The model read “our biggest earner territory” as total revenue by region.",)
    assert intent.unclear is None


def test_an_exploration_keeps_its_ground() -> None:
    built, intent, _ = read("Explore the data", asks("Explore the data"), columns=["discount"])
    assert intent.asks == built.asks
    assert intent.relevance == built.relevance
    assert intent.open


def test_no_ask_and_no_reason_is_no_reading() -> None:
    with pytest.raises(Rejected, match="neither an ask"):
        read("Which region has the highest revenue?")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"by": ["regoin"]}, "near it are 'region'"),
        ({"filters": [{"column": "product", "op": "eq", "values": ["Lampe"]}]}, "near it are 'Lamp'"),
        ({"filters": [{"column": "quantity", "op": "gt", "values": ["many"]}]}, "holds numbers"),
        ({"filters": [{"column": "quantity", "op": "between", "values": [1]}]}, "needs 2 value"),
        ({"metrics": [{"aggregate": "sum", "column": "region", "equals": [], "level": None}]}, "has no sum"),
        ({"metrics": [{"aggregate": "share", "column": "status", "equals": [], "level": None}]}, "needs the values"),
        ({"window": {"column": "region", "start": "2025-01-01", "end": None}}, "needs a date column"),
        ({"window": {"column": "order_date", "start": "2025-02-01", "end": "2025-01-01"}}, "before it starts"),
        ({"window": {"column": "order_date", "start": "May", "end": None}}, "no ISO date"),
        ({"kind": "relation", "metrics": [], "columns": ["region"]}, "needs numeric columns"),
        ({"kind": "share", "by": []}, "needs a column in `by`"),
    ],
)
def test_an_ask_that_the_card_does_not_carry_says_what_would(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(Rejected, match=said):
        ask_of(AskReply.model_validate(asks("x", **changes)), ORDERS)


def test_names_and_values_are_taken_as_the_data_spell_them() -> None:
    given = asks("x", by=["REGION"], filters=[{"column": "Product", "op": "in", "values": ["lamp", "DESK"]}])
    ask = ask_of(AskReply.model_validate(given), ORDERS)
    assert ask.dimensions == ("region",)
    assert ask.filters[0].values == ("Lamp", "Desk")


def test_a_query_for_the_rest_of_a_definite_question_is_added() -> None:
    question = "Which region has the highest revenue, and which customers bought again within a week?"
    query = asks("customers bought again within a week", kind="query", metrics=[], by=[], order=None, top=None)
    built, intent, _ = read(question, query)
    assert intent.asks == (*built.asks, *(a for a in intent.asks if a.kind == "query"))
    assert [a.text for a in intent.asks if a.kind == "query"] == ["customers bought again within a week"]
