"""The wire format of OpenAI-compatible chat completions: a request to bytes, bytes to an answer. No I/O.

Aware of how servers differ in it (`Dialect`), not of how bytes travel.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import orjson

from greenroom.conversation.json_values import Json, JsonObject
from greenroom.models.json_text import NotJson, as_list, as_object, encoded, read_arguments, read_json
from greenroom.models.model import (
    AgentSays,
    ChatMessage,
    Finish,
    ModelAnswer,
    ModelRequest,
    OutputSchema,
    RequestedCall,
    ToolSpec,
    UserSays,
)
from greenroom.models.usage_forms import usage_of

__all__ = [
    "Dialect",
    "Form",
    "LimitKey",
    "NoAnswer",
    "RequestEncoder",
    "answer_of",
    "joined_stream",
    "learned",
    "schema_instruction",
]

Form: TypeAlias = Literal["schema", "tool", "text"]
LimitKey: TypeAlias = Literal["max_tokens", "max_completion_tokens"]

_NEXT_FORM: Final[Mapping[Form, Form]] = {"schema": "tool", "tool": "text"}
_OTHER_LIMIT: Final[Mapping[LimitKey, LimitKey]] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_KEPT_ENCODINGS: Final = 512
_UNSUPPORTED: Final = ("support", "unknown", "unrecogni", "unexpected", "not permitted", "not allowed", "extra")
_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "tool_calls": Finish.TOOL_CALLS,
    "function_call": Finish.TOOL_CALLS,
    "content_filter": Finish.REFUSAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one server understands; starts with the best and is learned from its refusals."""

    form: Form = "schema"
    """How a structured answer is asked for (J06)."""
    limit_key: LimitKey = "max_tokens"
    temperature: bool = True
    seed: bool = True


class NoAnswer(Exception):
    """The bytes are not an answer; the text says what they are. Never leaves this package."""


def learned(dialect: Dialect, request: ModelRequest, said: str) -> Dialect | None:
    """The dialect to try after a server refused a request with these words; None when nothing simpler is left."""
    words = said.lower()
    unsupported = any(word in words for word in _UNSUPPORTED)
    if unsupported and dialect.limit_key in words:
        return replace(dialect, limit_key=_OTHER_LIMIT[dialect.limit_key])
    if unsupported and dialect.temperature and request.temperature is not None and "temperature" in words:
        return replace(dialect, temperature=False)
    if unsupported and dialect.seed and request.seed is not None and "seed" in words:
        return replace(dialect, seed=False)
    if request.output is not None and dialect.form != "text":
        return replace(dialect, form=_NEXT_FORM[dialect.form])
    return None


class RequestEncoder:
    """Requests to bytes for one model. Keeps the encoded tools of an agent, which are the same at every call."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._tools: dict[int, tuple[tuple[ToolSpec, ...], orjson.Fragment]] = {}

    def encode(self, request: ModelRequest, dialect: Dialect, max_tokens: int | None) -> bytes:
        """The body of one call."""
        body: dict[str, object] = {"model": self._model, "messages": _messages(request, dialect)}
        if request.tools:
            body["tools"] = self._encoded_tools(request.tools)
        if max_tokens is not None:
            body[dialect.limit_key] = max_tokens
        if request.temperature is not None and dialect.temperature:
            body["temperature"] = request.temperature
        if request.seed is not None and dialect.seed:
            body["seed"] = request.seed
        if request.output is not None:
            _ask_for_structure(body, request.output, dialect)
        return encoded(body)

    def _encoded_tools(self, tools: tuple[ToolSpec, ...]) -> orjson.Fragment:
        # By identity: a pipeline hands in the same tuple at every call, and a mapping can't be hashed. The tuple is
        # kept beside its encoding, so that its id can't be given to another one.
        known = self._tools.get(id(tools))
        if known is not None:
            return known[1]
        if len(self._tools) >= _KEPT_ENCODINGS:
            self._tools.clear()
        fragment = orjson.Fragment(encoded([_function(spec) for spec in tools]))
        self._tools[id(tools)] = (tools, fragment)
        return fragment


def answer_of(body: Json, request: ModelRequest, dialect: Dialect) -> ModelAnswer:
    """One answer from a decoded body.

    Raises:
        NoAnswer: it has no message in the shape of a chat completion.
    """
    whole = as_object(body)
    choices = as_list(whole.get("choices")) if whole is not None else ()
    choice = as_object(choices[0]) if choices else None
    message = as_object(choice.get("message")) if choice is not None else None
    if whole is None or choice is None or message is None:
        raise NoAnswer("it answered without a message (no `choices[0].message`)")
    text = _text_of(message.get("content"))
    calls = _calls_of(message, len(request.messages))
    finish = _FINISHES.get(str(choice.get("finish_reason")), Finish.TOOL_CALLS if calls else Finish.STOP)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        text, finish = text or refusal, Finish.REFUSAL
    answered_as: Form = "text"
    if request.output is not None:
        text, calls, answered_as = _structured(text, calls, request.output, dialect)
    if calls and finish is Finish.STOP:
        finish = Finish.TOOL_CALLS
    elif not calls and finish is Finish.TOOL_CALLS:
        finish = Finish.STOP
    return ModelAnswer(
        text=text,
        calls=calls,
        usage=usage_of(whole.get("usage")),
        finish=finish,
        model=str(whole.get("model") or ""),
        answered_as=answered_as,
    )


def joined_stream(data: bytes) -> Json:
    """A body in the shape of a plain answer from server-sent events, for servers that only stream.

    Raises:
        NoAnswer: the stream broke off before its end.
    """
    content: list[str] = []
    refusal: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    whole: dict[str, Json] = {}
    finish: Json = None
    done = False
    for line in data.splitlines():
        if not line.startswith(b"data:"):
            continue
        payload = line[5:].strip()
        if payload == b"[DONE]":
            done = True
            continue
        chunk = _chunk(payload)
        if "error" in chunk:
            return chunk
        whole.update({key: chunk[key] for key in ("model", "usage") if chunk.get(key)})
        for choice in map(as_object, as_list(chunk.get("choices"))):
            if choice is None:
                continue
            finish = choice.get("finish_reason") or finish
            delta = as_object(choice.get("delta")) or {}
            content.append(_text_of(delta.get("content")))
            refusal.append(_text_of(delta.get("refusal")))
            _add_calls(calls, delta)
    if not done and finish is None:
        raise NoAnswer("its stream broke off in the middle")
    message: dict[str, Json] = {
        "content": "".join(content),
        "refusal": "".join(refusal),
        "tool_calls": [
            {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
            for _, call in sorted(calls.items())
        ],
    }
    whole["choices"] = [{"message": message, "finish_reason": finish}]
    return whole


def schema_instruction(output: OutputSchema) -> str:
    """What a model is told that has no other way to be asked for a structure."""
    schema = encoded(output.schema).decode()
    return f"Answer with one JSON object that fits this JSON Schema, and with nothing else:\n{schema}"


def _messages(request: ModelRequest, dialect: Dialect) -> list[object]:
    system = request.system
    if request.output is not None and dialect.form == "text":
        instruction = schema_instruction(request.output)
        system = f"{system}\n\n{instruction}" if system else instruction
    messages: list[object] = [{"role": "system", "content": system}] if system else []
    messages.extend(_message(message) for message in request.messages)
    return messages


def _message(message: ChatMessage) -> dict[str, object]:
    if isinstance(message, UserSays):
        return {"role": "user", "content": message.text}
    if isinstance(message, AgentSays):
        if not message.calls:
            return {"role": "assistant", "content": message.text}
        return {
            "role": "assistant",
            "content": message.text or None,
            "tool_calls": [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {
                        "name": call.tool,
                        "arguments": call.arguments
                        if isinstance(call.arguments, str)
                        else encoded(call.arguments).decode(),
                    },
                }
                for call in message.calls
            ],
        }
    return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}


def _function(spec: ToolSpec) -> dict[str, object]:
    parameters = spec.parameters or {"type": "object", "properties": {}}
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": parameters},
    }


def _ask_for_structure(body: dict[str, object], output: OutputSchema, dialect: Dialect) -> None:
    if dialect.form == "schema":
        described = {"name": output.name, "schema": output.schema, "strict": _is_strict(output.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
    elif dialect.form == "tool":
        spec = ToolSpec(name=output.name, description="Give the answer.", parameters=output.schema)
        body["tools"] = [_function(spec)]
        body["tool_choice"] = {"type": "function", "function": {"name": output.name}}


def _is_strict(schema: Json) -> bool:
    """Whether the schema keeps OpenAI's rules for strict mode: every property required, no others allowed."""
    node = as_object(schema)
    if node is None:
        return all(_is_strict(item) for item in as_list(schema))
    properties = as_object(node.get("properties"))
    if node.get("type") == "object" or properties is not None:
        required = set(map(str, as_list(node.get("required"))))
        if node.get("additionalProperties") is not False or required != set(properties or {}):
            return False
    return all(_is_strict(item) for item in node.values() if isinstance(item, Mapping | list))


def _structured(
    text: str, calls: tuple[RequestedCall, ...], output: OutputSchema, dialect: Dialect
) -> tuple[str, tuple[RequestedCall, ...], Form]:
    """The answer's JSON as text, wherever the server put it."""
    for call in calls:
        if call.tool == output.name:
            written = call.arguments if isinstance(call.arguments, str) else encoded(call.arguments).decode()
            return written, (), "tool"
    return text, calls, "schema" if dialect.form == "schema" else "text"


def _text_of(content: Json) -> str:
    """The words of a content that is text, or a list of parts; private reasoning left out (S17)."""
    if isinstance(content, str):
        text = content
    else:
        parts = [as_object(part) for part in as_list(content)]
        text = "".join(str(part.get("text") or "") for part in parts if part is not None)
    if text.startswith("<think>") and "</think>" in text:
        return text.partition("</think>")[2].lstrip()
    return text


def _calls_of(message: JsonObject, position: int) -> tuple[RequestedCall, ...]:
    """The calls asked for; one without an id gets one that is new in its conversation."""
    found: list[RequestedCall] = []
    for index, raw in enumerate(map(as_object, as_list(message.get("tool_calls")))):
        function = as_object(raw.get("function")) if raw is not None else None
        if raw is None or function is None:
            continue
        call_id = raw.get("id")
        found.append(
            RequestedCall(
                call_id=call_id if isinstance(call_id, str) and call_id else f"call-{position}-{index}",
                tool=str(function.get("name") or ""),
                arguments=read_arguments(function.get("arguments")),
            )
        )
    return tuple(found)


def _chunk(payload: bytes) -> JsonObject:
    try:
        chunk = as_object(read_json(payload))
    except NotJson:
        raise NoAnswer("its stream broke off in the middle of an event") from None
    return chunk or {}


def _add_calls(calls: dict[int, dict[str, str]], delta: JsonObject) -> None:
    """Add a piece of a streamed call to what there is of it."""
    for raw in map(as_object, as_list(delta.get("tool_calls"))):
        if raw is None:
            continue
        index = raw.get("index")
        call = calls.setdefault(
            index if isinstance(index, int) else len(calls), {"id": "", "name": "", "arguments": ""}
        )
        function = as_object(raw.get("function")) or {}
        call["id"] = str(raw.get("id") or call["id"])
        call["name"] += str(function.get("name") or "")
        call["arguments"] += str(function.get("arguments") or "")
