"""The protocol of everybody who speaks to an agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from greenroom.conversation.events import Event, MissedTap
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.usage import Role, Usage

__all__ = ["Next", "NextEvent", "Persona", "Stops"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextEvent:
    """What the person does next."""

    event: Event
    line: int | None = None
    """The script line it comes from, counted from 1."""
    missed: MissedTap | None = None
    """The tap that the line asks for, when it could not be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stops:
    """The person has nothing more to do."""

    reason: StopReason


Next: TypeAlias = NextEvent | Stops


class Persona(Protocol):
    """Decides what the person does next, from what the person could see."""

    @property
    def usage(self) -> Mapping[Role, Usage]: ...

    async def next(self, turns: Sequence[Turn]) -> Next:
        """After these turns, turn 0 first."""
        ...
