"""A question on a dataset → what it means: asks, relevance of columns, what is unclear, what was stated."""

import re
from collections.abc import Sequence

from analyst.asks import asks_in
from analyst.clauses import clauses
from analyst.derived import derived_measures
from analyst.features import features_in
from analyst.followups import taken_over
from analyst.settling import settled
from analyst.matching import Embeds, Matcher
from analyst.protocol import Ask, Intent, Turn
from analyst.question_kinds import wants_exploration
from analyst.relevance import relevance_of
from analyst.sentences import Message, sort_message
from analyst.slots import Scene
from analyst.time_expressions import newest_day
from datasets.schema import SchemaCard

_MAX_CHARS = 8000
_WHOLE = re.compile(
    r"^(?:please )?(?:summari[sz]e|profile|describe|explore|analy[sz]e|overview|give me (?:a |an )?(?:overview|summary)|tell me about|what(?:'s| is) in|look at)"
    r"(?: (?:of|me|about))?(?: (?:a |an |the |this |my |it|all )*(?:\w+ )?(?:data(?:set)?|file|table|it|everything)?)?[.?!]*$",
    re.I,
)
_MAKES = re.compile(
    r"(?:then,? )?(?:create|generate|add|define|make|derive|engineer)\b.*\b(?:feature|column|variable|field)", re.I
)
_GOAL = re.compile(
    r"^(?:to |please |let's |can you |could you |i want to |we want to |help me )*(?:analy[sz]e|explore|investigate|examine|evaluate|assess|understand|uncover|study|review|pinpoint|profile"
    r"|summari[sz]e|detect and investigate|look (?:at|into)|find (?:and highlight |out )?(?:the )?(?:discrepanc|imbalance|pattern|insight|anomal|interesting|reason|trend))",
    re.I,
)


def understand(
    question: str,
    card: SchemaCard,
    embedder: Embeds | None = None,
    *,
    history: Sequence[Turn] = (),
    matcher: Matcher | None = None,
) -> Intent:
    """Read a question on a schema card. Never raises on odd questions: `Intent.unclear` says what is missing.

    :param history: earlier turns, oldest first; a follow-up takes over what it leaves out from the last question.
    :param matcher: the one of this card, to reuse its name embeddings; else one is made with `embedder`.
    """
    matcher = matcher or Matcher(card, embedder)
    message = sort_message(question[:_MAX_CHARS])
    if not card.columns:
        return Intent(question=question, unclear="The dataset has no columns to ask about.")
    if not message.asked:
        return Intent(question=question, statements=message.statements, unclear=_nothing_asked(message))
    asks, unread = _asks(message, matcher)
    asks = taken_over(asks, unread, message, matcher, history, understand)
    open_wanted = any(_GOAL.search(s) or _WHOLE.search(s) for s in message.asked) or any(a.kind == "open" for a in asks)
    spoken = " ".join((*message.asked, *message.instructions))
    relevance = relevance_of(spoken, asks, matcher)
    unclear = _unclear(message, matcher, asks) if not open_wanted else None
    if not asks and open_wanted:
        asks = (Ask(kind="open", text=" ".join(message.asked)),)
    elif not asks and not unclear:
        if wants_exploration(spoken) or max(relevance.values(), default=0.0) >= 0.5:
            asks, open_wanted = (Ask(kind="open", text=" ".join(message.asked)),), True
        else:
            unclear = _no_match(message, matcher)
    return Intent(
        question=question,
        asks=asks,
        relevance=relevance,
        open=open_wanted,
        unclear=unclear,
        statements=message.statements,
    )


def _asks(message: Message, matcher: Matcher) -> tuple[tuple[Ask, ...], list[str]]:
    """The asks of all sentences, each once, and the clauses that could not be read."""
    card = matcher.card
    features = features_in((*message.asked, *message.instructions), matcher)
    whole = "\n".join((*message.asked, *message.instructions))
    time = next((c for c in card.columns if c.name == card.time_column), None)
    named = frozenset(m.column for m in matcher.mentions(whole) if m.how != "value" and m.score >= 0.7)
    scene = Scene(matcher, features, newest_day(time.maximum) if time else None, named)
    found: list[Ask] = []
    unread: list[str] = []
    for sentence in message.asked:
        if _MAKES.match(sentence):
            continue
        for clause in clauses(sentence, matcher):
            read = asks_in(clause, scene, whole, found)
            if not read:
                unread.append(clause)
            found += [a for a in read if not any(_same(a, b) for b in found)]
    return tuple(settled(found, message, scene, whole)), unread


def _same(one: Ask, other: Ask) -> bool:
    """Whether an ask says nothing that another did not say: restated questions count once."""
    if one.kind != other.kind:
        return False
    return (
        set(one.metrics) <= set(other.metrics)
        and set(one.dimensions) <= set(other.dimensions)
        and set(one.columns) <= set(other.columns)
        and {f.key for f in one.filters} == {f.key for f in other.filters}
        and one.window == other.window
        and one.grain == other.grain
        and one.options.get("what") == other.options.get("what")
    )


def _unclear(message: Message, matcher: Matcher, asks: Sequence[Ask]) -> str | None:
    for sentence in message.asked:
        for name in matcher.unknown_quotes(sentence):
            lead = sentence[: sentence.find(name)]
            if (
                re.search(r"\b(?:called|named|as|label\w*|group\w*|categor\w+|into)\W*$|:\s*\W?$", lead, re.I)
                or "(" in sentence[sentence.find(name) + len(name) : sentence.find(name) + len(name) + 3]
            ):  # noqa: E501
                continue
            if any(
                name in a.text and a.metrics and a.metrics[0].measure.kind in {"sum_of", "ratio_of", "duration"}
                for a in asks
            ):
                continue
            if any(c.casefold() in name.casefold() for c in ("python", "pandas", "scipy")):
                continue
            near = matcher.near(name)
            hint = f" Did you mean {_listed(near)}?" if near else ""
            return f'There is no column or value "{name}" in {matcher.card.dataset}.{hint}'
    return None


def _no_match(message: Message, matcher: Matcher) -> str:
    names = [c.name for c in matcher.card.columns if c.role not in {"empty", "constant"}][:8]
    return (
        f"I could not match the question to the columns of {matcher.card.dataset}. "
        f"You can ask about {_listed(names)}, or ask for an overview."
    )


def _nothing_asked(message: Message) -> str | None:
    if message.code:
        return "That is code, which is not run; ask in words what you want to know about the data."
    return None if message.statements else "There is no question in the message."


def _listed(names: Sequence[str]) -> str:
    quoted = [f'"{n}"' for n in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


__all__ = ["derived_measures", "understand"]
