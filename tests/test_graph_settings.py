"""Settings are read in one place and say what is wrong with them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from graph.settings import SettingsError, read_settings


def test_the_environment_is_read() -> None:
    env = {
        "RECALLYST_HOME": "somewhere",
        "RECALLYST_USER": "ana",
        "RECALLYST_ORG": "acme",
        "RECALLYST_NOW": "2026-03-31T02:00:00+02:00",
    }
    settings = read_settings(env)
    assert (settings.home, settings.user, settings.org) == (Path("somewhere"), "ana", "acme")
    assert settings.clock() == datetime(2026, 3, 31, tzinfo=UTC)


def test_without_environment_the_person_is_the_system_user_and_time_runs() -> None:
    settings = read_settings({})
    assert settings.user
    assert settings.clock().tzinfo is not None


@pytest.mark.parametrize(
    ("variable", "value"), [("RECALLYST_NOW", "yesterday"), ("RECALLYST_USER", "a\nb"), ("RECALLYST_ORG", "x" * 300)]
)
def test_a_bad_value_is_named_with_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        read_settings({variable: value})
