"""What the model that plays a person is asked, and what it answers (features.md D1; semantics: the person).

It sees what a person sees: its own part, what it is on record with, and the messages of both sides. The agent's
prompt, its calls and effects, and what the test expects can't be reached from here. The instruction is the versioned
text in `prompts`; the agent's words stand inside fences, so that an agent can't order the person about.
"""

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.fences import Quoted, fenced
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, Text
from greenroom.conversation.people import Person, full_name
from greenroom.conversation.reasoning import without_reasoning
from greenroom.conversation.transcript import render_message
from greenroom.conversation.turns import PersonEnd
from greenroom.documents.simulation import Brief, Detail
from greenroom.documents.templates import fill
from greenroom.models.calls import Unreadable

__all__ = [
    "OPENING",
    "PROMPT_VERSION",
    "Answer",
    "agent_heard",
    "agent_words",
    "answer_from",
    "answer_schema",
    "filled",
    "part_text",
    "system_prompt",
]

PROMPT_VERSION = "simulator-1"
"""The simulated person's instruction; a text that is changed gets a new number (S11, K10)."""

OPENING = "The conversation begins, and you speak first."

_SILENCE = "The agent sent no message."


def _instruction() -> str:
    text = pkgutil.get_data(__package__ or "greenroom.personas", f"prompts/{PROMPT_VERSION}.md")
    return (text or b"").decode("utf-8").strip()


_INSTRUCTION: Final = _instruction()
_TAPS: Final = (
    "- tap: the label of a button, a choice or a time that the agent's last message shows, copied word for word, "
    "when the person taps it in place of writing; say is empty then. Otherwise null. A button marked (link), (call), "
    "(map) or (add to calendar) can't be tapped here."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the person does next."""

    say: str = ""
    tap: str = ""
    """The label of what it taps; it says nothing then."""
    end: PersonEnd | None = None

    @property
    def words(self) -> str:
        """Said or tapped, as one line of the person."""
        return self.tap or self.say


def filled(brief: Brief, values: Mapping[str, Json]) -> Brief:
    """The brief with its templates filled in (S20); `values` by root, `person` and `system`."""

    def details(entries: Sequence[Detail]) -> tuple[Detail, ...]:
        return tuple(
            Detail.model_construct(_fields_set={"text", "name"}, text=fill(entry.text, values), name=entry.name)
            for entry in entries
        )

    sections: dict[str, object] = {}
    for section in Brief.model_fields:
        value: object = getattr(brief, section)
        sections[section] = fill(value, values) if isinstance(value, str) else details(getattr(brief, section))
    return Brief.model_construct(_fields_set=set(sections), **sections)


def system_prompt(brief: Brief, person: Person | None, channel: Channel, now: str) -> str:
    """The instruction, then the part; what is the same for every case comes first, for a provider's cache.

    Args:
        brief: With its templates filled in.
        person: Whom the conversation starts with; only what people know of themselves is told.
        channel: Where the conversation takes place.
        now: When it begins, spelled out; the last thing said, since it differs most.
    """
    taps = f"\n{_TAPS}" if ABILITIES[channel].rich else ""
    record = "" if person is None else _record(person)
    return "\n\n".join((
        f"{_INSTRUCTION}{taps}",
        "# Your part",
        _where(channel),
        *_sections(brief, record),
        *_section("When it is", now),
    ))


def part_text(brief: Brief) -> str:
    """The brief alone, for those who read what the person was told."""
    return "\n\n".join(_sections(brief, ""))


def _where(channel: Channel) -> str:
    abilities = ABILITIES[channel]
    how = "You speak, and say numbers as people say them." if abilities.spoken else "You write."
    return f"## Where you are\nYou talk to the agent by {abilities.name}. {how}"


def _sections(brief: Brief, record: str) -> Iterator[str]:
    if brief.text.strip():
        yield brief.text.strip()
    yield from _section("Who you are", brief.who)
    yield from _section("Your own details", record)
    yield from _section("What you want", brief.wants)
    yield from _section("What you know", _list(brief.knows))
    yield from _section("What you do not know", _list(brief.does_not_know))
    yield from _section("You tell this only when asked", _list(brief.reveals_when_asked))
    yield from _section("What you do, in this order", _numbered(brief.steps))
    yield from _section("How you react", _list(brief.reactions))
    yield from _section("How you talk", brief.style)
    yield from _section("What your first message says", brief.opens_with)
    yield from _section("When you end", brief.ends_when)


def _section(title: str, text: str) -> Iterator[str]:
    if text.strip():
        yield f"## {title}\n{text.strip()}"


def _list(details: Sequence[Detail]) -> str:
    return "\n".join(f"- {entry.name}: {entry.text.strip()}" if entry.name else f"- {entry.text}" for entry in details)


def _numbered(details: Sequence[Detail]) -> str:
    lines = (f"{entry.name}: {entry.text}" if entry.name else entry.text for entry in details)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def _record(person: Person) -> str:
    """What people know of themselves; what a business keeps of them besides is not theirs to know."""
    known = {
        "Name": full_name(person),
        "Email": person.email,
        "Phone": person.phone,
        "Company": person.company,
        "Title": person.title,
    }
    return "\n".join(f"{name}: {value}" for name, value in known.items() if value)


def agent_words(messages: Sequence[Message]) -> str:
    """The agent's messages of one turn as the person sees them, without any reasoning (S17); empty for none."""
    seen = (_spoken(message) for message in messages)
    return "\n\n".join(render_message(message) for message in seen if message.parts)


def _spoken(message: Message) -> Message:
    if not any(isinstance(part, Text) and "<" in part.text for part in message.parts):
        return message
    parts = (Text(text=without_reasoning(part.text)) if isinstance(part, Text) else part for part in message.parts)
    return Message(parts=tuple(part for part in parts if not isinstance(part, Text) or part.text))


def agent_heard(words: str) -> str:
    """The agent's words as the model is told them: inside a fence that they can't close."""
    return fenced([Quoted(title="The agent:", text=words)])[0] if words else _SILENCE


def answer_schema(channel: Channel) -> Mapping[str, Json]:
    """JSON Schema of the answer; tapping is for channels that show something to tap."""
    properties: dict[str, Json] = {"say": {"type": "string"}}
    if ABILITIES[channel].rich:
        properties["tap"] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    properties["end"] = {"anyOf": [{"type": "string", "enum": [end.value for end in PersonEnd]}, {"type": "null"}]}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def answer_from(given: Json) -> Answer:
    """What was answered. Raises `Unreadable` for another form, and for an answer that does nothing (S06)."""
    if not isinstance(given, Mapping):
        raise Unreadable('answer with one JSON object that has "say" and "end"')
    say, tap = _text(given, "say"), _text(given, "tap")
    word = given.get("end")
    if isinstance(word, str) and word.strip().lower() in {"", "null", "none"}:
        word = None
    try:
        end = None if word is None else PersonEnd(word.strip().lower() if isinstance(word, str) else "")
    except ValueError:
        raise Unreadable(f'end is {word!r}; it must be null, "goal_met", "gave_up" or "nothing_more"') from None
    if not say and not tap and end is None:
        raise Unreadable("it says nothing, and does not end the conversation either")
    return Answer(say="" if tap else say, tap=tap, end=end)


def _text(given: Mapping[str, Json], key: str) -> str:
    value = given.get(key)
    if value is not None and not isinstance(value, str):
        raise Unreadable(f"{key} is no text")
    return (value or "").strip()
