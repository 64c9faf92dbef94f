"""What a world holds at one moment, as checks of the end state look at it (features.md E1).

Not aware of who keeps it: a case's person, appointments, a connector's orders and a fixture's data are entities alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from greenroom.conversation.json_values import Json

__all__ = ["Entities", "WorldSeen", "WorldState"]

Entities: TypeAlias = Mapping[str, Mapping[str, Json]]
"""By the name that cases call it by, what is known of each. A name stands for the same entity at every moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldState:
    """The entities of each root, such as `people` and `appointments`."""

    roots: Mapping[str, Entities] = field(default_factory=dict[str, Entities])


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSeen:
    """The world before and after a conversation, or one turn of it."""

    before: WorldState
    after: WorldState
