"""Each chart spec renders, keeps data apart from expressions, and shows what is incomplete."""

import json
from typing import Any

import pytest
import vl_convert

from datasets import charts
from datasets.charts import (
    Bar,
    Bin,
    Cell,
    Part,
    Point,
    bar_chart,
    histogram_chart,
    line_chart,
    scatter_chart,
    waterfall_chart,
)

HOSTILE = 'a\'); alert(1) // <b>"x" datum.y'


def svg(spec: dict[str, Any]) -> str:
    json.dumps(spec, allow_nan=False)
    text: str = vl_convert.vegalite_to_svg(spec, vl_version="6.4")
    assert text.startswith("<svg")
    return text


def months(values: list[float], *, incomplete: tuple[int, ...] = (), series: str | None = None) -> list[Point]:
    return [Point(f"2023-{i + 1:02d}-01", v, series, i not in incomplete) for i, v in enumerate(values)]


def dashed(spec: dict[str, Any]) -> list[str]:
    return [row["when"] for row in spec["data"]["values"] if row["part"] == "incomplete"]


def solid(spec: dict[str, Any]) -> list[str]:
    return [row["when"] for row in spec["data"]["values"] if row["part"] == "complete"]


def test_exports_are_the_builders_and_their_rows() -> None:
    assert charts.__all__ == [
        "Bar",
        "Bin",
        "Cell",
        "NumberStyle",
        "Part",
        "Point",
        "Spec",
        "bar_chart",
        "histogram_chart",
        "line_chart",
        "picture",
        "scatter_chart",
        "waterfall_chart",
    ]


def test_line_dashes_the_stretch_into_the_incomplete_last_period() -> None:
    spec = line_chart(months([5, 6, 7, 2], incomplete=(3,)), title="Rows", x_title="opened", y_title="rows")
    assert solid(spec) == ["2023-01-01", "2023-02-01", "2023-03-01"]
    assert dashed(spec) == ["2023-03-01", "2023-04-01"]
    assert spec["title"]["subtitle"] == "dashed: incomplete period"
    assert "stroke-dasharray" in svg(spec)


def test_line_dashes_both_ends_as_separate_pieces() -> None:
    spec = line_chart(months([1, 6, 7, 2], incomplete=(0, 3)), title="Rows", x_title="opened", y_title="rows")
    assert dashed(spec) == ["2023-01-01", "2023-02-01", "2023-03-01", "2023-04-01"]
    assert len({row["piece"] for row in spec["data"]["values"] if row["part"] == "incomplete"}) == 2
    svg(spec)


def test_line_without_incomplete_periods_has_no_dashes() -> None:
    spec = line_chart(months([5, 6, 7]), title="Rows", x_title="opened", y_title="rows", style="count")
    assert dashed(spec) == []
    assert "stroke-dasharray" not in svg(spec)


def test_an_axis_of_counts_has_no_ticks_between_whole_numbers() -> None:
    spec = line_chart([Point("2024-01-01", 1.0), Point("2024-02-01", 3.0)], title="t", x_title="x", y_title="y",
                      style="count")  # fmt: skip
    assert json.dumps(spec).count('"tickMinStep": 1') >= 1


def test_line_draws_several_series_gaps_and_a_reference() -> None:
    points = [
        *months([1.5, 2.5, 3.5], series="North"),
        Point("2023-01-01", 1.0, "South"),
        Point("2023-02-01", None, "South"),
    ]
    fit = [Point("2023-01-01", 1.0), Point("2023-03-01", 3.0)]
    text = svg(line_chart(points, title="T", x_title="x", y_title="y", reference=fit))
    assert "North" in text
    assert "South" in text


def test_line_reads_times_as_utc_whatever_the_reader_s_zone() -> None:
    spec = line_chart([Point("2023-01-01T05:00:00", 1.0)], title="T", x_title="x", y_title="y")
    assert spec["data"]["values"][0]["x"] == "2023-01-01T05:00:00Z"
    assert spec["layer"][0]["encoding"]["x"]["scale"] == {"type": "utc"}


def test_bars_are_sorted_cut_and_say_what_is_left_out() -> None:
    bars = [Bar(f"g{i}", float(i)) for i in range(25)]
    spec = bar_chart(bars, title="T", value_title="rows", name_title="group", style="count")
    assert [row["name"] for row in spec["data"]["values"]][:2] == ["g24", "g23"]
    assert len(spec["data"]["values"]) == 20
    assert spec["title"]["subtitle"] == "5 more not shown"
    svg(spec)


def test_bars_show_intervals_the_overall_value_and_the_highlight() -> None:
    bars = [Bar("IT", 0.442, 0.30, 0.59), Bar("HR", 0.1)]
    spec = bar_chart(
        bars, title="T", value_title="share", name_title="d", style="percent", highlight=["IT"], baseline=0.092
    )
    assert len(spec["layer"]) == 3
    text = svg(spec)
    assert "#D55E00" in text or "213, 94, 0" in text
    assert "50.0%" in text or "40.0%" in text


def test_bars_keep_the_given_order_when_asked() -> None:
    spec = bar_chart([Bar("Low", 1.0), Bar("High", 9.0)], title="T", value_title="v", name_title="p", ordered=True)
    assert [row["name"] for row in spec["data"]["values"]] == ["Low", "High"]


def test_histogram_marks_mean_and_median() -> None:
    spec = histogram_chart(
        [Bin(0, 10, 4), Bin(10, 20, 2)], title="T", x_title="fare", marks=[("mean", 8.0), ("median", 6.0)]
    )
    text = svg(spec)
    assert "median" in text


def test_scatter_sizes_binned_cells_and_draws_the_line() -> None:
    spec = scatter_chart([Cell(1, 2, 5), Cell(2, 4)], title="T", x_title="x", y_title="y", line=((1, 2), (2, 4)))
    assert "size" in spec["layer"][0]["encoding"]
    svg(spec)
    assert "size" not in scatter_chart([Cell(1, 2)], title="T", x_title="x", y_title="y")["layer"][0]["encoding"]


def test_waterfall_ends_at_start_plus_deltas_and_joins_the_rest() -> None:
    parts = [Part(f"p{i}", 1.0) for i in range(12)] + [Part("down", -20.0)]
    spec = waterfall_chart(parts, start=100.0, title="T", value_title="v", start_name="June", end_name="July")
    rows = spec["data"]["values"]
    assert rows[-1]["value"] == pytest.approx(92.0)
    assert rows[-2] == {
        "name": "other (3)",
        "from": 110.0,
        "to": 92.0,
        "value": -18.0,
        "kind": "down",
        "order": 11,
    }
    svg(spec)


def test_names_from_the_data_are_only_ever_text() -> None:
    spec = bar_chart([Bar(HOSTILE, 1.0)], title=HOSTILE, value_title=HOSTILE, name_title=HOSTILE)
    encodings = json.dumps([layer["encoding"]["y"]["field"] for layer in spec["layer"]])
    assert encodings == '["name"]'
    assert "alert(1)" in svg(spec)
    assert "<b>" not in svg(spec)
