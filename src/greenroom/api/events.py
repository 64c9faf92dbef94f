"""What channels send and are answered: the published schema (interfaces: HTTP API).

An event is read only after its signature has been verified.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from greenroom.conversation.events import Event, Opened, Said, Tap, TapKind
from greenroom.conversation.json_values import Json
from greenroom.errors import EventMalformed, EventUnreadable
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
    "read_body",
]

_TEXT_CHARS = 20_000
"""A person's line; a book is no message."""

_Name = Annotated[str, Field(min_length=1, max_length=200)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenedIn(_In):
    """The person opens the conversation and has said nothing yet; the greeting answers."""

    kind: Literal["opened"]


class SaidIn(_In):
    """Free text, word for word."""

    kind: Literal["said"]
    text: str = Field(min_length=1, max_length=_TEXT_CHARS, pattern=r"\S")


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


def read_body(body: bytes) -> Json:
    """A body's JSON. Half an emoji, as some channels cut texts, becomes a sign for it. Raises `EventMalformed`."""
    try:
        return _whole(json.loads(body))
    except (ValueError, RecursionError):
        raise EventMalformed("the body is no JSON") from None


def channel_event(body: bytes) -> ChannelEvent:
    """The event in a webhook's body. Raises `EventMalformed`, and `EventUnreadable` with all that is wrong."""
    told = _read(_EVENT, read_body(body))
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


_EVENT = TypeAdapter(EventIn)


def _read(shape: TypeAdapter[EventIn], value: Json) -> EventIn:
    try:
        return shape.validate_python(value)
    except ValidationError as refused:
        found = refused.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'the body'}: {one['msg']}" for one in found)
        raise EventUnreadable(f"this is no event: {told}") from None


def _whole(value: Json) -> Json:
    """The same with surrogates joined, and lone ones replaced."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return {_text(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, Sequence) else value


def _text(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
