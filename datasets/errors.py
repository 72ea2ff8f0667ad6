"""Errors of the datasets package, sorted by who must act."""


class DatasetError(Exception):
    """The dataset, or what was asked of it, is at fault; the message says what to do next."""


class UnsafeSQLError(DatasetError):
    """A statement that is not exactly one SELECT over known relations was refused before it ran."""


class QueryLimitError(DatasetError):
    """A query passed its time, memory or row limit and was stopped; the connection stays usable."""


def reason_of(error: Exception, *hidden: str) -> str:
    """What a library says of a failure as part of a sentence: its first line, shortened, without `hidden` paths."""
    text = (str(error).splitlines() or [type(error).__name__])[0]
    for path in hidden:
        text = text.replace(path, "")
    return text[:300]
