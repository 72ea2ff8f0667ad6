"""What is said when a question cannot be read: the unknown name, or what could be asked instead."""

import re
from collections.abc import Sequence

from analyst.modes.cues import CUES
from analyst.protocol import Ask
from analyst.questions.implied import implied_measure
from analyst.questions.kinds import kind_of
from analyst.questions.scene import Scene
from analyst.questions.sentences import Message
from analyst.reading.lexicon import MONEY, SYNONYMS
from analyst.reading.matching import Matcher
from analyst.reading.words import lemma, name_words, weight

_GIVES_NAME = re.compile(r"\b(?:called|named|as|label\w*|group\w*|categor\w+|into|either|or)\W*$|:\s*\W?$", re.I)
_THANKS = re.compile(
    r"\W*(?:ok(?:ay)?|great|perfect|many|nice)?\W*(?:thanks?(?: you)?|thx|cheers)\b[\w\s]{0,20}\W*$", re.I
)
_GREETING = re.compile(
    r"\W*(?:ok(?:ay)?|hello|hi|hey|good (?:morning|day|afternoon|evening)|yes|no"
    r"|sure|great|fine|good|cool|nice|help|test)"
    r"(?: there| again)?\W*$",
    re.I,
)
_REMEMBERED = re.compile(
    r"\b(?:you|your) (?:\w+ )?(?:remember|recall|memory|memori[sz]ed?|learn(?:ed|t)?|know)\b", re.I
)
_MODES = ("rerun_verb", "rerun_again", "rerun_same", "rerun_usual", "check_verb", "check_still")
_AGAIN = re.compile("|".join(CUES[name] for name in _MODES), re.I)
_NUMBER_OF = re.compile(
    r"\b(?:average|mean|median|total|sum of|standard deviation of|variance of)\s+(?:of )?(?:the |all |our )?"
    r"(?P<n>[a-z_]\w*(?: [a-z_]\w*)?)"
    r"(?=\s*(?:[?.!,;]|$)|\s+(?:by|per|for|in|across|over|where|last|this|since)\b)",
    re.IGNORECASE,
)
_SAYS_LITTLE = frozenset(
    re.findall(
        r"\w+",
        "number value values amount amounts count counts row rows record records entries total totals sum per by for in"
        " of across over and or each every it them that this those result results data dataset overall figure figures"
        " size previous next day days week month year",
    )
)
_RANGE_FOLLOWS = re.compile(r"\W{0,2}\s*\(")


def unknown_name(message: Message, scene: Scene) -> str | None:
    """The first quoted name that is no column, no value and nothing the question makes up itself."""
    made = {f.name.casefold() for f in scene.features}
    for sentence in message.asked:
        for name in scene.matcher.unknown_quotes(sentence):
            at = sentence.find(name)
            given = _GIVES_NAME.search(sentence[:at]) or _RANGE_FOLLOWS.match(sentence[at + len(name) :])
            plain = kind_of(name) is not None or all(weight(w) < 1 for w in name_words(name))
            if not given and not plain and name.casefold() not in made and not name.endswith("()"):
                return name
    return None


def unknown_measure(message: Message, scene: Scene) -> str | None:
    """What a number is asked of that nothing here is called or can mean: "qty" of "median qty by region"."""
    for sentence in message.asked:
        mentions = scene.matcher.mentions(sentence)
        for match in _NUMBER_OF.finditer(sentence):
            words = [w for w in match["n"].split() if w.lower() not in _SAYS_LITTLE and weight(w) >= 1]
            known = any(m.start < match.end("n") and match.start("n") < m.end for m in mentions)
            made = any(f.name.casefold() in match["n"].casefold() for f in scene.features)
            if words and not known and not made and implied_measure(sentence, scene) is None:
                return " ".join(words)
    return None


def stand_in(message: Message, scene: Scene, asks: Sequence[Ask]) -> str | None:
    """One sentence where money is asked for by an unknown name and the only number of the dataset was taken for it."""
    unknown, measures = unknown_measure(message, scene), scene.card.by_role("measure")
    if unknown is None or len(measures) != 1 or not _speaks_of_money(unknown):
        return None
    used = any(measures[0].name in m.measure.columns for a in asks for m in a.metrics)
    return f'"{unknown}" is read as {measures[0].name}, the only measure here.' if used else None


def _speaks_of_money(words: str) -> bool:
    """Whether the last word is one for money, as "expense" or "spend" is."""
    word = lemma(words.lower().split()[-1])
    return word in MONEY or bool(SYNONYMS.get(word, frozenset()) & set(MONEY))


def no_such_name(name: str, matcher: Matcher) -> str:
    """One sentence on a name that is unknown, with the names that are near it."""
    near = matcher.near(name)
    hint = f" Did you mean {_listed(near)}?" if near else ""
    return f'There is no column or value "{name}" in {matcher.card.called}.{hint}'


def no_match(message: Message, matcher: Matcher) -> str:
    """One sentence on what can be asked of the dataset, or on what the words say that is no question on it."""
    said = " ".join((*message.asked, *message.instructions))
    names = [c.name for c in matcher.card.columns if c.role not in {"empty", "constant"}][:8]
    names = names or [c.name for c in matcher.card.columns][:8]
    if _THANKS.match(said):
        return "You're welcome."
    if _GREETING.match(said):
        return f"Ask something about {matcher.card.called}: its columns are {', '.join(names)}."
    if _REMEMBERED.search(said):
        return "What is remembered is listed by `recallyst memory list`; ask a question to have it recalled."
    if _AGAIN.search(said):
        return "The question names no column; it reads like a request to repeat or check earlier work."
    about = f"You can ask about {_listed(names)}, or ask for an overview." if names else "Ask for an overview of it."
    return f"The question names nothing that is in {matcher.card.called}. {about}"


def nothing_asked(message: Message) -> str | None:
    """One sentence on a message without a question; None where it states something to remember."""
    if message.code:
        return "That is code, which is not run; ask in words what you want to know about the data."
    return None if message.statements else "There is no question in the message."


def _listed(names: Sequence[str]) -> str:
    quoted = [f'"{n}"' for n in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
