"""Suggestions of the assistant and rules of others, and whether the user takes them up for good or turns them down."""

import re

from analyst.notes.text import BLANK, Sentence, sentences
from analyst.notes.vetoes import adopts

_SUGGESTS = re.compile(
    r"\b(?:shall i|should i|would you (?:like|prefer|rather)|do you want|want me to|i (?:can|could|would)|"
    r"i'd (?:propose|suggest|recommend|use)|"
    r"i (?:propose|suggest|recommend)|may i|how about|let me|better to|it would be|is that|would that|from now on)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"^.*?\b(?:shall i|should i|would you (?:like|prefer|rather) (?:me )?(?:to|that i)?|do you want me to|"
    r"want me to|i (?:can|could|would|will)|"
    r"i(?:'d| would)? (?:propose|suggest|recommend|use)(?: to| that (?:i|we))?|may i|how about|"
    r"let me)\s+(?:also |then |rather )?",
    re.IGNORECASE,
)
_FOR_GOOD = re.compile(
    r"\b(?:always|from (?:now|here) on|in (?:the )?future|by default|the default|as a rule|in general|"
    r"generally|every time|going forward|"
    r"each time|whenever|remember|standing|permanently|henceforth|as standard|the standard|throughout)\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^\W*(?:(?:hm+|oh|ah|well|right|good)\b\W*)*(?:yes|yep|yeah|ok(?:ay)?|sure|please do|do (?:that|it|"
    r"so)|go ahead|agreed|agree|good idea|sounds good|perfect|fine|"
    r"deal|gladly|exactly|that'?s (?:good|better|fine|right|what)|let'?s do|i'?d like that|make it so|great|"
    r"please(?=\W*$))\b",
    re.IGNORECASE,
)
_NOT_YES = re.compile(r"\b(?:no|not|don'?t|but|rather|later|maybe|once|only)\b", re.IGNORECASE)
_NO = re.compile(
    r"^\W*(?:(?:hm+|oh|ah|well|please|sorry|god|heavens|thanks)\b\W*)*(?:no|nope|nah|not|rather not|don't|"
    r"i don't think|never mind|leave|keep)\b",
    re.IGNORECASE,
)

_QUOTATION = re.compile(r"[\"'](?P<rule>[^\"]{12,300}?)[\"'](?=\W|$)")


def adopted_quote(sentence: Sentence, follow: Sentence | None) -> str | None:
    """Return the quoted rule of others that a sentence, or the one after it, makes the speaker's own."""
    quoted = _QUOTATION.search(sentence.text) if BLANK in sentence.read else None
    own = quoted is not None and (adopts(sentence.read) or (follow is not None and adopts(follow.read)))
    return quoted["rule"] if quoted and own else None


def suggestion_in(message: str) -> str | None:
    """Return the last sentence of an assistant's message that suggests something."""
    found = [s.text for s in sentences(0, message) if _SUGGESTS.search(s.read)]
    return found[-1] if found else None


def taken_up(reply: str, suggestion: str) -> bool:
    """Whether a reply takes a suggestion up, and one of the two says that it is for good."""
    agreed = bool(_YES.search(reply)) and not _NOT_YES.search(reply)
    return agreed and bool(_FOR_GOOD.search(reply) or _FOR_GOOD.search(suggestion))


def turned_down(reply: str) -> bool:
    """Whether a reply begins with a no."""
    return bool(_NO.search(reply))


def as_order(suggestion: str) -> str:
    """ "Should I round to euros in future? OK?" as "Round to euros in future."."""
    clause = re.split(r"[;]\s+", suggestion)[-1]
    order = re.sub(
        r"[,.]?\s*(?:ok|okay|agreed|right)?\s*\?\s*$", "", _OFFER.sub("", clause.strip()), flags=re.IGNORECASE
    ).strip(" .?")
    return f"{order[:1].upper()}{order[1:]}."
