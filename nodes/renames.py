"""Prior findings under the names that the columns of the data have now."""

import re
from collections.abc import Mapping
from typing import Any

from datasets import Dataset
from datasets.snapshot import compare
from datasets.steps import Step
from graph.services import Services
from graph.state import Json, State
from nodes.retesting import when_confirmed


def under_new_names(state: State, services: Services, dataset: Dataset, prior: list[Json]) -> list[Json]:
    """Return the cards with claim and step under today's names; `renamed` tells former to new name.

    A column is the same under another name where the snapshot of the day on which the finding was last confirmed and
    the one of today hold the same in it. What has no such column stays as it is.
    """
    known = {c.name for c in dataset.card.columns}
    found: dict[str, Mapping[str, str]] = {}
    cards = []
    for card in prior:
        confirmed = card["last_confirmed"]
        if confirmed not in found:
            then = when_confirmed(state, services, card)
            gone = then is not None and not then.columns.keys() <= known
            found[confirmed] = compare(then, dataset.snapshot()).columns_renamed if then and gone else {}
        cards.append(_renamed(card, found[confirmed]) if found[confirmed] else card)
    return cards


def _renamed(card: Json, names: Mapping[str, str]) -> Json:
    claim, step = card["claim"] or {}, card["step"]
    subject = {k: _in_text(v, names) for k, v in (claim.get("subject") or {}).items()}
    again = {**step, "params": _in_params(step["params"], names)} if step else step
    if subject == claim.get("subject") and again == step:
        return card
    signature = Step.model_validate(again).signature if again else card["signature"]
    return {**card, "claim": {**claim, "subject": subject}, "step": again, "signature": signature, "renamed": names}


def _in_params(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {k: _in_params(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [_in_params(v, names) for v in value]
    return names.get(value, value) if isinstance(value, str) else value


def _in_text(value: Any, names: Mapping[str, str]) -> Any:
    """Replace whole names in the text of a subject: mean(kwh), queue eq [Billing]."""
    if not isinstance(value, str):
        return value
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(names, key=len, reverse=True))
    return re.sub(pattern, lambda m: names[m.group()], value)
