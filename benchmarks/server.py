"""An OpenAI-compatible server that answers at once, or after a fixed time, in a process of its own.

Who is asked is told by the model's name: `bench-agent`, `bench-router`, `bench-judge`, `bench-simulator`. Answers
depend on the request alone. GET /stats tells how many calls came; POST /latency?ms=50 sets the time an answer takes.
"""

import argparse
import asyncio
import re
from typing import Any, cast

import orjson

TURNS = 5
_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_FILLER = (
    "I have looked into this for you: the parcel left our warehouse on Monday, it is with the carrier now and should "
    "reach you within two working days. If it does not, I can send a replacement or give you a refund."
)


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """The message for one request."""
    model, messages = body["model"], body["messages"]
    if model == "bench-router":
        return {"role": "assistant", "content": "orders"}
    if model == "bench-judge":
        verdict = {"reason": "It did.", "verdict": "pass", "line": ""}
        return {"role": "assistant", "content": orjson.dumps({"verdicts": [verdict] * 3}).decode()}
    if model == "bench-simulator":
        turn = 1 + sum(1 for message in messages if message["role"] == "assistant")
        say = f"It is message {turn}: my order A-1042 has still not arrived and I would like to know what you can do."
        return {"role": "assistant", "content": orjson.dumps(simulated(body, say, last=turn >= TURNS)).decode()}
    asked = sum(1 for message in messages if message["role"] == "user")
    if asked == 2 and messages[-1]["role"] == "user":
        call = {"name": "lookup_order", "arguments": '{"order_id":"A-1042"}'}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
        }
    return {"role": "assistant", "content": f"Answer {asked}. {_FILLER}"}


def simulated(body: dict[str, Any], say: str, *, last: bool) -> dict[str, Any]:
    """What a simulated person does, with every field that is asked for."""
    known = {"say": say, "end": "goal_met" if last else None}
    schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    return {**dict.fromkeys(schema.get("properties", ())), **known}


def completion(raw: bytes) -> bytes:
    """The whole answer for one request."""
    body = orjson.loads(raw)
    message = answer(body)
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    return orjson.dumps({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": len(raw) // 4, "completion_tokens": 40, "total_tokens": len(raw) // 4 + 40},
    })


class State:
    """Shared by all connections."""

    latency = 0.0
    calls = 0


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, just enough for a client that sends one request at a time."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._data = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no subclasses of asyncio's, though they do the same.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (end := self._data.find(_HEAD_END)) >= 0:
            head = bytes(self._data[:end])
            found = _LENGTH.search(head)
            length = int(found.group(1)) if found else 0
            start = end + len(_HEAD_END)
            if len(self._data) < start + length:
                return
            body = bytes(self._data[start : start + length])
            del self._data[: start + length]
            self._serve(head.split(b" ", 2)[1], body)

    def _serve(self, path: bytes, body: bytes) -> None:
        if path.endswith(b"/chat/completions"):
            self._state.calls += 1
            payload = completion(body)
            if self._state.latency:
                asyncio.get_running_loop().call_later(self._state.latency, self._send, payload)
                return
            self._send(payload)
        elif path.startswith(b"/latency"):
            self._state.latency = float(path.partition(b"ms=")[2] or b"0") / 1000
            self._state.calls = 0
            self._send(b"{}")
        else:
            self._send(orjson.dumps({"calls": self._state.calls}))

    def _send(self, payload: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(payload)
        self._transport.write(head + payload)


async def main(port: int) -> None:
    """Serve until killed; the first line printed is the address."""
    state = State()
    server = await asyncio.get_running_loop().create_server(lambda: Connection(state), "127.0.0.1", port, backlog=4096)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    import uvloop

    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    uvloop.run(main(parser.parse_args().port))
