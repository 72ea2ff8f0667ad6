"""What becomes of a rule later in the talk: taken back, called a joke, made a one-off, or replaced."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analyst.heads import Embeds
from analyst.notes.conditions import conditions
from analyst.notes.directives import acts_of
from analyst.notes.rules import Rule
from analyst.notes.slots import preference_slot, topic_head
from analyst.notes.text import Sentence
from analyst.protocol import Note
from datasets.schema import SchemaCard

_TAKES_BACK = re.compile(
    r"\b(?:forget (?:it|that|this|what i (?:just )?said|about|the|my)|scrap (?:that|it|the|this)|"
    r"never ?mind (?:that|the|what|about)|strike that|take (?:it|that) back|(?:on|upon) second thoughts?|"
    r"(?:i(?:'ve| have)? )?changed my mind|undo that|(?:that|this|the|my)(?: [\w-]+){0,3} (?:rule|request|"
    r"wish|preference|instruction)s? (?:is|was|no longer|doesn't|can|falls?|goes?)|"
    r"(?:no longer|not any ?more|any ?more)\b|ignore (?:that|what i|my (?:last|previous|earlier))|"
    r"(?:cancel|undo|lift) (?:that|the|my|our)|"
    r"withdraw\w*|drop (?:that|the) (?:rule|idea|thing)|(?:go|going|back) to (?:the )?(?:normal|default|old|"
    r"usual|how it was|daily|weekly|monthly|means?|before)|"
    r"count (?:it|him|her|them|those|these) (?:in |like \w+(?: \w+)? )?again|"
    r"(?:put|take|let) (?:it|him|her|them|those) back|"
    r"as it was before|leave (?:that|it) (?:after all|out after all)|actually,? (?:no|don't|leave|keep)|"
    r"was (?:nonsense|a mistake|wrong|silly)|(?:is|are) (?:gone|history|off the table)|you can stop (?:that|"
    r"it)|stop (?:that|doing that))\b",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"\b(?:(?:just |only |i'm |was )(?:kidding|joking)|kidding|a joke|joking|"
    r"not serious(?:ly)?|irony|sarcas\w+|don't take (?:that|me) serious\w*)\b",
    re.I,
)
_NOT_KEPT = re.compile(
    r"\b(?:don't|do not|no need to|never) (?:\w+ )?(?:remember|note|store|save|memori[sz]e|"
    r"write down)\b|\boff the record\b",
    re.I,
)
_DROPS = re.compile(
    r"\b(?:forget|scrap|cancel|drop|withdraw|never ?mind|undo|lift)\b.*\b(?:rule|preference|request|grain|wish|"
    r"filter|setting|exclusion|the|about|my)\b",
    re.I,
)
_KEEP_NOTHING = re.compile(
    r"\b(?:don't|do not|please don't|never) (?:\w+ )?(?:keep|store|remember|save|note|record) (?:anything|"
    r"any of|a (?:thing|word)|what i|nothing)|"
    r"\bnothing (?:of (?:this|what)|i say) (?:\w+ ){0,3}(?:kept|stored|saved|remembered|keep|store|remember)\b",
    re.IGNORECASE,
)
_KEEP_AGAIN = re.compile(
    r"\byou (?:can|may) (?:keep|store|remember|save) (?:\w+ )?(?:again|now)\b|\b(?:it's|"
    r"this is) me again\b",
    re.I,
)
_ONLY_NOW = re.compile(
    r"^\W*(?:(?:but|and|well|no|i mean|that'?s)\W+)*(?:just|only)?\s*(?:for )?(?:this once|this time|this one|"
    r"now|today|here|just now|the moment|this chart|this table|this slide|once)(?:,? (?:only|i mean))?\W*$|"
    r"\b(?:only|just) (?:meant )?(?:for )?(?:this (?:once|one|time|chart|table|slide|question)|the (?:slide|"
    r"chart|appendix|moment)|now|today)\b|\bnot (?:always|for good|in general|for ever|as a rule)\b",
    re.IGNORECASE,
)
_EXCLUSION = re.compile(r"\b(?:exclu\w+|filter\w*|leav\w+ out|left out|restrict\w*)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:that|it|this|what i (?:just )?said|my last)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{4,}|\d+", re.IGNORECASE)
_NEAR_TURNS = 6
_SAME_MATTER = 0.42


@dataclass(frozen=True)
class Withdrawal:
    """A rule that the user took back without putting another in its place."""

    subject: str
    quote: str
    turn: int

    def note(self) -> Note:
        """The withdrawal as a note that says nothing but that its subject is open again."""
        return Note(
            memory_type="user_preference",
            subject=self.subject,
            value="",
            statement=self.quote,
            withdraws=True,
            quote=self.quote,
            turn=self.turn,
        )


def keep_standing(
    notes: Sequence[tuple[Rule, Note]], spoken: Sequence[Sentence], card: SchemaCard | None, embedder: Embeds | None
) -> tuple[list[Note], list[Withdrawal]]:
    """Return the notes that still hold at the end of the talk, in order, and what was taken back."""
    standing = _wanted(notes, spoken)
    withdrawn: list[Withdrawal] = []
    for sentence in spoken:
        earlier = [p for p in standing if p[1].turn < sentence.turn or _before(p[0], sentence)]
        if sentence.question or (not earlier and not _TAKES_BACK.search(sentence.text)):
            continue
        recent = [p for p in earlier if sentence.turn - p[1].turn <= 2]
        if any(p.search(sentence.read) for p in (_JOKE, _NOT_KEPT, _ONLY_NOW)) and sentence.words <= 12:
            standing = [p for p in standing if p not in recent[-1:]]
            continue
        if _TAKES_BACK.search(sentence.text):
            gone = _meant(sentence, earlier, card, embedder)
            if gone is not None:
                standing = [p for p in standing if p[1].subject != gone.subject or p[1].turn >= sentence.turn]
                replaced = any(p[1].subject == gone.subject for p in standing)
                if not replaced:
                    withdrawn.append(Withdrawal(gone.subject, sentence.text, sentence.turn))
            elif not earlier and _DROPS.search(sentence.read):
                slot = _subject_of(sentence.read, card)
                if not slot.startswith("other"):
                    withdrawn.append(Withdrawal(slot, sentence.text, sentence.turn))
    return _last_wins([note for _, note in standing]), withdrawn


def _wanted(notes: Sequence[tuple[Rule, Note]], spoken: Sequence[Sentence]) -> list[tuple[Rule, Note]]:
    """The notes outside stretches of the talk of which the user wants nothing kept."""
    closed_from: int | None = None
    unwanted: set[int] = set()
    for sentence in spoken:
        if _KEEP_NOTHING.search(sentence.read):
            closed_from = sentence.turn
        elif closed_from is not None and _KEEP_AGAIN.search(sentence.read):
            closed_from = None
        if closed_from is not None:
            unwanted.add(sentence.turn)
    return [p for p in notes if p[1].turn not in unwanted]


def _before(rule: Rule, sentence: Sentence) -> bool:
    """Whether a sentence of the same turn comes after the rule and is no part of it."""
    return rule.turn == sentence.turn and sentence not in rule.said and sentence.start > rule.said[-1].start


def _slots(text: str, card: SchemaCard | None) -> set[str]:
    """Subjects that a sentence touches: its slot, the directives it names, the broad topic of a grain."""
    slots = {preference_slot(text, card)} | {act.subject for act in acts_of(text, card)}
    return slots | ({"grain"} if topic_head(text) == "grain" else set())


def _subject_of(text: str, card: SchemaCard | None) -> str:
    """What a withdrawal is about where the rule was said in an earlier talk: "filter" is any exclusion."""
    if topic_head(text) == "grain":
        return "grain"
    named = conditions(text, card)
    if named and _EXCLUSION.search(text):
        return f"filter:{named[-1].slot}"
    return "filter" if _EXCLUSION.search(text) else preference_slot(text, card)


def _meant(
    sentence: Sentence, earlier: Sequence[tuple[Rule, Note]], card: SchemaCard | None, embedder: Embeds | None
) -> Note | None:
    """The earlier note that a withdrawal is about: by words, by meaning, else the last one when it only points."""
    mine = {w.lower()[:5] for w in _WORD.findall(sentence.read)}
    scored: list[tuple[float, Note]] = []
    cosines = np.zeros(len(earlier))
    if embedder is not None and earlier:
        vectors = np.asarray(embedder.embed([sentence.read, *(n.statement for _, n in earlier)]), dtype=np.float64)
        cosines = vectors[1:] @ vectors[0]
    for k, (_, note) in enumerate(earlier):
        theirs = {w.lower()[:5] for w in _WORD.findall(f"{note.statement} {note.quote}")}
        same_slot = 0.3 if _slots(sentence.read, card) & {note.subject, note.subject.split(":")[0]} else 0.0
        scored.append((float(cosines[k]) + 0.15 * len(mine & theirs) + same_slot, note))
    if scored:
        best, note = max(scored, key=lambda p: p[0])
        if best >= _SAME_MATTER:
            return note
        last = earlier[-1][1]
        if _LAST.search(sentence.read) and sentence.words <= 8 and sentence.turn - last.turn <= _NEAR_TURNS:
            return last
    return None


def _last_wins(notes: Sequence[Note]) -> list[Note]:
    """One note a subject and type: the latest, at its own place."""
    latest = {(n.memory_type, n.subject): n for n in notes}
    return [n for n in notes if latest[n.memory_type, n.subject] is n]
