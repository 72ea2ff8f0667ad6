"""What a process wants of its model: which one, how long to wait, what it may cost and what it may see."""

from dataclasses import dataclass, field
from typing import Literal

Shares = Literal["values", "schema"]


@dataclass(frozen=True)
class ModelSettings:
    """Settings of the model. Without a `name` no client is made; the limits hold for a model handed in as well.

    `shares`: "values" sends samples, evidence and the talk; "schema" sends column names and types, the question and
    the user's own words, and never a cell value.
    """

    name: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    shares: Shares = "values"
    timeout_s: float = 60.0
    """Longest wait for one reply, streamed or not."""
    retries: int = 2
    """Further tries where the network or the server is at fault; a reply that came is never asked for again so."""
    context_tokens: int = 32_000
    """What the model can read at once; prompts shrink to 60 % of it. Below 4,000 the forms of replies leave no room."""
    output_tokens: int = 4_000
    turn_tokens: int = 80_000
    """Most tokens, in and out, of one turn."""
    turn_usd: float | None = None
    """Most money of one turn; needs the prices."""
    price_in_usd: float = 0.0
    """Per million tokens."""
    price_out_usd: float = 0.0
    """Per million tokens."""

    def cost_usd(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost; 0 without prices."""
        return (input_tokens * self.price_in_usd + output_tokens * self.price_out_usd) / 1e6
