"""What a number or a yes/no depends on, the other columns held equal; statsmodels is the other opinion."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.outliers_influence import variance_inflation_factor

from analyst.plans.planning import plan_battery
from analyst.questions.understanding import understand
from analyst_cards import column, measure
from datasets import Catalogue
from datasets.battery import make_step, run_step
from datasets.battery._statistics.adjusted import area_under_curve, inflation, least_squares, logistic
from datasets.evidence import StepResult
from datasets.schema import SchemaCard

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CHARGES = {"kind": "column", "columns": ["charges"]}
LEFT = {"kind": "indicator", "columns": ["left"], "values": ["yes"]}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """900 rows: charges by smoking and age, twice the charges as a copy, and who left by plan."""
    rng = np.random.default_rng(4)
    rows = []
    for i in range(900):
        smoker, age, noise, plan = rng.random() < 0.3, rng.integers(20, 60), rng.normal(), ("basic", "pro")[i % 2]
        charges = 1000 + 5000 * smoker + 50 * age + rng.normal(0, 600)
        left = rng.random() < (0.35 if plan == "basic" else 0.12)
        yes = ("no", "yes")
        rows.append(f"{i},{yes[smoker]},{age},{noise:.3f},{plan},{charges:.2f},{2 * charges:.2f},{yes[left]}")
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("\n".join(["id,smoker,age,noise,plan,charges,doubled,left", *rows]) + "\n", encoding="utf-8")
    return path


def influencers(file: Path, target: dict[str, Any], **params: Any) -> StepResult:
    with Catalogue(file.parent / "home", allow_paths=True).open(str(file), now=NOW) as dataset:
        return run_step(make_step("influencers", {"measure": target, **params}), dataset.view())


def test_the_models_are_those_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    x[:, 2] += x[:, 0]
    y = x @ np.array([1.0, 0.5, 0.0]) + rng.normal(size=300) * (1 + np.abs(x[:, 0]))
    mine, theirs = least_squares(x, y), sm.OLS(y, sm.add_constant(x)).fit(cov_type="HC3")
    assert mine.beta == pytest.approx(theirs.params)
    assert np.sqrt(np.diag(mine.covariance)) == pytest.approx(theirs.bse)
    assert mine.explained == pytest.approx(theirs.rsquared)
    assert mine.p_of([0, 1]) == pytest.approx(theirs.wald_test(np.eye(4)[1:3], scalar=True, use_f=False).pvalue)
    with_constant = sm.add_constant(x)
    assert inflation(x) == pytest.approx([variance_inflation_factor(with_constant, i) for i in (1, 2, 3)])
    yes = (y > 0).astype(float)
    fit, logit = logistic(x, yes), sm.Logit(yes, sm.add_constant(x)).fit(disp=0)
    assert fit is not None
    assert fit.beta == pytest.approx(logit.params, rel=1e-5)
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(logit.bse, rel=1e-4)
    assert fit.explained == pytest.approx(logit.prsquared)


def test_separated_data_have_no_model_and_a_chance_has_its_area() -> None:
    x = np.linspace(-1, 1, 40)[:, None]
    assert logistic(x, (x[:, 0] > 0).astype(float)) is None
    assert area_under_curve(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, 0.0, 1.0])) == 0.75


def test_the_planted_influences_are_told_in_their_order(file: Path) -> None:
    (found,) = influencers(file, CHARGES).candidates
    assert found.claim.value.text == "smoker"
    assert "smoker tells most about charges: smoker yes" in found.statement
    assert found.statement.index("smoker yes") < found.statement.index("age +")
    assert "Hardly anything is added by" in found.statement
    assert "Left out is doubled, of which charges is all but a copy." in found.statement
    assert found.effect is not None
    assert found.effect.name == "r_squared"
    assert found.effect.value > 0.9


def test_a_yes_or_no_is_told_in_odds(file: Path) -> None:
    (found,) = influencers(file, LEFT).candidates
    assert found.claim.value.text == "plan"
    assert "times (95% CI" in found.statement
    assert "the model ranks" in found.statement


def test_none_and_too_few_are_said(file: Path) -> None:
    (none,) = influencers(file, CHARGES, columns=["noise", "left"]).candidates
    assert none.null
    assert "No column is shown to have an influence of its own on charges" in none.statement
    few = influencers(file, CHARGES, filters=[{"column": "id", "op": "lt", "values": [20]}])
    assert few.skipped is not None
    assert "too few" in few.skipped
    same = influencers(file, CHARGES, filters=[{"column": "smoker", "values": ["no"]}], columns=["doubled"])
    assert same.skipped is not None
    assert "doubled all but equals charges" in same.skipped
    constant = influencers(file, {"kind": "indicator", "columns": ["plan"], "values": ["none"]})
    assert constant.skipped is not None
    assert "is the same in all 900 rows" in constant.skipped


@pytest.mark.parametrize(
    ("question", "target"),
    [
        ("what drives charges?", ["charges"]),
        ("which factors influence charges?", ["charges"]),
        ("what are the key drivers of charges?", ["charges"]),
        ("why do people leave?", ["left"]),
        ("what drives attrition?", ["left"]),
    ],
)
def test_what_something_depends_on_is_the_first_step(question: str, target: list[str]) -> None:
    card = SchemaCard(
        dataset="people",
        rows=900,
        columns=(
            column("smoker", "boolean", values=("no", "yes"), distinct=2, rows=900),
            measure("age"),
            measure("charges"),
            column("left", "boolean", values=("no", "yes"), distinct=2, rows=900),
        ),
    )
    step = plan_battery(understand(question, card), card, ()).steps[0]
    assert step.kind == "influencers"
    assert step.params["measure"]["columns"] == target
