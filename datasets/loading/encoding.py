"""Text as bytes: its encoding, and a clean UTF-8 copy with line feeds where the file is not one."""

import codecs
import re
from pathlib import Path
from typing import NamedTuple

from charset_normalizer import from_bytes

from datasets.errors import DatasetError
from datasets.loading.alphabets import latin_encoding

_CHUNK = 1 << 20
_NUL_SHARE = 0.2
_SAMPLE_BYTES = 1 << 15
_CONTROLS = bytes({*range(1, 9), *range(14, 27), *range(28, 32)})
_CONTROL_SHARE = 0.02
"""More control characters than this among lines beyond ASCII that are not UTF-8, and they are no text."""
_DAMAGED_SHARE = 0.1
"""Fewer undecodable bytes among the other than ASCII characters are damage, more are another encoding."""
_WESTERN = "cp1252"
_NAMES = {
    "cp1252": "Windows-1252 (Western European)",
    "mac_roman": "Mac Roman",
    "cp932": "Shift JIS",
    "cp949": "Korean (CP949)",
}


class TextShape(NamedTuple):
    """How the bytes become text; `rewrite`: a clean copy is needed."""

    encoding: str
    rewrite: bool
    notes: tuple[str, ...] = ()


def text_shape(path: Path, head: bytes, given: str | None = None) -> TextShape:
    """Decide the encoding from all bytes of the file, or take the `given` one.

    :raises DatasetError: for an encoding that does not exist, and for bytes that are no text.
    """
    if given is not None:
        try:
            known = codecs.lookup(given).name
        except LookupError as error:
            raise DatasetError(f"there is no encoding {given!r}; name one such as utf-8, cp1250 or utf-16") from error
        return TextShape(known, True, (f"read as {known}, as the catalogue says",))
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return TextShape("utf-32", True, ("read as UTF-32",))
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return TextShape("utf-16", True, ("read as UTF-16",))
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > _NUL_SHARE * len(head):
        kind = "utf-16-le" if odd > even else "utf-16-be"
        return TextShape(kind, True, ("read as UTF-16 (no byte order mark)",))
    return _by_all_bytes(path, head.startswith(codecs.BOM_UTF8))


def _by_all_bytes(path: Path, bom: bool) -> TextShape:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    utf8, nul = True, False
    returns = pairs = 0
    tail = b""
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            returns += chunk.count(b"\r")
            nul = nul or b"\x00" in chunk
            pairs += (tail + chunk).count(b"\r\n")
            tail = chunk[-1:] if chunk.endswith(b"\r") else b""
            utf8 = utf8 and _decodes(decoder, chunk)
    utf8 = utf8 and _decodes(decoder, b"", final=True)
    rewrite = bom or not utf8 or nul or returns > pairs  # returns that end no line, or end it alone or twice
    if utf8:
        return TextShape("utf-8-sig" if bom else "utf-8", rewrite)
    sample = _beyond_ascii(path)
    if len(sample.translate(None, _CONTROLS)) < (1 - _CONTROL_SHARE) * len(sample):
        raise DatasetError(f"{path.name!r} holds binary data, not text; give a table as CSV, Excel, Parquet or JSON")
    if bom or _damaged_utf8(sample):
        return TextShape("utf-8-sig" if bom else "utf-8", True)
    if nul or _one_cell(path):
        raise DatasetError(f"{path.name!r} is no text and no table; give a table as CSV, Excel, Parquet or JSON")
    encoding = _guessed(sample)
    return TextShape(encoding, True, (f"not UTF-8: read as {_NAMES.get(encoding, encoding)}",))


def _one_cell(path: Path) -> bool:
    """Whether there is nothing but one cell: bytes that are not UTF-8 are a header only where they head something."""
    with path.open("rb") as stream:
        start = stream.read(_SAMPLE_BYTES)
    return len(start) < _SAMPLE_BYTES and not re.search(rb"[,;\t|\r\n]", start.strip())


def _beyond_ascii(path: Path) -> bytes:
    """The first lines that hold more than ASCII, up to 32 KiB of them."""
    sample = bytearray()
    with path.open("rb") as stream:
        while len(sample) < _SAMPLE_BYTES and (line := stream.readline(_SAMPLE_BYTES)):
            if not line.isascii():
                sample += line
    return bytes(sample)


def _damaged_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", errors="replace")
    bad = text.count("\ufffd")
    return bad <= _DAMAGED_SHARE * sum(not c.isascii() for c in text)


def _guessed(sample: bytes) -> str:
    """The encoding by which the text reads as text; Western European where two read the same."""
    if latin := latin_encoding(sample):
        return latin
    best = from_bytes(sample).best()
    if best is None or best.encoding in {"utf_8", "ascii"}:
        return _WESTERN
    return _WESTERN if str(best) == sample.decode(_WESTERN, errors="replace") else best.encoding


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def rewrite(path: Path, target: Path, encoding: str) -> tuple[str, ...]:
    """Write UTF-8 with line feeds to `target`; notes say what could not be decoded.

    A lone carriage return ends a line only in files that have no line feed. Bytes that the encoding does not know
    become U+FFFD and are counted.
    """
    only_returns = "\n" not in _decoded_sample(path, encoding)
    damaged = 0
    with (
        path.open(encoding=encoding, errors="replace", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        rest = ""
        while piece := source.read(_CHUNK):
            text = (rest + piece).replace("\x00", "")
            damaged += piece.count("\ufffd")
            whole = text.rstrip("\r")
            rest = text[len(whole) :]
            whole = re.sub(r"\r\r?\n", "\n", whole)
            out.write(whole.replace("\r", "\n" if only_returns else " "))
        out.write("\n" if rest else "")
    if not damaged:
        return ()
    characters = "1 character" if damaged == 1 else f"{damaged:,} characters"
    return (f"{characters} could not be decoded and read as \ufffd",)


def _decoded_sample(path: Path, encoding: str) -> str:
    """Text to see the line ends in: up to the first line feed, bounded by the file."""
    with path.open(encoding=encoding, errors="replace", newline="") as source:
        seen = ""
        while piece := source.read(_CHUNK):
            seen = piece
            if "\n" in piece:
                return piece
    return seen
