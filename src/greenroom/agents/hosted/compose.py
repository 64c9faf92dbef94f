"""What the agent reads in a turn: one system prompt, the same text for the same facts (features.md A2, D2).

What doesn't change within a conversation comes first and is put together once for each playbook and channel; the
person and the time come last, so that a provider's prompt cache holds the rest. Only what the agent's author wrote as
instructions is a template; knowledge, things and examples are data and stay as written (P12).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from greenroom.agents.hosted.booking import appointment_words
from greenroom.conversation.appointments import Appointment
from greenroom.conversation.channels import ABILITIES, Abilities, Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, Text
from greenroom.conversation.moments import spelled_out
from greenroom.conversation.people import Person, rendered_person
from greenroom.conversation.transcript import render_message
from greenroom.documents.agent import Agent, Example, KnowledgeEntry, Playbook
from greenroom.documents.templates import fill

__all__ = ["KNOWLEDGE_CHARS", "Layout"]

KNOWLEDGE_CHARS = 20_000
"""More knowledge than this is not written out when it can be searched; the prompt then lists the titles."""

_PHONE = "You speak aloud, on a phone call."
"""The same in both directions; an agent that opens an outbound call differently asks `{{system.channel}}`."""
_REGISTER: Mapping[Channel, str] = {
    Channel.WEB: "You write in a web chat. Keep messages short. Choices, cards and suggested replies go through "
    "`send_message`.",
    Channel.SMS: "You write text messages. One or two plain sentences each; no markup, no cards, no buttons.",
    Channel.RICH: "You write in a messaging app that shows cards, suggested replies and pictures; they go through "
    "`send_message`. Keep messages short.",
    Channel.WEB_VOICE: "You speak aloud, over the person's browser.",
    Channel.PHONE_INBOUND: _PHONE,
    Channel.PHONE_OUTBOUND: _PHONE,
}
_SPOKEN = (
    "Your words are read out: one or two short sentences at a time, no lists, markup, links or emoji. Say numbers in "
    "small groups of digits, and repeat numbers, names and dates back before you use them."
)
_HOW = (
    "What you write is what the person reads, word for word. Use the tools for what you can't know or do yourself, "
    "and never speak of the tools."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A stretch of text; templates are filled each turn."""

    text: str
    template: bool = False


class Layout:
    """The part of the prompt that one playbook on one channel always has."""

    def __init__(self, agent: Agent, playbook: str | None, channel: Channel, offered: Sequence[str]) -> None:
        self._pieces = _joined(_pieces(agent, playbook, channel, offered))
        self._templated = any(piece.template for piece in self._pieces)

    def prompt(
        self,
        person: Person | None,
        now: datetime,
        values: Mapping[str, Json],
        appointments: Sequence[Appointment] = (),
    ) -> str:
        """The whole prompt for this person at this local time.

        Args:
            person: As persisted now.
            now: By the agent's clock.
            values: Those of `template_values`.
            appointments: The person's that are still to come.
        """
        if self._templated:
            fixed = "".join(fill(piece.text, values) if piece.template else piece.text for piece in self._pieces)
        else:
            fixed = self._pieces[0].text
        return f"{fixed}\n\n# The person\n{_known(person, appointments)}\n\n# Now\n{spelled_out(now)}"


def _known(person: Person | None, appointments: Sequence[Appointment]) -> str:
    known = "" if person is None else rendered_person(person, appointments)
    return known or "Nothing is known of this person yet."


def _joined(pieces: Iterator[_Piece]) -> tuple[_Piece, ...]:
    """The pieces with blank lines between, neighbours of the same kind put together."""
    joined: list[_Piece] = []
    for piece in pieces:
        before = joined[-1] if joined else None
        gap = "\n\n" if before is not None else ""
        if before is not None and before.template == piece.template:
            joined[-1] = _Piece(text=f"{before.text}{gap}{piece.text}", template=piece.template)
        else:
            joined.append(_Piece(text=f"{gap}{piece.text}", template=piece.template))
    return tuple(joined)


def _written(text: str) -> _Piece:
    """Instructions, which may be a template."""
    return _Piece(text=text, template="{{" in text)


def _pieces(agent: Agent, playbook: str | None, channel: Channel, offered: Sequence[str]) -> Iterator[_Piece]:
    abilities = ABILITIES[channel]
    yield _written(agent.prompt.strip() or f"You speak for {agent.name or agent.id}.")
    if agent.rules:
        yield _written("# Rules\n" + "\n".join(f"- {rule}" for rule in agent.rules))
    if agent.knowledge:
        yield _Piece(text="# What you know\n" + _knowledge(agent.knowledge, searchable="search_knowledge" in offered))
    yield from _business(agent)
    yield from _playbooks(agent, playbook)
    if agent.templates:
        yield _Piece(text="# Prepared messages, to send by name with `send_message`\n" + _templates(agent))
    yield _written("\n".join(["# This conversation", _HOW, *_register(channel, abilities)]))


def _register(channel: Channel, abilities: Abilities) -> list[str]:
    return [_REGISTER[channel], _SPOKEN] if abilities.spoken else [_REGISTER[channel]]


def _knowledge(entries: Mapping[str, KnowledgeEntry], *, searchable: bool) -> str:
    if searchable and sum(len(entry.text) for entry in entries.values()) > KNOWLEDGE_CHARS:
        titles = "\n".join(f"- {entry.title or name}" for name, entry in entries.items())
        return f"Look these up with `search_knowledge` before you speak of them:\n{titles}"
    return "\n\n".join(f"## {entry.title or name}\n{entry.text.strip()}" for name, entry in entries.items())


def _business(agent: Agent) -> Iterator[_Piece]:
    if agent.things:
        lines = [
            f"- {thing.name} ({key})" + "".join(f"; {name}: {value}" for name, value in thing.details.items())
            for key, thing in agent.things.items()
        ]
        yield _Piece(text="# What the business offers\n" + "\n".join(lines))
    if agent.representatives:
        lines = [f"- {one.name} ({key})" for key, one in agent.representatives.items()]
        yield _Piece(text="# The team\n" + "\n".join(lines))
    if (hours := appointment_words(agent)) is not None:
        yield _Piece(text=f"# Appointments\n{hours}")


def _playbooks(agent: Agent, playbook: str | None) -> Iterator[_Piece]:
    if playbook is None:
        if agent.playbooks:
            lines = [f"- {book.name or key}: {book.when}" for key, book in agent.playbooks.items()]
            yield _written("# What you can help with\n" + "\n".join(lines) + "\nFind out which of these it is.")
        return
    book = agent.playbooks[playbook]
    heading = f"# What this conversation is about: {book.name or playbook}"
    yield _written("\n".join(line for line in (heading, book.when, book.prompt.strip()) if line))
    if book.examples:
        yield _Piece(text="# Examples of how to answer\n" + _examples(book))


def _examples(book: Playbook) -> str:
    return "\n\n".join(_example(example) for example in book.examples)


def _example(example: Example) -> str:
    person = "\n".join(f"Person: {line}" for line in example.person)
    parts = example.reply.parts or (Text(text=example.reply.text),)
    return f"{person}\nYou: {render_message(Message(parts=parts))}"


def _templates(agent: Agent) -> str:
    return "\n\n".join(f"## {name}\n{render_message(Message(parts=parts))}" for name, parts in agent.templates.items())
