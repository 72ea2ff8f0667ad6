"""An answer to the gate in a person's words: "extend please", "the second one", "no revalidation, start fresh"."""

import re

from graph.state import MODES, Mode

_LONGEST = 100
_WHAT = (
    r"(?: (?:it|that|this|them|one|everything|all|all of (?:it|them)|the (?:same|lot|one|finding|findings|claim|answer|"
    r"result|results|analysis|battery|stored battery|whole thing|whole analysis|question)|that (?:finding|claim|one)|"
    r"what (?:we|you|i) (?:know|knew|found|have)|what is known|our findings?))?"
)
_HOLDS = r"(?:it|that|this|the finding|they) (?:still )?(?:holds?(?: up)?|stands?|is (?:still )?true|applies)"
_SAID: dict[Mode, str] = {
    "fresh": (
        r"(?:(?:re)?start|begin)(?: it| all)? (?:fresh|anew|afresh|over|again|new|clean|from (?:scratch|zero|the "
        r"(?:start|beginning)))|start-?fresh|fresh(?: (?:start|look|analysis))?|from (?:scratch|zero|the "
        r"(?:start|beginning))|restart|clean (?:slate|start)|new analysis|analy[sz]e it (?:fresh|anew|from scratch)"
    ),
    "extend": (
        rf"extend{_WHAT}|expand(?: on)?{_WHAT}|(?:go|dig|drill|look) (?:deeper|further|beyond{_WHAT}|past{_WHAT})|"
        rf"deeper|build on{_WHAT}|go on from (?:there|here)|take{_WHAT} as (?:known|given)"
    ),
    "revalidate": (
        rf"re-?validat(?:e|ion){_WHAT}(?: again)?|"
        rf"(?:re-?)?(?:test|check|verify|validate){_WHAT}(?: (?:again|once more))?|"
        rf"double-? ?check{_WHAT}|(?:see|test|check|verify) (?:if|whether) {_HOLDS}"
    ),
    "re-run": (
        rf"re-? ?run{_WHAT}|run{_WHAT} (?:again|once more)|repeat{_WHAT}|redo{_WHAT}|do (?:it|that|the same) (?:all )?"
        r"(?:again|once more)|(?:the )?same (?:again|as (?:before|last time)|thing again)|once more"
    ),
}
_MODE_SAID = {mode: re.compile(pattern) for mode, pattern in _SAID.items()}
_AROUND = (
    r"please|pls|ok|okay|yes|yeah|yep|no|nope|well|sure|thanks|thank you|thx|just|only|let's|let us|lets|go with|"
    r"go for|go|do|run|pick|choose|select|take|use|make it|i'd (?:like|prefer|rather)(?: to)?|i (?:would )?(?:like|"
    r"want|prefer)(?: to| you to)?|i'll (?:take|have)|i choose|i pick|can you|could you|you (?:can|may|should)|"
    r"we should|let me|then|now|instead|rather|actually|simply|a|the|my answer is|mode|for now|this time"
)
_BEFORE = re.compile(rf"^(?:{_AROUND})\b\s*")
_BEHIND = re.compile(r"\s*\b(?:please|pls|thanks|thank you|thx|then|now|instead|mode|for now|this time)$")
_CLAUSES = re.compile(r"\s*(?:[,;:.!?–—]+|\band\b|\bbut\b|\bor rather\b)\s*")
_NOT = re.compile(r"^(?:don't|do not|dont|no need to|never|not|without|no)\s+(?:to\s+|a\s+|any\s+|the\s+)?")
_COUNT = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4, "one": 1, "two": 2, "three": 3, "four": 4}
_PLACE = re.compile(
    r"(?:option|number|no|nr|choice|#)?\s*#?(?P<n>[1-4])|(?:option|number|choice) (?P<word>one|two|three|four)|"
    r"(?:the )?(?P<nth>first|second|third|fourth|last)(?: (?:one|option|mode|choice))?"
)
_ASSENT = re.compile(
    r"(?:(?:yes|yeah|yep|ok|okay|sure|fine|agreed|right|please|thanks|thank you|good|great|perfect|go ahead|go for it|"
    r"proceed|do (?:it|that|so|this)|sounds good|as (?:you )?suggest(?:ed)?|(?:(?:take|use|do|go with|follow) )?"
    r"(?:the |your )?suggest(?:ion|ed (?:one|mode)))\b[\s,.!]*)+"
)


def mode_said(text: str, *, suggested: Mode | None = None) -> Mode | None:
    """Return the mode that a message names as an answer to the gate; None where it is, or holds, anything else.

    A mode by its name or in words, politely or not, by its place at the gate from 1, by leaving another out, or by
    agreeing to the suggested one. Every part of the message has to be read so: a question that speaks of testing or
    of going deeper is a question.
    """
    plain = " ".join(text.replace("’", "'").replace("_", "-").lower().split())
    if not plain or len(plain) > _LONGEST:
        return None
    if _ASSENT.fullmatch(plain):
        return suggested
    wanted: set[Mode] = set()
    for clause in _CLAUSES.split(plain):
        denied = _NOT.match(clause)
        if denied:
            if _named(clause[denied.end() :]) is None:
                return None
            continue
        mode = _named(clause)
        if mode is None and _bare(clause):
            return None
        wanted |= {mode} if mode else set()
    return wanted.pop() if len(wanted) == 1 else None


def mode_worded(text: str) -> Mode | None:
    """Return the mode that a message names in words where no gate is open; a place or a mere yes names none there."""
    plain = " ".join(text.replace("’", "'").replace("_", "-").lower().split())
    placed = any(_PLACE.fullmatch(_bare(clause)) for clause in _CLAUSES.split(plain))
    return None if placed else mode_said(text)


def _named(clause: str) -> Mode | None:
    """The mode of one clause, with the words of politeness taken off one by one: "do it again" is not "it again"."""
    said = _without_end(clause)
    while said:
        # "revalidate 2" names a finding as well.
        whole = re.sub(r"(?<=[a-z])\s+\d$", "", said)
        found = next((mode for mode, pattern in _MODE_SAID.items() if pattern.fullmatch(whole)), None)
        if found:
            return found
        place = _PLACE.fullmatch(said)
        if place:
            words = place["word"] or place["nth"]
            return MODES[(_COUNT[words] if words else int(place["n"])) - 1]
        shorter = _BEFORE.sub("", said, count=1)
        if shorter == said:
            return None
        said = shorter
    return None


def _bare(clause: str) -> str:
    """What is left of a clause without its words of politeness."""
    said = _without_end(clause)
    while said and (shorter := _BEFORE.sub("", said, count=1)) != said:
        said = shorter
    return said


def _without_end(clause: str) -> str:
    said = clause.strip(" '\"()-")
    while (shorter := _BEHIND.sub("", said)) != said:
        said = shorter
    return said
