"""An agent's behavior document (documents.md: agent)."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from greenroom.conversation.messages import Part
from greenroom.documents.mocks import OwnMock
from greenroom.documents.parts import Doc, JsonValue, Schema

__all__ = [
    "Agent",
    "Capability",
    "ChannelSettings",
    "Example",
    "ExampleReply",
    "HandOver",
    "KnowledgeEntry",
    "ModelChoice",
    "Notifications",
    "PeopleField",
    "PeopleSettings",
    "Playbook",
    "Representative",
    "Send",
    "Thing",
    "Tool",
]


class ModelChoice(Doc):
    """A model and how it is asked. A plain string in a document is `name`."""

    name: str
    temperature: float | None = Field(default=None, ge=0.0)
    max_tokens: int | None = Field(default=None, ge=1)


class KnowledgeEntry(Doc):
    """Something the agent knows; `file:` is read into `text` when the document is loaded."""

    title: str = ""
    text: str


class ExampleReply(Doc):
    """What an example's agent answers."""

    text: str = ""
    parts: tuple[Part, ...] = ()


class Example(Doc):
    """A short conversation that shows how a playbook is meant."""

    person: tuple[str, ...]
    reply: ExampleReply


class Capability(StrEnum):
    """What a playbook's `uses` may name besides tools."""

    PEOPLE = "people"
    NOTIFY = "notify"
    KNOWLEDGE = "knowledge"
    HAND_OVER = "hand_over"


class Playbook(Doc):
    """One kind of conversation: when it applies, what to do, what to use."""

    name: str = ""
    """Empty: the id."""
    when: str = ""
    prompt: str = ""
    uses: tuple[str, ...] = ()
    """Capabilities and tools."""
    examples: tuple[Example, ...] = ()


class Send(StrEnum):
    """Where a webhook tool's arguments go that are not in its path."""

    PATH = "path"
    QUERY = "query"
    BODY = "body"


class Tool(Doc):
    """A tool the agent may call; its name is the mapping's key."""

    kind: Literal["webhook", "client", "integration"] = "webhook"
    description: str = ""
    parameters: Schema = Field(default_factory=lambda: dict[str, JsonValue]({"type": "object", "properties": {}}))
    method: str = "GET"
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    timeout: float = Field(default=20.0, gt=0.0)
    """Seconds."""
    send: Send | None = None
    """Left out: query for GET and DELETE, body for the rest."""
    read_only: bool = False
    waits: bool = True
    hide_errors: bool = False
    confirm_with: str | None = None
    mocks: tuple[OwnMock, ...] = ()


class PeopleField(Doc):
    """A declared field of a person."""

    type: Literal["string", "number", "integer", "boolean", "date"] = "string"
    description: str = ""
    options: tuple[str, ...] | None = None


class PeopleSettings(Doc):
    """Whether strangers become people, and what is known of one."""

    auto_create: bool = True
    fields: dict[str, PeopleField] = Field(default_factory=dict[str, PeopleField])


class Representative(Doc):
    """Somebody on the team."""

    name: str
    email: str = ""


class Thing(Doc):
    """Something the business rents or sells; further keys are free."""

    name: str
    details: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class Notifications(Doc):
    """Where the team is told, as Apprise URLs."""

    to: tuple[str, ...] = ()


class HandOver(Doc):
    """Who takes over."""

    email: tuple[str, ...] = ()


class ChannelSettings(Doc):
    """What an agent has on one channel."""

    number: str = ""


class Agent(Doc):
    """A hosted agent: everything that decides how it behaves."""

    id: str = Field(alias="agent")
    name: str = ""
    model: ModelChoice
    greeting: str = ""
    prompt: str = ""
    rules: tuple[str, ...] = ()
    knowledge: dict[str, KnowledgeEntry] = Field(default_factory=dict[str, KnowledgeEntry])
    playbooks: dict[str, Playbook] = Field(default_factory=dict[str, Playbook])
    templates: dict[str, tuple[Part, ...]] = Field(default_factory=dict[str, tuple[Part, ...]])
    """Named rich messages; each is one message."""
    tools: dict[str, Tool] = Field(default_factory=dict[str, Tool])
    people: PeopleSettings = PeopleSettings()
    representatives: dict[str, Representative] = Field(default_factory=dict[str, Representative])
    things: dict[str, Thing] = Field(default_factory=dict[str, Thing])
    notifications: Notifications | None = None
    hand_over: HandOver | None = None
    channels: dict[str, ChannelSettings] = Field(default_factory=dict[str, ChannelSettings])
    time_zone: str = "UTC"
    review: tuple[str, ...] = ()
