"""From judged sentences to rules: which sentences of a turn belong together, and what they answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from analyst.notes.cues import cues_of
from analyst.notes.judge import Judgement
from analyst.notes.leaning import content_words, needs_more, points_back, thin
from analyst.notes.slots import topic_head
from analyst.notes.suggestions import adopted_quote, as_order, suggestion_in, taken_up, turned_down
from analyst.notes.text import BLANK, Sentence, sentences
from analyst.notes.vetoes import back_to_normal, standing
from analyst.protocol import Turn

THRESHOLD = 0.7
_SUPPORT = 0.25
_MOST_REFUSAL_WORDS = 6
_TOGETHER = 0.68
_TAKES_OUT = re.compile(
    r"^\W*(?:(?:so|and|then|please|pls|but)\b\W*)*(?:out (?:of|with)\b|(?:drop|exclude|remove|skip|ignore|"
    r"omit|filter|cut)\b|"
    r"(?:leave|take|throw|keep|kick|put|get)\b.*\b(?:out|off|aside|away)\b)|"
    r"\b(?:have to|has to|needs? to|must|should|ought to) be (?:ignored|excluded|dropped|left out|removed|skipped|"
    r"filtered|taken out)\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\bdefines? (?:it|this|that|them)\b|\bcount\w*\b.{1,40}\bas\b|\b(?:i|we) mean\b|\bis what we call\b|"
    r"\bthat'?s what (?:it|that|this|they) (?:means?|says?)\b",
    re.IGNORECASE,
)
_KEEPS_OUT = re.compile(
    r"\b(?:don't|do not|doesn't|does not|never|mustn't|must not|shouldn't|should not|not to|must never|should never)"
    r" (?:be )?(?:count(?:ed)?|belong|appear|go|enter|mix(?:ed)?|show(?: up)?|include(?:d)?|figure|play)\b"
    r"(?: \w+){0,3}? (?:in|into|with|among|toward?s?)\b",
    re.IGNORECASE,
)
_RECURS = re.compile(
    r"^(?!.*\b(?:please|use|show|don't|do not|never|compare|leave|exclude|drop|keep|skip|ignore|only)\b)"
    r".*\b(?:each|every) "
    r"(?:year|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|"
    r"december|easter|christmas|monday|tuesday|wednesday|thursday|friday|saturday|sunday|holidays?|season)\b",
    re.IGNORECASE,
)
_CALENDAR = re.compile(
    r"\b(?:weeks?|months?|quarters?|years?|seasons?|terms?|shifts?) (?:\w+ )?(?:runs?|starts?|begins?|ends?) "
    r"(?:on|in|at|from|with)\b",
    re.IGNORECASE,
)
_MEAN_VALUES = re.compile(
    r"\b(?:back to|use|to|of|with) means\b|\bmeans (?:it is|for|instead|after all|again)\b", re.IGNORECASE
)
_LISTS_CODES = re.compile(
    r"^\W*[A-Z0-9]{1,2}(?: is| are| means?|:| =)? [a-z][^,;]*(?:[,;]| and) ?"
    r"[A-Z0-9]{1,2}(?: is| are| means?|:| =)? [a-z]"
)
_WISH = re.compile(r"\bi (?:don't|do not|never) want\b|\bi'?d rather\b|\bi want\b", re.IGNORECASE)
_AND = re.compile(r"^\W*(?:and|also|plus)\b", re.IGNORECASE)
_CONSEQUENCE = re.compile(r"^\W*(?:so|therefore|hence|thus)\b", re.IGNORECASE)
_STATUS_QUO = re.compile(
    r"\b(?:leave|keep|stay)\b.*\b(?:it|them|that|this|as|linear|with|the)\b|^\W*(?:no\W+)?(?:don't|do not)\W*$|"
    r"\b(?:stays?|remains?|are|is) (?:in|as (?:it|they)|where|fine)\b",
    re.IGNORECASE,
)
_MAKES = re.compile(
    r"^\W*(?:(?:and|so|but|please|pls|also|ok)\b\W*)*(?:cap|clip|winsori[sz]e|trim|normali[sz]e|weight|adjust|convert|"
    r"smooth|round|sort|rank|bin|hide|suppress|show|plot|print|write|spell)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Rule:
    """Sentences of one turn that state one thing; `core` are those that state it by themselves.

    `forced` marks a turn that is no rule by its words and counts only where it lets rows back in.
    """

    turn: int
    said: tuple[Sentence, ...]
    preference: float
    pattern: float
    context: str = ""
    core: tuple[Sentence, ...] = ()
    adopted: str = ""
    forced: bool = False

    @property
    def words(self) -> str:
        """The user's words, sentence by sentence."""
        return " ".join(s.text for s in self.said)

    @property
    def text(self) -> str:
        """What the rule says: the user's words, or the suggestion that they take up."""
        return self.adopted or self.words

    def quote(self, message: str) -> str:
        """The stretch of the message, verbatim, from the first to the last of its sentences."""
        return message[self.said[0].start : self.said[-1].end].strip()

    @property
    def memory_type(self) -> str:
        """The likelier type."""
        return "user_preference" if self.preference >= self.pattern else "domain_pattern"


def rules_of_turn(index: int, judged: Sequence[tuple[Sentence, Judgement]], turns: Sequence[Turn]) -> list[Rule]:
    """Return the rules that one user turn states, at most one a topic."""
    before = turns[index - 1].content if index > 0 and turns[index - 1].role == "assistant" else ""
    strong = _strong(judged)
    strong = [k for k in strong if not _ends_now(k, judged)]
    if strong and suggestion_in(before) and turned_down(judged[0][0].read):
        strong = [k for k in strong if not _STATUS_QUO.search(judged[k][0].read)]
    if strong and _stays_with(judged, before):
        return []
    if not strong:
        return _accepted(index, judged, before)
    rules = [_rule(index, group, judged, turns) for group in _topics(strong, judged)]
    return [rule for rule in rules if rule.context or not _says_nothing(rule)]


def _stays_with(judged: Sequence[tuple[Sentence, Judgement]], before: str) -> bool:
    """Whether a turn only refuses what the assistant offered and names what there is: "No, hours are fine."."""
    words = sum(s.words for s, _ in judged)
    offered = before.rstrip().endswith("?") and bool(suggestion_in(before))
    plain = not any(standing(s.read) for s, _ in judged)
    return offered and plain and words <= _MOST_REFUSAL_WORDS and turned_down(judged[0][0].read)


def _says_nothing(rule: Rule) -> bool:
    """Whether a rule has no word of content: "Yes like that, always." repeats what is kept already."""
    return not any(content_words(s.read) for s in rule.said)


def _rule(
    index: int, strong: Sequence[int], judged: Sequence[tuple[Sentence, Judgement]], turns: Sequence[Turn]
) -> Rule:
    chosen = set(strong)
    for k in strong:
        for near in (k - 1, k + 1):
            fits = 0 <= near < len(judged) and judged[near][1].veto is None
            if fits and _SUPPORT <= judged[near][1].rule < THRESHOLD:
                chosen.add(near)
    chosen |= {k for k in range(max(chosen) + 1, len(judged)) if _continues(judged[k])}
    chosen |= _surroundings(min(chosen), judged)
    revised = max((k for k in chosen if judged[k][0].revises), default=0)
    chosen = {k for k in chosen if k >= revised}
    said = tuple(judged[k][0] for k in sorted(chosen))
    strong = [k for k in strong if k >= revised] or strong
    leading = [k for k in strong if not _CONSEQUENCE.search(judged[k][0].read)] or strong
    preference = max(judged[k][1].preference for k in leading)
    pattern = max(judged[k][1].pattern for k in leading)
    asked_for = any(_MEAN_VALUES.search(s.read) for s in said) or any(
        _KEEPS_OUT.search(s.read) and not _DEFINES.search(s.read) for s in said
    )
    if asked_for or (len(said) > 1 and any(_TAKES_OUT.search(s.read) for s in said)):
        preference = 1.0
    elif any(judged[k][1].preference >= THRESHOLD and _is_wish(judged[k][0].read) for k in strong):
        pattern = min(pattern, preference)
    elif _orders(judged[leading[0]][0].read):
        preference = 1.0
    elif _states_facts(said):
        pattern = 1.0
    return Rule(
        turn=index,
        said=said,
        preference=preference,
        pattern=pattern,
        context=_context(index, said, turns),
        core=tuple(judged[k][0] for k in strong),
    )


def _states_facts(said: Sequence[Sentence]) -> bool:
    """Whether sentences define something, list codes, or tell what recurs every year."""
    facts = all(_RECURS.search(s.read) or _LISTS_CODES.search(s.read) or _CALENDAR.search(s.read) for s in said)
    return facts or any(_DEFINES.search(s.read) for s in said)


def _orders(text: str) -> bool:
    """Whether a sentence says what to do with the data ("cap delays at 180"), and not what something counts as."""
    return _MAKES.search(text) is not None and not _DEFINES.search(text)


def _is_wish(text: str) -> bool:
    """Whether a sentence says outright that it is a wish: then what else its turn says is the reason."""
    return standing(text) or bool(_WISH.search(text))


def _context(index: int, said: Sequence[Sentence], turns: Sequence[Turn]) -> str:
    """What a rule of pointing or very few words refers to: the suggestion it takes up, else the question before it."""
    words = " ".join(s.read for s in said)
    if not (points_back(said[0].read) or thin(words)):
        return ""
    before = turns[index - 1].content if index > 0 and turns[index - 1].role == "assistant" else ""
    suggestion = suggestion_in(before)
    if suggestion:
        return suggestion
    for turn in reversed(turns[max(0, index - 3) : index]):
        if turn.role == "user":
            asked = [s.text for s in sentences(0, turn.content) if BLANK not in s.read]
            return asked[-1] if asked and asked[-1].endswith("?") else ""
    return ""


def _topics(strong: Sequence[int], judged: Sequence[tuple[Sentence, Judgement]]) -> list[list[int]]:
    """Group rule sentences by topic; one that only points, or has no topic of its own, stays with the last."""
    groups: list[list[int]] = []
    last: str | None = None
    for k in strong:
        sentence, judgement = judged[k]
        own = not thin(sentence.read, most_words=1) and judgement.preference >= judgement.pattern
        topic = topic_head(sentence.read) if own else None
        if groups and (topic is None or last is None or topic == last):
            groups[-1].append(k)
        else:
            groups.append([k])
        last = topic or last
    return groups


def _ends_now(k: int, judged: Sequence[tuple[Sentence, Judgement]]) -> bool:
    """Whether the sentence after a rule makes it a one-off: "Just this once.", "Then back to normal."."""
    if k + 1 >= len(judged) or standing(judged[k][0].read):
        return False
    follow, judgement = judged[k + 1]
    return (judgement.veto == "one-off" and follow.words <= 6) or back_to_normal(follow.read)


def _strong(judged: Sequence[tuple[Sentence, Judgement]]) -> list[int]:
    """Sentences that are surely rules; else two neighbours that are together."""
    fit = [k for k, (_, j) in enumerate(judged) if j.veto is None]
    strong = [k for k in fit if judged[k][1].rule >= THRESHOLD]
    if strong:
        return strong
    pairs = [(1 - (1 - judged[a][1].rule) * (1 - judged[b][1].rule), a, b) for a, b in pairwise(fit) if b == a + 1]
    best = max(pairs, default=(0.0, 0, 0))
    return [best[1], best[2]] if best[0] >= _TOGETHER else []


def _continues(pair: tuple[Sentence, Judgement]) -> bool:
    """Whether a short sentence adds to the rule before it: "And with one decimal."."""
    sentence, judgement = pair
    short = judgement.veto is None and judgement.rule < THRESHOLD and sentence.words <= 8
    return short and bool(_AND.search(sentence.read)) and topic_head(sentence.read) is not None


def _surroundings(first: int, judged: Sequence[tuple[Sentence, Judgement]]) -> set[int]:
    """Earlier sentences that a pointing or very short first one needs to be understood, back to one that stands."""
    needed: set[int] = set()
    while first > 0 and needs_more(judged[first][0].read) and judged[first - 1][1].veto in (None, "question"):
        first -= 1
        if judged[first][0].words > 1:
            needed.add(first)
    return needed


def _accepted(index: int, judged: Sequence[tuple[Sentence, Judgement]], before: str) -> list[Rule]:
    """A suggestion of the assistant that the user takes up for good, or a quoted rule that he makes his own.

    The suggestion, or the rule, is then what was said.
    """
    for k, (sentence, judgement) in enumerate(judged):
        own = adopted_quote(sentence, judged[k + 1][0] if k + 1 < len(judged) else None)
        if own and judgement.veto is None:
            likely = (0.8, 0.2) if cues_of(own)["imperative"] else (0.2, 0.8)
            return [Rule(turn=index, said=(sentence,), preference=likely[0], pattern=likely[1], adopted=own)]
    mine = tuple(s for s, _ in judged if not s.question)
    suggestion = suggestion_in(before)
    if not suggestion or not taken_up(" ".join(s.read for s in mine), suggestion):
        return []
    return [Rule(turn=index, said=mine, preference=0.8, pattern=0.2, adopted=as_order(suggestion))]
