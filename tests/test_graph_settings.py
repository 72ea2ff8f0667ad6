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
    ("variable", "value"),
    [
        ("RECALLYST_NOW", "yesterday"),
        ("RECALLYST_USER", "a\nb"),
        ("RECALLYST_ORG", "x" * 300),
        ("RECALLYST_INDEX", "faiss"),
        ("RECALLYST_KEEP_AUDIT_DAYS", "0"),
        ("RECALLYST_KEY_FILE", "/nowhere/key"),
    ],
)
def test_a_bad_value_is_named_with_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        read_settings({variable: value})


def test_memory_is_placed_sealed_and_bounded_by_the_environment(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("abc\n")
    env = {
        "RECALLYST_DATABASE_URL": "postgresql://host/db",
        "QDRANT_URL": "http://qdrant:6333",
        "QDRANT_API_KEY": "hush",
        "RECALLYST_INDEX": "server",
        "RECALLYST_KEY_FILE": str(tmp_path / "key"),
        "RECALLYST_KEEP_CLOSED_DAYS": "30",
    }
    settings = read_settings(env)
    assert (settings.database_url, settings.index) == ("postgresql://host/db", "server")
    assert (settings.memory_key, settings.qdrant_api_key, settings.keep_closed_days) == ("abc", "hush", 30)
    assert settings.keep_audit_days is None
    assert "hush" not in repr(settings)
    assert "abc" not in repr(settings)
    assert read_settings({**env, "RECALLYST_KEY": "given"}).memory_key == "given"
