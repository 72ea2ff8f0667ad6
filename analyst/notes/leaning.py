"""Sentences that lean on others: they point, or have too few words of content to stand alone."""

import re

_POINTS_BACK = re.compile(
    r"^\W*(?:(?:so|and|then|please|but|no|right|ok)\b\W*)*(?:it|that|this|they|those|these|them|such|he|she|"
    r"zero|the (?:first|second|last) one|"
    r"(?:leave|take|throw|keep|drop|exclude|remove|put|use|show|do|make|call|always|never) (?:it|that|this|"
    r"those|these|them)|"
    r"out (?:of|with))\b",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:it|that|this|those|these|them|they|same|such|so|there)\b", re.IGNORECASE)
_THOSE = re.compile(
    r"^\W*(?:(?:and|so|but|please)\b\W*)*(?:"
    r"(?:i|we|you) (?:\w+ )?(?:never|always|don't|do not|only) \w+(?: \w+)? (?:them|those|these)|"
    r"(?:those|these|they) (?:never|always|must|should|don't|do not|aren't|are not|stay|go|belong|count)|"
    r"for (?:those|these))\b",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"[a-z]{3,}|\d+", re.IGNORECASE)
_THIN = frozenset(
    re.findall(
        r"\w+",
        "the and for you not but are was has from now always never please only all that this with what our "
        "mine can ever every time yes okay fine good then here keep make use show want like those these them "
        "they same such there",
    )
)


def content_words(text: str) -> list[str]:
    """Return the words of content of a sentence, in lower case."""
    return [w for w in (m.lower() for m in _CONTENT.findall(text)) if w not in _THIN]


def points_back(text: str) -> bool:
    """Whether a sentence begins by pointing at what was said before."""
    return bool(_POINTS_BACK.search(text))


def needs_more(text: str) -> bool:
    """Whether an earlier sentence names what this one is about: "I never look at them in averages"."""
    return thin(text) or bool(_THOSE.search(text))


def thin(text: str, *, most_words: int = 2) -> bool:
    """Whether a sentence needs its surroundings to be understood: few words of content, or it only points."""
    content = content_words(text)
    return len(content) <= most_words or bool(_POINTING.search(text) and len(content) <= 4)
