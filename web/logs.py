"""Logs tell what happened and to whom, not what stands in the cells.

The words of an error quote what was read: cells, questions, names of columns. So a log line keeps the kind and the
place of an error and leaves its words out, unless they are asked for.
"""

import logging
import re
import traceback

LEFT_OUT = "(words left out)"
_QUOTED = re.compile(r"(<class '[^']+'>)\(.*\)", re.DOTALL)
_FRAME = re.compile(r'^ *File "[^"]+", line \d+')
_KIND = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Fault|Refused|Group)\w*)(:|$)")


def keep_cells_out(logger: logging.Logger) -> None:
    """Make the handlers of a logger leave the words of errors out; safe to call again."""
    for handler in logger.handlers:
        if not any(isinstance(f, _WithoutWords) for f in handler.filters):
            handler.addFilter(_WithoutWords())


class _WithoutWords(logging.Filter):
    """Works on plain records and on those of structlog, whose message is a dict with the traceback as text."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, dict):
            record.msg = {k: _plain(k, v) for k, v in record.msg.items()}
        elif isinstance(record.msg, str):
            record.msg = _QUOTED.sub(rf"\1{LEFT_OUT}", record.msg)
        if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
            text = "".join(traceback.format_exception(record.exc_info[1]))
            record.exc_info, record.exc_text = None, without_words(text)
        return True


def _plain(key: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    return without_words(value) if key == "exception" else _QUOTED.sub(rf"\1{LEFT_OUT}", value)


def without_words(text: str) -> str:
    """Return a traceback with its places and kinds of errors alone: no source lines, no words of errors."""
    kept = []
    for line in text.splitlines():
        if _FRAME.match(line) or line.startswith("Traceback"):
            kept.append(line)
        elif kind := _KIND.match(line.strip(" |+-")):
            kept.append(f"{kind[1]}: {LEFT_OUT}")
    return "\n".join(kept)
