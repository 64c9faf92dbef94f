"""A tool call, its answer, and who answered it (features.md C6–C11, H5)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal
from unicodedata import normalize

from greenroom.conversation.json_values import Json

__all__ = ["AnsweredBy", "ToolCall", "ToolKind", "name_key", "named_like"]


class ToolKind(StrEnum):
    """Where a tool runs. `built_in` are the capabilities' own actions."""

    WEBHOOK = "webhook"
    CLIENT = "client"
    INTEGRATION = "integration"
    BUILT_IN = "built_in"


class AnsweredBy(StrEnum):
    """Who answered a call; `none` is an unanswered call and fails the run (features.md C10)."""

    MOCK = "mock"
    FIXTURE = "fixture"
    CONNECTOR = "connector"
    REAL = "real"
    CAPTURED = "captured"
    BUILT_IN = "built_in"
    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    """The platform itself: an unknown tool, or arguments against the schema. A fact about the agent."""
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call and what the agent heard. `call_id` only pairs the two and is never compared (T05)."""

    call_id: str
    tool: str
    arguments: Json
    """An object; or the model's own text when that was no JSON object."""
    tool_kind: ToolKind
    answered_by: AnsweredBy
    result: Json = None
    """What the agent was told."""
    error: str | None = None
    """Why the call failed, when it did; the agent may have been told less."""
    status: int | None = None
    """HTTP status, for webhook tools."""
    missing: str | None = None
    """For an unanswered call: the mock or fixture to add, as a sentence."""
    duration_s: float = 0.0
    kind: Literal["call"] = "call"

    @property
    def unanswered(self) -> bool:
        """Nothing was prepared that could answer (features.md C10)."""
        return self.answered_by is AnsweredBy.NONE


def name_key(name: str) -> str:
    """A name or label as people's are compared: ignoring case and extra spaces (features.md A3, E1)."""
    # Some systems write `é` as two signs.
    return normalize("NFC", " ".join(name.split()).casefold())


def named_like(wanted: str, names: Iterable[str]) -> str | None:
    """The name that is meant: the one that is written so, else the first that `name_key` takes for the same."""
    there, key = tuple(names), name_key(wanted)
    return wanted if wanted in there else next((name for name in there if name_key(name) == key), None)
