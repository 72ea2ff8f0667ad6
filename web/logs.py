"""Logs tell what happened and to whom, not what stands in the cells."""

import logging

CONTENT = "RECALLYST_LOG_CONTENT"


def keep_cells_out(logger: logging.Logger) -> None:
    """Make the handlers of a logger write the kind and the place of an error, and leave out its words.

    The words of an error quote what was read: cells, questions, names of columns.
    """
    for handler in logger.handlers:
        if not any(isinstance(f, _WithoutWords) for f in handler.filters):
            handler.addFilter(_WithoutWords())


class _WithoutWords(logging.Filter):
    """Replaces the exception of a record by one of the same kind without words."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
            kind, error, trace = record.exc_info
            record.exc_info = (type(kind.__name__, (Exception,), {}), _silent(error), trace)
            record.exc_text = None
        return True


def _silent(error: BaseException) -> BaseException:
    silent: BaseException = type(type(error).__name__, (Exception,), {})("(words left out)")
    return silent
