"""Makers for the tests of flows: an agent that cancels bookings, and what a person sees of a turn."""

from collections.abc import Mapping, Sequence

from tests.agents.stage import PlayedModel, Stage, never_asked
from tests.builders import agent as read_agent

from greenroom.conversation.events import Tap, TapKind
from greenroom.conversation.messages import Confirm, Options, Text
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent

TOOLS: Mapping[str, object] = {
    "cancel_booking": {
        "description": "Cancels a booking.",
        "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        "method": "POST",
        "url": "https://bookings.example/cancel",
        "mocks": [{"result": {"status": "cancelled", "refund": 40}}],
    }
}
CANCELLING: Sequence[object] = [
    {
        "ask": {
            "text": "Which booking?",
            "options": [{"label": "Powerboat", "value": {"id": "B-1"}}, "Kayak"],
            "as": "booking",
        }
    },
    {"ask": {"text": "Cancel it?", "confirm": ["Yes", "No"], "as": "sure"}},
    {"when": {"sure": "No"}, "do": [{"say": "Nothing changed."}, {"end": "resolved"}]},
    {"http": {"tool": "cancel_booking", "with": {"id": "{{booking.id}}"}, "as": "answer"}},
    {"set": {"last_cancelled": "{{booking.id}}"}},
    {"say": "It is {{answer.status}}."},
]


def lakeside(flow: Sequence[object] = CANCELLING, **given: object) -> Agent:
    """An agent with one playbook and its flow."""
    written: dict[str, object] = {
        "people": {"fields": {"last_cancelled": {}, "party_size": {"type": "number"}}},
        "tools": TOOLS,
        "playbooks": {"cancelling": {"flow": flow}},
    }
    return read_agent(**{**written, **given})


EXAMPLE = lakeside()
"""Read outside of any event loop, as documents are; time zones are in memory from then on."""


def agent_with(flow: Sequence[object], **given: object) -> Agent:
    """A document that is read while a loop runs; what its reading looks into is in memory."""
    return lakeside(flow, **given)


def on_stage(agent: Agent, model: PlayedModel | None = None, **given: object) -> Stage:
    return Stage(agent, model or never_asked(), **given)  # pyright: ignore[reportArgumentType]


def tapped(label: str, kind: TapKind = TapKind.OPTION, value: str | None = None) -> Tap:
    return Tap(tapped=kind, label=label, value=value or label)


def shown(turn: Turn) -> list[str]:
    """What the person sees, each part in a word."""
    words: list[str] = []
    for message in turn.messages:
        for part in message.parts:
            match part:
                case Text():
                    words.append(part.text)
                case Options():
                    words.append(f"options {' | '.join(part.options)}")
                case Confirm():
                    words.append(f"confirm {' | '.join(part.labels)}")
                case _:
                    words.append(part.kind)
    return words
