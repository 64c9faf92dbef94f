"""An agent's behavior document (documents.md: agent)."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from greenroom.conversation.messages import Part
from greenroom.documents.mocks import OwnMock
from greenroom.documents.parts import (
    ChannelKey,
    Doc,
    Duration,
    FilledFromEnvironment,
    HttpMethod,
    Id,
    JsonValue,
    Meant,
    Name,
    Schema,
    Templated,
    ToolName,
)

__all__ = [
    "Agent",
    "Capability",
    "ChannelSettings",
    "ContactDetail",
    "ContactSettings",
    "DataForm",
    "Example",
    "ExampleReply",
    "FormField",
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

    short: ClassVar[str | None] = "name"
    name: FilledFromEnvironment = Field(min_length=1)
    temperature: float | None = Field(default=None, ge=0.0)
    max_tokens: int | None = Field(default=None, ge=1)


class KnowledgeEntry(Doc):
    """Something the agent knows; `file:` is read into `text` when the document is loaded."""

    short: ClassVar[str | None] = "text"
    title: str = ""
    text: str = Field(min_length=1)


class ExampleReply(Doc):
    """What an example's agent answers, as one message."""

    text: str = ""
    """Its words alone, without cards, chips and the like."""
    parts: tuple[Part, ...] = ()
    """The whole message, its words included."""


class Example(Doc):
    """A short conversation that shows how a playbook is meant."""

    person: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = Field(min_length=1)
    reply: ExampleReply


class Capability(StrEnum):
    """What a playbook's `uses` may name besides tools."""

    PEOPLE = "people"
    NOTIFY = "notify"
    KNOWLEDGE = "knowledge"
    CONTACT = "contact"
    FORMS = "forms"
    HAND_OVER = "hand_over"


class Playbook(Doc):
    """One kind of conversation: when it applies, what to do, what to use."""

    name: str = ""
    """Empty: the id."""
    when: Templated = ""
    prompt: Templated = ""
    uses: tuple[Name, ...] = ()
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
    method: HttpMethod = "GET"
    url: FilledFromEnvironment | None = None
    headers: dict[Name, FilledFromEnvironment] = Field(default_factory=dict[Name, FilledFromEnvironment])
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
    fields: dict[Name, PeopleField] = Field(default_factory=dict[Name, PeopleField])


class FormField(PeopleField):
    """What a data form asks for. A plain string in a document is `type`."""

    short: ClassVar[str | None] = "type"
    required: bool = False


class DataForm(Doc):
    """A data form that the agent fills in for the person: the action `Collect data: NAME`."""

    name: str = ""
    """Empty: the id."""
    description: str = ""
    fields: dict[Name, FormField] = Field(min_length=1)


ContactDetail: TypeAlias = Literal["first_name", "last_name", "email", "phone", "company"]


class ContactSettings(Doc):
    """Which contact details have to be there for the agent to keep them."""

    required: Annotated[tuple[ContactDetail, ...], Meant.ONE_OR_MORE] = ()


class Representative(Doc):
    """Somebody on the team."""

    name: str = Field(min_length=1)
    email: str = ""
    time_zone: str = ""
    """Empty: the agent's."""


class Thing(Doc):
    """Something the business rents or sells; further keys are free."""

    name: str = Field(min_length=1)
    details: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class Notifications(Doc):
    """Where the team is told, as Apprise URLs."""

    to: Annotated[tuple[FilledFromEnvironment, ...], Meant.ONE_OR_MORE] = ()


class HandOver(Doc):
    """Who takes over."""

    email: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = ()


class ChannelSettings(Doc):
    """What an agent has on one channel."""

    number: str = ""
    secret: FilledFromEnvironment = ""
    """What the channel signs its webhooks with, and we ours; without one the gateway takes nothing from it."""
    outbound: FilledFromEnvironment = ""
    """Where messages are sent as webhooks. Empty: they are the answer to the event that they answer."""


class Agent(Doc):
    """A hosted agent: everything that decides how it behaves."""

    id: Id = Field(alias="agent")
    name: str = ""
    model: ModelChoice
    greeting: Templated = ""
    prompt: Templated = ""
    rules: Annotated[tuple[Templated, ...], Meant.ONE_OR_MORE] = ()
    knowledge: dict[Name, KnowledgeEntry] = Field(default_factory=dict[Name, KnowledgeEntry])
    playbooks: dict[Id, Playbook] = Field(default_factory=dict[Id, Playbook])
    templates: dict[Id, tuple[Part, ...]] = Field(default_factory=dict[Id, tuple[Part, ...]])
    """Named rich messages; each is one message."""
    tools: dict[ToolName, Tool] = Field(default_factory=dict[ToolName, Tool])
    forms: dict[Id, DataForm] = Field(default_factory=dict[Id, DataForm])
    people: PeopleSettings = PeopleSettings()
    contact: ContactSettings | None = None
    representatives: dict[Name, Representative] = Field(default_factory=dict[Name, Representative])
    things: dict[Name, Thing] = Field(default_factory=dict[Name, Thing])
    notifications: Notifications | None = None
    hand_over: HandOver | None = None
    channels: dict[ChannelKey, ChannelSettings] = Field(default_factory=dict[ChannelKey, ChannelSettings])
    close_after: Duration = 86_400.0
    """After so much silence a live conversation is closed."""
    time_zone: str = "UTC"
    review: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = ()
