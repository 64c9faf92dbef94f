"""What an agent's message looks like to whoever shows it: the published schema of `agents.wire` (features.md A4).

Nothing is built of these models; a test holds what is sent against them.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from greenroom.api.events import TapIn

__all__ = [
    "ActionChip",
    "AnswerOut",
    "CardOut",
    "CardPart",
    "CarouselPart",
    "ChipsPart",
    "Choice",
    "ConfirmPart",
    "MediaPart",
    "MessageOut",
    "OptionsPart",
    "OutboundOut",
    "PartOut",
    "ReplyChip",
    "SlotChoice",
    "TextPart",
    "TimePickerPart",
]


class TextPart(BaseModel):
    """Words."""

    kind: Literal["text"]
    text: str


class MediaPart(BaseModel):
    """A picture, a film, a sound or a file."""

    kind: Literal["media"]
    url: str
    alt: str = Field(description="What it shows, in words; may be empty.")


class ReplyChip(BaseModel):
    """Sends its tap."""

    label: str
    action: Literal["reply"]
    tap: TapIn


class ActionChip(BaseModel):
    """Does something where the person is; nothing is sent."""

    label: str
    action: Literal["link", "call", "map", "calendar"]
    target: str = Field(description="An address, a number, a place, or what belongs into the calendar.")


class CardOut(BaseModel):
    """A titled card."""

    title: str
    subtitle: str
    media: str | None = Field(description="Address of a picture.")
    chips: list[ReplyChip | ActionChip]


class CardPart(CardOut):
    """One card."""

    kind: Literal["card"]


class CarouselPart(BaseModel):
    """Cards side by side."""

    kind: Literal["carousel"]
    cards: list[CardOut]


class ChipsPart(BaseModel):
    """Suggested replies under the message."""

    kind: Literal["chips"]
    chips: list[ReplyChip | ActionChip]


class Choice(BaseModel):
    """Something to tap."""

    label: str
    tap: TapIn


class SlotChoice(Choice):
    """A time to pick."""

    start: str = Field(description="ISO 8601.")


class OptionsPart(BaseModel):
    """A question's choices."""

    kind: Literal["options"]
    options: list[Choice]


class TimePickerPart(BaseModel):
    """Times to choose from."""

    kind: Literal["time_picker"]
    slots: list[SlotChoice]


class ConfirmPart(BaseModel):
    """Yes or no."""

    kind: Literal["confirm"]
    choices: list[Choice]


PartOut: TypeAlias = Annotated[
    TextPart | MediaPart | CardPart | CarouselPart | ChipsPart | OptionsPart | TimePickerPart | ConfirmPart,
    Field(discriminator="kind"),
]


class MessageOut(BaseModel):
    """One message of the agent."""

    text: str = Field(description="The whole message in words.")
    parts: list[PartOut] | None = Field(
        default=None, description="Its elements, where the channel shows rich ones; left out on SMS and voice."
    )


class AnswerOut(BaseModel):
    """What the agent says to an event."""

    conversation: str
    message_id: str
    delivery: Literal["answer", "webhook"] = Field(
        description="`answer`: show `messages`. `webhook`: they are sent to the channel's `outbound` address."
    )
    messages: list[MessageOut] = Field(description="In order.")
    ended: str | None = Field(description="Why the agent's part of the conversation is over; null while it isn't.")


class OutboundOut(BaseModel):
    """A message on its way to a channel's `outbound` address; signed as events are."""

    id: str = Field(description="The same at every try; it is the header `Idempotency-Key` too.")
    agent: str
    channel: str
    conversation: str
    identity: str = Field(description="Whom it is for, as the channel knows them.")
    created_at: str = Field(description="ISO 8601, UTC.")
    message: MessageOut
