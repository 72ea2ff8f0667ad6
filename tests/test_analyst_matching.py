"""Question words → columns and values, with and without meaning."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from analyst.reading.derived import derived_measures
from analyst.reading.matching import Matcher
from analyst.reading.words import chained, likeness, stem
from analyst_cards import PEOPLE, SHOP, TICKETS, WORLD, column, measure
from datasets.schema import SchemaCard


class Counted:
    """An embedder of letters: deterministic, and it remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Letter counts, brought to length one."""
        self.asked.append(list(texts))
        rows = np.array([[t.lower().count(c) + 0.01 for c in "abcdefghijklmnopqrstuvwxyz"] for t in texts])
        found: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return found


@pytest.mark.parametrize(
    ("text", "card", "columns"),
    [
        ("the \"order_total\" and 'Product Line'", SHOP, ["order_total", "Product Line"]),
        ("product lines", SHOP, ["Product Line"]),
        ("quantity", SHOP, ["qty"]),
        ("life expectancy and GDP per capita", WORLD, ["lifeexp", "gdppercap"]),
        ("number of cases", WORLD, ["No. of cases"]),
        ("body mass index", PEOPLE, ["Body Mass Index (BMI)"]),
        ("income in USD", PEOPLE, ["annual_income_usd"]),
        ("agents", TICKETS, ["assigned_to"]),
        ("anual incme", PEOPLE, ["annual_income_usd"]),
        ("assignment groups", TICKETS, ["assignment_group"]),
        ("nothing of that kind", SHOP, []),
    ],
)
def test_names_are_found_as_written_by_parts_and_nearly(text: str, card: SchemaCard, columns: list[str]) -> None:
    assert [m.column for m in Matcher(card).mentions(text)] == columns


@pytest.mark.parametrize("text", ["is price related to quantity", "price and quantity", "price against quantity"])
def test_a_name_does_not_reach_across_words_that_set_two_things_apart(text: str) -> None:
    card = SHOP.model_copy(update={"columns": (measure("unit_price"), measure("units"))})
    assert [m.column for m in Matcher(card).mentions(text)] == ["unit_price", "units"]


def test_values_are_found_where_they_are_meant() -> None:
    found = {(m.text, m.column) for m in Matcher(PEOPLE).mentions("mean age of women without kids") if m.value}
    assert found == {("women", "Sex")}
    both = Matcher(TICKETS).mentions("Hardware tickets")[0]
    assert {c for c, _ in both.columns} == {"category", "assignment_group"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("does score differ between A and B?", ["A", "B"]),
        ("is B above A?", ["B", "A"]),
        ("score of A vs I", ["A", "I"]),
        ("is there a difference I should see", []),
        ("A good score", []),
    ],
)
def test_a_single_capital_is_a_value_where_it_is_no_article_or_pronoun(text: str, values: list[str]) -> None:
    arms = column("arm", "dimension", values=("A", "B", "I"))
    card = SHOP.model_copy(update={"columns": (arms, measure("score"))})
    assert [m.value for m in Matcher(card).mentions(text) if m.value] == values


def test_no_embedder_is_needed_and_one_is_used_lazily() -> None:
    assert Matcher(SHOP).by_meaning("anything") == {}
    counted = Counted()
    matcher = Matcher(SHOP, counted)
    matcher.mentions("total qty by region")
    assert counted.asked == []
    matcher.by_meaning("first phrase")
    matcher.by_meaning("second phrase")
    assert [len(texts) for texts in counted.asked] == [len(SHOP.columns), 1, 1]


def test_unknown_quotes_are_told_with_what_is_near() -> None:
    matcher = Matcher(SHOP)
    assert matcher.unknown_quotes("the 'ordr_total' of \"qty\" in 'North'") == ("ordr_total",)
    assert matcher.near("ordr_total")[0] == "order_total"


def test_likeness_of_words() -> None:
    assert likeness("countries", "country") == 0.95
    assert likeness("assignments", "assigned") == 0.9
    assert likeness("revenue", "sales") == 0.75
    assert likeness("region", "reason") == 0.0
    assert stem("assigned") == stem("assignment")
    assert chained(["life", "expectancy"], "lifeexp")
    assert not chained(["life", "time"], "lifeexp")


def test_derived_measures_are_found_and_weighed_by_the_question() -> None:
    plain = {m.key for m, _ in derived_measures(TICKETS)}
    assert {"closed_at - opened_at [days]", "percent_complete >= target_percentage", "state in [Declined]"} <= plain
    assert not any("sys_updated_on" in key for key in plain)
    best, weight = derived_measures(TICKETS, "How long does it take to close a ticket?")[0]
    assert (best.key, weight > 0.6) == ("closed_at - opened_at [days]", True)
    best, weight = derived_measures(TICKETS, "why are so many rejected")[0]
    assert best.key == "state in [Declined]"
    best, _ = derived_measures(TICKETS, "goal achievement rates")[0]
    assert best.key == "percent_complete >= target_percentage"
