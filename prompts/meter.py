"""What a turn spends on its model, and what went wrong on the way."""

from collections.abc import Mapping
from typing import Any

from prompts.settings import ModelSettings
from prompts.trouble import LASTING, ModelTrouble

Json = dict[str, Any]


class Meter:
    """Counts the calls of one turn against its budget. Kept between phases as the JSON of `usage`; not for threads."""

    def __init__(self, settings: ModelSettings, spent: Mapping[str, Any] | None = None) -> None:
        """`spent`: the usage of earlier phases of the same turn."""
        self.settings = settings
        self.warnings: list[str] = []
        before = spent or {}
        self._phases: dict[str, Json] = {k: dict(v) for k, v in (before.get("phases") or {}).items()}
        self.closed: str | None = before.get("closed")
        """Why the model is not asked again in this turn."""

    @property
    def usage(self) -> Json:
        """Calls and tokens, in all and by phase; `cost_usd` where prices are known; `closed` where it is so."""
        total = {k: sum(p[k] for p in self._phases.values()) for k in ("calls", "input_tokens", "output_tokens")}
        usage: Json = {**total, "phases": {k: dict(v) for k, v in self._phases.items()}}
        if self.settings.price_in_usd or self.settings.price_out_usd:
            usage["cost_usd"] = round(self.settings.cost_usd(total["input_tokens"], total["output_tokens"]), 6)
        if self.closed:
            usage["closed"] = self.closed
        return usage

    @property
    def asked(self) -> bool:
        """Whether any call was made, or barred, so far in the turn."""
        return bool(self._phases) or self.closed is not None

    def admit(self, prompt_tokens: int) -> None:
        """Let a call of that size pass.

        :raises ModelTrouble: when the model is closed for this turn, or the call would pass its budget.
        """
        if self.closed:
            raise ModelTrouble("closed", self.closed)
        usage, limit = self.usage, self.settings
        if usage["input_tokens"] + usage["output_tokens"] + prompt_tokens > limit.turn_tokens:
            raise ModelTrouble("budget", f"the budget of {limit.turn_tokens:,} tokens a turn is used up")
        cost = limit.cost_usd(usage["input_tokens"] + prompt_tokens, usage["output_tokens"])
        if limit.turn_usd is not None and cost > limit.turn_usd:
            raise ModelTrouble("budget", f"the budget of {limit.turn_usd:g} USD a turn is used up")

    def count(self, phase: str, prompt_digest: str, input_tokens: int, output_tokens: int) -> None:
        """Add one call that was made, whatever came of it."""
        fresh: Json = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "prompt": prompt_digest}
        entry = self._phases.setdefault(phase, fresh)
        entry["calls"] += 1
        entry["input_tokens"] += input_tokens
        entry["output_tokens"] += output_tokens
        entry["prompt"] = prompt_digest

    def warn(self, text: str) -> None:
        """Keep a sentence for the report, each once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def note(self, what: str, trouble: ModelTrouble) -> None:
        """Say that the built-in analyst answers in the model's place. `what`: "to plan the battery".

        After a trouble that lasts, the model is closed for the turn and the sentence says so once.
        """
        if trouble.kind == "closed":
            return
        if trouble.kind in LASTING:
            self.closed = str(trouble)
            self.warn(f"The model was not used {what}: {trouble}. The built-in analyst answers the rest of this turn.")
        else:
            self.warn(f"The model was not used {what}: {trouble}. The built-in analyst did it instead.")
