"""Whether a sentence states a standing preference, a working pattern, or neither."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyst.heads import Embeds, Vector, hashed, load_head
from analyst.notes.cues import cues_of
from analyst.notes.directives import acts_of
from analyst.notes.text import Sentence
from analyst.notes.vetoes import is_task, standing, veto
from datasets.schema import SchemaCard

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

_EXPLICIT = re.compile(
    r"^\W*(?:(?:and|but|so|please|pls|ok|okay|good|also)\b\W*)*(?:remember|keep in mind|"
    r"note for later)\b(?! (?:it|them|(?:that|this|these|those)(?: ones?)?)(?:\W*$|[,;.]))(?: that|:|,)? \w|"
    r"^\W*(?:(?:and|but|so|please|ok)\b\W*)*no more (?!than\b|questions\b)\w+ \w|"
    r"\b(?:from (?:now|here|today|this point) on(?:wards)?|in (?:all |the )?future|going forward|henceforth|"
    r"until further notice)\b|"
    r"(?:^|[;:,] )\W*(?:(?:and|but|so|please|pls|ok|okay|good|right|also|hi|then)\b\W*)*(?:always|"
    r"never) (?:use|show|give|report|leave|drop|exclude|"
    r"keep|count|treat|round|sort|write|put|make|remove|filter|compare|plot|draw|print|label|split|group|take|"
    r"tell|include|add|start)\b|"
    r"^\W*(?:(?:and|but|so|please|ok)\b\W*)*(?:don't|do not) (?:ever )?(?:show|give|tell|print|write|report|send) "
    r"(?:me |us )?(?!it\b|that\b|this\b|these\b|those\b|them\b|me\b|us\b)\w|"
    r"\bi (?:never|don't|do not) (?:ever )?want (?:any|to see|to have|them|it|those|these)\b|"
    r"\bi'?d rather (?:never|not) (?:see|have|get)\b|"
    r"\bdo (?:it|that) (?:like (?:that|this)|that way|so) (?:always|every)|"
    r"^\W*(?:(?:so|and|please)\b\W*)*(?:throw|take|leave|keep|drop|filter|cut|kick|exclude|"
    r"remove)\b.*\b(?:for good|permanently|for ever|forever)\b",
    re.IGNORECASE,
)
_DECODES = re.compile(
    r"\b(?:means?|stands? for|denotes?|(?:is|are|as) (?:missing|null|unknown|not (?:asked|"
    r"measured|recorded))|no real|not a real|n.t (?:a )?real)\b",
    re.I,
)
_TREATS = re.compile(
    r"^\W*(?:(?:and|but|so|please|pls|ok|okay|also|then)\b\W*)*(?:treat|read|count|take|handle|regard|consider)\b"
    r"(?! (?:it|this|that) as)[^.;]{1,40}\bas (?:missing|null|n/?a|blank|empty|unknown|absent)\b",
    re.IGNORECASE,
)
"""Says outright which value stands for none."""
_NOTED = re.compile(r"^\W*(?:\w+\W+){0,2}?(?:remember|keep in mind|note for later)\b", re.IGNORECASE)
"""Asks to keep what follows, be it a wish or a fact."""
_REPORTED = re.compile(
    r"\b(?:we|they|he|she|it|who|which)(?:'ll| will| may| might| would|'d) (?:\w+ )?from|\bperhaps\b|\bmaybe\b",
    re.IGNORECASE,
)
_EXPLICIT_FLOOR = 0.75


@dataclass(frozen=True)
class Judgement:
    """Probabilities that a sentence states a preference or a pattern; `veto` names a hard reason for neither."""

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


def judge(items: Sequence[Sentence], card: SchemaCard | None, embedder: Embeds | None) -> list[Judgement]:
    """Judge sentences one by one, in order; a rule of somebody else may be adopted in the sentence after it.

    A vetoed sentence has probabilities of 0 and is not embedded.
    """
    reasons = _vetoes(items)
    open_ones = [s.read for s, reason in zip(items, reasons, strict=True) if reason is None]
    if not open_ones:
        return [Judgement(0.0, 0.0, reason) for reason in reasons]
    meanings = None if embedder is None else iter(np.asarray(embedder.embed(open_ones), dtype=np.float64))
    head = load_head(ASSET, "plain" if embedder is None else "full")
    out = []
    for item, reason in zip(items, reasons, strict=True):
        if reason is not None:
            out.append(Judgement(0.0, 0.0, reason))
            continue
        p = head.probabilities(features(item.read, None if meanings is None else next(meanings)))
        explicit = item.revises or (_EXPLICIT.search(item.read) and not _REPORTED.search(item.read))
        noted = explicit and _NOTED.search(item.read) and p["pattern"] >= p["preference"]
        preference = max(p["preference"], _EXPLICIT_FLOOR if explicit and not noted else 0.0)
        outright = noted or _decoded(item.read, card) or _TREATS.search(item.read)
        pattern = max(p["pattern"], _EXPLICIT_FLOOR if outright else 0.0)
        out.append(Judgement(preference, pattern))
    return out


def _vetoes(items: Sequence[Sentence]) -> list[str | None]:
    tasks = {s.turn for s in items if is_task(s.read)}
    reasons = []
    for k, item in enumerate(items):
        follow = items[k + 1] if k + 1 < len(items) and items[k + 1].turn == item.turn else None
        in_task = item.turn in tasks and not standing(item.read)
        reasons.append(veto(item, follow) or ("task" if in_task else None))
    return reasons


def _decoded(text: str, card: SchemaCard | None) -> bool:
    """Whether a sentence says outright what a code or a value of a column means."""
    acts = {a.kind for a in acts_of(text, card)} if card is not None and _DECODES.search(text) else set()
    return bool(acts & {"code", "sentinel"})
