"""An agent's behavior document (documents.md: agent)."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypeAlias

from annotated_types import MinLen
from pydantic import Field

from greenroom.conversation.messages import Part
from greenroom.documents.channel_words import ChannelWords
from greenroom.documents.flow import Flow
from greenroom.documents.mail import EmailSettings
from greenroom.documents.mocks import OwnMock
from greenroom.documents.outreach import FollowUp, Outreach
from greenroom.documents.parts import (
    Address,
    ChannelKey,
    Doc,
    Duration,
    FilledFromEnvironment,
    FilledWhenLive,
    HttpMethod,
    Id,
    JsonValue,
    Limited,
    Meant,
    Name,
    Schema,
    Templated,
    ToolName,
)
from greenroom.documents.scheduling import Scheduling, WeeklyHours, WhichCalendar
from greenroom.documents.sizes import CHOICES, FOLLOW_UPS, MESSAGE_CHARS, NAME_CHARS, OUTREACHES, REPRESENTATIVES

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
    "StandingCriterion",
    "Thing",
    "Tool",
]


StandingCriterion: TypeAlias = Annotated[str, Limited("criterion_chars"), MinLen(1)]
"""A criterion of every live conversation."""


class ModelChoice(Doc):
    """A model and how it is asked. A plain string in a document is `name`."""

    short: ClassVar[str | None] = "name"
    name: FilledFromEnvironment = Field(min_length=1)
    """Which model: `anthropic:NAME`, `openai:NAME@URL`, `script:FILE`, `replay:FILE` and the like."""
    temperature: float | None = Field(default=None, ge=0.0)
    """How freely the model chooses its words. Left out: the provider's own setting."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The longest answer, in tokens. Left out: as long as the model allows."""


class KnowledgeEntry(Doc):
    """Something the agent knows; `file:` is read into `text` when the document is loaded."""

    short: ClassVar[str | None] = "text"
    title: str = ""
    """What it is about. Left out: its key."""
    text: str = Field(min_length=1)
    """What the agent may say about it. `file: PATH` in its place reads the text from a file."""


class ExampleReply(Doc):
    """What an example's agent answers, as one message."""

    text: str = ""
    """Its words alone, without cards, chips and the like."""
    parts: tuple[Part, ...] = ()
    """The whole message, its words included."""


class Example(Doc):
    """A short conversation that shows how a playbook is meant."""

    person: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = Field(min_length=1)
    """What the person says, one message or several."""
    reply: ExampleReply
    """What the agent should answer: text, a list of message parts, or `{text, chips, …}`."""


class Capability(StrEnum):
    """What a playbook's `uses` may name besides tools."""

    PEOPLE = "people"
    NOTIFY = "notify"
    EMAIL = "email"
    KNOWLEDGE = "knowledge"
    CONTACT = "contact"
    FORMS = "forms"
    SCHEDULING = "scheduling"
    HAND_OVER = "hand_over"


class Playbook(Doc):
    """One kind of conversation: when it applies, what to do, what to use."""

    name: str = Field(default="", max_length=NAME_CHARS)
    """What people call it. Left out: its key."""
    when: Templated = ""
    """When it applies, in words. The router chooses between playbooks by it."""
    prompt: Templated = ""
    """What the agent does in it; added to the agent's own prompt."""
    uses: tuple[Name, ...] = ()
    """What may be called in it: tools, capabilities, built-in actions, and labels such as `Collect data: FORM`."""
    examples: tuple[Example, ...] = ()
    """Short conversations that show how it is meant."""
    flow: Flow = ()
    """Steps that run as they are written, without a model, from when the playbook is chosen until they are left."""


class Send(StrEnum):
    """Where a webhook tool's arguments go that are not in its path."""

    PATH = "path"
    QUERY = "query"
    BODY = "body"


class Tool(Doc):
    """A tool the agent may call; its name is the mapping's key."""

    kind: Literal["webhook", "client", "integration"] = "webhook"
    """Who runs it: an HTTP endpoint (`webhook`), the person's window (`client`), a connected system (`integration`)."""
    description: str = ""
    """What it does and when to call it; the model reads this."""
    parameters: Schema = Field(default_factory=lambda: dict[str, JsonValue]({"type": "object", "properties": {}}))
    """Its parameters, as a JSON Schema of an object, without `patternProperties`. Left out: it takes none."""
    method: HttpMethod = "GET"
    """The HTTP method of the call."""
    url: FilledFromEnvironment | None = None
    """Where it is called. `{NAME}` stands for the parameter of that name, `${NAME}` for an environment variable."""
    headers: dict[Name, FilledFromEnvironment] = Field(default_factory=dict[Name, FilledFromEnvironment])
    """HTTP headers of the call. A value may hold `${NAME}`."""
    timeout: float = Field(default=20.0, gt=0.0)
    """How long an answer may take, in seconds."""
    send: Send | None = None
    """Where arguments go that are not in the URL's path. Left out: `query` for GET and DELETE, `body` for the rest."""
    read_only: bool = False
    """It changes nothing. Such an integration tool may reach its endpoint in a test; one that writes never does."""
    waits: bool = True
    """Whether the agent waits for the answer. With `false` it only hears that the call was accepted."""
    hide_errors: bool = False
    """The agent hears only that the call failed, without status and message. For webhook tools."""
    confirm_with: str | None = None
    """The tool that does the writing after the person has confirmed; this one then only asks. For integration tools."""
    mocks: tuple[OwnMock, ...] = ()
    """What answers in a test when the case prepares nothing for the tool; only the first one is used."""


class PeopleField(Doc):
    """A declared field of a person."""

    type: Literal["string", "number", "integer", "boolean", "date"] = "string"
    """What kind of value it holds."""
    description: str = ""
    """What it means; the model reads this."""
    options: tuple[str, ...] | None = Field(default=None, max_length=CHOICES)
    """The only values it may have. Left out: any value of its type."""


class PeopleSettings(Doc):
    """Whether strangers become people, and what is known of one."""

    auto_create: bool = True
    """Whether somebody unknown becomes a person when they write for the first time."""
    fields: dict[Name, PeopleField] = Field(default_factory=dict[Name, PeopleField])
    """Fields that this agent keeps of a person, besides those that every person has."""
    consent: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    """Kinds of consent that this agent may record as the person says it, such as `messages`: given, and taken back.

    Left out: only the team records consent.
    """


class FormField(PeopleField):
    """What a data form asks for. A plain string in a document is `type`."""

    short: ClassVar[str | None] = "type"
    required: bool = False
    """The form can't be submitted without it."""


class DataForm(Doc):
    """A data form that the agent fills in for the person: the action `Collect data: NAME`."""

    name: str = Field(default="", max_length=NAME_CHARS)
    """What people call it, also in `Collect data: NAME`. Left out: its key."""
    description: str = ""
    """What it is for; the model reads this."""
    fields: dict[Name, FormField] = Field(min_length=1)
    """What it asks for."""


ContactDetail: TypeAlias = Literal["first_name", "last_name", "email", "phone", "company"]


class ContactSettings(Doc):
    """Which contact details have to be there for the agent to keep them."""

    required: Annotated[tuple[ContactDetail, ...], Meant.ONE_OR_MORE] = ()
    """The details without which the contact is not kept."""


class Representative(Doc):
    """Somebody on the team."""

    name: str = Field(min_length=1, max_length=NAME_CHARS)
    """Their name."""
    email: Address = ""
    """Their email address; the agent may write to it by their id."""
    time_zone: str = ""
    """Their time zone. Left out: the agent's."""
    hours: WeeklyHours | None = None
    """When they may be seen, in their time zone; written as under `scheduling`. Left out: the agent's hours."""
    calendar: WhichCalendar = "embedded"
    """Where else what is taken of their time stands: in a CalDAV calendar, or nowhere (`embedded`)."""


class Thing(Doc):
    """Something the business rents or sells; further keys are free."""

    name: str = Field(min_length=1, max_length=NAME_CHARS)
    """What it is called."""
    details: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Everything else that is worth saying of it, under keys of your own."""


class Notifications(Doc):
    """Where the team is told, as Apprise URLs."""

    to: Annotated[tuple[FilledWhenLive, ...], Meant.ONE_OR_MORE] = ()
    """Where the team is told, as Apprise URLs, one or several; each may hold `${NAME}`. In a test nothing is sent."""


class HandOver(Doc):
    """Who takes over."""

    email: Annotated[tuple[Address, ...], Meant.ONE_OR_MORE] = ()
    """Whom a conversation is handed over to, one address or several; live they get it by mail."""


class ChannelSettings(Doc):
    """What an agent has on one channel."""

    number: str = ""
    """The phone number. An agent with a number on `phone` takes `channel: auto` as an inbound call."""
    secret: FilledWhenLive = ""
    """What the channel signs its webhooks with, and Greenroom its own. Without one nothing is taken from it."""
    outbound: FilledWhenLive = ""
    """Where messages are sent as webhooks. Left out: they are the answer to the event that they answer."""
    language: str = ""
    """On `web`, the language of the widget's page, as a tag: `de`, `pt-BR`, `he`. Left out: English."""
    words: ChannelWords = ChannelWords()
    """What Greenroom itself says there, in your words."""


class Agent(Doc):
    """A hosted agent: everything that decides how it behaves."""

    in_parts = frozenset({"tools"})

    id: Id = Field(alias="agent")
    """The agent's id: lower-case words joined by hyphens."""
    name: str = Field(default="", max_length=NAME_CHARS)
    """What people call it. Left out: its id."""
    model: ModelChoice
    """The model that answers."""
    greeting: Templated = Field(default="", max_length=MESSAGE_CHARS)
    """The agent's first message. Left out: the person speaks first."""
    prompt: Templated = ""
    """The system prompt: who the agent is and how it works."""
    rules: Annotated[tuple[Templated, ...], Meant.ONE_OR_MORE] = ()
    """What always holds, one rule or several."""
    knowledge: dict[Name, KnowledgeEntry] = Field(default_factory=dict[Name, KnowledgeEntry])
    """What the agent may look up: pieces of text by key."""
    playbooks: dict[Id, Playbook] = Field(default_factory=dict[Id, Playbook])
    """Kinds of conversation, each with what to do and what to use.

    Without any the agent may use all its tools at every turn.
    """
    templates: dict[Id, tuple[Part, ...]] = Field(default_factory=dict[Id, tuple[Part, ...]])
    """Rich messages by name, which the agent sends by `send_message`; each is one message."""
    tools: dict[ToolName, Tool] = Field(default_factory=dict[ToolName, Tool])
    """The tools that the agent may call, by name."""
    forms: dict[Id, DataForm] = Field(default_factory=dict[Id, DataForm])
    """Data forms that the agent fills in for the person, by id: the actions `Collect data: NAME`."""
    people: PeopleSettings = PeopleSettings()
    """What the agent keeps of people."""
    contact: ContactSettings | None = None
    """How contact details are collected: the action `Collect contact details`."""
    representatives: dict[Name, Representative] = Field(
        default_factory=dict[Name, Representative], max_length=REPRESENTATIVES
    )
    """People on the team, by id. A person may have one of them as `representative`."""
    things: dict[Name, Thing] = Field(default_factory=dict[Name, Thing])
    """What the business rents or sells, by id; the agent knows of them."""
    scheduling: Scheduling | None = None
    """How appointments are made: `find_times`, `book_appointment`, `move_appointment` and `cancel_appointment`."""
    notifications: Notifications | None = None
    """Where the team is told of something: the action `notify_team`."""
    email: EmailSettings | None = None
    """Mail that the agent sends: the action `send_email`."""
    hand_over: HandOver | None = None
    """Who takes over: the action `Escalate to a person`."""
    channels: dict[ChannelKey, ChannelSettings] = Field(default_factory=dict[ChannelKey, ChannelSettings])
    """What the agent has on each channel: `web`, `sms`, `rich`, `web_voice` and `phone`."""
    outreach: dict[Id, Outreach] = Field(default_factory=dict[Id, Outreach], max_length=OUTREACHES)
    """Conversations that the agent begins by itself when it is live, by id."""
    follow_ups: dict[Id, FollowUp] = Field(default_factory=dict[Id, FollowUp], max_length=FOLLOW_UPS)
    """What the agent says by itself after a silence when it is live, by id."""
    close_after: Duration = 86_400.0
    """After so much silence a live conversation is closed: `24h`, `30m`, `90s` or `2d`."""
    time_zone: str = "UTC"
    """The agent's time zone, such as `America/Chicago`. Left out: the project's."""
    review: Annotated[tuple[StandingCriterion, ...], Meant.ONE_OR_MORE] = ()
    """What has to hold in every live conversation, in words, one criterion or several.

    The judge decides them once a conversation is closed.
    """
