"""The guide to models is true: every endpoint's settings can be read, and every bound is the one in the code."""

import re
from pathlib import Path

import pytest
from langchain_openai import ChatOpenAI

from graph.settings import SettingsError, read_settings
from prompts import open_model
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


def test_requests_go_to_the_endpoint_that_is_set_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {"OPENAI_API_BASE": "http://127.0.0.1:1/v1", "LANGSMITH_GATEWAY": "true", "LANGSMITH_API_KEY": "x"}
    for name, value in (others | {"OPENAI_BASE_URL": "http://127.0.0.1:2/v1"}).items():
        monkeypatch.setenv(name, value)
    env = {"RECALLYST_MODEL": "m", "OPENAI_API_KEY": "none", "RECALLYST_USER": "ana"}
    for url, wanted in ((None, "https://api.openai.com/v1"), ("http://127.0.0.1:3/v1", "http://127.0.0.1:3/v1")):
        chat = open_model(read_settings(env | ({"OPENAI_BASE_URL": url} if url else {})).model)
        assert isinstance(chat, ChatOpenAI)
        assert str(chat.root_client.base_url).rstrip("/") == wanted


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
