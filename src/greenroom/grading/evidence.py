"""What may be looked at: what reached the wire and what was persisted, as one frozen value (features.md E1, E4)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from greenroom.conversation.appointments import Appointment, Spelling
from greenroom.conversation.calls import ToolKind
from greenroom.conversation.channels import Channel
from greenroom.conversation.outcomes import Given
from greenroom.conversation.people import Person
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.world_state import WorldSeen

__all__ = ["Evidence", "TurnSeen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSeen:
    """What was persisted around one turn."""

    world: WorldSeen
    person: Person | None
    """After it."""
    appointments: tuple[Appointment, ...] = ()
    """The person's, after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One finished conversation, as checks and judge may see it."""

    channel: Channel
    turns: tuple[Turn, ...]
    """This run's turns; turn 0 is the greeting."""
    stopped: StopReason
    history: tuple[Given, ...] = ()
    """Given, not graded."""
    lines: Mapping[int, int] = field(default_factory=dict[int, int])
    """Script line (from 1) to the turn it was sent in; a line that was never sent is missing."""
    tokens: Mapping[int, int] = field(default_factory=dict[int, int])
    """Turn to the tokens that the agent and its router used in it: read, written and read from a cache."""
    unreported: Mapping[int, int] = field(default_factory=dict[int, int])
    """Turn to how many of their calls in it did not tell how many tokens they used, or only a part of them."""
    person: Person | None = None
    """As persisted at the end."""
    appointments: tuple[Appointment, ...] = ()
    """The person's, as persisted at the end, by the clock of the agent's zone; cancelled ones too."""
    world: WorldSeen | None = None
    """What the world held before and after; None when nothing asks for it."""
    seen_of: Mapping[int, TurnSeen] = field(default_factory=dict[int, TurnSeen])
    """Turn to what was there before and after it, for turns whose script line asks for it."""
    person_seen: str = ""
    """What was rendered of the person to the agent at the start."""
    began: str = ""
    """When it began by the agent's clock, spelled out; empty when nobody says."""
    scenario: str = ""
    """The scenario as a person would understand it."""
    part: str = ""
    """What the model that played the person was told of its part; empty when the person was not simulated."""
    tools: Mapping[str, ToolKind] = field(default_factory=dict[str, ToolKind])
    """Tools on the agent, built-in actions included."""
    playbooks: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids to names."""
    forms: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids to names of the data forms on the agent."""
    digest: str = ""
    """What the agent is supposed to do."""
    spelling: Spelling = field(default_factory=Spelling)
    """How the transcript writes times and names."""
