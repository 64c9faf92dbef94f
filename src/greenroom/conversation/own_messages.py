"""What an agent says by itself, without an event that it answers (features.md A8, A10)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Part

__all__ = ["OwnMessage", "OwnMessageKind"]


class OwnMessageKind(StrEnum):
    """Why an agent says something by itself."""

    OUTREACH = "outreach"
    FOLLOW_UP = "follow_up"
    REMINDER = "reminder"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMessage:
    """One message, as it is written: its templates are filled in when it is said."""

    kind: OwnMessageKind
    name: str
    """Which one of its kind: the key in the agent's document, or how long before an appointment."""
    parts: tuple[Part, ...]
    playbook: str | None = None
    """In which the answer is served; None: where the conversation is."""
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What its templates may name besides person and system."""

    @property
    def summary(self) -> str:
        """What its line in the transcript says."""
        return f"reminder, {self.name} before" if self.kind is OwnMessageKind.REMINDER else self.name
