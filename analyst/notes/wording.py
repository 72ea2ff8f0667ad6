"""From a rule to notes: type, slot, value, a sentence that stands alone, scope, polarity, directive."""

import re

from analyst.notes.acts import Act
from analyst.notes.conditions import Condition, columns_named, conditions
from analyst.notes.directives import acts_of
from analyst.notes.rules import Rule
from analyst.notes.slots import pattern_slot, preference_slot, topic_head
from analyst.protocol import Note
from datasets.schema import SchemaCard

_LEAD = re.compile(
    r"^(?:\W*(?:hi|hello|hey|please|pls|and|but|so|ok(?:ay)?|fine|good|great|right|well|oh|hm+|yes|also|"
    r"thanks|thank you|sorry|actually|wait|"
    r"before i forget|i forgot to say|one (?:more )?thing|by the way|btw|fyi|correct|better|"
    r"no)\b(?:\s*[,.:;!]+\s*|\s+-+\s+)|"
    r"\W*(?:and|but|so|also|then|please|pls)\s+)+",
    re.IGNORECASE,
)
_AVOID = re.compile(
    r"^\W*(?:no|never|not|don't|do not|stop|avoid|without|nothing)\b|\b(?:never|don't|do not|must not|mustn't|"
    r"i hate|can't stand|no more)\b",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\b(?:this (?:file|table|data(?:set)?|trial|study|survey|sheet|one|extract|export)|here|in there|"
    r"these (?:scales|data|rows|columns))\b",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:whatever the (?:table|file|data)|in all my|every (?:table|file|dataset|report|analysis)|all (?:my |"
    r"our |the )?(?:reports|files|tables|datasets|charts)|"
    r"wherever|in this company|in our company|with us|our (?:company|firm|house) )",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\b(?:when(?:ever)?|if|unless|where) (?:you|we|i|a|the)\b|\bfor (?:the |our |any )?(?!good\b|all\b|every|"
    r"each|any\b|me\b|us\b|now\b|ever\b|that\b|this\b)[a-z]\w+|"
    r"\b(?:out of|from|in) (?:the |any |our )?(?:averages?|means?|medians?|baselines?|rates?|ratios?|trends?|"
    r"churn|comparisons?|revenue|turnover|charts?|titles?|tests?)\b|\bcounts? as\b",
    re.IGNORECASE,
)
_LATE = re.compile(
    r"\b(?:late\w*|delay\w*|lags?|never (?:complete|final)|incomplete|(?:not|n't) (?:yet )?(?:complete|final|"
    r"in)|preliminary|provisional|come in|comes in|arrive\w*)\b",
    re.IGNORECASE,
)
"""A lag is a fact about the data; leaving days out without such a reason is a wish."""
_PATTERN_KINDS = frozenset({"code", "sentinel"})
_IMPERATIVE_OUT = re.compile(
    r"\b(?:leave|keep|take|throw|cut|filter|exclude|drop|remove|ignore|skip|omit|out|only)\b", re.I
)


def notes_of(rule: Rule, card: SchemaCard | None, recent: Condition | None) -> list[Note]:
    """Word one rule as notes: one for each thing that the engine can do or decode, else one for the rule as a whole."""
    core = " ".join(s.text for s in rule.core) or None
    acts = [a for a in acts_of(rule.text, card, recent=recent, core=core) if _fits(a, rule)]
    if rule.forced:
        acts = [a for a in acts if a.kind == "readmit"]
    if len(rule.said) > 1 and rule.memory_type == "user_preference" and all(a.kind == "code" for a in acts):
        acts = []  # what a value means is then only the reason of the wish
    if acts:
        return [_note(rule, card, a) for a in acts]
    return [] if rule.forced else [_note(rule, card, None)]


def condition_of(rule: Rule, card: SchemaCard | None) -> Condition | None:
    """The last condition that a rule names; later turns may call its rows "those"."""
    found = conditions(rule.text, card)
    return found[-1] if found else None


def _fits(act: Act, rule: Rule) -> bool:
    """Whether a reading agrees with the judgement: a definition neither sets a grain nor filters rows by itself."""
    if act.kind == "filter" and topic_head(rule.text) in {"chart", "format"} and not _IMPERATIVE_OUT.search(rule.text):
        return False
    if act.kind in {"code", "sentinel", "dedupe", "readmit", "measure"} or rule.memory_type == "user_preference":
        return True
    return act.kind != "grain" and bool(_IMPERATIVE_OUT.search(rule.text))


def _note(rule: Rule, card: SchemaCard | None, act: Act | None) -> Note:
    text = clean(rule.text)
    if act:
        defined = act.kind == "measure" and act.subject.startswith("definition:")
        late = act.kind == "recent" and bool(_LATE.search(text))
        pattern = act.kind in _PATTERN_KINDS or late or (defined and rule.memory_type == "domain_pattern")
    else:
        pattern = rule.memory_type == "domain_pattern"
    if act:
        subject, value, directive = act.subject, act.value, act.directive
        statement = act.sentence if act.kind in {"grain", "code", "readmit"} else text
        if act.kind == "filter" and not _unconditional(act, rule.text, card):
            directive = None
    else:
        subject = pattern_slot(text, card) if pattern else preference_slot(text, card)
        value, directive = text.rstrip("."), None
        statement = text
    if rule.context and act is None:
        statement = f"{text} (about: {rule.context})"
        subject = (pattern_slot if pattern else preference_slot)(f"{text} {rule.context}", card)
        value = statement
    return Note(
        memory_type="domain_pattern" if pattern else "user_preference",
        subject=subject,
        value=value,
        statement=statement,
        directive=directive,
        scope="all" if _for_all(rule.text, subject, card, pattern=pattern, act=act) else "this_dataset",
        polarity="avoid" if act is None and _AVOID.search(text) and not pattern else "do",
        quote=rule.words,
        turn=rule.turn,
    )


def _unconditional(act: Act, text: str, card: SchemaCard | None) -> bool:
    """Whether a filter may act on every step: not for one metric only, and without losing rows that have no value.

    The inverse of a comparison drops rows without a value, so it acts only where the column has none.
    """
    if _QUALIFIED.search(_HERE.sub("", _without_its_name(text, card))):
        return False
    predicate = (act.directive or {}).get("predicate", {})
    if predicate.get("op") in {"lt", "le", "gt", "ge"} and act.value.endswith("excluded"):
        return card is not None and card.column(predicate["column"]).nulls == 0
    return True


def _without_its_name(text: str, card: SchemaCard | None) -> str:
    """The text without "for sales.csv" where the dataset is called so; another file's name stays."""
    if card is None:
        return text
    kinds = r"\.[a-z]\w{1,7}\b| (?:file|dataset|data|table)\b"
    named = rf"\b(?:for|in|on|with) (?:the )?(?:file )?{re.escape(card.dataset)}(?:{kinds})"
    return re.sub(named, "", text, flags=re.IGNORECASE)


def _for_all(text: str, subject: str, card: SchemaCard | None, *, pattern: bool, act: Act | None) -> bool:
    """Whether a note holds for every dataset: nothing of this data is meant, or the user says so."""
    if act is not None and act.kind != "grain":
        return False
    if _EVERYWHERE.search(text):
        return True
    if pattern or _HERE.search(text) or subject.startswith(("filter", "grain:")):
        return False
    return not columns_named(text, card) and not conditions(text, card)


def clean(text: str) -> str:
    """The user's words as a sentence: greetings and fillers cut off, capital first, full stop last."""
    out = _LEAD.sub("", text).strip() or text.strip()
    out = out[0].upper() + out[1:] if out else out
    return out if out.endswith((".", "!", "?")) else f"{out}."
