"""All, only, never, and what the findings deny: a sentence may not claim more of them than they say."""

import re

from analyst.grounding.cells import Evidence
from analyst.grounding.directions import clauses, is_null

_ALL = re.compile(
    r"(?<!of )(?<!in )(?<!at )(?<!above )(?<!after )\ball\b(?! (?:other|in all|together)\b)"
    r"|\ball (?:\d+|of (?:them|the))\b"
    r"|\bevery(?:one|thing|body)?\b|\balways\b|\bwithout exception\b|\bthroughout\b|\b(?:in|for|of) each\b|^each\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\b(?:only|just)\b(?!(?:\s(?:about|some|around))?\s[\d.,]+)(?! \w+ rows)"
    r"(?! (?:a |one |half\b|weak|slight|moderate))|\b(?:sole(?:ly)?|exclusively)\b",
    re.I,
)
_NONE = re.compile(
    r"\b(?:none|nobody|nowhere|neither|not one)\b|\bno (?!(?:more|less|fewer|longer|two|other|doubt)\b)", re.IGNORECASE
)
_NEVER = re.compile(r"\bnever\b", re.IGNORECASE)
_SAYS_NEVER = re.compile(r"\b(?:never|always|every|in each)\b", re.IGNORECASE)
_STRONG = re.compile(
    r"\b(?:dominat\w+|stands? out|strongly|markedly|clearly|considerabl[ey]|substantial(?:ly)?|notabl[ey]|"
    r"(?:far|much|way|a lot) (?:more|fewer|less|higher|lower|larger|smaller|longer|shorter))\b",
    re.IGNORECASE,
)
_SAYS_ALL = re.compile(r"\b(?:all|every|always|each|both|any of)\b", re.IGNORECASE)
_SPREAD_OUT = re.compile(r"\bof all groups\b|\beach of the \d+ has\b")
_SAYS_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_NO_OTHER = re.compile(r"\bno other\b", re.IGNORECASE)
_SAYS_NO_OTHER = re.compile(r"\bby far\b|\bno other\b|\bany other\b", re.IGNORECASE)
_SAYS_NONE = re.compile(r"\b(?:no|none|never|not|about the same|the same|stable|evenly)\b", re.IGNORECASE)
_NONE_STANDS_OUT = re.compile(r"\bno(?:ne| \w+) stands? out\b", re.IGNORECASE)
_PRESENT = re.compile(
    r"\b(?:outliers?|trends?|differ(?:s|ed|ences?|ing)?|seasonality|correlat\w+|associations?|patterns?|effects?)\b",
    re.I,
)
_PEAKS = re.compile(r"\b(?:peak(?:s|ed)?|spik(?:es?|ed))\b", re.IGNORECASE)
_DIPS = re.compile(r"\b(?:dip(?:s|ped)?|troughs?)\b", re.IGNORECASE)
_OUT_OF = re.compile(r"\b(?:out of|from) (?:the |any )?$", re.IGNORECASE)
_COMPARED = re.compile(r"\b(?!other|rather)(?:more|less|\w{3,}er) than\b(?! (?:\d|chance|half|in\b))", re.IGNORECASE)
_HARDLY = re.compile(
    r"\b(?:no|not|but|though|although|slightly|marginally|little|chance|hardly|barely|same|close|clear)\b|n't\b", re.I
)
_STRENGTH = re.compile(
    r"\b(?P<very>very |extremely |highly )?(?P<how>weak|slight|faint|loose|moderate|modest|medium|clear|marked|"
    r"pronounced|strong|close(?! to)|tight)(?:ly)?\b",
    re.I,
)
_TOLD_STRENGTH = re.compile(r"\ba (?P<very>very )?(?P<how>weak|moderate|clear|strong) relation\b")
_OF_RELATION = re.compile(r"\b(?:relat|correlat|associat|link|connect|tied|goes? with|go together)\w*", re.I)
_LEVELS = {"weak": 1, "slight": 1, "faint": 1, "loose": 1, "moderate": 2, "modest": 2, "medium": 2, "strong": 4,
           "close": 4, "tight": 4}  # fmt: skip
_CLEAR = 3
"""Of words for a relation that are between "moderate" and "strong"."""
_BECOMES = re.compile(
    r"\b(?:became|becomes?|turned|getting|got|improv(?:e[sd]|ing)|worsen(?:s|ed|ing)|"
    r"deteriorat(?:e[sd]|ing)|accelerat(?:e[sd]|ing)|slow(?:ed|s) down)\b",
    re.I,
)
_DENIES = re.compile(
    r"\b(?:no|not|none|never|nor|neither|without|hardly|barely|cannot|free of|lacks?)\b|n't\b", re.IGNORECASE
)
_BOUNDED = re.compile(
    r"^\W*(?:\w+\W+){0,3}?(?:(?:by )?(?:no more than|at most|less than|within)|little)\b", re.IGNORECASE
)
_NOT = re.compile(r"\bnot ((?:in )?\w+(?: \w+){1,3})", re.IGNORECASE)
_COMPLETE = re.compile(r"\b(?:is|are|was|were) complete\b", re.IGNORECASE)


def overstated(sentence: str, evidence: Evidence) -> str | None:
    """Return why a sentence claims more than its findings: for all or for none, a presence, or what they deny."""
    statements = evidence.statements
    for said, known in (
        (_NEVER, _SAYS_NEVER),
        (_ALL, _SAYS_ALL),
        (_ONLY, _SAYS_ONLY),
        (_NO_OTHER, _SAYS_NO_OTHER),
        (_NONE, _SAYS_NONE),
    ):
        match = said.search(sentence)
        if match and not known.search(_SPREAD_OUT.sub("", statements)):
            return f"“{match.group().strip()}” is more than the findings say"
    for said, told in ((_PEAKS, _DIPS), (_DIPS, _PEAKS)):
        match = said.search(sentence)
        if match and told.search(statements) and not said.search(statements):
            return f"“{match.group()}” is the other way round in the findings"
    if _COMPLETE.search(sentence) and not _COMPLETE.search(statements):
        return "no finding says that it is complete"
    if _BECOMES.search(sentence) and all(
        f.candidate.claim.value.direction not in {"up", "down"} for f in evidence.findings
    ):
        return "no finding says that it changed"
    return _present(sentence, evidence) or _denied_there(sentence, statements) or _other_strength(sentence, statements)


def _present(sentence: str, evidence: Evidence) -> str | None:
    """Why something is said to be there of which all findings say that it is not."""
    if not all(is_null(f) or _NONE_STANDS_OUT.search(f.candidate.statement) for f in evidence.findings):
        return None
    statements = evidence.statements
    strong = _STRONG.search(sentence)
    if strong and not _STRONG.search(_NONE_STANDS_OUT.sub("", statements)) and not _DENIES.search(sentence):
        return f"“{strong.group()}” is said of what the findings say is not there"
    compared = _COMPARED.search(sentence)
    if compared and not _HARDLY.search(sentence):
        return f"“{compared.group()}” is said where the findings see no difference"
    for start, end in clauses(sentence):
        for match in _PRESENT.finditer(sentence, start, end):
            if match.group().lower().startswith("differ") and re.match(r" by (?!more)[\d.,]", sentence[match.end() :]):
                continue  # How far apart they lie is no claim that they differ.
            if _OUT_OF.search(sentence[: match.start()]):
                continue
            stem = match.group().lower()[:6]
            if stem not in statements or _DENIES.search(sentence[:end]) or _BOUNDED.match(sentence[match.end() :]):
                continue
            return f"“{match.group()}” is said to be there, and the findings say it is not"
    return None


def _other_strength(sentence: str, statements: str) -> str | None:
    """Why a relation is called stronger or weaker than the findings call it; one step beside counts as the same."""
    told = {_level(m) for m in _TOLD_STRENGTH.finditer(statements)}
    if not told or not _OF_RELATION.search(sentence):
        return None
    for match in _STRENGTH.finditer(sentence):
        level = _level(match)
        beyond = min(abs(level - t) for t in told) > 1 or (max(told) <= 1 < level)
        if beyond and not _DENIES.search(sentence[: match.start()]):
            return f"“{match.group()}” is not how the findings call the relation"
    return None


def _level(match: re.Match[str]) -> int:
    """From 0 for very weak to 5 for very strong."""
    level = _LEVELS.get(match["how"].lower(), _CLEAR)
    return level if not match["very"] else level - 1 if level == 1 else level + 1


def _denied_there(sentence: str, statements: str) -> str | None:
    """Why a sentence asserts in their own words what the findings deny ("not in a straight line")."""
    folded = sentence.casefold()
    for match in _NOT.finditer(statements):
        words = match[1].split()
        phrase = " ".join(words if words[0] == "in" else words[:2])
        place = folded.find(phrase)
        if place >= 0 and not _DENIES.search(folded[:place]):
            return f"“{phrase}” is what the findings deny"
    return None
