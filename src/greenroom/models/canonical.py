"""A request as what it says, apart from what differs by chance: the same question gives the same key (R01, R05).

Call ids only pair a call with its answer, so they are numbered (T05). The seed belongs to a question, limits and
temperature of an answer don't. Key order in JSON is ignored (T26).
"""

from collections.abc import Sequence
from hashlib import sha256

from greenroom.conversation.json_values import Json, JsonObject
from greenroom.models.json_text import as_list, as_object, ordered
from greenroom.models.model import AgentSays, ModelRequest, UserSays

__all__ = ["canonical", "difference", "key_of"]

_AROUND = 30
_PART = 1000
"""An equal part counts for more than any number of equal messages."""


def canonical(request: ModelRequest) -> JsonObject:
    """The request as JSON, part by part."""
    ids: dict[str, str] = {}

    def numbered(call_id: str) -> str:
        return ids.setdefault(call_id, f"c{len(ids)}")

    messages: list[Json] = []
    for message in request.messages:
        if isinstance(message, UserSays):
            messages.append({"role": "user", "text": message.text})
        elif isinstance(message, AgentSays):
            calls: list[Json] = [
                {"id": numbered(call.call_id), "tool": call.tool, "arguments": call.arguments} for call in message.calls
            ]
            messages.append({"role": "assistant", "text": message.text, **({"calls": calls} if calls else {})})
        else:
            answer = {"role": "tool", "id": numbered(message.call_id), "tool": message.tool, "text": message.text}
            messages.append({**answer, "failed": True} if message.failed else answer)
    parts: dict[str, Json] = {
        "role": request.role.value,
        "system": request.system,
        "messages": messages,
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in request.tools
        ],
    }
    if request.output is not None:
        parts["output"] = {"name": request.output.name, "schema": request.output.schema}
    if request.seed is not None:
        parts["seed"] = request.seed
    return parts


def key_of(parts: JsonObject) -> str:
    """The key of a canonical request."""
    return sha256(ordered(parts).encode()).hexdigest()


def difference(asked: JsonObject, recorded: JsonObject) -> tuple[int, str]:
    """How near two requests are (more is nearer), and the first part that differs, in words."""
    nearness, words = 0, ""
    for part in ("role", "seed", "output", "tools", "system"):
        left, right = ordered(asked.get(part)), ordered(recorded.get(part))
        if left == right:
            nearness += _PART
        else:
            verb = "differ" if part == "tools" else "differs"
            words = words or f"the {part} {verb}: {_first_difference(left, right)}"
    same, about_messages = _messages(as_list(asked.get("messages")), as_list(recorded.get("messages")))
    return nearness + same, words or about_messages


def _messages(asked: Sequence[Json], recorded: Sequence[Json]) -> tuple[int, str]:
    """How many messages are the same from the start, and where they part."""
    for index, (left, right) in enumerate(zip(asked, recorded, strict=False)):
        if ordered(left) != ordered(right):
            return index, f"message {index + 1} differs: {_first_difference(_on_a_line(left), _on_a_line(right))}"
    same = min(len(asked), len(recorded))
    return same, f"{len(asked)} messages were asked and {len(recorded)} are recorded"


def _on_a_line(message: Json) -> str:
    """`user: words`; with calls, and whatever else is in it, as JSON."""
    parts = as_object(message) or {}
    if set(parts) == {"role", "text"}:
        return f"{parts['role']}: {parts['text']}"
    return ordered(message)


def _first_difference(asked: str, recorded: str) -> str:
    at = next((index for index, (a, b) in enumerate(zip(asked, recorded, strict=False)) if a != b), None)
    at = min(len(asked), len(recorded)) if at is None else at
    start = max(0, at - _AROUND)
    return f"{_cut(asked[start:])} was asked, {_cut(recorded[start:])} is recorded"


def _cut(text: str) -> str:
    shown = text[: 2 * _AROUND]
    return repr(shown) + ("…" if len(text) > len(shown) else "")
