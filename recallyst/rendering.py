"""Templates of what is shown as HTML: every text from data is escaped."""

from dataclasses import dataclass
from functools import cache
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def environment() -> Environment:
    """Return the templates with the filters that they use."""
    made = Environment(
        loader=PackageLoader("recallyst", "assets"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters["days"] = lambda d: "today" if d < 1 else f"{d:.0f} days ago"
    made.filters["p"] = lambda p: f"{p:.3g}" if p >= 0.001 else "< 0.001"
    made.filters["plain"] = lambda text: str(text).replace("_", " ")
    made.filters["blocks"] = _blocks
    made.filters["figure"] = lambda v: f"{v:.3g}" if isinstance(v, float) else str(v)
    return made


@dataclass(frozen=True)
class _Block:
    """A paragraph of the answer, or a list."""

    text: str
    items: tuple[str, ...] = ()


def _blocks(answer: str) -> list[_Block]:
    """Split the plain Markdown of an answer into paragraphs and lists."""
    blocks: list[_Block] = []
    for is_list, lines in groupby((line for line in answer.splitlines() if line.strip()), lambda x: x.startswith("- ")):
        if is_list:
            blocks.append(_Block("", tuple(line[2:] for line in lines)))
        else:
            blocks += [_Block(line) for line in lines]
    return blocks
