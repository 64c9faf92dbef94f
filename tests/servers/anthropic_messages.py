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


def encoded_message(reply: Reply) -> bytes:
    """One message; a usage in OpenAI's words is put into Anthropic's."""
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{index}", "name": tool, "input": arguments}
        for index, (tool, arguments) in enumerate(reply.calls)
    ]
    usage = dict(reply.usage or {})
    if "prompt_tokens" in usage:
        usage = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]}
    finish = reply.finish or ("tool_calls" if reply.calls else "stop")
    return orjson.dumps({
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": content,
        "stop_reason": _STOPS[finish],
        "stop_sequence": None,
        "usage": usage,
    })
