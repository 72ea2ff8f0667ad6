"""The step: one typed unit of analysis with a canonical signature."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Step(BaseModel):
    """A kind of step with parameters. Build it with `datasets.battery.make_step`, which validates and normalises."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    params: dict[str, Any] = Field(default_factory=dict, description="normalised, JSON-able, defaults left out")
    reason: str = Field(default="", description="why it is in the plan; not part of the signature")
    stated: bool = Field(default=False, description="stated before looking: by the question or by a prior finding")
    builds_on: str | None = Field(default=None, description="memory_id of the prior finding it starts from")
    proposed: bool = Field(default=False, description="added by a model to what the built-in analyst drafted")

    @property
    def signature(self) -> str:
        """Kind and parameters in canonical form; equal signatures measure the same thing on the same data."""
        return f"{self.kind}{json.dumps(self.params, sort_keys=True, ensure_ascii=False, separators=(',', ':'))}"
