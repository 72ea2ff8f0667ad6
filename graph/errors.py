"""Errors of the graph, sorted by who must act."""


class SettingsError(Exception):
    """A setting cannot be used; the message names the variable, the value and what was expected."""


class InputAtFault(ValueError):
    """What was asked cannot be answered; the message says what to do.

    A ValueError, because these are the errors whose words a LangGraph server hands on to the person.
    """
