"""The guide to models is true: every endpoint's settings can be read, and every bound is the one in the code."""

import re
from pathlib import Path

import pytest

from graph.settings import SettingsError, read_settings
from prompts.framing import BOUNDS

GUIDE = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS, ids=[b.split("=")[1].split("\n")[0] for b in BLOCKS])
def test_every_endpoint_of_the_guide_can_be_set(block: str) -> None:
    told = dict(re.findall(r"export (\w+)=(\S+)", block))
    model = read_settings(told | {"RECALLYST_USER": "ana"}).model
    assert model.name == told["RECALLYST_MODEL"]
    assert model.base_url == told.get("OPENAI_BASE_URL")
    assert model.context_tokens == int(told.get("RECALLYST_MODEL_CONTEXT", 32_000))


def test_the_bounds_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| (\w+)(?: \([^|]*\))? \| ([\d,]+) \|", GUIDE, re.MULTILINE)
    assert {name: int(bound.replace(",", "")) for name, bound in rows} == BOUNDS


def test_every_variable_that_is_read_is_told() -> None:
    source = (Path(__file__).parents[1] / "graph" / "settings.py").read_text(encoding="utf-8")
    assert set(re.findall(r"RECALLYST_MODEL\w*", source)) <= set(re.findall(r"RECALLYST_MODEL\w*", GUIDE))


def test_a_key_alone_turns_nothing_on_and_is_never_shown() -> None:
    settings = read_settings({"OPENAI_API_KEY": "sk-secret", "RECALLYST_USER": "ana"})
    assert settings.model.name is None
    assert "sk-secret" not in repr(settings)


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"RECALLYST_MODEL": "m"}, "OPENAI_API_KEY nor OPENAI_BASE_URL"),
        ({"RECALLYST_MODEL_SHARES": "some"}, "values or schema is expected"),
        ({"RECALLYST_MODEL_TIMEOUT": "soon"}, "a number is expected"),
        ({"RECALLYST_MODEL_CONTEXT": "100"}, "at least 4000 is expected"),
        ({"RECALLYST_MODEL_PRICE": "3"}, "two prices"),
        ({"RECALLYST_MODEL_TURN_USD": "1"}, "needs RECALLYST_MODEL_PRICE"),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_sentence(env: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(said)):
        read_settings(env | {"RECALLYST_USER": "ana"})
