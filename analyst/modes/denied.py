"""What a person says he does not want: "don't re-run anything", "no need to check that", "not from scratch"."""

import re
from collections.abc import Mapping

from analyst.protocol import Mode

_LEFT_OF_DENIED = 0.1
"""What remains of the chance of a mode that is denied in so many words."""
_NOT = (
    r"(?<!why )(?:don't|do not|dont|didn't|won't|wouldn't|no need (?:for|to)|not|never|without|instead of|"
    r"rather than|no)"
    r"(?: (?:want|need|wish|have|ask|like|you|us|me|to|please|just|simply|go and|another|a|any|all|the|more))*"
)
_ACTS: dict[Mode, str] = {
    "re-run": (
        r"re-? ?run\w*|re-? ?peat\w*|re-? ?do(?:ing)?|re-? ?play\w*|run(?:ning)? (?:it|that|this|them|everything) again"
    ),
    "fresh": (
        r"(?:re-?)?start(?:ing)?(?: (?:it|all|everything))? (?:over|afresh|anew|fresh|again|new|from)|"
        r"begin(?:ning)? (?:again|anew|afresh|from)|from (?:scratch|zero)|fresh (?:start|look|analysis)|clean slate"
    ),
    "revalidate": (
        r"(?:re-? ?|double[- ]?)?check(?:s|ing)?|re-? ?test(?:s|ing)?|verif(?:y|ying|ication)|(?:re-?)?validat\w+|"
        r"confirm(?:ing|ation)?"
    ),
    "extend": r"extend\w*|expan(?:d\w*|sion)|dig(?:ging)?|drill\w*|go(?:ing)? (?:any )?(?:deeper|further)",
}
_DENIED = {
    mode: re.compile(rf"\b{_NOT} (?:{acts})\b[^,.;:!?–—]*?(?=[,.;:!?–—]|\b(?:and|but|just|only)\b|$)", re.I)
    for mode, acts in _ACTS.items()
}


def without_denied(text: str) -> str:
    """Return the text without the clauses that deny a mode; the whole text where nothing else is in it."""
    plain = " ".join(text.replace("’", "'").split())
    rest = plain
    for pattern in _DENIED.values():
        rest = pattern.sub(" ", rest)
    rest = re.sub(r"^[\s,.;:!–—]+|(?<=[,.;:!?])\s*[,;:]", "", " ".join(rest.split()))
    return rest if re.search(r"\w{2,}.*\w{2,}", rest) else plain


def weighed(chances: Mapping[Mode, float], text: str) -> dict[Mode, float]:
    """Return the chances with those of denied modes cut down, adding up to 1 again; of four denied modes none is."""
    plain = " ".join(text.replace("’", "'").split())
    denied = {mode for mode, pattern in _DENIED.items() if pattern.search(plain)}
    cut = {mode: chance * (_LEFT_OF_DENIED if mode in denied else 1.0) for mode, chance in chances.items()}
    total = sum(cut.values())
    return {mode: chance / total for mode, chance in cut.items()}
