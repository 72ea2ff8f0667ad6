"""Messages about memory itself are told from questions about the data and from rules."""

import pytest

from analyst.priors.memory_talk import memory_request


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("What do you remember about this dataset?", ""),
        ("what do you remember", ""),
        ("Please tell me, what have you learned so far?", None),
        ("What do you know about this data?", ""),
        ("What do you remember about region North?", "about region North"),
        ("Show me your memory.", ""),
        ("list the memories", ""),
        ("Which findings do you remember?", ""),
        ("What are my preferences?", ""),
        ("What's in your memory?", ""),
    ],
)
def test_what_is_remembered_can_be_asked(text: str, about: str | None) -> None:
    found = memory_request(text)
    if about is None:
        assert found is None  # two sentences in one: read as a question
        return
    assert found is not None
    assert (found.kind, found.about) == ("list", about)


@pytest.mark.parametrize(
    ("text", "number", "about"),
    [
        ("Forget that.", None, ""),
        ("please forget it", None, ""),
        ("Forget number 3", 3, ""),
        ("forget #2!", 2, ""),
        ("Forget the second one.", 2, ""),
        ("forget the last finding", -1, ""),
        ("Forget the finding about North", None, "North"),
        ("Forget what you know about the channel", None, "the channel"),
        ("Don't remember that.", None, ""),
    ],
)
def test_forgetting_names_a_unit(text: str, number: int | None, about: str) -> None:
    found = memory_request(text)
    assert found is not None
    assert (found.kind, found.number, found.about) == ("forget", number, about)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("forget everything you know about the heating", "the heating"),
        ("Please delete what you know about revenue by region.", "revenue by region"),
        ("Forget all about North", "North"),
        ("remove North from your memory", "North"),
        ("erase your memory of North", "North"),
        ("delete all memories about kwh", "kwh"),
        ("wipe this dataset from your memory", ""),
        ("forget all of it", ""),
        ("Forget everything.", ""),
        ("clear your memory", ""),
        ("forget about this dataset", ""),
        ("delete everything you have stored on this data", ""),
    ],
)
def test_forgetting_may_mean_all_of_a_matter(text: str, about: str) -> None:
    found = memory_request(text)
    assert found is not None
    assert (found.kind, found.every, found.about) == ("forget", True, about)


@pytest.mark.parametrize(
    "text", ["forget that", "forget both", "forget all about it", "forget the finding about North"]
)
def test_forgetting_what_was_said_is_not_forgetting_all(text: str) -> None:
    found = memory_request(text)
    assert found is not None
    assert (found.kind, found.every) == ("forget", False)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("That is wrong: revenue is net of refunds.", "revenue is net of refunds"),
        ("That's not right, West was closed in May", "West was closed in May"),
        ("No, that is incorrect.", ""),
        ("Your finding about North is wrong because returns were counted", "returns were counted"),
        ("Number 2 is wrong", ""),
    ],
)
def test_a_correction_says_what_is_right(text: str, why: str) -> None:
    found = memory_request(text)
    assert found is not None
    assert (found.kind, found.why) == ("correct", why)


@pytest.mark.parametrize(
    "text",
    [
        "forget the weekly grain",
        "What do we know about revenue by region?",
        "Forget everything we found and start over: which region sells most?",
        "total revenue by region?",
        "Is it wrong to compare regions?",
        "Remove outliers",
        "forget what we know about waits and look again",
        "remove all of region North",
        "remove everything above 100",
        "drop what is missing",
        "delete the last 3 days from the analysis",
        "Always exclude region North.",
        "What do you think about the trend?",
        "",
    ],
)
def test_questions_and_rules_are_no_wishes_about_memory(text: str) -> None:
    assert memory_request(text) is None
