"""What channels send and are answered: the published schema (interfaces: HTTP API).

An event is read only after its signature has been verified.
"""

from typing import Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from greenroom.api.faults import NO_CONTROLS, NOT_BLANK, faults_of, unreadable
from greenroom.api.strict_json import strict_json
from greenroom.conversation.events import Event, Opened, Said, Tap, TapKind
from greenroom.conversation.json_values import Json
from greenroom.operations.gateway import ChannelEvent
from greenroom.operations.serving import Answer

__all__ = [
    "EventIn",
    "OpenedIn",
    "PersonsEvent",
    "SaidIn",
    "TapIn",
    "answer_out",
    "channel_event",
    "event_of",
    "read_as",
]

T = TypeVar("T")

_TEXT_CHARS = 20_000
"""A person's line; a book is no message."""

_Name = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_CONTROLS)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenedIn(_In):
    """The person opens the conversation and has said nothing yet; the greeting answers."""

    kind: Literal["opened"]


class SaidIn(_In):
    """Free text, word for word."""

    kind: Literal["said"]
    text: str = Field(min_length=1, max_length=_TEXT_CHARS, pattern=NOT_BLANK)


class TapIn(_In):
    """A tap: the `tap` of whatever was tapped, as it came with the message."""

    kind: Literal["tap"]
    tapped: TapKind
    label: str = Field(min_length=1, max_length=_TEXT_CHARS)
    value: str = Field(min_length=1, max_length=_TEXT_CHARS)
    card: str | None = Field(default=None, max_length=_TEXT_CHARS)

    @model_validator(mode="after")
    def _shown_is_meant(self) -> Self:
        """Only a time has a value of its own: else a transcript could show one thing and the agent read another."""
        if self.tapped is not TapKind.SLOT and self.value != self.label:
            raise ValueError(f"the `value` of a tapped {self.tapped.value} is its `label`")
        return self


PersonsEvent: TypeAlias = Annotated[OpenedIn | SaidIn | TapIn, Field(discriminator="kind")]


class EventIn(_In):
    """One thing that a person did."""

    message_id: _Name = Field(description="The channel's own id of this event; a repeat gets the same answer.")
    identity: _Name = Field(description="What the channel knows the person by: a phone number, a user id.")
    conversation: _Name | None = Field(
        default=None,
        description="An id of the channel's own, or the `conversation` of an earlier answer. Left out: the "
        "conversation that is open with this identity, else a new one.",
    )
    event: PersonsEvent


def channel_event(body: bytes) -> ChannelEvent:
    """The event in a webhook's body. Raises `EventMalformed`, and `EventUnreadable` with all that is wrong."""
    told = read_as(_EVENT, strict_json(body))
    return ChannelEvent(
        message_id=told.message_id,
        identity=told.identity,
        conversation=told.conversation,
        event=event_of(told.event),
    )


def event_of(told: PersonsEvent) -> Event:
    """The event as the conversation service knows it."""
    match told:
        case OpenedIn():
            return Opened()
        case SaidIn():
            return Said(text=told.text)
        case TapIn():
            return Tap(tapped=told.tapped, label=told.label, value=told.value, card=told.card)


def answer_out(answer: Answer) -> dict[str, Json]:
    """An answer as it is written."""
    return {
        "conversation": answer.conversation,
        "message_id": answer.message_id,
        "delivery": answer.delivery.value,
        "messages": list(answer.messages),
        "ended": None if answer.ended is None else answer.ended.value,
    }


def read_as(shape: TypeAdapter[T], value: Json) -> T:
    """The value in this shape. Raises `EventUnreadable` with all that is wrong."""
    try:
        return shape.validate_python(value)
    except ValidationError as refused:
        raise unreadable(faults_of(refused, shape)) from None


_EVENT = TypeAdapter(EventIn)
