"""Rules about a measure: held within quantiles, read from another column, calculated from others."""

from datetime import UTC, datetime
from typing import Any

import pytest

from analyst.notes.transcript import transcript
from analyst.protocol import Turn
from datasets import Catalogue, SchemaCard

_HEADER = "day,quantity,unit_price,revenue,net_revenue,cost,region"


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> SchemaCard:
    file = tmp_path_factory.mktemp("notes") / "sales.csv"
    rows = [f"2026-01-{i % 28 + 1:02d},{i % 7},{i % 5}.5,{i * 3}.5,{i * 2}.25,{i}.5,{'NSEW'[i % 4]}" for i in range(60)]
    file.write_text("\n".join([_HEADER, *rows]))
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=datetime(2026, 2, 1, tzinfo=UTC)) as d:
        return d.card


def product(*columns: str) -> dict[str, Any]:
    return {"kind": "product_of", "columns": list(columns), "values": [], "unit": None}


@pytest.mark.parametrize(
    ("said", "directive"),
    [
        (
            "Always winsorize revenue at 5% and 95%.",
            {"name": "winsorize", "column": "revenue", "low_0_1": 0.05, "high_0_1": 0.95},
        ),
        (
            "From now on cap cost at the 99th percentile.",
            {"name": "winsorize", "column": "cost", "low_0_1": 0.01, "high_0_1": 0.99},
        ),
        (
            "Use net_revenue instead of revenue from now on.",
            {"name": "use_column", "column": "net_revenue", "instead_of": "revenue"},
        ),
        (
            "Please always use net_revenue rather than revenue.",
            {"name": "use_column", "column": "net_revenue", "instead_of": "revenue"},
        ),
        (
            "For us revenue means quantity times unit_price.",
            {"name": "metric_definition", "metric": "revenue", "expression": product("quantity", "unit_price")},
        ),
        (
            "Revenue = quantity * unit_price, always.",
            {"name": "metric_definition", "metric": "revenue", "expression": product("quantity", "unit_price")},
        ),
    ],
)
def test_a_rule_about_a_measure_acts(card: SchemaCard, said: str, directive: dict[str, Any]) -> None:
    assert [n.directive for n in transcript([Turn(role="user", content=said)], card)] == [directive]


@pytest.mark.parametrize(
    "said",
    [
        "Is revenue higher than cost?",
        "Compute revenue minus cost by region.",
        "Always use the median instead of the mean.",
        "Always show region instead of revenue.",
        "By profit we always mean revenue minus taxes.",
    ],
)
def test_what_names_no_two_measures_does_not_act(card: SchemaCard, said: str) -> None:
    assert not any(n.directive for n in transcript([Turn(role="user", content=said)], card))


def test_a_later_rule_on_the_same_measure_takes_the_place_of_the_former(card: SchemaCard) -> None:
    talk = ["Always winsorize revenue at 5% and 95%.", "From now on winsorize revenue at 1% and 99% instead."]
    (note,) = transcript([Turn(role="user", content=t) for t in talk], card)
    assert note.directive == {"name": "winsorize", "column": "revenue", "low_0_1": 0.01, "high_0_1": 0.99}
