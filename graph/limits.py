"""What one caller of the server may ask for, and what its logs may say."""

from collections.abc import Mapping
from dataclasses import dataclass

from graph.errors import SettingsError


@dataclass(frozen=True)
class Limits:
    """Limits of the server, per principal where not said otherwise."""

    requests_per_minute: int = 600
    questions_per_minute: int = 30
    upload_mb: int = 200
    """Largest file."""
    quota_mb: int = 2000
    """All files of a principal together."""
    body_kb: int = 512
    """Largest body of any request that is no upload."""
    log_content: bool = False
    """Whether logs may quote cells, questions and names of columns."""


_VARIABLES = {
    "requests_per_minute": "RECALLYST_REQUESTS_PER_MINUTE",
    "questions_per_minute": "RECALLYST_QUESTIONS_PER_MINUTE",
    "upload_mb": "RECALLYST_UPLOAD_MB",
    "quota_mb": "RECALLYST_QUOTA_MB",
    "body_kb": "RECALLYST_BODY_KB",
}


def parse_limits(env: Mapping[str, str]) -> Limits:
    """Work out the limits; what is not set keeps its default.

    :raises SettingsError: for a value that is no whole number from 1 up.
    """
    given: dict[str, int] = {}
    for name, variable in _VARIABLES.items():
        text = env.get(variable)
        if not text:
            continue
        if not text.isdecimal() or int(text) < 1:
            raise SettingsError(f"{variable} is {text!r}, but a whole number from 1 up is expected")
        given[name] = int(text)
    return Limits(**given, log_content=env.get("RECALLYST_LOG_CONTENT", "") in {"1", "true", "yes"})
