"""Where a conversation stands in a flow of its playbook between two events (features.md A3, A8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from greenroom.conversation.json_values import Json

__all__ = ["FlowChoice", "FlowState", "FlowWait"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChoice:
    """One answer that was offered."""

    label: str
    value: Json
    """What the answer is."""
    start: str | None = None
    """Of a time: when it starts, in ISO 8601, as a tap on it brings it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowWait:
    """A question that was asked and is not answered yet."""

    at: str
    """The step, by its place: `3.do.1` is the first step under the `do` of the third."""
    choices: tuple[FlowChoice, ...] = ()
    """What fits; empty when the answer is free."""
    asked: int = 1
    """How often it was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowState:
    """A flow that was begun: it waits for an answer, or it is over and the model goes on."""

    playbook: str
    flow: str
    """Content hash of the flow; another means that the document was changed in the meantime."""
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What its steps found out so far, by name."""
    waits: FlowWait | None = None
    note: str = ""
    """What the model that goes on is told of the flow, as long as the conversation stays in the playbook."""
