"""Where a built-in action takes place, and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from greenroom.agents.hosted.knowledge import KnowledgeIndex
from greenroom.conversation.channels import Abilities
from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import Entry, StopReason
from greenroom.documents.agent import Agent
from greenroom.world.ports import World

__all__ = ["Done", "Scene"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where an action takes place."""

    agent: Agent
    world: World
    abilities: Abilities
    knowledge: KnowledgeIndex
    values: Mapping[str, Json]
    """What templates are filled with."""
    person_id: str | None
    consent: Mapping[str, bool]
    """The person's, by kind, for flows to branch on: no template and no model is told of it."""
    identity: str
    """What the person is found by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What an action did, and what the model hears of it."""

    result: Json = None
    error: str | None = None
    entries: tuple[Entry, ...] = ()
    """What is to be seen of it: messages and effects, in order."""
    ended: StopReason | None = None
