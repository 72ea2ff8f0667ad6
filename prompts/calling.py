"""One call of a chat model: bound to a schema where the client can, stopped at a deadline, errors in our words."""

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelInvalidRequestError,
    ModelNotFoundError,
    ModelPermissionDeniedError,
    ModelRateLimitError,
    ModelRefusalError,
    ModelTimeoutError,
)
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from prompts.trouble import Kind, ModelTrouble

Json = dict[str, Any]
OnText = Callable[[str], None]

# Raw replies are not for chat views: nothing of them is checked yet.
_CONFIG: RunnableConfig = {"tags": [TAG_NOSTREAM]}
_KINDS: tuple[tuple[type[Exception], Kind, str], ...] = (
    (ContextOverflowError, "request", "the prompt is longer than it can read"),
    (ModelRateLimitError, "rate", "it takes no more requests for now (HTTP 429)"),
    (ModelAPIError, "server", "its server failed (HTTP 5xx)"),
    (ModelTimeoutError, "timeout", "it did not answer in time"),
    (ModelConnectionError, "connection", "it cannot be reached"),
    (ModelAuthenticationError, "access", "its server does not accept the key (HTTP 401)"),
    (ModelPermissionDeniedError, "access", "its server does not allow it (HTTP 403)"),
    (ModelNotFoundError, "access", "its server does not know the model (HTTP 404)"),
    (ModelRefusalError, "refusal", "it refused to answer"),
    (ModelInvalidRequestError, "request", "its server does not accept the request (HTTP 400)"),
    (TimeoutError, "timeout", "it did not answer in time"),
    (ConnectionError, "connection", "it cannot be reached"),
)


@dataclass(frozen=True)
class Bound:
    """A chat model ready to be called; `told`: the schema must stand in the prompt."""

    runnable: Runnable[Any, Any]
    told: bool


def bind(chat: BaseChatModel, schema: Json, *, told: bool = False) -> Bound:
    """Bind a strict JSON schema where the client speaks OpenAI's protocol, else leave it to the prompt."""
    if told or not any(base.__name__ == "BaseChatOpenAI" for base in type(chat).__mro__):
        return Bound(chat, True)
    form = {"name": schema["title"], "strict": True, "schema": {k: v for k, v in schema.items() if k != "title"}}
    # In the body as it is: the client's own `response_format` raises on a cut-off reply and hides what it cost.
    body = {
        **(getattr(chat, "extra_body", None) or {}),
        "response_format": {"type": "json_schema", "json_schema": form},
    }
    return Bound(chat.bind(extra_body=body), False)


def call(bound: Bound, messages: list[BaseMessage], *, timeout_s: float, on_text: OnText | None = None) -> AIMessage:
    """Call once. With `on_text` the reply is streamed, and each time the text so far is handed on.

    :raises ModelTrouble: when no reply came, whatever the client raised; what is no `Exception` passes through.
    """
    inbox: queue.Queue[tuple[str, Any]] = queue.Queue()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            if on_text is None:
                inbox.put(("done", bound.runnable.invoke(messages, _CONFIG)))
            else:
                for chunk in bound.runnable.stream(messages, _CONFIG):
                    inbox.put(("chunk", chunk))
                inbox.put(("done", None))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which sorts it
            inbox.put(("error", error))

    # A thread of its own, because a client's timeout bounds the wait for the next byte, not for the reply. One that is
    # given up ends by itself; nothing of it is read any more.
    threading.Thread(target=context.run, args=(work,), name="model-call", daemon=True).start()
    whole: Any = None
    for name, item in _until(inbox, time.monotonic() + timeout_s, timeout_s):
        if name == "error":
            raise _sorted(item, timeout_s) from item
        if name == "done":
            whole = item if item is not None else whole
            break
        whole = item if whole is None else whole + item
        if on_text is not None:
            on_text(whole.text)
    return _message(whole)


def _until(inbox: "queue.Queue[tuple[str, Any]]", deadline: float, timeout_s: float) -> Iterator[tuple[str, Any]]:
    while True:
        try:
            yield inbox.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise ModelTrouble("timeout", f"it took longer than {timeout_s:g} s") from None


def _message(reply: Any) -> AIMessage:
    if isinstance(reply, AIMessageChunk):
        return AIMessage(**{k: v for k, v in reply.model_dump().items() if k in _KEPT})
    if isinstance(reply, AIMessage):
        return reply
    raise ModelTrouble("client", f"its client returned a {type(reply).__name__} instead of a message")


_KEPT = {"content", "additional_kwargs", "response_metadata", "tool_calls", "invalid_tool_calls", "usage_metadata"}


def _sorted(error: BaseException, timeout_s: float) -> BaseException:
    """The trouble that an error of any client amounts to; what is no `Exception` (an interrupt) stays itself."""
    if isinstance(error, ModelTrouble) or not isinstance(error, Exception):
        return error
    for known, kind, detail in _KINDS:
        if isinstance(error, known):
            return ModelTrouble(kind, f"it took longer than {timeout_s:g} s" if kind == "timeout" else detail)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 500:
        return ModelTrouble("server", f"its server failed (HTTP {status})")
    if status == 429:
        return ModelTrouble("rate", "it takes no more requests for now (HTTP 429)")
    if isinstance(status, int):
        return ModelTrouble("request", f"its server does not accept the request (HTTP {status})")
    said = " ".join(str(error).split())[:160]
    return ModelTrouble("client", f"its client failed ({type(error).__name__}: {said})")
