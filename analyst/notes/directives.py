"""What a rule makes the engine do: directives read from its words against the schema card."""

from analyst.notes.acts import Act
from analyst.notes.codes import code_acts, dedupe_acts, sentinel_acts
from analyst.notes.conditions import Condition
from analyst.notes.exclusions import filter_acts, recent_acts
from analyst.notes.grain import grain_acts
from analyst.notes.measures import measure_acts
from datasets.schema import SchemaCard


def acts_of(
    text: str, card: SchemaCard | None, *, recent: Condition | None = None, core: str | None = None
) -> list[Act]:
    """Read what a rule asks of the engine.

    `recent` is the condition that "those rows" means when the text names none. `core` is the part of the text that
    states the rule; a grain is read from nothing else, since complaints name the unwanted one.
    """
    out: list[Act] = measure_acts(text, card)
    if out:
        return out
    out += sentinel_acts(text, card) or code_acts(text, card)
    out += dedupe_acts(text, card)
    recently = recent_acts(text, card)
    out += recently
    if not recently and not any(a.kind in {"sentinel", "dedupe"} for a in out):
        out += filter_acts(text, card, recent)
    if not out:
        out += grain_acts(core or text, card)
    return out
