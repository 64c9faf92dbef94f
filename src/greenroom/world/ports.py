"""The ports of the world. `LiveWorld` does what they say; `SandboxWorld` reads for real and captures the rest.

Every method that changes something returns what is to be shown of it, so that chat and run list the same effects
(features.md A8, A9). No implementation raises for what an agent or an endpoint did: that is in the value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from greenroom.clock import Clock
from greenroom.conversation.appointments import Appointment, Busy, OpenTime
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import Effect
from greenroom.conversation.errands import ErrandDone
from greenroom.conversation.flows import FlowState
from greenroom.conversation.json_values import Json
from greenroom.conversation.own_messages import OwnMessage
from greenroom.conversation.people import Person
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import Turn
from greenroom.conversation.world_state import WorldState
from greenroom.documents.agent import Tool
from greenroom.models.model import ChatMessage

__all__ = [
    "AppointmentStore",
    "BusyCalendars",
    "ConversationState",
    "Conversations",
    "Email",
    "FreeTimes",
    "GradedWorld",
    "HandOvers",
    "Intake",
    "Mail",
    "NotScheduled",
    "Notify",
    "OwnMessages",
    "People",
    "PeopleStore",
    "Scheduled",
    "Scheduling",
    "TakenTimes",
    "Tools",
    "World",
    "WrittenField",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenField:
    """One field of a person that was written, and the effect to show."""

    person: Person
    effect: Effect


class People(Protocol):
    """Who the agent deals with; found by the conversation identity bound to them (features.md A5)."""

    async def find(self, identity: str) -> Person | None:
        """The person this identity is bound to."""
        ...

    async def create(self, identity: str) -> Person:
        """A new person bound to this identity (auto-create, features.md A6)."""
        ...

    async def write(self, person_id: str, field: str, value: Json) -> WrittenField:
        """Set one field, core or declared; the caller has checked name and type."""
        ...


class PeopleStore(Protocol):
    """Where the live world keeps people: a repository of one partition, handed in by whoever opens the world.

    `Conversations` is its sister for conversations. A failing database raises `StoreError`.
    """

    async def find(self, identity: str) -> Person | None:
        """The person this identity is bound to."""
        ...

    async def create(self, identity: str) -> Person:
        """A new person bound to this identity; the one already bound when two come at once."""
        ...

    async def add(self, person: Person, identity: str) -> Person:
        """The same, with what is known of them; their id is given by the store."""
        ...

    async def write(self, person_id: str, field: str, value: Json) -> Person:
        """Set one field or consent (`conversation.people.with_written`) and give back the person as persisted.

        Raises `NotFound` when there is no such person.
        """
        ...


class TakenTimes(Protocol):
    """Somebody who knows of times that are taken."""

    async def busy(self, since: datetime, until: datetime) -> Sequence[Busy]:
        """The agent's times that are taken between two moments. One without a representative is everybody's."""
        ...


class AppointmentStore(TakenTimes, Protocol):
    """Where appointments are kept: a repository of one partition, handed in by whoever opens the world.

    What it books or moves is safe from anybody else at once, and becomes an appointment with the turn; a turn that is
    not kept leaves nothing. A failing database raises `StoreError`.
    """

    async def busy(self, since: datetime, until: datetime) -> Sequence[Busy]:
        """The agent's times that are taken between two moments, also those that a turn under way holds."""
        ...

    async def of_person(self, person_id: str) -> Sequence[Appointment]:
        """A person's appointments, the earliest first, cancelled ones included; what this turn did is seen."""
        ...

    async def book(self, appointment: Appointment) -> Appointment:
        """Keep a new one; its id is given by the store. Raises `TimeTaken` when somebody was faster."""
        ...

    async def move(self, appointment_id: str, *, start: datetime, end: datetime, representative: str) -> Appointment:
        """Another time for one that is booked. Raises `NotFound`, `TimeTaken`."""
        ...

    async def cancel(self, appointment_id: str) -> Appointment:
        """Take one back; a second time changes nothing. Raises `NotFound`."""
        ...


class BusyCalendars(Protocol):
    """What the business's own calendars say of times that are taken; reads are real, also in a sandbox (A8)."""

    async def busy(self, representative: str, since: datetime, until: datetime) -> Sequence[Busy]:
        """The times that are taken in the calendar of a representative, or of the agent (`""`).

        Raises `CalendarUnreachable`, in words that can be told to the model.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeTimes:
    """What was found when somebody asked for a time."""

    times: tuple[OpenTime, ...]
    """Those that can be booked, the earliest first, each moment once, by the clock of the agent's zone."""
    later: OpenTime | None = None
    """When none is free in what was asked about: the first one after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """An appointment as it is now, and the effect to show of what was done."""

    appointment: Appointment
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class NotScheduled:
    """Nothing was done, and why, in words for the model."""

    why: str


class Scheduling(Protocol):
    """Appointments with the business: when they can be, and making, moving and cancelling them (features.md A5, A8).

    All moments that it gives back show the agent's time and have a fixed offset. A representative is the key of one of
    the agent's; empty: any, and for an agent without representatives its own time. What can't be done is a
    `NotScheduled` and changes nothing; a failing database raises `StoreError`.
    """

    async def free_times(
        self,
        *,
        representative: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        most: int | None = None,
    ) -> FreeTimes | NotScheduled:
        """Times that begin between two moments, `until` aside; as many as the agent offers, or `most`."""
        ...

    async def book(
        self, *, person_id: str, title: str, start: datetime, representative: str = "", notes: str = ""
    ) -> Scheduled | NotScheduled:
        """A new appointment at one of the free times."""
        ...

    async def move(
        self, appointment_id: str, *, person_id: str, start: datetime, representative: str = ""
    ) -> Scheduled | NotScheduled:
        """Another time for one of the person's; with the same representative unless another is named."""
        ...

    async def cancel(self, appointment_id: str, *, person_id: str) -> Scheduled | NotScheduled:
        """Take back one of the person's."""
        ...

    async def of_person(self, person_id: str) -> Sequence[Appointment]:
        """All of a person's, the earliest first: past and cancelled ones too."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """A mail that an agent sends, or that tells the team of something."""

    to: tuple[str, ...]
    subject: str
    text: str


class Mail(Protocol):
    """Mail out."""

    async def send(self, email: Email) -> Effect:
        """Have one mail sent with the turn, or capture it. The caller has checked recipients, subject and text."""
        ...


class Notify(Protocol):
    """Telling the team."""

    async def team(self, text: str) -> Effect:
        """Have one notification sent with the turn, or capture it."""
        ...


class OwnMessages(Protocol):
    """Messages that the agent sends by itself, without an event that it answers."""

    async def say(self, own: OwnMessage) -> Effect:
        """Send one with the turn that it is said in, or capture it."""
        ...


class HandOvers(Protocol):
    """Giving the conversation to a human."""

    async def hand_over(self, reason: str) -> Effect:
        """Hand over to the team."""
        ...

    async def transfer(self, reason: str, to: str) -> Effect:
        """Transfer a phone call."""
        ...


class Intake(Protocol):
    """What the agent collects of a person: contact details, and data forms that it fills in."""

    async def contact(self, person_id: str | None, details: Mapping[str, str]) -> Effect:
        """Keep contact details, by field; on the person's record when there is one. The caller has checked them."""
        ...

    async def form(self, form: str, values: Mapping[str, Json]) -> Effect:
        """Take in one filled form, by its id; the caller has checked the values."""
        ...


class Tools(Protocol):
    """Who answers a tool call (semantics: the world). The name is known and the arguments fit the schema."""

    async def call(self, *, name: str, tool: Tool, call_id: str, arguments: Mapping[str, Json]) -> ToolCall:
        """The call with its answer; never raises for what the endpoint did."""
        ...

    async def intercept(self, *, name: str, call_id: str, arguments: Mapping[str, Json]) -> ToolCall | None:
        """A case entry that answers a built-in action in its place; None when there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationState:
    """What the service remembers of a conversation between two events."""

    conversation: str
    channel: Channel
    identity: str
    person_id: str | None = None
    playbook: str | None = None
    flow: FlowState | None = None
    """Where it stands in a flow of that playbook."""
    messages: tuple[ChatMessage, ...] = ()
    """What the model reads of it, oldest first."""
    placed: bool = False
    """Something that the agent said by itself chose the playbook: the next turn runs in it, and no router is asked."""
    turns: int = 0
    """Events served so far."""
    ended: str | None = None
    """A StopReason, once the agent has ended it."""
    seen: tuple[str, ...] = ()
    """Message ids already served; a repeat is harmless."""


class Conversations(Protocol):
    """Where conversation state is kept."""

    async def load(self, conversation: str) -> ConversationState | None:
        """The state, or None for a new conversation."""
        ...

    async def save(self, state: ConversationState, turn: Turn | None = None, record: TurnRecord | None = None) -> None:
        """Keep it, together with the turn that led to it, or neither. Without a turn only the state is kept."""
        ...


class World(Protocol):
    """Everything beyond the agent's mind."""

    @property
    def people(self) -> People: ...

    @property
    def notify(self) -> Notify: ...

    @property
    def own_messages(self) -> OwnMessages: ...

    @property
    def mail(self) -> Mail: ...

    @property
    def hand_overs(self) -> HandOvers: ...

    @property
    def intake(self) -> Intake: ...

    @property
    def scheduling(self) -> Scheduling: ...

    @property
    def tools(self) -> Tools: ...

    @property
    def conversations(self) -> Conversations: ...

    @property
    def clock(self) -> Clock:
        """The time that agent, prompt and judge see; a case may freeze it."""
        ...

    async def close(self) -> Sequence[str]:
        """Remove what belongs to this case alone; what could not be removed, as sentences."""
        ...


class GradedWorld(World, Protocol):
    """The world of a case: what it holds can be looked at, for checks of the end state."""

    async def leave(self) -> Sequence[ErrandDone]:
        """Let what leaves for real leave, and say what came of it; once the conversation is over (features.md C13)."""
        ...

    async def state(self) -> WorldState:
        """Everything that the case has there, as persisted now; asked only when a check wants it."""
        ...
