"""Whether a sentence states a standing preference, a working pattern, or neither."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyst.heads import Embeds, Vector, hashed, load_head
from analyst.notes_cues import cues_of
from analyst.notes_text import BLANK, Sentence

ASSET = "notes.npz"
HASH_SIZE = 256
_CUE_WEIGHT = 0.6
_MEANING_WEIGHT = 2.0
_PAIRS = (
    ("standing", "imperative"),
    ("standing", "never_no"),
    ("standing", "prefer"),
    ("standing", "please"),
    ("standing", "exclude"),
    ("standing", "others"),
    ("standing", "past"),
    ("standing", "deixis_start"),
    ("imperative", "please"),
    ("imperative", "reason"),
    ("means", "here"),
    ("means", "others"),
    ("calendar", "past"),
    ("prefer", "format"),
    ("modal", "exclude"),
)
"""Cues that say more together than apart."""
_TOKEN = re.compile(r"[a-z']+|\d+", re.IGNORECASE)

_STRONG_STANDING = re.compile(
    r"\b(?:always|never|ever|from (?:now|here|today|this point) on|in future|going forward|by default|"
    r"as a rule|every ?time|"
    r"each time|for good|permanently|whenever|standing)\b",
    re.IGNORECASE,
)
_EXPLICIT = re.compile(
    r"\b(?:from (?:now|here|today|this point) on(?:wards)?|in (?:all )?future|going forward|henceforth|until further notice)\b|"
    r"^\W*(?:(?:and|but|so|please|pls|ok|okay|good|right|also|hi|then)\b\W*)*(?:always|never) (?:use|show|give|report|leave|drop|exclude|"
    r"keep|count|treat|round|sort|write|put|make|remove|filter|compare|plot|draw|print|label|split|group|take|tell|include|add|start)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:we|they|he|she|it|who|which)(?:'ll| will| may| might| would|'d) (?:\w+ )?from|\bperhaps\b|\bmaybe\b", re.IGNORECASE
)
_EXPLICIT_FLOOR = 0.75
_REQUEST_QUESTION = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_WHAT_IF = re.compile(
    r"^\W*(?:(?:and|but|so|ok|hm+|well)\b\W*)*(?:what if|suppose|supposing|imagine|let'?s (?:say|pretend|assume)|"
    r"how would|if we (?:were|had|did|took|used|left|dropped|moved|switched|counted)\b)|\b(?:one could|"
    r"we might|i might|some day)\b",
    re.IGNORECASE,
)
_THIRD = (
    r"(?:(?:my|the|a|an|our|some|his|her|their|one) (?:[\w-]+ ){0,2}?(?!column|field|file|table|value|code|"
    r"status|flag|row|data)[\w-]+"
    r"|he|she|they|somebody|someone|head office|management|marketing|finance|sales|people|others|legal|hr|it|"
    r"[A-Z][a-z]+)"
)
_OTHERS_WISH = re.compile(
    rf"(?:^|[,;:.] |\b(?:and|but|because|as) ){_THIRD}(?: \w+ly| always| also| still| just| once| even|"
    rf" in \w+){{0,2}} "
    r"(?:wants?|wanted|asks?|asked|keeps? (?:asking|saying|floating|telling|pushing)|prefers?|insists?|"
    r"demands?|would (?:like|love|rather|prefer|always|never|have)|"
    r"likes?|loves?|suggests?|suggested|proposes?|proposed|says?|said|swears?|thinks?|believes?|calculates?|"
    r"requires?|recommends?|used to|tells? (?:me|us)|told (?:me|us))\b"
)
_ADOPTS = re.compile(
    r"\b(?:i|we) (?:fully |quite |do |both )?(?:agree|go along|share (?:that|this|it)|support|follow|adopt|"
    r"stick to|do the same|want (?:that|it|the same))\b"
    r"|\b(?:he|she|they)(?:'s| is|'re| are) (?:quite |absolutely )?right\b|\bso do (?:that|it|we|i)\b|"
    r"\bso (?:please|let'?s|from now)\b|\bthat'?s (?:our|my|the) (?:rule|norm|standard)\b"
    r"|\blet'?s (?:adopt|follow|stick|do (?:it|that)|use)\b|\b(?:applies|goes|holds) for (?:me|us)(?: too)?\b|"
    r"\b(?:mine|me|us) too\b|\bi'?ll take (?:that|it)\b|\band (?:so|that) (?:do|is what) (?:i|we)\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\b(?:just|only) (?:this|the) (?:once|one|time)\b|\bjust (?:for )?(?:now|once|today|this)\b|"
    r"\bonly (?:for )?(?:now|today|here|there|this (?:one|chart|table|slide|time|once))\b|"
    r"\bfor (?:now|today|once|the moment|a moment|the time being|fun|comparison|a change)\b|\bfor (?:this|"
    r"that|the next|tomorrow'?s|today'?s|friday'?s|monday'?s) (?:one|chart|table|slide|plot|question|time|"
    r"meeting|deck|report|picture|page|list)\b|"
    r"\bthis (?:once|time|one(?! (?:is|means|counts)))\b|\bone[- ](?:off|time)\b|\bexceptional\w*\b|"
    r"\bout of curiosity\b|\btemporar\w+\b|\b(?:appendix|slide|poster|tomorrow|today) only\b|\bonly (?:in|"
    r"for) the (?:appendix|slide|poster)\b|"
    r"\bfor a (?:minute|second|test|try|bit)\b|\buntil (?:tomorrow|friday|monday|the meeting)\b|"
    r"\bfor the (?:appendix|slide|meeting|poster|board deck|moment)\b",
    re.IGNORECASE,
)
_IRONY = re.compile(
    r"\byeah,? right\b|\boh,? sure\b|\b(?:ha|haha|lol|rofl)\b|^(?:sure|of course|great idea|brilliant|"
    r"wonderful|fantastic|why not)\b[,.!]? (?:and|let'?s|we|always|why|just|because|next|then)\b|"
    r"\bwhile (?:we're|you're|we are|you are) at it\b|\bcomic sans\b|[;:]-[)D]|🙃|😉|😜|\b(?:kidding|joking|"
    r"just a joke|sarcas\w+|not serious)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"^\W*(?:\d+[.)]\s*|then,? |please |question \d+: )?(?:calculate|compute|perform|create a|generate|determine|identify|conduct|evaluate|"
    r"investigate|explore|analy[sz]e|derive|find|test whether|split the (?:data|set)|use (?:linear|logistic|\d+%))",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\bin (?:the|my|our|that|his|her) (?:other|old|previous|last|former) (?:file|table|project|company|job|"
    r"dataset|archive|team|hospital|school|firm)\b|\bnot (?:for|in) this (?:file|table|data|one)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Judgement:
    """Probabilities that a sentence states a preference, a pattern, or neither; `veto` names a hard reason for neither."""

    preference: float
    pattern: float
    veto: str | None = None

    @property
    def rule(self) -> float:
        """Probability that it states a rule of either type."""
        return self.preference + self.pattern


def features(text: str, meaning: Vector | None) -> Vector:
    """Return the feature vector of one sentence; `meaning` is its embedding, or None without an embedder."""
    tokens = ["#" if t.isdigit() else t.lower() for t in _TOKEN.findall(text)]
    held = cues_of(text)
    both = [held[a] and held[b] for a, b in _PAIRS]
    cues = np.array([_CUE_WEIGHT * float(v) for v in (*held.values(), *both)])
    parts = [cues, hashed(tokens, HASH_SIZE)]
    if meaning is not None:
        parts.append(_MEANING_WEIGHT * meaning)
    return np.concatenate(parts)


def judge(items: Sequence[Sentence], embedder: Embeds | None) -> list[Judgement]:
    """Judge sentences one by one, in order; vetoes look at the sentence and, for adoption, at its neighbours in the turn."""
    if not items:
        return []
    meanings = None if embedder is None else np.asarray(embedder.embed([s.read for s in items]), dtype=np.float64)
    head = load_head(ASSET, "plain" if embedder is None else "full")
    tasks = {s.turn for s in items if _TASK.search(s.read)}
    out = []
    for k, item in enumerate(items):
        p = head.probabilities(features(item.read, None if meanings is None else meanings[k]))
        follow = items[k + 1] if k + 1 < len(items) and items[k + 1].turn == item.turn else None
        reason = veto(item, follow)
        if reason is None and item.turn in tasks and not _STRONG_STANDING.search(item.read):
            reason = "task"
        preference = p["preference"]
        if reason is None and _EXPLICIT.search(item.read) and not _REPORTED.search(item.read):
            preference = max(preference, _EXPLICIT_FLOOR)
        out.append(Judgement(preference=preference, pattern=p["pattern"], veto=reason))
    return out


def adopts(text: str) -> bool:
    """Whether the speaker makes somebody else's rule his own."""
    return bool(_ADOPTS.search(text))


def veto(item: Sentence, follow: Sentence | None = None) -> str | None:
    """Return why a sentence cannot be a rule of the user, or None."""
    text = item.read
    standing = bool(_STRONG_STANDING.search(text))
    if item.question and not (standing and _REQUEST_QUESTION.search(text)):
        return "question"
    if _WHAT_IF.search(text):
        return "hypothetical"
    if _IRONY.search(text):
        return "irony"
    if _ONE_OFF.search(text):
        return "one-off"
    if _ELSEWHERE.search(text):
        return "elsewhere"
    adopted = adopts(text) or (follow is not None and adopts(follow.read))
    if _OTHERS_WISH.search(text) and not adopted:
        return "somebody else"
    if BLANK in text and not adopted and not standing:
        return "quoted"
    return None
