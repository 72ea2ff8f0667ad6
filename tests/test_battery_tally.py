"""Values reduced to how often each occurs give what the rows give, on tables of any size."""

import datetime as dt
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_generic

from datasets import Catalogue, Dataset
from datasets.battery import make_step, run_step
from datasets.battery._rows.tally import Tally, copies_of, tally_of
from datasets.battery._statistics.groups import Group, holm, q_values, welch_anova
from datasets.view import AnalysisView

NOW = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
ROWS = 240_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A long table in which both measures repeat: prices of five stores, the fifth the dearest."""
    folder = tmp_path_factory.mktemp("many")
    rng = np.random.default_rng(11)
    store = rng.integers(0, 5, ROWS)
    price = np.round(np.exp(rng.normal(2 + 0.3 * (store == 4), 0.4, ROWS)), 1) + 1e6
    count = rng.poisson(3, ROWS) + (price > 1e6 + 9).astype(int)
    day = np.datetime64("2024-01-01") + (np.arange(ROWS) * 90 // ROWS).astype("timedelta64[D]")
    cells = zip(day, store, price, count, strict=True)
    lines = ["day,store,price,pieces", *(f"{d},S{s},{p:.1f},{c}" for d, s, p, c in cells)]
    file = folder / "many.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return Catalogue(folder / "home", allow_paths=True).open(str(file), now=NOW)


@pytest.fixture
def view(many: Dataset) -> AnalysisView:
    return many.view()


def both(view: AnalysisView, values: str) -> tuple[Tally, Tally]:
    reduced = tally_of(view, values, [500])
    assert reduced.reduced
    return reduced, Tally(f"({values})")


def test_a_reduced_tally_says_what_the_rows_say(view: AnalysisView) -> None:
    values = "SELECT price::DOUBLE AS v FROM analysis WHERE store <> 'S1'"
    answers = []
    for tally in both(view, values):
        far = tally.only("v > 1000010").of("ln(v - 1000000)")
        answers.append(
            view.query(
                f"SELECT {tally.count()}, {tally.count('v > 1000010')}, {tally.mean()}, {tally.mean('v > 1000010')},"
                f" {tally.variance()}, {tally.variance(sample=False)}, {tally.skewness()}, {tally.quantile(0.31)},"
                f" unnest({tally.quantiles([0, 0.25, 0.5, 1])}), (SELECT {far.quantile(0.5)} FROM {far.rows})"
                f" FROM {tally.rows}"
            ).rows
        )
    assert len(answers[0]) == 4
    for reduced, plain in zip(*answers, strict=True):
        assert reduced == pytest.approx(plain, rel=1e-9)


def test_quantiles_of_groups_are_their_own(view: AnalysisView) -> None:
    values = "SELECT store AS g, pieces::DOUBLE AS v FROM analysis"
    tally = tally_of(view, values, [20, 5], by=["g"])
    assert tally.reduced
    found = view.query(f"SELECT g, {tally.quantile(0.9)}, {tally.variance()} FROM {tally.rows} GROUP BY g ORDER BY g")
    plain = view.query(f"SELECT g, quantile_cont(v, 0.9), var_samp(v) FROM ({values}) GROUP BY g ORDER BY g")
    assert [row[0] for row in found.rows] == [row[0] for row in plain.rows]
    assert [row[1:] for row in found.rows] == [pytest.approx(row[1:]) for row in plain.rows]


def test_values_that_hardly_repeat_are_read_as_they_are(view: AnalysisView) -> None:
    assert not tally_of(view, "SELECT price AS v FROM analysis", [ROWS]).reduced
    assert not tally_of(view, "SELECT price AS v FROM analysis", [None]).reduced
    rows = copies_of(view, "SELECT price, store FROM analysis", [500, None])
    assert view.query(f"SELECT count(*), sum(copies) FROM {rows}").rows == [(ROWS, ROWS)]
    pairs = copies_of(view, "SELECT pieces, store FROM analysis", [20, 5])
    assert view.query(f"SELECT count(*) < 200, sum(copies) FROM {pairs}").rows == [(True, ROWS)]


def test_steps_on_a_long_table_give_what_scipy_gives(view: AnalysisView) -> None:
    rows = view.query("SELECT price, pieces FROM analysis", limit_rows=ROWS).rows
    price, pieces = np.array(rows, dtype=float).T
    column = {"kind": "column", "columns": ["price"]}
    [related, *_] = run_step(
        make_step("relation", {"x": column, "y": {"kind": "column", "columns": ["pieces"]}}), view
    ).candidates
    test = {"spearman_rho": stats.spearmanr, "pearson_r": stats.pearsonr}[related.claim.value.unit or ""]
    assert related.claim.value.number == pytest.approx(test(price, pieces).statistic)
    outliers = run_step(make_step("outliers", {"measure": column, "method": "iqr"}), view).candidates[0]
    q1, q3 = np.quantile(price, [0.25, 0.75])
    beyond = (price < q1 - 1.5 * (q3 - q1)) | (price > q3 + 1.5 * (q3 - q1))
    assert outliers.claim.value.number == int(beyond.sum())
    for statement in outliers.sql:
        assert view.query(statement).rows
    compared = run_step(
        make_step("compare", {"metric": {"aggregate": "mean", "measure": column}, "dimension": "store"}), view
    ).candidates[0]
    assert compared.claim.value.text == "S4"
    assert compared.robust is True


def test_a_statement_is_answered_once(many: Dataset) -> None:
    view = many.view()
    first = view.query("SELECT store, count(*) FROM analysis GROUP BY 1 ORDER BY 1")
    read = view.meter.rows_scanned
    first.rows.clear()
    assert len(view.query("SELECT store, count(*) FROM analysis GROUP BY 1 ORDER BY 1").rows) == 5
    assert view.meter.rows_scanned == read == ROWS


def test_what_is_kept_is_read_instead_of_the_rows_and_changes_no_number(many: Dataset) -> None:
    subselect = "(SELECT store, count(*) AS n FROM analysis GROUP BY ALL)"
    statement = f"SELECT max(n) FROM {subselect} WHERE store <> 'S2'"
    view = many.view()
    expected = many.view().query(statement).rows
    view.keep(subselect)
    view.keep(subselect)
    read = view.meter.rows_scanned
    assert view.query(statement).rows == expected
    assert view.meter.rows_scanned == read == ROWS


def test_tests_of_groups_agree_with_statsmodels() -> None:
    rng = np.random.default_rng(5)
    groups = [Group(str(i), 5 + 7 * i, float(rng.normal(3, 1)), float(rng.uniform(0.1, 4))) for i in range(6)]
    means, variances, sizes = (np.array([getattr(g, name) for g in groups]) for name in ("mean", "var", "n"))
    tested = welch_anova(groups)
    assert tested is not None
    assert tested.p == pytest.approx(anova_generic(means, variances, sizes, use_var="unequal").pvalue)
    p_values = [0.03, 0.2, 0.001, 0.03, 0.9]
    assert q_values(p_values) == pytest.approx(list(multipletests(p_values, method="fdr_bh")[1]))
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))
    assert (q_values([]), holm([])) == ([], [])


def test_halves_are_cut_between_times(tmp_path: Path) -> None:
    """Equal times share a half, so that the cut does not depend on the order of rows."""
    rows = [f"2024-01-{1 + i // 30:02d},{'ab'[i % 2]},{(i % 2) * 5 + i % 7}" for i in range(300)]
    file = tmp_path / "halves.csv"
    file.write_text("day,team,score\n" + "\n".join(rows), encoding="utf-8")
    shuffled = tmp_path / "shuffled.csv"
    mixed = [rows[i] for i in np.random.default_rng(3).permutation(len(rows))]
    shuffled.write_text("day,team,score\n" + "\n".join(mixed), encoding="utf-8")
    params = {"metric": {"aggregate": "mean", "measure": {"kind": "column", "columns": ["score"]}}, "dimension": "team"}
    found = []
    for path in (file, shuffled):
        with Catalogue(tmp_path / "home", allow_paths=True).open(str(path), now=NOW) as dataset:
            [candidate, *_] = run_step(make_step("compare", params), dataset.view()).candidates
            found.append((candidate.statement, candidate.robust))
    assert found[0] == found[1]
    assert found[0][1] is True
