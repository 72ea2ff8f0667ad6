"""What a person settles about the reading of a file, where the evidence in it is not enough or misleads."""

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from datasets.loading.dates import Order


class Overrides(BaseModel):
    """Settled by the catalogue entry; what is None (or empty) is decided from the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str | None = Field(default=None, description="the sheet, table or file that is analysed, by its name")
    date_order: Order | None = Field(default=None, description="for dates that fit both orders, or mix them")
    decimal: Literal["comma", "point"] | None = Field(default=None, description="the decimal sign of all numbers")
    encoding: str | None = Field(default=None, description="of the text, as Python names it, e.g. cp1250")
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    header_line: int | None = Field(
        default=None, ge=1, description="the record, from 1, that names the columns; blank lines do not count"
    )
    as_text: tuple[str, ...] = Field(default=(), description="columns whose cells stay as they are written")

    keep_wide: bool = Field(default=False, description="columns that are years, months or dates stay columns")

    @property
    def digest(self) -> str:
        """Empty where nothing is settled, else 16 hex digits: the same bytes read in another way are other data."""
        settled = self.model_dump_json(exclude_defaults=True)
        return "" if settled == "{}" else hashlib.blake2b(settled.encode(), digest_size=8).hexdigest()
