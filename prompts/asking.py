"""`ask`: the only place that touches a model. One request, one repair, and an honest account of both."""

import time
from collections.abc import Callable
from typing import TypeVar

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel

from prompts.calling import Bound, OnText, bind, call
from prompts.framing import Prompt, clipped, tokens
from prompts.meter import Meter
from prompts.reading import read
from prompts.trouble import Kind, ModelTrouble, Rejected

R = TypeVar("R", bound=BaseModel)
_AGAIN: frozenset[Kind] = frozenset({"rate", "server", "connection"})
_QUOTED_CHARS = 1_500
_REPAIR_PART = 8
"""Of the bound of a prompt, the bad reply and the reason each take at most one in so many parts."""
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0
_SAID: dict[Kind, str] = {
    "json": "its reply is not valid JSON",
    "schema": "its reply does not fit the schema",
    "empty": "its reply was empty",
    "truncated": "its reply was cut off",
    "tool_call": "it called a tool instead of answering",
}


def ask(
    chat: BaseChatModel,
    prompt: Prompt,
    reply: type[R],
    *,
    meter: Meter,
    check: Callable[[R], None] | None = None,
    on_text: OnText | None = None,
) -> R:
    """Ask a model and return its validated reply.

    A reply that cannot be read, or that `check` rejects, is asked for once more with the reason. Only faults of the
    network and the server are retried besides. Every call is counted on the meter. `on_text` gets the text of the
    first reply as it grows.

    :raises ModelTrouble: when there is no usable reply; the text says why.
    """
    schema = convert_to_json_schema(reply, strict=True)
    bound = bind(chat, schema)
    messages = prompt.messages(schema if bound.told else None)
    try:
        message = _call(bound, messages, prompt, meter, on_text)
    except ModelTrouble as trouble:
        if trouble.kind != "request" or bound.told:
            raise
        # Not every endpoint takes a schema with the request; the prompt can tell it as well.
        bound = bind(chat, schema, told=True)
        messages = prompt.messages(schema)
        message = _call(bound, messages, prompt, meter, on_text)
    try:
        return _accepted(message, reply, check)
    except Rejected as rejected:
        most = prompt.bound // _REPAIR_PART
        said = AIMessage(clipped(message.text[:_QUOTED_CHARS], most) or "(nothing)")
        messages = prompt.messages(schema if bound.told else None, after=[said, _repair(rejected, meter, most)])
    message = _call(bound, messages, prompt, meter, None)
    try:
        return _accepted(message, reply, check)
    except Rejected as rejected:
        detail = _SAID.get(rejected.kind) or f"its reply cannot stand: {rejected}"
        raise ModelTrouble(rejected.kind, detail.rstrip(".")) from rejected


def _accepted(message: AIMessage, reply: type[R], check: Callable[[R], None] | None) -> R:
    parsed = read(message, reply)
    if check is not None:
        check(parsed)
    return parsed


def _repair(rejected: Rejected, meter: Meter, most_tokens: int) -> HumanMessage:
    reason = str(rejected) if meter.settings.shares == "values" else rejected.without_cells
    return HumanMessage(
        f"That reply cannot be used: {clipped(reason[:_QUOTED_CHARS], most_tokens)}. "
        "Send one corrected reply in the same form."
    )


def _call(bound: Bound, messages: list[BaseMessage], prompt: Prompt, meter: Meter, on_text: OnText | None) -> AIMessage:
    """Call with retries, each counted; the pause doubles."""
    size = sum(tokens(m.text) for m in messages)
    limits = meter.settings
    for tried in range(limits.retries + 1):
        meter.admit(size)
        try:
            message = call(bound, messages, timeout_s=limits.timeout_s, on_text=on_text)
        except ModelTrouble as trouble:
            meter.count(prompt.phase, prompt.digest, size if trouble.kind == "timeout" else 0, 0)
            if trouble.kind not in _AGAIN or tried == limits.retries:
                raise
            time.sleep(min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2**tried))
        else:
            spent = message.usage_metadata
            used = (spent["input_tokens"], spent["output_tokens"]) if spent else (size, tokens(message.text))
            meter.count(prompt.phase, prompt.digest, *used)
            return message
    raise ModelTrouble("connection", "it cannot be reached")
