"""What an agent's document has it say by itself, as the conversation service is handed it."""

from collections.abc import Mapping

from greenroom.agents.hosted.filling import filled_part
from greenroom.agents.hosted.render import for_channel
from greenroom.conversation.appointments import Appointment, pinned, spelled_clock, spelled_time, zone_mark
from greenroom.conversation.channels import Abilities
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, Text
from greenroom.conversation.own_messages import OwnMessage, OwnMessageKind
from greenroom.documents.agent import Agent
from greenroom.documents.outreach_rules import prepared_parts
from greenroom.documents.templates import fill, fill_named
from greenroom.documents.zones import zone_named

__all__ = ["follow_up_message", "outreach_message", "reminder_message", "said_message"]

_REMINDER = (Text(text="{{appointment.title}}\n{{appointment.date}} {{appointment.time}}"),)
"""In no language in particular."""


def outreach_message(agent: Agent, name: str) -> OwnMessage:
    """The opening of one of its outreaches; there is one of this name."""
    outreach = agent.outreach[name]
    parts = tuple(prepared_parts(agent, outreach.opening))
    return OwnMessage(kind=OwnMessageKind.OUTREACH, name=name, parts=parts, playbook=outreach.playbook)


def follow_up_message(agent: Agent, name: str) -> OwnMessage:
    """What one of its follow-ups says; there is one of this name."""
    parts = tuple(prepared_parts(agent, agent.follow_ups[name].message))
    return OwnMessage(kind=OwnMessageKind.FOLLOW_UP, name=name, parts=parts)


def reminder_message(agent: Agent, appointment: Appointment, name: str) -> OwnMessage:
    """What reminds somebody of an appointment, so long before it; its times are those of the agent's zone."""
    settings = agent.scheduling
    written = None if settings is None else settings.reminder
    zone = zone_named(agent.time_zone)
    start, mark = pinned(appointment.start, zone), zone_mark(appointment.start, zone)
    half_days = settings is not None and settings.clock == "12h"
    one = agent.representatives.get(appointment.representative)
    values = {
        "title": appointment.title,
        "start": f"{spelled_time(start, half_days=half_days)}{mark}",
        "date": start.date().isoformat(),
        "time": f"{spelled_clock(start, half_days=half_days)}{mark}",
        "representative": appointment.representative if one is None else one.name,
    }
    parts = _REMINDER if written is None else tuple(prepared_parts(agent, written))
    return OwnMessage(kind=OwnMessageKind.REMINDER, name=name, parts=parts, values={"appointment": values})


def said_message(own: OwnMessage, values: Mapping[str, Json], abilities: Abilities) -> Message:
    """The message with its values filled in, as a channel shows it; only a reminder has names of its own."""
    known = {**values, **own.values}

    def filled(text: str) -> str:
        return fill_named(text, known) if own.values else fill(text, known)

    return for_channel(Message(parts=tuple(filled_part(part, filled) for part in own.parts)), abilities)
