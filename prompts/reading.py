"""From a message to a reply: JSON is found, parsed and validated; what stands in the way is named."""

import json
import re
from typing import TypeVar

from langchain_core.messages import AIMessage
from langchain_core.utils.json import parse_partial_json
from pydantic import BaseModel, ValidationError

from prompts.trouble import ModelTrouble, Rejected

R = TypeVar("R", bound=BaseModel)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_THOUGHT_END = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)
"""Some templates open the thought themselves, so that only its end stands in the reply."""
_LAST_COMMA = re.compile(r",(?=\s*[}\]])")
_SHOWN_ERRORS = 4


def read(message: AIMessage, reply: type[R]) -> R:
    """Return the reply that a message holds; text around the JSON object is passed over.

    :raises Rejected: when the message holds no such reply; it may be asked for again.
    :raises ModelTrouble: when the model refused.
    """
    text = message.text.strip()
    finish = str(message.response_metadata.get("finish_reason") or message.response_metadata.get("stop_reason") or "")
    if message.additional_kwargs.get("refusal") or finish in {"content_filter", "refusal"}:
        raise ModelTrouble("refusal", "it refused to answer")
    if message.tool_calls or message.invalid_tool_calls:
        raise Rejected("you called a tool, but there are none; answer with the JSON object as text", kind="tool_call")
    if not text:
        raise Rejected("the reply was empty; answer with the JSON object", kind="empty")
    if finish in {"length", "max_tokens"}:
        raise Rejected("the reply was cut off before its end; answer again, shorter", kind="truncated")
    given = _object(text)
    try:
        return reply.model_validate(given)
    except ValidationError as error:
        raise Rejected(_told(error), kind="schema") from error


def read_partial(text: str) -> dict[str, object]:
    """Return what the JSON of an unfinished reply holds so far; empty while that is nothing."""
    start = text.find("{")
    try:
        value = parse_partial_json(text[start:]) if start >= 0 else None
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _object(text: str) -> object:
    """The JSON object in a text: in a code fence, after a thought, or bare."""
    plain = _THOUGHT_END.sub("", _THOUGHT.sub("", text)).strip()
    start, end = plain.find("{"), plain.rfind("}")
    if start < 0 or end < start:
        raise Rejected("there is no JSON object in the reply; answer with the JSON object alone", kind="json")
    try:
        return _loaded(plain[start : end + 1])
    except (json.JSONDecodeError, RecursionError) as error:
        raise Rejected(f"the reply is not valid JSON ({error}); answer with one JSON object", kind="json") from error


def _loaded(text: str) -> object:
    """JSON, if need be without commas before a closing bracket."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(_LAST_COMMA.sub("", text))


def _told(error: ValidationError) -> str:
    """The first errors of a validation, each with its place and what was given."""
    said = []
    for e in error.errors(include_url=False)[:_SHOWN_ERRORS]:
        where = ".".join(str(part) for part in e["loc"]) or "the object"
        said.append(f"{where}: {e['msg']} (got {json.dumps(e.get('input'), default=str)[:80]})")
    return "the reply does not fit the schema: " + "; ".join(said)
