"""Sentences of the user's own words: quoted and pasted text is blanked before anything is read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

BLANK = "\u2026"
_QUOTE_WORDS = 4
_MESSAGE_CHARS = 20_000
_SENTENCE_CHARS = 600
_QUOTED = re.compile(
    r"(?P<a>(?<![\w\d])\"[^\"\n]*(?:\"|$))|(?P<b>“[^”\n]*(?:”|$))|(?P<c>«[^»\n]*(?:»|$))|(?P<d>„[^“”\n]*(?:[“”]|$))"
    r"|(?P<e>(?<!\w)'[^'\n]*(?:\w'\w[^'\n]*)*'(?!\w))|(?P<f>(?<!\w)‘[^\n]*?’(?!\w))",
    re.MULTILINE,
)
_NAME_WORDS = 7
_NAMED = re.compile(
    r"\b(?:is|are|means?|stands for|call(?:ed)?|say|write|titled?|label(?:led)?|named?|"
    r"as)(?: it| them)?[:,]? *$|= *$",
    re.I,
)
_ORDERS = re.compile(
    r"\b(?:always|never|remember|ignore|from now|must|store|system|user|assistant|exclude|"
    r"drop|please)\b",
    re.I,
)
_FENCED = re.compile(r"```.*?(?:```|\Z)|<<<.*?(?:>>>|\Z)|<(\w+)>.*?</\1>", re.DOTALL)
_PASTED = re.compile(r"^[ \t]*(?:>.*|(?:[^,;|\t\n]*[,;|\t]){3,}[^,;|\t\n]*)$", re.MULTILINE)
_ROW = re.compile(r"\d.*[,;|\t].*\d|[|\t]|^\s*>")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|resp|incl|excl|nr|dept|max|avg|st|dr|mr|mrs|ms|fig|etc|ca|cf|inc|ltd)|"
    r"(?<![\w'])[a-z]|^\s*\d{1,2})"
    r"\.$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\bno\.$", re.IGNORECASE)
_END = re.compile(r"[.!?]+[)\"”’']*(?=\s|$)|\n+")
_PREFACE = re.compile(
    r"^(?:\W*(?:no|sorry|ok|hm+|well|and|but)\b[ ,.]*)?(?:let me |i(?:'d| would)? (?:have to |must |"
    r"should )?)?(?:take (?:that|it) back|correct (?:that|it|myself)|"
    r"change (?:that|it)|put (?:that|it) differently|rephrase|forget (?:that|what i said))(?: a (?:bit|"
    r"little))?\s*[:;-]\s+|^(?:\W*(?:oh|ah|no|wait|hold on|sorry)\b[ ,.]*){2,}[:;-]\s+",
    re.IGNORECASE,
)
_PLAIN = str.maketrans("’‘“”–—\u00a0\u2011", "''\"\"-- -")
_SPACE = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Sentence:
    """One sentence of a user.

    `read` is `text` with quoted and pasted parts blanked and without a preface like "let me take that back:", which
    sets `revises`. `start` and `end` are its place in the message.
    """

    turn: int
    text: str
    read: str
    start: int = 0
    end: int = 0
    revises: bool = False

    @property
    def question(self) -> bool:
        """Whether it ends with a question mark."""
        return self.read.rstrip("\"”’') ").endswith("?")

    @property
    def words(self) -> int:
        """Number of words that were not blanked."""
        return len(re.findall(r"[\w'-]+", self.read))


def plain(text: str) -> str:
    """Return the text with straight apostrophes and quotes, ordinary hyphens and blanks; the length stays."""
    return text.translate(_PLAIN)


def blank_quotes(text: str) -> str:
    """Blank fenced blocks, pasted rows and quotations of four words or more, keeping the length.

    Shorter quotations are names ("committed", 'U') and stay, and so do those that a word like "means" introduces. A
    quotation that is never closed ends with its line.
    """

    def hide(match: re.Match[str]) -> str:
        return "".join(c if c == "\n" else BLANK for c in match.group())

    def hide_long(match: re.Match[str]) -> str:
        found = match.group()
        words = len(re.findall(r"\w+", found))
        named = _NAMED.search(text[: match.start()]) and words <= _NAME_WORDS and not _ORDERS.search(found)
        long = words >= _QUOTE_WORDS and not named
        return found[0] + BLANK * (len(found) - 2) + found[-1] if long else found

    def hide_row(match: re.Match[str]) -> str:
        return hide(match) if _ROW.search(match.group()) and not _prose(match.group()) else match.group()

    return _blank_tables(_PASTED.sub(hide_row, _QUOTED.sub(hide_long, _FENCED.sub(hide, text))))


def _blank_tables(text: str) -> str:
    """Blank the line above pasted rows as well when it has as many separators: it is their header."""
    lines = text.split("\n")
    for k in range(len(lines) - 1, 0, -1):
        if lines[k].strip(BLANK + " \t") == "" and lines[k].strip() and re.search(r"[,;|\t]", lines[k - 1]):
            lines[k - 1] = lines[k - 1] if _prose(lines[k - 1]) else BLANK * len(lines[k - 1])
    return "\n".join(lines)


def _prose(line: str) -> bool:
    """Whether a line with many separators still reads like a sentence: mostly words, long pieces."""
    if line.lstrip().startswith(">") or "|" in line or "\t" in line:
        return False
    pieces = [p.split() for p in re.split(r"[,;]", line)]
    return sum(len(p) for p in pieces) / len(pieces) >= 2


def sentences(turn: int, content: str) -> Iterator[Sentence]:
    """Split a message into sentences; those without a letter of the user's own are left out.

    So are sentences of more than 600 characters and what follows the first 20,000 of a message: nobody speaks so.
    """
    text = plain(content[:_MESSAGE_CHARS])
    read = blank_quotes(text)
    start = 0
    for match in _END.finditer(read):
        head = read[start : match.start() + 1]
        if _ABBREVIATION.search(head) or (_NUMBERED.search(head) and read[match.end() :].lstrip()[:1].isdigit()):
            continue
        yield from _sentence(turn, text, read, start, match.end())
        start = match.end()
    yield from _sentence(turn, text, read, start, len(read))


def _sentence(turn: int, text: str, read: str, start: int, end: int) -> Iterator[Sentence]:
    piece = _SPACE.sub(" ", read[start:end]).strip()
    if _LETTER.search(piece) and len(piece) <= _SENTENCE_CHARS:
        revised = _PREFACE.sub("", piece)
        yield Sentence(
            turn=turn,
            text=_SPACE.sub(" ", text[start:end]).strip(),
            read=re.sub(f"{BLANK}+", BLANK, revised),
            start=start,
            end=end,
            revises=revised != piece,
        )
