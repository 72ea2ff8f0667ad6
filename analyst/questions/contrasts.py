"""Clauses that compare without saying with what: "do smokers pay more?", "do older people?", "does age matter?"."""

import re

from analyst.protocol import Ask
from analyst.questions.implied import main_measure
from analyst.questions.metrics import paired
from analyst.questions.parts import as_metric, dimension_of
from analyst.questions.scene import Scene, Slots
from analyst.reading.derived import money_column
from analyst.reading.rates import rates
from analyst.reading.verbs import measure_of_verb
from analyst.reading.words import name_words, stem, tokens
from datasets.measures import Measure, Metric
from datasets.schema import Column, SchemaCard

_MORE = r"(?:more|less|fewer|higher|lower|better|worse|longer|shorter|greater|larger|smaller|bigger|cheaper)"
_LONE = re.compile(
    rf"\W*(?:(?:and|so|but) )?(?:(?:do|does|did|are|is|was|were|have|has|will|would)\b.{{2,60}}\b{_MORE}"
    rf"|how much (?:more|less|higher|lower)\b.{{2,60}}?)(?: \w+)?(?: often)?"
    r"(?:\s+(?:in|for|among|at|on|with)\s+(?:the\s+)?[\w' -]{2,30})?\W*$",
    re.I,
)
"""A comparative with nothing that it is compared with."""
_AGED = re.compile(r"\b(?:old(?:er)?|young(?:er)?|elderly)\b(?! than)", re.I)
_EITHER_AGE = re.compile(r"\bolder or younger\b|\byounger or older\b", re.I)
_WITH_MORE = re.compile(rf"\b(?:with|who have|having|of|at) (?:a |an )?{_MORE}\s+(?P<c>[\w ]{{2,30}}?)\b", re.I)
_MEANT, _BEGUN = 0.65, 6
_MATTERS = re.compile(
    r"\b(?:does|do|did|will|would|how much does)\b.{2,50}\b(?:matter|make (?:a|any|much)? ?difference"
    r"|play a (?:role|part)|count|have an? (?:effect|influence|impact))\W*$",
    re.I,
)


def contrast(slots: Slots, scene: Scene) -> Ask | None:
    """The comparison or relation that such a clause means; None where it is no such clause, or no measure is meant."""
    if _EITHER_AGE.search(slots.text):
        return _by_age(slots, scene)
    if re.search(r"\bthan\b", slots.text, re.I):
        return None
    if _MATTERS.search(slots.text):
        return _of_what_matters(slots, scene)
    if not _LONE.match(slots.text):
        return None
    grown = _by_age(slots, scene) or _by_more_of(slots, scene)
    if grown:
        return grown
    if left := _outcome(slots, scene):
        return left
    sides = [f for f in slots.filters if f.column in {m.column for m in slots.sides}]
    groups = sides or [f for f in slots.filters if f.op == "eq" and _groups(scene.card.column(f.column))]
    if len(groups) != 1 or slots.groups or slots.periods.versus:
        return None
    metric = _metric(slots, scene, {groups[0].column})
    if metric is None:
        return None
    slots.filters = [f for f in slots.filters if f is not groups[0]]
    return Ask(kind="compare", metrics=(metric,), dimensions=(groups[0].column,))


def _outcome(slots: Slots, scene: Scene) -> Ask | None:
    """ "Do remote workers leave more often?": the share that the verb means, by the groups or the number named."""
    card = scene.card
    named = {m.column for m in slots.sides} | {f.column for f in slots.filters}
    near = [m for m, fit in rates(card, slots.text) if fit >= _MEANT]
    near = [m for m in near if m.columns[0] not in named] or (near if len(named) > 1 else [])
    if not near:
        return None
    of, result = near[0], near[0].columns[0]
    numbers = [m for _, m in slots.measures if m.kind == "column" and card.column(m.columns[0]).role == "measure"]
    loose = [m.column for m in slots.mentions if m.how != "value" and card.column(m.column).role == "measure"]
    numbers = numbers or [Measure(kind="column", columns=(name,)) for name in loose]
    sides = [m.column for m in slots.sides if m.column != result]
    groups = sides or [f.column for f in slots.filters if f.column != result and _groups(card.column(f.column))]
    if len(set(groups)) == 1:
        slots.filters = [f for f in slots.filters if f.column not in {groups[0], result}]
        return Ask(kind="compare", metrics=(Metric(aggregate="share", measure=of),), dimensions=(groups[0],))
    if len(numbers) != 1 or groups:
        return None
    slots.filters = [f for f in slots.filters if f.column != result]
    return Ask(kind="compare", metrics=(as_metric(numbers[0]),), dimensions=(result,), options={"relation": "yes"})


def _of_what_matters(slots: Slots, scene: Scene) -> Ask | None:
    """ "Does age matter?": how the main measure goes with what is named."""
    named = [m.columns[0] for _, m in slots.measures if m.kind == "column"]
    named += [dimension_of(m, scene.card) for m in (*slots.subjects, *slots.others, *slots.sides)]
    column = _main(slots, scene, set(named))
    if len(set(named)) != 1 or column is None:
        return None
    slots.filters = [f for f in slots.filters if f.column not in named]
    return _related(scene.card.column(named[0]), column)


def _by_age(slots: Slots, scene: Scene) -> Ask | None:
    """ "Do older people pay more?": how what they pay goes with the age."""
    if not _AGED.search(slots.text):
        return None
    age = next((c for c in scene.card.columns if c.numeric and stem(c.name.casefold()) == "age"), None)
    column = _main(slots, scene, {age.name} if age else set())
    return _related(age, column) if age and column else None


def _by_more_of(slots: Slots, scene: Scene) -> Ask | None:
    """ "Do people with more children pay more?"."""
    said = _WITH_MORE.search(slots.text)
    if said is None:
        return None
    named = next((m.columns[0] for at, m in slots.measures if m.kind == "column" and at >= said.start("c") - 1), None)
    column = _main(slots, scene, {named} if named else set())
    return _related(scene.card.column(named), column) if named and column else None


def _related(one: Column, other: Column) -> Ask:
    metric = as_metric(Measure(kind="column", columns=(other.name,)))
    if not one.numeric or one.role != "measure":
        return Ask(kind="compare", metrics=(metric,), dimensions=(one.name,), options={"relation": "yes"})
    return Ask(kind="relation", metrics=(as_metric(Measure(kind="column", columns=(one.name,))), metric))


def _metric(slots: Slots, scene: Scene, without: set[str]) -> Metric | None:
    named = [m for m in paired(slots, scene) if not set(m.measure.columns) & without and m.measure.kind != "rows"]
    if named:
        return as_metric(named[0].measure) if named[0].aggregate == "sum" else named[0]
    column = _main(slots, scene, without)
    return as_metric(Measure(kind="column", columns=(column.name,))) if column else None


def _main(slots: Slots, scene: Scene, without: set[str]) -> Column | None:
    """The measure that the verb means, that is named, or the main one; none of those in `without`."""
    named = [m.columns[0] for _, m in slots.measures if m.kind == "column" and m.columns[0] not in without]
    if named:
        return scene.card.column(named[0])
    spoken = measure_of_verb(slots.wording, scene.card) or measure_of_verb(slots.text, scene.card)
    spoken = spoken or _kindred(slots.text, scene.card, without)
    found = spoken or main_measure(scene.card) or money_column(scene.card)
    return found if found is not None and found.name not in without else None


def _kindred(text: str, card: SchemaCard, without: set[str]) -> Column | None:
    """The column of numbers of which an adjective in the text is made: "satisfied" of satisfaction."""
    begun = {t.word[:_BEGUN] for t in tokens(text) if t.is_word and len(t.word) > _BEGUN}
    able = [c for c in card.columns if c.numeric and c.distinct > 2 and c.name not in without]
    found = [c for c in able if begun & {w[:_BEGUN] for w in name_words(c.name) if len(w) > _BEGUN}]
    return found[0] if len(found) == 1 else None


def _groups(column: Column) -> bool:
    return column.role in {"dimension", "boolean"} and 2 <= column.distinct <= 30
