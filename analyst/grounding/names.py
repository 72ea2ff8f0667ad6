"""Other names of groups in sentences: women for "female", smokers for "smoker yes", non-smokers for "smoker no"."""

import re
from functools import lru_cache

SPOKEN = {"male": r"men|man|males|boys?", "female": r"women|woman|females|girls?"}
_YES_OR_NO = re.compile(r"(?P<what>[a-z][a-z_ ]*) (?P<side>yes|no|true|false|1|0)")
_NUMBERED = re.compile(r"(?P<what>[a-z][\w ]*) (?P<value>\d+|yes|no|true|false)")
_AGENT = re.compile(r"(?:er|or|ist|ee|ant|ent)$")
_YES = frozenset({"yes", "true", "1"})
_OPPOSITE = {"yes": "no", "no": "yes", "true": "false", "false": "true", "1": "0", "0": "1"}


@lru_cache(maxsize=4_096)
def name_pattern(label: str) -> re.Pattern[str]:
    """Return the pattern of what a group is called in a text in lower case: its name, and what people say for it."""
    names = [re.escape(label)]
    if label in SPOKEN:
        names.append(SPOKEN[label])
    of_column = _NUMBERED.fullmatch(label)
    if of_column:
        names.append(rf"{re.escape(of_column['what'])} (?:is |= ?|of ){of_column['value']}")
    told = _YES_OR_NO.fullmatch(label)
    if told and told["side"] in _YES and told["what"].endswith("ed"):
        names.append(rf"{re.escape(told['what'][:-2])}[eo]rs")
    if told and _AGENT.search(told["what"]):
        who = re.escape(told["what"])
        names.append(rf"(?<!non-)(?<!non )(?<!not ){who}s" if told["side"] in _YES else rf"non[- ]?{who}s?")
    return re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)")


def opposite(label: str) -> str | None:
    """Return the other side of a yes or no ("smoker no" of "smoker yes"); None for anything else."""
    told = _YES_OR_NO.fullmatch(label)
    return f"{told['what']} {_OPPOSITE[told['side']]}" if told else None
