"""Choosing the prior finding that a question is about."""

from analyst.priors.choosing import choose_prior, narrower
from analyst.protocol import Ask, Intent, Known
from datasets.measures import Filter, Measure, Metric

PRIOR = [
    Known(
        memory_id="trend",
        memory_type="finding",
        summary="Revenue rises by 2% a month from January to August.",
        claim={"subject": {"relation": "trend", "metric": "sum(revenue)"}, "value": {"direction": "up"}},
    ),
    Known(
        memory_id="north",
        memory_type="finding",
        summary="North has the highest revenue: 60,000 of 100,000 (60%).",
        claim={
            "subject": {"relation": "share", "metric": "sum(revenue)", "dimension": "region"},
            "value": {"text": "North", "number": 0.6},
        },
    ),
    Known(
        memory_id="returns",
        memory_type="finding",
        summary="The share of returned orders does not differ between channels.",
        claim={"subject": {"relation": "difference", "metric": "share(returned)", "dimension": "channel"}, "value": {}},
    ),
]
NORTH_SUBJECT = {"relation": "share", "metric": "sum(revenue)", "dimension": "region"}
REVENUE = Metric(aggregate="sum", measure=Measure(kind="column", columns=("revenue",)))


def test_the_claim_with_the_asked_columns_and_segment_is_chosen() -> None:
    question = "Does North still have the highest revenue of all regions?"
    ask = Ask(
        kind="extreme",
        metrics=(REVENUE,),
        dimensions=("region",),
        filters=(Filter(column="region", values=("North",)),),
    )
    intent = Intent(question=question, asks=(ask,), relevance={"revenue": 0.9, "region": 0.9})
    chosen = choose_prior(question, intent, PRIOR)
    assert chosen is not None
    assert chosen.memory_id == "north"


def test_the_kind_of_question_tells_claims_on_the_same_column_apart() -> None:
    question = "Is revenue still growing?"
    intent = Intent(question=question, asks=(Ask(kind="trend", metrics=(REVENUE,)),), relevance={"revenue": 0.9})
    chosen = choose_prior(question, intent, PRIOR)
    assert chosen is not None
    assert chosen.memory_id == "trend"


def test_words_choose_where_the_intent_is_empty() -> None:
    question = "Check again that returned orders do not differ between channels"
    chosen = choose_prior(question, Intent(question=question), PRIOR)
    assert chosen is not None
    assert chosen.memory_id == "returns"


def test_nothing_is_chosen_where_nothing_fits() -> None:
    question = "How many employees work in the warehouse?"
    assert choose_prior(question, Intent(question=question, relevance={"staff": 0.9}), PRIOR) is None
    assert choose_prior(question, Intent(question=question), []) is None


def test_preferences_are_never_chosen() -> None:
    question = "revenue by week"
    preference = Known(memory_id="p", memory_type="user_preference", summary="revenue by week")
    assert choose_prior(question, Intent(question=question), [preference]) is None


def test_a_claim_about_all_rows_goes_before_one_about_a_part_that_is_not_named() -> None:
    part = PRIOR[1].model_copy(
        update={
            "memory_id": "north in May",
            "claim": {
                "subject": {**NORTH_SUBJECT, "filters": "month eq [May]"},
                "value": {"text": "North", "number": 0.6},
            },
            "summary": "North has the highest revenue where month is May: 60 of 100 (60%).",
        }
    )
    question = "Does North still have the highest revenue?"
    ask = Ask(kind="extreme", metrics=(REVENUE,), dimensions=("region",))
    intent = Intent(question=question, asks=(ask,), relevance={"revenue": 0.9, "region": 0.9})
    chosen = choose_prior(question, intent, [part, *PRIOR])
    assert chosen is not None
    assert chosen.memory_id == "north"


def test_another_finding_that_fits_as_well_is_named() -> None:
    question = "Does North still have the highest revenue of all regions?"
    intent = Intent(question=question, relevance={"revenue": 0.9, "region": 0.9})
    twin = PRIOR[1].model_copy(update={"memory_id": "twin", "age_days": 30.0})
    chosen = choose_prior(question, intent, [twin, *PRIOR])
    assert chosen is not None
    assert (chosen.memory_id, chosen.rival) == ("north", twin.summary)
    alone = choose_prior(question, intent, PRIOR)
    assert alone is not None
    assert alone.rival is None


def test_a_finding_that_leaves_out_what_is_asked_about_is_not_chosen() -> None:
    south = Filter(column="region", values=("South",))
    ask = Ask(kind="relation", metrics=(REVENUE,), dimensions=("discount",), filters=(south,))
    relevance = {"revenue": 1.0, "discount": 1.0, "region": 0.9}
    question = "Is revenue in South still unrelated to discount?"
    assert choose_prior(question, Intent(question=question, asks=(ask,), relevance=relevance), PRIOR) is None
    growing = Ask(kind="trend", metrics=(REVENUE,), filters=(south,))
    other = PRIOR[0].model_copy(
        update={"claim": {"subject": {"relation": "trend", "metric": "sum(revenue)", "filters": "region eq [North]"}}}
    )
    both = Intent(question="Is revenue in South still growing?", asks=(ask, growing), relevance=relevance)
    chosen = choose_prior(both.question, both, [other, PRIOR[1]])
    assert chosen is not None
    assert chosen.memory_id == "north"


def test_a_claim_on_a_part_that_the_question_does_not_name_is_narrower() -> None:
    assert narrower("region eq [North]", Intent(question="Is revenue still stable?"))
    assert not narrower("region eq [North]", Intent(question="Is revenue still stable in north?"))
    assert not narrower(None, Intent(question="Is revenue still stable?"))
