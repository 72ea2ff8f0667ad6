"""Join "between X and Y" and open the ends of "since X" and "before X"."""

import re

from analyst.times.calendar_units import Span, add_months, period_label

_MOVES = re.compile(
    r"\b(?:chang|grow|grew|drop|fell|fall|ris|rose|increas|decreas"
    r"|declin|differ|compar|went|los[et]|gain|improv|worsen|shr[aiu]nk|jump|slip)\w*\b[^.?!]*\b(?:from|between)\s+(?:the\s+)?$",
    re.I,
)
_JOINED = re.compile(r"\s*(?:to|until|till|through|thru|and|-|–|—)\s*(?:the\s+)?(?:end\s+of\s+)?", re.I)


_SINCE = re.compile(r"\b(?:since|from|starting(?:\s+(?:in|from|on))?)\s+(?:the\s+)?$", re.I)


_AFTER = re.compile(r"\b(?:after|later\s+than)\s+(?:the\s+)?$", re.I)


_BEFORE = re.compile(r"\b(?:before|prior\s+to|earlier\s+than)\s+(?:the\s+)?$", re.I)


_UNTIL = re.compile(r"\b(?:until|till|up\s+to|through)\s+(?:the\s+)?(?:end\s+of\s+)?$", re.I)


def bounded(text: str, found: list[Span]) -> list[Span]:
    """Join "between X and Y" and "X to Y", open the ends of "since X" and "before X"."""
    ordered = sorted(found, key=lambda s: s.start)
    result: list[Span] = []
    skip = False
    for i, span in enumerate(ordered):
        if skip:
            skip = False
            continue
        lead = text[: span.start]
        following = ordered[i + 1] if i + 1 < len(ordered) else None
        joint = text[span.end : following.start] if following else ""
        between = re.search(r"\bbetween\s+(?:the\s+)?$", lead, re.I)
        joined = _JOINED.fullmatch(joint) is not None and ("and" not in joint.lower() or between is not None)
        if following and joined and _MOVES.search(lead):
            result.append(span)
            continue
        if following and joined and span.since and following.since and following.until:
            begin = re.search(r"\b(?:between|from)\s+(?:the\s+)?$", lead, re.I)
            at = begin.start() if begin else span.start
            skip = True
            if span.since > following.since and span.until and all(_names_year(text, s) for s in (span, following)):
                label = f"{following.label} to {span.label}"
                result.append(Span(at, following.end, following.since, span.until, label))
                continue
            since = span.since
            while since > following.since:
                since = add_months(since, -12)
            label = f"{period_label(since, span.unit) if span.unit else span.label} to {following.label}"
            result.append(Span(at, following.end, since, following.until, label))
            continue
        for pattern, word, first, last in (
            (_SINCE, "since", span.since, None),
            (_AFTER, "after", span.until, None),
            (_BEFORE, "before", None, span.since),
            (_UNTIL, "until", None, span.until),
        ):
            led = pattern.search(lead)
            if led:
                result.append(Span(led.start(), span.end, first, last, f"{word} {span.label}"))
                break
        else:
            result.append(span)
    return result


_NO_YEAR = re.compile(
    r"(?:q[1-4]|h[12]|[a-z]+\.?(?: \d{1,2}(?:st|nd|rd|th)?)?"
    r"|\d{1,2}(?:st|nd|rd|th)?(?: of)? [a-z]+|(?:first|second|third|fourth|[1-4](?:st|nd|rd|th)) (?:half|quarter))",
    re.I,
)
_RELATIVE = re.compile(r"\b(?:last|this|previous|latest|current|past|trailing|ytd|mtd|to[- ]date)\b", re.I)


def in_one_year(text: str, found: list[Span]) -> list[Span]:
    """Give a span that names no year the one of its neighbour: "the second half of 2023 compared with the first half".

    The neighbour before it counts first. A range that would then end before it begins ends in the year after.
    """
    ordered = sorted(found, key=lambda s: s.start)
    result: list[Span] = []
    for i, span in enumerate(ordered):
        said = text[span.start : span.end]
        bare = span.since and span.until and _NO_YEAR.fullmatch(said.strip()) and not _RELATIVE.search(said)
        before = next((s for s in reversed(result) if _names_year(text, s) and s.since), None)
        after = next((s for s in ordered[i + 1 :] if _names_year(text, s) and s.since), None)
        beside = before or after
        if not bare or beside is None or beside.since is None or span.since is None or span.until is None:
            result.append(span)
            continue
        years = beside.since.year - span.since.year
        ranged = before is not None and _JOINED.fullmatch(text[before.end : span.start]) is not None
        if ranged and before and before.since and add_months(span.since, 12 * years) < before.since:
            years += 1
        label = span.label.replace(str(span.since.year), str(span.since.year + years))
        since, until = add_months(span.since, 12 * years), add_months(span.until, 12 * years)
        result.append(Span(span.start, span.end, since, until, label, span.unit))
    return result


def _names_year(text: str, span: Span) -> bool:
    """Whether a span says its own year, so that two of them may stand the wrong way round."""
    return re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", text[span.start : span.end]) is not None
