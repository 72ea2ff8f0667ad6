"""Rules that a question sets for its own conclusion: "consider it linear if p < 0.05 and |r| >= 0.5"."""

import json
import re
from collections.abc import Mapping, Sequence

from analyst.protocol import Ask
from datasets.evidence import Candidate

_SIGNS = (
    (r">=|≥|greater than or equal to|at least|equal to or greater than|not less than", ">="),
    (r"<=|≤|less than or equal to|at most|equal to or less than|not (?:greater|more) than", "<="),
    (r">|(?:greater|larger|more|higher) than|above|exceeds?", ">"),
    (r"<|(?:less|smaller|lower) than|below", "<"),
)
_NUMBER = r"(?P<n>\d*\.?\d+)"
_LINK = r"(?:\s+obtained)?\s*(?:value\s*)?(?:of\s+\w+\s+)?(?:is|are|was|be|falls)?\s*"
_QUANTITIES = (
    ("abs_r", r"absolute (?:value of )?(?:the )?(?:r\b|(?:pearson )?(?:correlation )?coefficient)|\|r\|"),
    ("skewness", r"(?:absolute (?:value of )?(?:the )?)?skewness"),
    ("r_squared", r"r-?squared|r2\b|r²"),
    ("p", r"p[- ]?values?|\bp\b"),
    ("r", r"\br\b|correlation coefficient"),
)
_TERM = (
    r"(?:an? |the )?(?P<b>(?:not? |non-?)?(?:significant |significantly "
    r"|statistically )*(?!if\b|to\b|the\b|that\b|it\b)[a-z][\w-]*(?: (?:relationship"
    r"|correlation|fit|distributed|different|differences))?)"
)
_LABEL = (
    r"[\"'](?P<a>[^\"'\n]{2,40})[\"']",
    rf"\bto be (?:considered )?(?:as )?{_TERM}",
    rf"\b(?:define it as|classif\w+ (?:it )?as|as(?: being)?|conclude(?: that)?"
    rf"|infer(?: that)?|report(?: that)?|consider(?: that)?)\s+"
    rf"(?:it (?=an? )|the \w+ (?=an? )|it is |the \w+ (?:is|are|as) |there (?:is|are) |is |are |as )*{_TERM}",
)
_LEVEL = re.compile(
    r"\b(?:significance level|alpha|level of significance)(?: \(alpha\))?[^.\d]{0,30}(?P<n>0?\.\d+)", re.I
)
_SIGNIFICANT = re.compile(r"\bsignifican(?:t|tly|ce of)\b", re.I)
_RULE = re.compile(r"\bif\b", re.I)
_RELATED = frozenset({"relation", "distribution", "compare"})


def rules_in(sentences: Sequence[str]) -> str:
    """The rules for `Ask.options["rules"]`, as JSON text; "" for none.

    [{"say": label, "when": [[quantity, sign, number], ...]}, ...]: the first whose conditions hold applies.
    """
    rules: list[dict[str, object]] = []
    for sentence in sentences:
        for part in re.split(r"(?<=[.;])\s+|(?<=\d),?\s+and\s+(?=[\"'])", sentence):
            conditions = _conditions(part)
            label = _label(part)
            if _RULE.search(part) and conditions and label:
                rules.append({"say": label, "when": conditions})
            elif rules and label and re.search(r"\b(?:otherwise|else)\b", part, re.I):
                rules.append({"say": label, "when": []})
    rules = rules or _significance(" ".join(sentences))
    return json.dumps(rules, ensure_ascii=False) if rules else ""


def _significance(text: str) -> list[dict[str, object]]:
    """The rule that a level of significance is, where differences or relations are to be called significant by it."""
    level, wanted = _LEVEL.search(text), _SIGNIFICANT.search(text)
    if level is None or wanted is None:
        return []
    held: dict[str, object] = {"say": "significant", "when": [["p", "<", float(level["n"])]], "of": "differences"}
    return [held, {"say": "not significant", "when": [], "of": "differences"}]


def conclusion(ask: Ask, candidate: Candidate) -> str | None:
    """The label that the rules of an ask give to what was measured; None without a rule that applies."""
    if ask.kind not in _RELATED or "rules" not in ask.options:
        return None
    number = candidate.claim.value.number
    named = candidate.named_p_value
    values: dict[str, float | None] = {"p": candidate.p_value if named is None else named}
    if candidate.claim.subject.relation == "correlation" and number is not None:
        values |= {"r": number, "abs_r": abs(number), "r_squared": number * number}
    if candidate.effect is not None and candidate.effect.name == "skewness":
        values["skewness"] = abs(candidate.effect.value)
    for rule in json.loads(ask.options["rules"]):
        # A test of normality is no difference, and a claim without a test has no significance.
        if "of" in rule and (ask.kind == "distribution" or candidate.p_value is None):
            continue
        if all(_holds(condition, values) for condition in rule["when"]):
            return str(rule["say"])
    return None


def _holds(condition: Sequence[object], values: Mapping[str, float | None]) -> bool:
    quantity, sign, number = condition
    value = values.get(str(quantity))
    if value is None or not isinstance(number, int | float):
        return False
    return {">": value > number, ">=": value >= number, "<": value < number, "<=": value <= number}[str(sign)]


def _conditions(text: str) -> list[list[object]]:
    found: list[list[object]] = []
    covered: list[tuple[int, int]] = []
    for quantity, pattern in _QUANTITIES:
        for words, sign in _SIGNS:
            for match in re.finditer(rf"(?:{pattern}){_LINK}(?:{words})\s*{_NUMBER}", text, re.I):
                if not any(match.start() < e and s < match.end() for s, e in covered):
                    covered.append(match.span())
                    found.append([quantity, sign, float(match["n"])])
    return found


def _label(text: str) -> str | None:
    for pattern in _LABEL:
        match = re.search(pattern, text, re.I)
        if match:
            label = next(g for g in match.groups() if g).strip()
            return re.sub(r"^(?:a|an|the)\s+|\s+(?:if|when|and)$", "", label)
    return None
