"""A chat model that replays replies: for tests of what the product does with whatever a model says."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

Scripted = str | dict[str, Any] | AIMessage | Exception | Callable[[str], Any]
PHASES = {
    "You read a person's question": "understand",
    "You plan a battery": "plan",
    "A query that you wrote": "query",
    "You write the answer": "report",
    "You read a talk": "transcript",
    "A person comes back": "mode",
}


class ScriptExhausted(BaseException):
    """The product asked more often than the script has replies. No `Exception`, so that nothing can swallow it."""


class ScriptedChat(BaseChatModel):
    """Replays a script a phase. A reply is text, JSON, a message, an error to raise, or a function of the prompt.

    The last reply of a phase is repeated when `repeat` is set; else a further request fails loudly.
    """

    script: dict[str, list[Any]]
    repeat: bool = False
    _asked: dict[str, int] = PrivateAttr(default_factory=dict)
    _prompts: list[tuple[str, str]] = PrivateAttr(default_factory=list)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def prompts(self) -> list[tuple[str, str]]:
        """Phase and text of every request, in order."""
        return self._prompts

    def play(self, script: dict[str, list[Any]]) -> None:
        """Start over with another script."""
        with self._lock:
            self.script = script
            self._asked.clear()

    def prompt_of(self, phase: str) -> str:
        """The first request of a phase."""
        return next(text for name, text in self._prompts if name == phase)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self._next(messages)
        text = message.text
        for start in range(0, max(1, len(text)), 40):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text[start : start + 40]))
        rest = AIMessageChunk(
            content="", additional_kwargs=message.additional_kwargs, response_metadata=message.response_metadata,
            tool_calls=message.tool_calls,
        )  # fmt: skip
        yield ChatGenerationChunk(message=rest)

    def _next(self, messages: Sequence[BaseMessage]) -> AIMessage:
        text = "\n".join(m.text for m in messages)
        phase = next((name for start, name in PHASES.items() if messages[0].text.startswith(start)), "other")
        with self._lock:
            place = self._asked.get(phase, 0)
            self._asked[phase] = place + 1
            self._prompts.append((phase, text))
        replies = self.script.get(phase, [])
        if place >= len(replies) and not (self.repeat and replies):
            raise ScriptExhausted(f"there are {len(replies)} replies for {phase!r}, and this is request {place + 1}")
        return as_message(replies[min(place, len(replies) - 1)], text)


def as_message(reply: Scripted, prompt: str) -> AIMessage:
    """Turn an entry of a script into what a chat model returns, or raise it."""
    if callable(reply) and not isinstance(reply, BaseMessage):
        reply = reply(prompt)
    if isinstance(reply, Exception):
        raise reply
    if isinstance(reply, AIMessage):
        return reply
    return AIMessage(content=reply if isinstance(reply, str) else json.dumps(reply))


def slowly(seconds: float) -> Callable[[str], str]:
    """A reply that comes too late."""

    def late(prompt: str) -> str:
        time.sleep(seconds)
        return "{}"

    return late


def asks(words: str, **changes: Any) -> dict[str, Any]:
    """One ask of a reply: the highest total revenue by region, unless changed."""
    total: dict[str, Any] = {"aggregate": "sum", "column": "revenue", "equals": [], "level": None}
    return {
        "words": words, "kind": "extreme", "metrics": [total], "by": ["region"], "columns": [], "filters": [],
        "window": None, "versus": None, "grain": None, "order": "desc", "top": 1, **changes,
    }  # fmt: skip


def reading(question: str, *given: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A reply of understand."""
    return {"standalone": question, "asks": list(given), "open": False, "columns": [], "unclear": None, **changes}


def plan(order: Sequence[str] = (), add: Sequence[Any] = (), queries: Sequence[Any] = ()) -> dict[str, Any]:
    """A reply of plan."""
    return {"order": list(order), "add": list(add), "queries": list(queries)}


def query(sql: str, shows: str = "what was asked", *, answers: bool = True) -> dict[str, Any]:
    """One query of a reply."""
    return {"sql": sql, "shows": shows, "answers": answers}


def report(
    *sentences: tuple[str, list[str]], ranking: Sequence[str] = (), labels: Sequence[Any] = ()
) -> dict[str, Any]:
    """A reply of report."""
    answer = [{"text": text, "findings": cited} for text, cited in sentences]
    return {"answer": answer, "ranking": list(ranking), "labels": list(labels)}
