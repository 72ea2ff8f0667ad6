"""Question words → columns and values of a dataset: as written, by their parts, nearly, and by meaning."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from analyst.reading.contests import says_state
from analyst.reading.lexicon import STOPWORDS
from analyst.reading.mentions import How, Mention
from analyst.reading.names import Hit, aliases, hits
from analyst.reading.values import ValueIndex
from analyst.reading.words import Token, name_words, tokens, weight
from datasets.schema import SchemaCard

_QUOTED = re.compile(r"\"([^\"\n]{1,120})\"|`([^`\n]{1,120})`|(?<!\w)'([^'\n]{1,120})'(?!\w)")
_STRONG = 0.85
_NEAR_BEST = 0.3
_REMEMBERED = 256


class Embeds(Protocol):
    """Turns texts into unit vectors; the embedder of memory is one."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text."""
        ...


class Matcher:
    """Finds what a question names on one schema card. Keep one a card: name embeddings are computed once."""

    def __init__(self, card: SchemaCard, embedder: Embeds | None = None) -> None:
        self.card = card
        self._embedder = embedder
        self._values = ValueIndex(card)
        words = Counter(w for c in card.columns for w in set(name_words(c.name)) if weight(w) >= 1)
        self._own = frozenset(w for w, columns in words.items() if columns == 1)
        self._known: dict[str, tuple[Mention, ...]] = {}
        self._name_vectors: NDArray[np.float32] | None = None

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Columns and values named in a text, in order, not overlapping."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[text] = self._mentions(text)
        return known

    def _mentions(self, text: str) -> tuple[Mention, ...]:
        found = self._quoted(text)
        taken = [(m.start, m.end) for m in found]
        literal = self._literal(text, taken)
        found += literal
        taken += [(m.start, m.end) for m in literal]
        free = [t for t in tokens(text) if not _inside(t, taken)]
        runs = _runs(free, taken)
        values = self._values.found(text, runs)
        found += self._by_words(text, runs, values)
        return tuple(sorted(found, key=lambda m: m.start))

    def unknown_quotes(self, text: str) -> tuple[str, ...]:
        """Quoted names that are neither a column nor a value."""
        known = {(m.start, m.end) for m in self._quoted(text)}
        return tuple(_content(q) for q in _QUOTED.finditer(text) if q.span() not in known)

    def near(self, name: str, *, limit: int = 3) -> tuple[str, ...]:
        """Column names that are written much like a name."""
        names = [c.name for c in self.card.columns]
        found = process.extract(name.casefold(), [n.casefold() for n in names], scorer=fuzz.WRatio, limit=limit)
        return tuple(names[index] for _, score, index in found if score >= 60)

    def by_meaning(self, phrase: str) -> dict[str, float]:
        """Cosine of a phrase with each column name; empty without an embedder or a phrase."""
        if self._embedder is None or not phrase.strip() or not self.card.columns:
            return {}
        if self._name_vectors is None:
            self._name_vectors = self._embedder.embed([" ".join(name_words(c.name)) for c in self.card.columns])
        cosines = self._name_vectors @ self._embedder.embed([phrase])[0]
        return {c.name: float(x) for c, x in zip(self.card.columns, cosines, strict=True)}

    def meaning(self, phrases: Sequence[str], others: Sequence[str]) -> NDArray[np.float32] | None:
        """Cosines of phrases (rows) with other phrases (columns); None without an embedder."""
        if self._embedder is None or not phrases or not others:
            return None
        vectors = self._embedder.embed([*phrases, *others])
        cosines: NDArray[np.float32] = vectors[: len(phrases)] @ vectors[len(phrases) :].T
        return cosines

    def _quoted(self, text: str) -> list[Mention]:
        found = []
        by_name = {c.name.casefold().strip(): c.name for c in reversed(self.card.columns)}
        by_words = {name_words(c.name): c.name for c in reversed(self.card.columns)}
        for quote in _QUOTED.finditer(text):
            content = _content(quote)
            name = by_name.get(content.casefold().strip()) or by_words.get(name_words(content))
            if name:
                found.append(Mention(quote.start(), quote.end(), content, ((name, 1.0),), "quoted"))
                continue
            holders = self._values.holders(content)
            if holders:
                columns = tuple((column, 1.0) for column, _ in holders)
                found.append(Mention(quote.start(), quote.end(), content, columns, "value", holders[0][1]))
        return found

    def _literal(self, text: str, taken: list[tuple[int, int]]) -> list[Mention]:
        """Names that stand in the text just as they are in the file, long ones first."""
        found: list[Mention] = []
        lowered = text.casefold()
        if len(lowered) != len(text):
            lowered = text.lower()
        for name in sorted((c.name for c in self.card.columns), key=len, reverse=True):
            wanted = name.casefold().strip()
            words = name_words(name)
            telling = len(words) > 1 or any(weight(w) >= 1 for w in words) or not wanted.isascii()
            at = lowered.find(wanted) if wanted else -1
            while at >= 0:
                end = at + len(wanted)
                as_written = text[at:end] == name.strip()
                shouted = as_written and name.strip() != name.strip().lower() and text[:at].strip() != ""
                named_so = re.match(r"\W*(?:column|field|variable|feature)\b", text[end:], re.I) is not None
                alone = len(wanted) > 1 and telling and wanted not in STOPWORDS
                if (
                    _bounded(lowered, at, end)
                    and (alone or named_so or (shouted and (len(wanted) > 1 or named_so)))
                    and not any(at < e and s < end for s, e in (*taken, *((m.start, m.end) for m in found)))
                ):
                    found.append(Mention(at, end, text[at:end], ((name, 1.0),), "name"))
                at = lowered.find(wanted, at + 1)
        return found

    def _by_words(self, text: str, runs: list[list[Token]], values: list[Mention]) -> list[Mention]:
        found: list[Mention] = []
        stated = [v for v in values if says_state(text, v)]
        for run in runs:
            candidates = [h for c in self.card.columns for a in aliases(c.name) for h in hits(a, run, own=self._own)]
            found += _chosen(text, run, candidates, "words", [*found, *values], stated)
        values = [v for v in values if not any(v.overlaps(m) for m in found)]
        found += values
        for run in runs:
            candidates = [h for c in self.card.columns for a in aliases(c.name) for h in hits(a, run, fuzzy=True)]
            found += _chosen(text, run, candidates, "fuzzy", found, stated)
        return found


def _chosen(
    text: str,
    run: Sequence[Token],
    candidates: list[Hit],
    how: How,
    others: Sequence[Mention],
    stated: Sequence[Mention] = (),
) -> list[Mention]:
    """Hits that do not overlap, strong and long ones first, each with its rivals as further candidates.

    A value that is stated of the rows (`stated`) is no column of which one word is the same.
    """
    chosen: list[Mention] = []
    ranked = sorted(candidates, key=lambda h: (h.score < _STRONG, -h.matched if h.score >= _STRONG else 0, -h.score))
    for hit in ranked:
        start, end = run[hit.first].start, run[hit.last].end
        mine = Mention(start, end, text[start:end], ((hit.column, hit.score),), how)
        if any(mine.overlaps(m) for m in chosen):
            continue
        if any(mine.overlaps(m) and (m.how != "value" or hit.score < _STRONG) for m in others):
            continue
        if any(mine.overlaps(m) and hit.matched < 2 and mine.end <= m.end for m in stated):
            continue
        rivals: dict[str, float] = {}
        for other in ranked:
            if other.first <= hit.last and hit.first <= other.last:
                rivals[other.column] = max(rivals.get(other.column, 0.0), other.score)
        near = {c: s for c, s in rivals.items() if s >= hit.score - _NEAR_BEST and c != hit.column}
        columns = ((hit.column, hit.score), *sorted(near.items(), key=lambda p: -p[1]))
        chosen.append(Mention(start, end, text[start:end], columns, how))
    return chosen


def _runs(free: list[Token], taken: list[tuple[int, int]]) -> list[list[Token]]:
    """Stretches of tokens that no mention interrupts."""
    runs: list[list[Token]] = []
    for token in free:
        if runs and not any(runs[-1][-1].end <= s < token.start for s, _ in taken):
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _content(quote: re.Match[str]) -> str:
    return next(g for g in quote.groups() if g is not None)


def _inside(token: Token, spans: list[tuple[int, int]]) -> bool:
    return any(s <= token.start and token.end <= e for s, e in spans)


def _bounded(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    left = not (before.isalnum() or before == "_") or not text[start].isalnum()
    return left and (not (after.isalnum() or after == "_") or not text[end - 1].isalnum())
