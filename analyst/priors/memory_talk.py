"""Messages about memory itself: what do you remember, forget that, that is wrong."""

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

RequestKind = Literal["list", "forget", "correct"]

_LONGEST_WORDS = 60
_POLITE = r"(?:please|ok(?:ay)?|then|now|and|so|but|no|sorry|can you|could you|would you|will you|i want you to)[\s,]+"
_HERE = r"(?:this|the|my|our|these) (?:data(?:set)?|file|table)s?|here|it|so far|already|me|this"
_KNOWS = (
    r"(?:what|which (?:findings|facts|memories|preferences|rules|notes)|everything|all)(?: that)? "
    r"(?:do|did|have|has|can)? ?(?:you|we|recallyst) (?:already |still )?"
)
_LISTS = (
    rf"{_KNOWS}(?:remember|recall|memori[sz]e[d]?|kept|keep|noted|stored?|learn(?:ed|t)?)\b(?P<about>.*)",
    rf"{_KNOWS}know(?: about)?(?P<about>\s*(?:{_HERE})?\s*)",
    r"(?:show|list|tell|give) (?:me )?(?:all )?(?:your|the|my) (?:memor(?:y|ies)|remembered findings|saved preferences)"
    r"\b(?P<about>.*)",
    r"what(?:'s| is) in (?:your |the )?memory\b(?P<about>.*)",
    r"what are my (?:saved |standing )?(?:preferences|rules)\b(?P<about>.*)",
)
_ORDINALS = {w: n for n, w in enumerate(("first", "second", "third", "fourth", "fifth", "sixth", "seventh"), 1)}
_NUMBER = (
    rf"(?:number |no\.? ?|#)?(?P<n>\d{{1,2}})|the (?P<ordinal>{'|'.join(_ORDINALS)}|last)(?: one| finding| memory)?"
)
_UNIT = r"(?:finding|memory|fact|note|statement|result)s?"
_DROPS = r"(?:forget|unlearn|erase|wipe|purge|delete|remove|drop|clear|get rid of)"
_ALL = r"(?:everything|all|anything|whatever|what)"
_HELD = (
    r"(?: that)? (?:you(?:'ve| have)?|we(?: have)?|is) (?:ever |already )?(?:know|remember|learn(?:ed|t)|stored?|kept|"
    r"keep|noted|found|said|have|remembered|known)(?: so far)?"
)
_OWN = r"(?:your|the|my|all|all your|all the|all my|all of your|all of the)"
_STORE = r"(?:memor(?:y|ies)|remembered (?:findings|facts)|stored (?:findings|facts))"
_ON = r"(?:about|on|of|regarding|concerning|for|around)"
_FORGETS_ALL = (
    rf"{_DROPS} {_ALL}{_HELD}(?: {_ON} (?P<about>.+))?",
    rf"(?:forget|unlearn) (?:{_ALL}|all there is) (?:about|on|regarding|concerning) (?P<about>.+)",
    r"(?:forget|unlearn) (?:everything|all|it all|all of it|all of this|all this|all that|the (?:whole )?lot)",
    rf"{_DROPS} (?P<about>(?:this|the|my) (?:data(?:set)?|file|table)|.+?) (?:from|out of|in) (?:your|the) memory",
    r"(?:forget|unlearn) (?:about )?(?:this|the|my) (?:whole |entire )?(?:data(?:set)?|file|table)",
    rf"(?:{_DROPS}|empty|reset) {_OWN} {_STORE}(?: {_ON} (?P<about>.+))?",
    rf"(?:forget|unlearn|delete|remove|erase) {_OWN} (?:findings|memories|facts|notes|statements|results) "
    rf"(?:{_ON}|that are about) (?P<about>.+)",
    r"(?:forget|unlearn|erase) what you (?:know|remember|said|found|learned) (?:about|on|of) (?P<about>.+)",
)
_GOES_ON = re.compile(
    r"[:;?]|\b(?:and|then) (?:start|begin|look|run|re\w+|analy[sz]e|do|tell|show|give|go|check|test)\b"
)
_FORGETS = (
    r"(?:forget|unlearn|do(?:n't| not) (?:remember|keep)) (?:about )?(?:that|this|it)(?: again| finding| one)?",
    rf"(?:forget|unlearn|delete|remove|erase) (?:{_NUMBER})",
    rf"(?:forget|unlearn|delete|remove|erase) (?:the |your |that |this )?{_UNIT} "
    r"(?:about|on|of|that|which) (?P<about>.+)",
    r"(?:forget|unlearn) (?:them|those|these|both|all of (?:them|those|these)|them all)(?: again| findings| two)?",
)
_WRONG = r"(?:wrong|not right|incorrect|not correct|false|not true|untrue|a mistake|mistaken)"
_CORRECTS = (
    rf"(?:that|this|it)(?:'s| is| was|s) {_WRONG}\b(?P<why>.*)",
    rf"(?:the |your )?(?:{_NUMBER}) is {_WRONG}\b(?P<why>.*)",
    rf"(?:the|your) (?:finding|answer|statement|claim|conclusion)(?: (?:about|on|that) (?P<about>.+?))? is {_WRONG}\b"
    r"(?P<why>.*)",
)
_NOTHING = re.compile(
    rf"^(?:\s|[.?!,]|about|of|on|from|for|in|with|regarding|last time|earlier|before|{_HERE})*$", re.I
)


class MemoryRequest(BaseModel):
    """A wish about what is remembered."""

    model_config = ConfigDict(frozen=True)

    kind: RequestKind
    about: str = Field(default="", description="what the wished-for units are about, in the person's words")
    number: int | None = Field(
        default=None, description="place in what was shown last, from 1; -1: the last; None: that"
    )
    every: bool = Field(
        default=False, description="every unit on what is named, of the whole dataset where nothing is named"
    )
    why: str = Field(default="", description="of a correction: what is right, in the person's words")


def memory_request(text: str) -> MemoryRequest | None:
    """Return what a message wants of memory; None where it is about the data, or longer than such wishes are."""
    plain = re.sub(rf"^(?:{_POLITE})+", "", " ".join(text.split()), flags=re.I).rstrip(" .!?")
    if len(plain.split()) > _LONGEST_WORDS:
        return None
    kinds: tuple[tuple[RequestKind, bool, tuple[str, ...]], ...] = (
        ("list", False, _LISTS), ("forget", True, _FORGETS_ALL), ("forget", False, _FORGETS),
        ("correct", False, _CORRECTS),
    )  # fmt: skip
    for kind, every, patterns in kinds:
        for pattern in patterns:
            match = re.fullmatch(pattern, plain, re.I | re.S)
            if match and not (every and _GOES_ON.search(plain)):
                return _request(kind, {k: v for k, v in match.groupdict().items() if v}, every=every)
    return None


def _request(kind: RequestKind, said: dict[str, str], *, every: bool) -> MemoryRequest:
    about = said.get("about", "").strip(" .,:;?!")
    number = int(said["n"]) if "n" in said else _ORDINALS.get(said.get("ordinal", "").lower())
    if said.get("ordinal", "").lower() == "last":
        number = -1
    why = re.sub(r"^(?:[\s:;,.–—-]|because\b|since\b|as\b)+", "", said.get("why", "")).strip()
    named = "" if _NOTHING.match(about) else about
    if every and about.casefold() in {"it", "that", "this"}:  # what was just said, not the whole dataset
        every = False
    return MemoryRequest(kind=kind, about=named, number=number, every=every, why=why)
