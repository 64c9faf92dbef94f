"""`AgentSession`: open, send an event, get a Turn, close. `run_case` knows no other agent.

Raises `CaseFault` with its cause when the agent or the platform under it broke: cause `agent` for a time limit on a
reply, the bound on tool rounds, an empty reply twice; cause `platform` for a hosted agent's provider after its
retries (semantics: the person and the conversation).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from greenroom.conversation.appointments import Spelling
from greenroom.conversation.calls import ToolKind
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event
from greenroom.conversation.outcomes import Given
from greenroom.conversation.own_messages import OwnMessage
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import Turn
from greenroom.conversation.usage import Role, Usage

__all__ = ["AgentFacts", "AgentSession", "Start"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where a conversation starts."""

    conversation: str
    channel: Channel
    identity: str
    playbook: str | None = None
    history: tuple[Given, ...] = ()
    opening: OwnMessage | None = None
    """What the agent begins with, or goes on with after the history, in place of its greeting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """What checks and judge may know of the agent."""

    name: str
    tools: Mapping[str, ToolKind]
    """Tools on the agent for this channel, built-in actions included, by name."""
    forms: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids to names of the data forms that the agent may submit."""
    playbooks: Mapping[str, str]
    """Ids to names."""
    digest: str
    """What the agent is supposed to do, for the judge: deterministic, cut at a stated size."""
    spelling: Spelling = field(default_factory=Spelling)


class AgentSession(Protocol):
    """One conversation with one agent."""

    @property
    def facts(self) -> AgentFacts: ...

    @property
    def usage(self) -> Mapping[Role, Usage]:
        """Spent so far, by role."""
        ...

    @property
    def records(self) -> tuple[TurnRecord, ...]:
        """One for each turn so far; empty for agents that keep none."""
        ...

    @property
    def broken_turn(self) -> Turn | None:
        """What there is of a turn that broke off, by a `CaseFault` or by cancellation; None otherwise (E6, H1)."""
        ...

    async def open(self, start: Start) -> Turn:
        """Turn 0: with what the agent opens with, else the greeting when there is one and no history is given."""
        ...

    async def send(self, event: Event) -> Turn:
        """The next turn."""
        ...

    async def reply_to_history(self) -> Turn:
        """The agent's next message after the given history (semantics: history alone)."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...
