"""Turns, and why a conversation ended. A turn is one event of the person and everything until the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from greenroom.conversation.calls import ToolCall
from greenroom.conversation.effects import Effect
from greenroom.conversation.events import Event, MissedTap
from greenroom.conversation.messages import Message

__all__ = ["ENDED_BY", "EndedBy", "Entry", "PersonEnd", "StopReason", "Turn"]

Entry: TypeAlias = Message | ToolCall | Effect


class StopReason(StrEnum):
    """Why a conversation stopped (interfaces: command line)."""

    PERSON_DONE = "person_done"
    PERSON_GAVE_UP = "person_gave_up"
    SCRIPT_END = "script_end"
    AGENT_ENDED = "agent_ended"
    HANDED_OVER = "handed_over"
    TRANSFERRED = "transferred"
    RESOLVED = "resolved"
    MAX_TURNS = "max_turns"
    REPLY_TIMEOUT = "reply_timeout"
    RUN_TIMEOUT = "run_timeout"
    AGENT_ERROR = "agent_error"
    SIMULATOR_ERROR = "simulator_error"
    PLATFORM_ERROR = "platform_error"
    TEST_ERROR = "test_error"
    UNIT_LIMIT = "unit_limit"
    CANCELLED = "cancelled"


class PersonEnd(StrEnum):
    """Why a simulated person ends a conversation (semantics: the person)."""

    GOAL_MET = "goal_met"
    GAVE_UP = "gave_up"
    NOTHING_MORE = "nothing_more"


class EndedBy(StrEnum):
    """Who ended it (features.md D3)."""

    AGENT = "agent"
    PERSON = "person"
    TRANSFER = "transfer"


ENDED_BY: Mapping[StopReason, EndedBy] = MappingProxyType({
    StopReason.PERSON_DONE: EndedBy.PERSON,
    StopReason.PERSON_GAVE_UP: EndedBy.PERSON,
    StopReason.AGENT_ENDED: EndedBy.AGENT,
    StopReason.RESOLVED: EndedBy.AGENT,
    StopReason.HANDED_OVER: EndedBy.AGENT,
    StopReason.TRANSFERRED: EndedBy.TRANSFER,
})
"""Reasons that are not listed were ended by nobody and match none of them, not even `any`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One event and everything until the next. Turn 0 is the greeting, turn 1 the first event."""

    index: int
    event: Event | None
    """None when the agent was asked for its next message after a given history."""
    missed: MissedTap | None = None
    """What a test's person would have tapped, when its words were said in place of that."""
    entries: tuple[Entry, ...] = ()
    """Messages, calls and effects in the order in which they happened."""
    playbook: str | None = None
    ended: StopReason | None = None
    """Set when the agent ended the conversation in this turn."""
    unfinished: bool = False
    """The turn was still going when the time to settle was over (features.md D4)."""
    duration_s: float = 0.0

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the agent sent."""
        return tuple(entry for entry in self.entries if isinstance(entry, Message))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools it called."""
        return tuple(entry for entry in self.entries if isinstance(entry, ToolCall))

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What left the platform, or would have."""
        return tuple(entry for entry in self.entries if isinstance(entry, Effect))
