"""The keys that real tool calls carry, so that an endpoint knows a call which it has had already.

A turn that broke off after a call really went out is served again when its event is delivered again; the agent then
calls again, in another process perhaps. Conversation, event, tool and arguments are the same, so the key is; a second
call with the same arguments within one turn is a call of its own.
"""

from collections import Counter
from collections.abc import Mapping
from hashlib import sha256

from greenroom.conversation.json_values import Json
from greenroom.models.json_text import ordered
from greenroom.world.wording import as_json

__all__ = ["HEADER", "CallKeys"]

HEADER = "Idempotency-Key"


class CallKeys:
    """Gives each call of one event its key; calls are counted in the order in which they are asked for."""

    def __init__(self, conversation: str, event: str = "") -> None:
        """`event` is the message id of the event that is served; empty where events never come twice."""
        self._of = (conversation, event)
        self._counted: Counter[str] = Counter()

    def next(self, tool: str, arguments: Mapping[str, Json]) -> str:
        """The key of the next call of this tool with these arguments."""
        call = _written([*self._of, tool, arguments])
        self._counted[call] += 1
        named = f"{self._counted[call]}/{call}"
        return f"call-{sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}"


def _written(call: Json) -> str:
    """The same for the same call, whatever the order of its keys."""
    try:
        return ordered(call)
    except RecursionError:
        return as_json(call)
