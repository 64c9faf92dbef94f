"""The wire format of Anthropic's Messages on the same loopback server: what pydantic-ai's class really speaks to."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import orjson
from tests.servers.openai_compatible import ChatServer, Reply, serving

__all__ = ["encoded_message", "messages_server"]

_STOPS: Final = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
}


def messages_server() -> AbstractAsyncContextManager[ChatServer]:
    """A server that answers as Anthropic does, for as long as the block runs."""
    return serving(encoded_message)


def encoded_message(reply: Reply, streamed: bool) -> bytes:
    """One message, or its events; a usage in OpenAI's words is put into Anthropic's."""
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{index}", "name": tool, "input": arguments}
        for index, (tool, arguments) in enumerate(reply.calls)
    ]
    usage = dict(reply.usage or {})
    if "prompt_tokens" in usage:
        usage = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]}
    finish = reply.finish or ("tool_calls" if reply.calls else "stop")
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": content,
        "stop_reason": _STOPS[finish],
        "stop_sequence": None,
        "usage": usage,
    }
    return _events(message) if streamed else orjson.dumps(message)


def _events(message: dict[str, Any]) -> bytes:
    """The message as the events of a stream, each block in one piece."""
    start: dict[str, Any] = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            opened: dict[str, Any] = {**block, "text": ""}
            delta: dict[str, Any] = {"type": "text_delta", "text": block["text"]}
        else:
            written = block["input"] if isinstance(block["input"], str) else orjson.dumps(block["input"]).decode()
            opened = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": written}
        events.append({"type": "content_block_start", "index": index, "content_block": opened})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    stopped = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stopped, "usage": message["usage"]})
    events.append({"type": "message_stop"})
    return b"".join(b"event: %s\ndata: %s\n\n" % (event["type"].encode(), orjson.dumps(event)) for event in events)
