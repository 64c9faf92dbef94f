"""What a model is asked and what it answers; the protocol that every kind of model keeps.

Below it: wire clients. Above it: agents, judge, simulator, which know nothing of providers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

from greenroom.conversation.json_values import Json
from greenroom.conversation.usage import Role, Usage

__all__ = [
    "AgentSays",
    "ChatMessage",
    "Finish",
    "Model",
    "ModelAnswer",
    "ModelRequest",
    "OutputSchema",
    "RequestedCall",
    "ToolAnswer",
    "ToolSpec",
    "UserSays",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """A tool call the model asks for."""

    call_id: str
    tool: str
    arguments: Json
    """The parsed object; the raw text when the model wrote no JSON object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSays:
    """The other side's words."""

    text: str
    words: str | None = None
    """What was said, where `text` is a quotation of it. Scripted models go by it; never sent to a provider."""
    remark: bool = False
    """Ours, on the answer before it (a repair), and so no turn of the other side."""
    kind: Literal["user"] = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSays:
    """What the model itself said and asked for earlier."""

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    kind: Literal["assistant"] = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """The answer to one requested call, as text (JSON when it was a value)."""

    call_id: str
    tool: str
    text: str
    failed: bool = False
    kind: Literal["tool"] = "tool"


ChatMessage: TypeAlias = UserSays | AgentSays | ToolAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSchema:
    """A structured answer is wanted."""

    name: str
    schema: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to a model."""

    role: Role
    system: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    output: OutputSchema | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    conversation: str = ""
    """Which conversation it belongs to; scripted models count by it. Never sent to a provider."""


class Finish(StrEnum):
    """Why an answer ended."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What came back."""

    text: str
    calls: tuple[RequestedCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish: Finish = Finish.STOP
    model: str = ""
    """The name the provider answered under."""
    attempts: int = 1
    duration_s: float = 0.0
    answered_as: Literal["schema", "tool", "text"] = "text"
    """How a structured answer was got (J06)."""
    said_by: str = ""
    """Which rule of a script says so, for messages."""


class Model(Protocol):
    """A model that can be asked.

    Raises `ModelUnreachable` after its own retries, `ModelRejected` without any, `ModelMalformed` when the
    answer can't be read, `ScriptAtFault` when a script has none. A refusal is an answer (`Finish.REFUSAL`), never
    retried. Time limits are the model's own; cancellation goes through.
    """

    @property
    def name(self) -> str:
        """The model as it was written, `provider:name`; for reports."""
        ...

    @property
    def scripted(self) -> bool:
        """True for `script:` and `replay:`, which every report labels."""
        ...

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """One answer."""
        ...
