"""What the steps of asks have in common: the setting they are read against, their scope, measures and words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analyst.plans.drafts import dumped
from analyst.protocol import Ask
from datasets.measures import Grain, Measure, Metric, Window
from datasets.schema import SchemaCard


@dataclass(frozen=True)
class Setting:
    """What asks are read against.

    `grain`: the preferred grain, where the question names none. `repeated`: column → key within which its value is
    repeated, so that it counts once per key. `dimensions`: what a change is split over where the question names none.
    `overview`: the question wants an overview, so that one number is also said per period of the preferred grain.
    """

    card: SchemaCard
    grain: Grain | None = None
    repeated: Mapping[str, str] = field(default_factory=dict)
    dimensions: tuple[str, ...] = ()
    overview: bool = False


def once_per(metrics: Sequence[Metric], repeated: Mapping[str, str]) -> dict[str, str]:
    """The parameter that counts a repeated value once per key; empty where nothing repeats or keys differ."""
    keys = {repeated[c] for m in metrics for c in m.measure.columns if c in repeated}
    return {"once_per": keys.pop()} if len(keys) == 1 else {}


def row_by_row(metric: Metric) -> Metric:
    """A ratio of totals as the mean of the ratios of the rows; other metrics as they are."""
    return metric.model_copy(update={"aggregate": "mean"}) if metric.aggregate == "pooled" else metric


def scope_of(ask: Ask) -> dict[str, Any]:
    """Filters and window as step parameters."""
    return {"filters": [dumped(f) for f in ask.filters], "window": window_of(ask.window)}


def window_of(window: Window | None) -> dict[str, Any] | None:
    """A window as a step parameter."""
    return None if window is None else dict(window.model_dump(mode="json", exclude_defaults=True))


def time_of(ask: Ask, card: SchemaCard) -> str | None:
    """The time column that an ask is about."""
    return ask.window.column if ask.window else card.time_column


def measures_of(ask: Ask, card: SchemaCard, *, named: bool = True) -> list[Measure]:
    """The measures an ask names: those of its metrics, then the columns it names; each once."""
    found = [m.measure for m in ask.metrics if m.measure.kind != "rows"]
    if named and len(found) < 2:
        found += [Measure(kind="column", columns=(name,)) for name in ask.columns if card.has(name)]
    return list({m.key: m for m in found}.values())


def metrics_words(metrics: Sequence[Metric]) -> str:
    """Metrics as a person would list them."""
    return ", ".join(m.words for m in metrics)


def by_words(dimensions: Sequence[str]) -> str:
    """ " by region and year", or nothing."""
    return f" by {' and '.join(dimensions[:2])}" if dimensions else ""
