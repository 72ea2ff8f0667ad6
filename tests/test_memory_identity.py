"""Identity: which statements are about the same thing, and whether they say the same of it."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.identity.keys import KEY_LENGTH, canonical, claim_key, same_directive, same_number, same_value
from memory.index.sparse import document_vector, identifiers, query_vector, tokens

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(min_size=1, max_size=6), JSON, max_size=5))
def test_the_key_does_not_depend_on_the_order_of_the_subject(subject: dict[str, Any]) -> None:
    turned = dict(reversed(subject.items()))
    assert claim_key({"subject": subject}, summary="x") == claim_key({"subject": turned}, summary="x")
    assert len(claim_key({"subject": subject}, summary="x")) <= KEY_LENGTH


def test_the_key_leaves_out_what_is_not_said() -> None:
    assert canonical({"b": None, "a": 1.0, "c": {}}) == '{"a":1}'
    assert claim_key({"subject": {"metric": "sum(x)", "segment": None}}, summary="s") == claim_key(
        {"subject": {"metric": "sum(x)"}}, summary="t"
    )
    assert claim_key({"subject": {"metric": "sum(x)"}}, summary="s") != claim_key(
        {"subject": {"metric": "sum(X)"}}, summary="s"
    )


def test_without_a_subject_the_wording_is_the_identity() -> None:
    assert claim_key({"subject": {}}, summary="Revenue  rose in May.") == claim_key(
        {"subject": {}}, summary="revenue rose in may"
    )
    assert claim_key({"subject": {}}, summary="Revenue rose in May.") != claim_key(
        {"subject": {}}, summary="Revenue rose in June."
    )


def test_a_long_subject_gets_a_short_key_of_its_own() -> None:
    keys = {claim_key({"subject": {"text": "x" * length}}, summary="") for length in (2000, 2001)}
    assert len(keys) == 2
    assert max(map(len, keys)) < 100


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (12, 12.1, True),
        (12.1, 12.08, True),
        (84, 84.2, True),
        (100.0, 100.02, True),
        (9319.5, 9319.50, True),
        (1 / 3, 0.333333, True),
        (12, 2, False),
        (12, 13, False),
        (14, 15, False),
        (3, 4, False),
        (4495.5, 4626.0, False),
        (0.52, 0.5, False),
        (0.1, 0.2, False),
        (1, -1, False),
        (0, 0, True),
        (0, 0.4, False),
        (math.nan, math.nan, True),
        (math.nan, 1, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
    ],
)
def test_numbers_within_rounding_are_the_same(a: float, b: float, same: bool) -> None:
    assert same_number(a, b) is same
    assert same_number(b, a) is same


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_itself(number: float) -> None:
    assert same_number(number, number)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ({"number": 12, "unit": "%"}, {"number": 0.12, "unit": "share"}, True),
        ({"number": 12, "unit": "%"}, {"number": 12, "unit": "percent"}, True),
        ({"number": 12, "unit": "%"}, {"number": 2, "unit": "%"}, False),
        ({"number": 12, "unit": "days"}, {"number": 12, "unit": "hours"}, False),
        ({"number": 12, "unit": "days"}, {"number": 12}, True),
        ({"number": 5, "direction": "up"}, {"number": 5, "direction": "down"}, False),
        ({"direction": "up"}, {"direction": "up", "number": 5}, True),
        ({"text": "North "}, {"text": "north"}, True),
        ({"text": "North"}, {"text": "South"}, False),
        ({"number": 0.5, "low": 0.4, "high": 0.6}, {"number": 0.55, "low": 0.45, "high": 0.65}, True),
        ({"number": 0.5, "low": 0.4, "high": 0.6}, {"number": 0.65, "low": 0.55, "high": 0.75}, False),
        ({"number": 0.02, "low": -0.1, "high": 0.1}, {"number": -0.02, "low": -0.1, "high": 0.1}, False),
        ({"values": [9, 99]}, {"values": [9, 99]}, True),
        ({"values": [9]}, {"values": [9, 99]}, False),
        ({"kept": True}, {"kept": False}, False),
        ({"kept": True}, {"kept": 1}, False),
        ({}, {"number": 4}, True),
        ({"number": "NaN"}, {"number": math.nan}, True),
    ],
)
def test_values_are_compared_by_what_they_say(old: dict[str, Any], new: dict[str, Any], same: bool) -> None:
    assert same_value(old, new) is same
    assert same_value(new, old) is same


def test_directives_contradict_only_when_both_are_there() -> None:
    assert same_directive({"name": "grain", "unit": "week"}, {"unit": "week", "name": "grain"})
    assert not same_directive({"name": "grain", "unit": "week"}, {"name": "grain", "unit": "month"})
    assert same_directive(None, {"name": "grain", "unit": "month"})


def test_identifiers_and_column_names_stay_whole() -> None:
    text = "Ticket #4821 of WH-07: order_id missing in 12.5% since 2026-03"
    assert {"#4821", "4821", "wh-07", "order_id", "order", "id", "12.5%", "2026-03"} <= set(tokens(text))
    assert identifiers(text) == {"#4821", "wh-07", "order_id"}


def test_a_query_and_a_document_share_the_hashes_of_their_words() -> None:
    query, document = query_vector("Which orders?"), document_vector("Orders of May, orders of June")
    assert set(query.indices) <= set(document.indices)
    assert document.indices == sorted(document.indices)
    assert query_vector("what is the").indices == []
