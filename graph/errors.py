"""The error of a process that is set up wrongly."""


class SettingsError(Exception):
    """A setting cannot be used; the message names the variable, the value and what was expected."""
