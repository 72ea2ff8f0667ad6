"""Planning: what is asked first, then exploration by relevance, past what is known, within a budget."""

from collections.abc import Mapping, Sequence
from typing import Any

from analyst.plans.deepening import leading_segment
from analyst.plans.planning import balances, plan_battery, repeated_values
from analyst.protocol import Ask, Intent, Known
from analyst_cards import SHOP
from datasets.measures import Filter, Measure, Metric
from datasets.schema import Column, SchemaCard
from datasets.steps import Step

HOURS = Measure(kind="column", columns=("hours",))
MEAN_HOURS = Metric(aggregate="mean", measure=HOURS)
TOOK = Measure(kind="duration", columns=("opened_at", "closed_at"), unit="days")


def column(name: str, role: Any, *values: str, distinct: int | None = None, sql_type: str = "VARCHAR") -> Column:
    """A column of 300 rows."""
    return Column(
        name=name, sql_type=sql_type, role=role, rows=300, nulls=0, distinct=distinct or len(values), values=values
    )


CARD = SchemaCard(
    dataset="tickets",
    rows=300,
    columns=(
        column("number", "identifier", distinct=300),
        column("opened_at", "time", distinct=300, sql_type="TIMESTAMP"),
        column("closed_at", "time", distinct=290, sql_type="TIMESTAMP"),
        column("category", "dimension", "Hardware", "Network", "Software"),
        column("priority", "dimension", "High", "Low"),
        column("manager", "dimension", *(f"Manager {i}" for i in range(30))),
        column("hours", "measure", distinct=90, sql_type="DOUBLE"),
        column("note", "text", *(f"the printer in room {i} fails" for i in range(40))),
    ),
    time_column="opened_at",
)
OPEN = Intent(question="Explore the distribution of tickets across categories", open=True, relevance={"category": 1.0})


def known(memory_id: str, signature: str | None = None, **subject: str) -> Known:
    """A prior finding."""
    return Known(
        memory_id=memory_id,
        memory_type="finding",
        summary="Hardware leads.",
        claim={"subject": subject, "value": {"text": "Hardware"}},
        signature=signature,
        confidence=0.9,
    )


def test_what_is_asked_comes_first_and_is_stated() -> None:
    ask = Ask(kind="extreme", metrics=(MEAN_HOURS,), dimensions=("category",), order="desc")
    intent = Intent(question="Which category takes most hours?", asks=(ask,), relevance={"hours": 1.0, "category": 1.0})
    plan = plan_battery(intent, CARD, [])
    first = plan.steps[0]
    assert (first.kind, first.stated) == ("answer", True)
    assert first.params["by"] == ["category"]
    assert not any(s.stated for s in plan.steps[1:])
    assert len(plan.steps) <= 7


def test_each_ask_becomes_the_step_of_its_kind() -> None:
    kinds = {
        "value": "answer", "trend": "trend", "change": "change", "compare": "compare", "share": "share",
        "relation": "relation", "distribution": "distribution", "outliers": "outliers", "quality": "quality_facts",
    }  # fmt: skip
    for kind, step_kind in kinds.items():
        ask = Ask.model_validate(
            {
                "kind": kind,
                "metrics": [MEAN_HOURS.model_dump()],
                "dimensions": ["category"] if kind != "relation" else [],
            }
        )
        plan = plan_battery(Intent(question="?", asks=(ask,)), CARD, [])
        assert plan.steps[0].kind == step_kind, kind
        assert plan.steps[0].stated


def test_an_open_question_is_explored_within_the_budget_and_says_what_was_left_out() -> None:
    plan = plan_battery(OPEN, CARD, [(TOOK, 0.8)], max_steps=12)
    assert len(plan.steps) == 12
    assert len({s.signature for s in plan.steps}) == 12
    assert len({s.kind for s in plan.steps}) >= 4
    assert {s["reason"] for s in plan.skipped} == {"beyond the budget of steps"}


def test_exploration_starts_with_the_columns_that_the_question_is_about() -> None:
    plan = plan_battery(OPEN, CARD, [])
    assert plan.steps[0].params.get("dimension") == "category"


def test_a_named_value_is_looked_into() -> None:
    intent = Intent(question="Analyse the hardware tickets", open=True, relevance={"category": 0.9})
    plan = plan_battery(intent, CARD, [])
    named = Filter(column="category", values=("Hardware",)).model_dump(mode="json", exclude_defaults=True)
    assert any(s.params.get("filters") == [named] for s in plan.steps)


def test_loads_per_head_are_measured_where_the_question_speaks_of_managers() -> None:
    intent = Intent(
        question="Are managers overloaded in some category?", open=True, relevance={"manager": 1.0, "category": 0.9}
    )
    metrics = [m["aggregate"] for s in plan_battery(intent, CARD, []).steps for m in s.params.get("metrics", []) if m]
    assert {"distinct", "rows_per_distinct"} <= set(metrics)


def test_no_explored_signature_is_planned_again_and_the_reason_names_the_finding() -> None:
    fresh = plan_battery(OPEN, CARD, [])
    prior = [known(f"m{i}", s.signature) for i, s in enumerate(fresh.steps)]
    plan = plan_battery(OPEN, CARD, [], known=prior)
    assert not {s.signature for s in plan.steps} & {s.signature for s in fresh.steps}
    assert plan.steps
    skipped = [s for s in plan.skipped if s["reason"].startswith("already known")]
    assert skipped
    assert {s["memory_id"] for s in skipped} <= {k.memory_id for k in prior}


def test_an_asked_step_that_is_known_is_not_run_but_marked_as_asked() -> None:
    intent = Intent(question="rows by category", asks=(Ask(kind="share", dimensions=("category",)),))
    asked = plan_battery(intent, CARD, []).steps[0]
    plan = plan_battery(intent, CARD, [], known=[known("m1", asked.signature)])
    assert asked.signature not in {s.signature for s in plan.steps}
    assert [s["memory_id"] for s in plan.skipped if s.get("asked")] == ["m1"]


def test_extending_goes_on_within_the_leading_segment_of_a_finding() -> None:
    prior = known("m1", "share{}", relation="share", metric="count(*)", dimension="category")
    plan = plan_battery(OPEN, CARD, [], known=[prior])
    built = [s for s in plan.steps if s.builds_on == "m1"]
    assert built
    assert all(s.params["filters"][0]["values"] == ["Hardware"] for s in built)
    assert leading_segment(known("m2", dimension="colour"), CARD) is None


def test_the_preferred_grain_is_used_unless_the_question_names_one() -> None:
    ask = Ask(kind="trend", metrics=(MEAN_HOURS,))
    plan = plan_battery(Intent(question="trend", asks=(ask,)), CARD, [], grain="week")
    assert plan.steps[0].params["grain"] == "week"
    named = ask.model_copy(update={"grain": "month"})
    plan = plan_battery(Intent(question="trend by month", asks=(named,)), CARD, [], grain="week")
    assert plan.steps[0].params["grain"] == "month"


def test_a_value_repeated_within_a_key_counts_once_and_is_not_explored() -> None:
    fact = {
        "kind": "repeated_value",
        "claim": {"subject": {"metric": "repeated_value", "column": "hours", "against": "number"}},
    }
    assert repeated_values([], [fact]) == {"hours": "number"}
    total = Metric(aggregate="sum", measure=HOURS)
    intent = Intent(question="total hours", asks=(Ask(kind="value", metrics=(total,)),), relevance={"hours": 1.0})
    plan = plan_battery(intent, CARD, [], facts=[fact])
    assert plan.steps[0].params["once_per"] == "number"
    assert not any("hours" in str(s.params.get("metric")) for s in plan.steps[1:])


def test_a_balance_is_never_added_up_over_time() -> None:
    fact = {
        "kind": "balance",
        "claim": {"subject": {"metric": "balance", "column": "order_total", "against": "region"}},
    }
    assert balances([], [fact]) == {"order_total"}
    intent = Intent(question="What stands out?", open=True)

    def sums(facts: Sequence[Mapping[str, Any]]) -> list[Step]:
        plan = plan_battery(intent, SHOP, [], facts=facts)
        assert bool(facts) is any("order_total is a balance" in s["reason"] for s in plan.skipped)
        metrics = [(s, s.params.get("metric") or {}) for s in plan.steps]
        return [s for s, m in metrics if "order_total" in str(m) and m.get("aggregate") == "sum"]

    assert sums([])
    assert not sums([fact])


def test_an_unclear_question_plans_nothing() -> None:
    plan = plan_battery(Intent(question="??", unclear="I cannot read that."), CARD, [])
    assert plan.steps == ()
    assert plan.skipped[0]["reason"] == "I cannot read that."


def test_questions_about_repeats_see_the_repeats() -> None:
    repeats = Intent(question="Investigate repeated identical tickets", open=True)
    assert plan_battery(repeats, CARD, []).without == ("dedupe",)
    assert plan_battery(OPEN, CARD, []).without == ()


def test_an_ask_that_does_not_fit_the_dataset_is_left_out_with_the_reason() -> None:
    bad = Ask(kind="value", metrics=(MEAN_HOURS,), top=999)
    plan = plan_battery(Intent(question="?", asks=(bad,)), CARD, [])
    assert [s["what"] for s in plan.skipped if s.get("stated")]


def test_an_overview_of_one_number_is_also_said_per_period_of_the_preferred_grain() -> None:
    total = Metric(aggregate="sum", measure=HOURS)
    intent = Intent(question="Hours overview", asks=(Ask(kind="value", metrics=(total,)),), open=True)
    stated = [s.params.get("grain") for s in plan_battery(intent, CARD, [], grain="month").steps if s.stated]
    assert stated == [None, "month"]
    assert [s.params.get("grain") for s in plan_battery(intent, CARD, []).steps if s.stated] == [None]


def test_what_drives_a_target_is_looked_for_among_numbers_and_groups() -> None:
    ask = Ask(kind="relation", metrics=(MEAN_HOURS,), options={"screen": "target"})
    plan = plan_battery(Intent(question="What drives hours?", asks=(ask,), relevance={"hours": 1.0}), CARD, [])
    stated = [s for s in plan.steps if s.stated]
    assert stated[0].kind == "relation"
    assert {s.params["dimension"] for s in stated[1:]} >= {"category", "priority"}


def test_a_question_that_names_nothing_looks_at_money_first_and_at_all_measures() -> None:
    intent = Intent(question="What stands out?", asks=(Ask(kind="open"),), open=True)
    plan = plan_battery(intent, SHOP, [])
    compared = [
        s.params["metric"]["measure"]["columns"] for s in plan.steps if s.kind == "compare" and s.params["metric"]
    ]
    assert compared[0] == ["order_total"]
    assert ["qty"] in compared
