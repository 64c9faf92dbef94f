"""What outreach and follow-ups of an agent must fit: its templates, playbooks, people fields and channels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Part
from greenroom.documents.agent import Agent
from greenroom.documents.outreach import FollowUp, Outreach
from greenroom.documents.people_values import path_fault
from greenroom.documents.prepared import PreparedMessage
from greenroom.documents.template_rules import nothing_named, texts_in
from greenroom.documents.templates import named_templates
from greenroom.nearest import did_you_mean

__all__ = [
    "APPOINTMENT_NAMES",
    "CONSENT",
    "REMINDER",
    "Place",
    "prepared_messages",
    "prepared_parts",
    "proactive_advice",
    "proactive_faults",
]

Place = tuple[str | int, ...]
"""Leads from the agent to what is written."""

REMINDER: Place = ("scheduling", "reminder")
"""Where an agent's reminder is written."""

APPOINTMENT_NAMES = tuple(f"appointment.{name}" for name in ("title", "start", "date", "time", "representative"))
"""What the text of a reminder may name besides person and system."""

CONSENT = "consent.messages"
"""Where a person's consent to messages stands."""


@dataclass(frozen=True, slots=True)
class _Proactive:
    """One outreach or follow-up."""

    place: Place
    message_key: str
    message: PreparedMessage
    to: Mapping[str, Json]
    playbooks: Sequence[tuple[Place, str]]


def prepared_parts(agent: Agent, message: PreparedMessage) -> Sequence[Part]:
    """The parts of a message that stands ready, its template looked up; an unknown template has none."""
    return agent.templates.get(message.template, ()) if message.template else message.parts


def prepared_messages(agent: Agent) -> Iterator[tuple[Place, PreparedMessage]]:
    """Every message that the agent says by itself, with the place where it is written."""
    yield from (((*each.place, each.message_key), each.message) for each in _all(agent))
    if agent.scheduling is not None and agent.scheduling.reminder is not None:
        yield REMINDER, agent.scheduling.reminder


def proactive_faults(agent: Agent) -> Iterator[tuple[Place, str]]:
    """What is wrong, each with its place."""
    for each in _all(agent):
        yield from _template_faults(agent, (*each.place, each.message_key), each.message)
        for path in each.to:
            if (fault := path_fault(path, agent.people.fields)) is not None:
                yield (*each.place, "to", path), fault
        for place, name in each.playbooks:
            if name not in agent.playbooks:
                yield place, f"there is no playbook {name!r}{_hint(name, 'playbooks', agent.playbooks)}"
    yield from _reminder_faults(agent)
    for key, outreach in agent.outreach.items():
        for index, name in enumerate(outreach.channel):
            if name not in agent.channels:
                hint = _hint(name, "channels", agent.channels)
                yield ("outreach", key, "channel", index), f"the agent has no channel {name!r}{hint}"
        if outreach.since and outreach.until and outreach.until < outreach.since:
            yield ("outreach", key, "until"), f"`until` {outreach.until} is before `from` {outreach.since}"


def proactive_advice(agent: Agent) -> Iterator[tuple[Place, str]]:
    """What is worth a look: an outreach that nobody gets, a follow-up that never comes."""
    leaving = [name for name, channel in agent.channels.items() if channel.outbound]
    for key, outreach in agent.outreach.items():
        if outreach.to.get(CONSENT) is not True:
            yield (
                ("outreach", key, "to"),
                f"nobody gets it without their consent to messages, whatever is written; write `{CONSENT}: true` so "
                "that every reader sees it",
            )
        for index, name in enumerate(outreach.channel):
            if name in agent.channels and name not in leaving:
                yield ("outreach", key, "channel", index), f"nothing leaves by {name!r}: it has no `outbound`"
        if not outreach.channel and not leaving:
            yield ("outreach", key), "nobody gets it live: the agent has no channel with `outbound`"
    if agent.scheduling is not None and agent.scheduling.reminder is not None and not agent.scheduling.remind:
        yield REMINDER, "nobody is reminded: this is what is said; write when under `remind`, such as `remind: [24h]`"
    for key, follow_up in agent.follow_ups.items():
        if follow_up.after > agent.close_after:
            yield (
                ("follow_ups", key, "after"),
                "a conversation is closed after a shorter silence, so this never comes; raise `close_after`",
            )
        if not leaving:
            yield ("follow_ups", key), "nobody gets it live: the agent has no channel with `outbound`"


def _all(agent: Agent) -> Iterator[_Proactive]:
    yield from (_of_outreach(key, outreach) for key, outreach in agent.outreach.items())
    yield from (_of_follow_up(key, follow_up) for key, follow_up in agent.follow_ups.items())


def _of_outreach(key: str, outreach: Outreach) -> _Proactive:
    place: Place = ("outreach", key)
    book = outreach.playbook
    books = [] if book is None else [((*place, "playbook"), book)]
    return _Proactive(place, "opening", outreach.opening, outreach.to, books)


def _of_follow_up(key: str, follow_up: FollowUp) -> _Proactive:
    place: Place = ("follow_ups", key)
    books = [((*place, "playbooks", index), name) for index, name in enumerate(follow_up.playbooks)]
    return _Proactive(place, "message", follow_up.message, follow_up.to or {}, books)


def _reminder_faults(agent: Agent) -> Iterator[tuple[Place, str]]:
    message = None if agent.scheduling is None else agent.scheduling.reminder
    if message is None:
        return
    yield from _template_faults(agent, REMINDER, message)
    for part in prepared_parts(agent, message):
        for text in texts_in(part):
            for name in named_templates(text):
                if name.startswith("appointment.") and name not in APPOINTMENT_NAMES:
                    why = nothing_named(name, tuple(agent.people.fields), APPOINTMENT_NAMES)
                    yield REMINDER, f"{{{{{name}}}}} {why}"


def _template_faults(agent: Agent, place: Place, message: PreparedMessage) -> Iterator[tuple[Place, str]]:
    name = message.template
    if name and name not in agent.templates:
        meant = did_you_mean(name, agent.templates) or f"; for a text of one word write `[{{text: {name}}}]`"
        yield place, f"there is no template {name!r}{meant}"


def _hint(name: str, what: str, known: Mapping[str, object]) -> str:
    near = did_you_mean(name, known)
    return near or (f"; {what} are {', '.join(known)}" if known else f"; the agent has no {what}")
