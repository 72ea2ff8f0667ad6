"""Which words of substance in a question no ask used, so that the answer can say so.

A word of substance is a value, a comparison with a number, or a noun in a place where a question names what to split
or to limit by: after "which", "by", "no", "with", or a preposition. Verbs, adjectives and the noun for the rows
themselves ("how many passengers") are none.
"""

import re
from collections.abc import Sequence

from analyst.protocol import Ask
from analyst.questions.cues import CLEANING, CUES, MOST, WHICH
from analyst.questions.limits import OF_A_METHOD
from analyst.questions.scene import Scene, Slots
from analyst.questions.sentences import Message
from analyst.questions.slots import read_slots
from analyst.questions.vocabulary import MEASURING, PLAIN, TOOLS
from analyst.reading.comparisons import comparisons
from analyst.reading.words import Token, lemma, likeness, name_words, tokens, weight

_LONGEST_WORDS = 30
"""A longer sentence gives instructions; which of its words limit the rows cannot be told by their places."""
_NO_NOUN = r"(?!\w+(?:ing|ly)\b)"
_NOUN = rf"{_NO_NOUN}(?P<w>[A-Za-z][\w-]{{2,}})"
_ARTICLE = r"(?:the |an? |any |our |their |his |her |its |all |known )?"
_SPLITS = re.compile(rf"\b(?:by|per|for each|in each|for every|across)\s+{_ARTICLE}{_NOUN}(?!')", re.I)
_WHICH = re.compile(rf"\b(?:which|what)\s+(?:\d+ |\w+ (?=\w+ (?:has|have|had|is|are|was|were)\b))?{_NOUN}", re.I)
_LIMITS = re.compile(
    rf"\b(?:with(?:out)?|no|ha[dsv]e? an?|own(?:s|ed)? an?|in|from|at|near|under|despite|except|excluding|only)"
    rf"\s+{_ARTICLE}{_NOUN}",
    re.I,
)
_NAMED = re.compile(r"(?<=[a-z,] )(?P<w>[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*)")
_ALONE = re.compile(r"\b(?P<w>alone|weekends?|weekdays?|holidays?|overnight|nights?|mornings?|evenings?)\b", re.I)
_DAYS_OF_WEEK = re.compile(r"weekends?|weekdays?", re.I)
_ROWS = re.compile(
    r"\b(?:how many|number of|count of|share of|percent(?:age)? of|proportion of|each|every|all|of|the)\s+"
    r"(?:the |all |these )?(?P<w>[a-z][\w-]{2,})",
    re.I,
)


def unused(message: Message, asks: Sequence[Ask], scene: Scene) -> tuple[str, ...]:
    """One sentence on the words of substance that no ask used; nothing where all were used or nothing is asked."""
    if not asks or all(a.kind in {"open", "query"} for a in asks):
        return ()
    known: list[str] = []
    lost: list[str] = []
    for sentence in message.asked:
        if len(sentence.split()) > _LONGEST_WORDS or CLEANING.search(sentence):
            continue
        slots = read_slots(sentence, scene)
        known += _dropped_values(slots, asks)
        told = {a.options["at"] for a in asks if "at" in a.options}
        known += [said for said in _dropped_numbers(slots) if not told & set(said.split())]
        on_days = any(f.op == "weekday" for a in asks for f in a.filters)
        parts = any("part" in a.options for a in asks)
        answered = [_ALONE] if parts else [_DAYS_OF_WEEK] if on_days else []
        lost += [w for w in _unknown(slots, message, scene) if not any(p.fullmatch(w) for p in answered)]
    said = []
    if lost:
        said.append(_sentence(lost, "is not a column or value here and was", "are not columns or values here and were"))
    if known := [w for w in known if w not in lost]:
        said.append(_sentence(known, "could not be placed on a column here and was", "could not be placed and were"))
    return (" ".join(said),) if said else ()


def _dropped_values(slots: Slots, asks: Sequence[Ask]) -> list[str]:
    """Values that the question names and whose column no ask touches."""
    used = _columns(asks)
    return [
        m.text
        for m in slots.mentions
        if m.how == "value" and m.value and not used & {name for name, _ in m.columns} and not _plain(m.text)
    ]


def _dropped_numbers(slots: Slots) -> list[str]:
    """Comparisons with a number that are on no column."""
    if OF_A_METHOD.search(slots.text):
        return []
    places = [*slots.taken, *slots.periods.places, *((m.start, m.end) for m in slots.mentions)]
    left = comparisons(slots.text, places)
    return [slots.text[c.start : c.end] for c in left if not slots.ranges]


def _unknown(slots: Slots, message: Message, scene: Scene) -> list[str]:
    """Nouns in a telling place that name nothing of the dataset."""
    text = slots.text
    whole = " ".join((*message.asked, *message.instructions))
    rows = {lemma(m["w"].lower()) for m in _ROWS.finditer(whole)}
    places = [*slots.taken, *slots.periods.places, *((m.start, m.end) for m in slots.mentions)]
    places += [m.span() for cue in CUES.values() for m in cue.finditer(text)]
    made = {w for f in scene.features for w in name_words(f.name)}
    found: dict[str, None] = {}
    for pattern in (_WHICH, _SPLITS, _LIMITS, _NAMED, _ALONE):
        for match in pattern.finditer(text):
            start, end = match.span("w")
            words = [t for t in tokens(match["w"]) if t.is_word]
            inside = any(s < end and start < e for s, e in places)
            plain = all(_says_nothing(t, rows, made, scene) for t in words)
            if inside or plain or _glossed(text, end, places) or _of_a_tool(text, start, end):
                continue
            if not (pattern is _LIMITS and _goes_on(text, end, places)):
                found.setdefault(match["w"], None)
    return list(found)


def _says_nothing(token: Token, rows: set[str], made: set[str], scene: Scene) -> bool:
    """Whether a word is of the language of questions, means the rows themselves, or is part of a name."""
    word, base = token.word, lemma(token.word)
    if token.is_stop or weight(word) < 1 or base in PLAIN or word in PLAIN or base in rows or word in made:
        return True
    if MOST.fullmatch(word) or WHICH.fullmatch(word):
        return True
    names = [scene.card.dataset, scene.card.title, *(c.name for c in scene.card.columns)]
    return any(likeness(word, part) >= 0.9 for name in names for part in name_words(name))


def _glossed(text: str, end: int, places: Sequence[tuple[int, int]]) -> bool:
    """Whether a bracket behind a word says what it is here: "Cherbourg (Embarked = 'C')"."""
    bracket = re.match(r"[\w. ]{0,24}\([^)]*\)", text[end:])
    return bracket is not None and any(s < end + bracket.end() and end < e for s, e in places)


def _of_a_tool(text: str, start: int, end: int) -> bool:
    """Whether a name is one of software or of a method: "the Random Forest algorithm"."""
    beside = text[start:end] + " ".join(text[end:].split(" ", 3)[:3])
    return TOOLS.search(beside) is not None or re.match(r"-\w|'s (?:built|stat)", text[end:]) is not None


def _goes_on(text: str, end: int, places: Sequence[tuple[int, int]]) -> bool:
    """Whether the noun phrase goes on to something known: "in total revenue", "with adult passengers"."""
    following = re.match(r"[\s\"'(]+(?=[\w])", text[end:])
    at = end + following.end() if following else -1
    word = re.match(r"\w+", text[at:]) if at > 0 else None
    if word and lemma(word.group().lower()) in MEASURING:
        return True
    return at > 0 and any(s <= at < e for s, e in places)


def _plain(text: str) -> bool:
    return all(t.is_stop or lemma(t.word) in PLAIN for t in tokens(text) if t.is_word)


def _columns(asks: Sequence[Ask]) -> set[str]:
    found: set[str] = set()
    for ask in asks:
        found |= {*ask.dimensions, *ask.columns, *(f.column for f in ask.filters)}
        found |= {c for m in ask.metrics for c in m.measure.columns}
        found |= {v for k, v in ask.options.items() if k in {"along", "once_per", "per", "entity", "start", "unit"}}
        found |= {ask.window.column} if ask.window else set()
    return found


def _sentence(words: Sequence[str], one: str, more: str) -> str:
    quoted = [f'"{w}"' for w in dict.fromkeys(words)]
    if len(quoted) == 1:
        return f"{quoted[0]} {one} not used."
    return f"{', '.join(quoted[:-1])} and {quoted[-1]} {more} not used."
