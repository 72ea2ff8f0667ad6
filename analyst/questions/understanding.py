"""A question on a dataset → what it means: asks, relevance of columns, what is unclear, what was stated."""

import re
from collections.abc import Sequence

from analyst.protocol import Ask, Intent, Turn
from analyst.questions.asks import asks_in
from analyst.questions.beyond import beyond
from analyst.questions.changed_columns import is_change, on_changed, without_fill
from analyst.questions.clauses import clauses
from analyst.questions.coverage import unused
from analyst.questions.followups import completed, taken_over
from analyst.questions.kinds import wants_exploration, wants_overview
from analyst.questions.relevance import relevance_of
from analyst.questions.scene import Scene
from analyst.questions.sentences import Message, sort_message
from analyst.questions.settling import settled
from analyst.questions.slots import read_slots
from analyst.questions.unread import no_match, no_such_name, nothing_asked, stand_in, unknown_measure, unknown_name
from analyst.reading.agents import others_like, with_agents
from analyst.reading.aggregates import aggregate_words
from analyst.reading.derived import derived_measures
from analyst.reading.features import GROUPS_INTO, features_in
from analyst.reading.matching import Embeds, Matcher
from analyst.reading.transforms import changes_in
from analyst.times.calendar_units import newest_day
from datasets.schema import SchemaCard

_MAX_CHARS = 4000
_MAX_CLAUSES = 30
_WHOLE = re.compile(
    r"^(?:please )?(?:summari[sz]e|profile|describe|explore|analy[sz]e"
    r"|overview|give me (?:a |an )?(?:overview|summary)|tell me about"
    r"|what(?:'s| is) in|look at)"
    r"(?: (?:of|me|about))?(?: (?:a |an |the |this |my |it|all )*(?:\w+ )?(?:data(?:set)?"
    r"|file|table|it|everything)?)?[.?!]*$",
    re.I,
)
_MAKES = re.compile(
    r"(?:(?:using|by|through|with|apply|applying) [\w ]{3,50}?(?:,| to) )?(?:then,? )?"
    r"(?:create|generate|add|define|make|derive|engineer)\b.*\b(?:feature|column|variable|field)",
    re.I,
)
_GOAL = re.compile(
    r"^(?:to |please |let's |can you |could you |i want to |we want to "
    r"|help me )*(?:analy[sz]e|explore|investigate|examine|evaluate"
    r"|assess|understand|uncover|study|review|pinpoint|profile"
    r"|summari[sz]e|detect and investigate|look (?:at|into)|find (?:and highlight "
    r"|out )?(?:the )?(?:discrepanc|imbalance|pattern|insight|anomal"
    r"|interesting|reason|trend)|(?:identify|determine|discover|highlight|detect|explain|find out)"
    r"(?: and \w+)? (?:the )?(?:why|how(?! (?:many|much|often|long|far|old))"
    r"|what (?:drives|causes|leads|separates|explains|is behind"
    r"|lies behind)|reasons?|causes?|factors?|patterns?|trends?|drivers?|discrepanc|imbalance|insight|anomal"
    r"|inefficien|bottleneck|irregularit|repeated|instances|opportunit|disparit))",
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
        return Intent(question=question, statements=message.statements, unclear=nothing_asked(message))
    scene = _scene(message, matcher)
    asks = taken_over(_asks(message, scene), message, scene, history, understand)
    spoken = " ".join((*message.asked, *message.instructions))
    open_wanted = any(_GOAL.search(s) or _WHOLE.search(s) or wants_overview(s) for s in message.asked)
    open_wanted = open_wanted or any(a.kind == "open" for a in asks)
    unknown = (unknown_name(message, scene) or unknown_measure(message, scene)) if not open_wanted else None
    taken = stand_in(message, scene, asks) if unknown else None
    if taken:
        unknown = None
    if unknown:
        asks = tuple(a for a in asks if unknown not in a.text)
    unclear = no_such_name(unknown, matcher) if unknown else None
    out_of_reach = None if unclear or open_wanted else beyond((*message.asked, *message.instructions), asks, scene)
    if out_of_reach:
        sentence, unclear = out_of_reach.sentence, out_of_reach.why
        # An instruction is about all that is asked; a question of its own, or a model to train, is one of several.
        several = not out_of_reach.carries_all and (sentence in message.asked or out_of_reach.trains)
        asks = tuple(a for a in asks if several and a.text not in sentence)
        asks = _on_made(asks, scene) if out_of_reach.trains else asks
    if not asks and not unclear:
        solid = any(m.score >= 0.75 and m.how != "fuzzy" for m in matcher.mentions(spoken))
        open_wanted = open_wanted or solid or wants_exploration(spoken)
        asks = (Ask(kind="open", text=" ".join(message.asked)),) if open_wanted else ()
        unclear = None if open_wanted else no_match(message, matcher)
    relevance = relevance_of(spoken, asks, matcher)
    return Intent(
        question=question,
        asks=asks,
        relevance=relevance,
        open=open_wanted,
        unclear=unclear,
        notes=()
        if unclear
        else (*((taken,) if taken else ()), *_taken_for(asks, message, scene), *unused(message, asks, scene)),
        statements=message.statements,
    )


def _taken_for(asks: Sequence[Ask], message: Message, scene: Scene) -> tuple[str, ...]:
    """One sentence for each word for people that several columns could be meant by."""
    used = {d for a in asks for d in (*a.dimensions, *(c for m in a.metrics for c in m.measure.columns))}
    said: dict[str, None] = {}
    for sentence in message.asked:
        for mention in with_agents(sentence, scene.matcher.mentions(sentence), scene.card):
            others = others_like(mention, scene.card)
            if others and mention.column in used:
                listed = ", ".join(others)
                said[f'"{mention.text}" is read as {mention.column}; it could also mean {listed}.'] = None
    return tuple(said)


def _scene(message: Message, matcher: Matcher) -> Scene:
    sentences = (*message.asked, *message.instructions)
    time = next((c for c in matcher.card.columns if c.name == matcher.card.time_column), None)
    named = frozenset(m.column for m in matcher.mentions("\n".join(sentences)) if m.how != "value" and m.score >= 0.7)
    newest = newest_day(time.maximum) if time else None
    return Scene(matcher, features_in(sentences, matcher), changes_in(sentences, matcher), newest, named)


def _asks(message: Message, scene: Scene) -> tuple[Ask, ...]:
    """The asks of all sentences, each once."""
    whole = "\n".join((*message.asked, *message.instructions))
    found: list[Ask] = []
    for sentence in message.asked[:_MAX_CLAUSES]:
        if _MAKES.match(sentence) or _defines(sentence, scene):
            continue
        for clause in clauses(sentence, scene.matcher)[:_MAX_CLAUSES]:
            if is_change(clause, scene):
                continue
            read = asks_in(without_fill(clause, scene), scene, whole, found)
            if _GOAL.search(sentence):
                read = [a for a in read if a.kind != "value" and not _only_counts(a)]
            if not read and found:
                slots = read_slots(clause, scene)
                done = completed(found[-1], slots, scene) if len(clause.split()) <= 5 and slots.mentions else None
                read = [done] if done else []
            found += [a for a in read if not any(_same(a, b) for b in found)]
    asks = settled(found, message, scene, whole)
    return tuple(
        on_changed(asks, (*message.asked, *message.instructions), scene) if scene.changes or scene.features else asks
    )


def _defines(sentence: str, scene: Scene) -> bool:
    """Whether a sentence only says how a made-up column is calculated, or which ranges are the groups."""
    if GROUPS_INTO.match(sentence) and any(f.ranges for f in scene.features) and not aggregate_words(sentence):
        return True
    return any(
        re.match(rf"\W*(?:calculat|comput|defin|determin)\w*\W+(?:the )?\W?{re.escape(f.name)}\W+as\b", sentence, re.I)
        for f in scene.features
    )


def _on_made(asks: Sequence[Ask], scene: Scene) -> tuple[Ask, ...]:
    """What asks want of columns that the question changes or makes."""
    made = {m.key for m in (*(f.measure for f in scene.features), *(c.measure for c in scene.changes)) if m is not None}
    kept = ((a, tuple(m for m in a.metrics if m.measure.key in made)) for a in asks)
    return tuple(a.model_copy(update={"metrics": metrics}) for a, metrics in kept if metrics)


def _only_counts(ask: Ask) -> bool:
    """Whether an ask compares the rows of the last two periods, which "why" and "how it developed" do not mean."""
    plain = all(m.aggregate in {"count", "distinct"} for m in ask.metrics)
    return ask.kind == "change" and plain and ask.window is None and ask.versus is None and not ask.filters


def _same(one: Ask, other: Ask) -> bool:
    """Whether an ask says nothing that another did not say: restated questions count once."""
    if one.kind != other.kind:
        return False
    return (
        set(one.metrics) <= set(other.metrics)
        and one.dimensions == other.dimensions
        and set(one.columns) <= set(other.columns)
        and {f.key for f in one.filters} == {f.key for f in other.filters}
        and one.window == other.window
        and one.grain == other.grain
        and all(one.options.get(k) == other.options.get(k) for k in ("what", "screen", "segment", "group"))
    )


__all__ = ["derived_measures", "understand"]
