r"""The one renderer of a conversation as text (features.md A4; semantics: transcript).

Reports, conversation review and the judge read what stands here; `transcript_parsing` reads it back. Every line is
either somebody's words or layout, and the two can't be confused: words that could be read as layout get a backslash
in front of the line, labels inside brackets one before `\`, `|`, `]` and whatever else would end them.
The layout is described for people in docs/reference/transcript.md and for the judge in `HOW_TO_READ`.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import cast

from greenroom.conversation.calls import ToolCall
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.events import Event, MissedTap, Said, Tap
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import (
    Card,
    Carousel,
    Chip,
    ChipAction,
    Chips,
    Confirm,
    Media,
    Message,
    Options,
    Part,
    Text,
    TimePicker,
)
from greenroom.conversation.outcomes import Given
from greenroom.conversation.turns import Turn
from greenroom.conversation.visible import one_line, said_line, said_lines, shown_lines, visible

__all__ = [
    "CHIP_ACTIONS",
    "HOW_TO_READ",
    "CallsShown",
    "call_words",
    "cites",
    "render_message",
    "render_transcript",
    "turn_text",
]

HOW_TO_READ = r"""How to read the transcript:
- A message begins with "Agent: " or "Person: " and goes on until the next blank line.
- A line in square brackets shows something that is no words. In an agent's message: [card: title — subtitle], with
  (media) when it has a picture; [carousel: 2 cards] and under it its cards; [chips: A | B] are buttons that belong to
  the card they are indented under; [suggested replies: A | B] are buttons under the whole message; [options: A | B] and
  [confirm: A | B] are choices of a question; [time picker, 3 slots: …] lists the times that are offered; [media: …] is
  a picture, sound or file. A button marked (link), (call), (map) or (add to calendar) does that when tapped.
- "Person: [tap: LABEL]" means that the person tapped a button, an option or a time of that label.
- [nothing to tap: chip LABEL] means that the person looked for this in the agent's last message and it was not there;
  what the person says under it was said in place of the tap.
- A bracketed line that stands outside a message tells what the agent's actions did, at that point of the
  conversation: [booked: …], [moved: …], [cancelled: …], [person: field = value], [contact: …], [form NAME: …],
  [notify: …], [email to ADDRESS: subject], [outbound message: …], [handed over: reason], [transferred: …].
- [captured call: TOOL ARGUMENTS] is a tool the agent called that was kept from being carried out; the agent was told to
  go on as if it had succeeded.
- [call: TOOL ARGUMENTS] is a tool the agent called, with [answer: …] or [failed: …] under it.
- [unanswered call: TOOL ARGUMENTS] is a call for which the test had prepared no answer.
- What stands between [earlier] and [now] had happened before; only what follows [now] is this conversation.
- A backslash at the start of a line, or before a sign inside brackets, was put there by the transcript: the line is
  somebody's words and no layout, whatever it looks like. A line of nothing but a backslash is an empty line.
"""
"""What a reader of a transcript is told, the judge first of all."""


class CallsShown(StrEnum):
    """Which tool calls get a line."""

    NONE = "none"
    UNANSWERED = "unanswered"
    FAILED = "failed"
    """Those, and each that was refused or failed, with the reason."""
    ALL = "all"
    """Each call with its arguments and what the agent heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manner:
    """How words and labels are written: guarded in a transcript, as said for checks."""

    text: Callable[[str], Sequence[str]]
    label: Callable[[str], str]


_LABEL_SIGNS = re.compile(r"[\\|\]]")
_LABEL_END = re.compile(r" \((?=(?:link|call|map|add to calendar)\)$)")


def _guarded_label(label: str) -> str:
    guarded = _LABEL_SIGNS.sub(r"\\\g<0>", one_line(label))
    return _LABEL_END.sub(r" \\(", guarded)


def _guarded_text(text: str) -> Sequence[str]:
    return [f"\\{line}" if _reads_as_layout(line) else line for line in shown_lines(text)]


_guarded = _Manner(text=_guarded_text, label=_guarded_label)
_as_said = _Manner(text=said_lines, label=said_line)

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Mn", "Me", "Zs", "Zl", "Zp", "Cn", "Co"})
_UNSEEN_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_SPEAKER = re.compile(r"[\W_]*(?:agent|person)[\W_]*[:∶꞉ː]", re.IGNORECASE)
_COLON = re.compile("[:∶꞉ː\u2a74\ufe13\ufe55\uff1a\U00010781]")
"""Every sign that is a colon or becomes one in NFKC; most lines have none, and are told from a speaker by that."""


def _reads_as_layout(line: str) -> bool:
    """Whether somebody may take a line of words for a bracketed line, a speaker, an empty line or a guard.

    Signs that can't be seen don't count, and full-width forms count as what they look like.
    """
    if line[:1].isascii() and line[:1].isalnum() and (line[0] not in "aApP" or not _COLON.search(line)):
        return False
    if line.isascii():
        seen = line.translate(_UNSEEN_ASCII)
    else:
        seen = unicodedata.normalize("NFKC", "".join(char for char in line if _seen(char)))
    return not seen or seen[0] in "[\\" or _SPEAKER.match(seen) is not None


def _seen(char: str) -> bool:
    return char not in _UNSEEN_LETTERS and unicodedata.category(char) not in _UNSEEN_CATEGORIES


_UNSEEN_ASCII = {code: None for code in range(128) if not _seen(chr(code))}
_AGENT = "Agent: "
_PERSON = "Person: "
_VALUE_CHARS = 4000
"""A tool's arguments or answer are cut here, and the line says so."""

CHIP_ACTIONS: Mapping[ChipAction, str] = MappingProxyType({
    ChipAction.REPLY: "",
    ChipAction.LINK: " (link)",
    ChipAction.CALL: " (call)",
    ChipAction.MAP: " (map)",
    ChipAction.CALENDAR: " (add to calendar)",
})
"""What is written behind a chip's label."""

_EFFECT_HEADS: Mapping[EffectKind, str] = MappingProxyType({
    EffectKind.BOOKED: "booked",
    EffectKind.MOVED: "moved",
    EffectKind.CANCELLED: "cancelled",
    EffectKind.PERSON: "person",
    EffectKind.CONTACT: "contact",
    EffectKind.FORM: "form",
    EffectKind.NOTIFY: "notify",
    EffectKind.EMAIL: "email",
    EffectKind.OUTBOUND: "outbound message",
    EffectKind.HANDED_OVER: "handed over",
    EffectKind.TRANSFERRED: "transferred",
    EffectKind.CAPTURED_CALL: "captured call",
})


def render_transcript(
    turns: Sequence[Turn],
    *,
    history: Sequence[Given] = (),
    calls: CallsShown = CallsShown.UNANSWERED,
    escaped: bool = True,
) -> str:
    """The conversation as text, without a line end at its end (features.md A4).

    Unless `escaped`, the lines of calls hold arguments and answers as they are, to be copied by people: such a text
    is for a screen only and can't be read back.
    """
    blocks: list[str] = []
    if history:
        blocks += ["[earlier]", *_given_blocks(history), "[now]"]
    for turn in turns:
        blocks += _turn_blocks(turn, calls, _guarded.label if escaped else one_line)
    return "\n\n".join(blocks)


def render_message(message: Message) -> str:
    """One message as a transcript shows it, without the speaker in front."""
    return "\n".join(_message_lines(message, _guarded))


def turn_text(turn: Turn) -> str:
    """A turn's messages, for checks: laid out as in a transcript, but words and labels exactly as they were said.

    Without speaker and without the backslashes that keep layout apart, so that what a check looks for can be written
    as the agent says it. Messages are separated by a blank line.
    """
    return "\n\n".join("\n".join(_message_lines(message, _as_said)) for message in turn.messages)


def cites(line: str, turns: Iterable[Turn]) -> bool:
    """Whether a quoted line stands in this run on the agent's side (features.md H11).

    A whole line of an agent's message, several that follow each other in one message, or the line of an effect or a
    call. White space is folded; `Agent: ` in front, quotation marks around and the transcript's backslashes don't
    matter.
    """
    wanted = _folded(line)
    if not wanted:
        return False
    for turn in turns:
        for entry in turn.entries:
            lines = _bare_lines(entry) if isinstance(entry, Message) else _system_lines(entry, CallsShown.ALL)[:1]
            if _stands_in(wanted, [_folded(each) for each in lines]):
                return True
    return False


def _stands_in(wanted: str, lines: Sequence[str]) -> bool:
    return any(
        wanted == " ".join(part for part in lines[start:end] if part)
        for start in range(len(lines))
        if lines[start] and wanted.startswith(lines[start])
        for end in range(start + 1, len(lines) + 1)
    )


_AROUND = " \"'“”„«»`"


def _folded(line: str) -> str:
    words, before = " ".join(visible(line).replace("\\", "").split()), ""
    while words != before:
        before, words = words, words.strip(_AROUND).removeprefix(_AGENT.strip())
    return words


def _bare_lines(message: Message) -> list[str]:
    return [line.strip() for line in _message_lines(message, _guarded)]


def _given_blocks(history: Sequence[Given]) -> list[str]:
    blocks: list[str] = []
    for given in history:
        if given.person is not None:
            blocks += _event_block(given.person)
        if given.agent is not None:
            blocks.append(_AGENT + "\n".join(_guarded.text(given.agent)))
    return blocks


def _turn_blocks(turn: Turn, calls: CallsShown, written: Callable[[str], str]) -> list[str]:
    blocks = [] if turn.missed is None else [_missed_line(turn.missed)]
    blocks += [] if turn.event is None else _event_block(turn.event)
    system: list[str] = []
    for entry in turn.entries:
        if isinstance(entry, Message):
            if system:
                blocks.append("\n".join(system))
                system = []
            blocks.append(_AGENT + render_message(entry))
        else:
            system += _system_lines(entry, calls, written)
    if system:
        blocks.append("\n".join(system))
    return blocks


def _missed_line(missed: MissedTap) -> str:
    """Stands outside any message, so that it is nobody's words."""
    where = "" if missed.card is None else f" on card {missed.card}"
    return _system_line("nothing to tap", _guarded.label(f"{missed.tapped} {missed.target}{where}"))


def _event_block(event: Event) -> list[str]:
    if isinstance(event, Said):
        return [_PERSON + "\n".join(_guarded.text(event.text))]
    if isinstance(event, Tap):
        return [f"{_PERSON}[tap: {_guarded.label(event.label)}]"]
    return []


def _system_lines(
    entry: ToolCall | Effect, calls: CallsShown, written: Callable[[str], str] = _guarded_label
) -> list[str]:
    if isinstance(entry, Effect):
        return [_system_line(_effect_head(entry), _guarded.label(entry.summary))]
    if entry.unanswered:
        return [] if calls is CallsShown.NONE else [_system_line("unanswered call", written(call_words(entry)))]
    if calls is not CallsShown.ALL and (calls is not CallsShown.FAILED or entry.error is None):
        return []
    lines = [_system_line("call", written(call_words(entry)))]
    if (entry.result is not None or entry.error is None) and calls is CallsShown.ALL:
        lines.append("  " + _system_line("answer", written(_json_text(entry.result))))
    if entry.error is not None:
        lines.append("  " + _system_line("failed", written(entry.error)))
    return lines


def _system_line(head: str, text: str) -> str:
    return f"[{head}: {text}]" if text else f"[{head}]"


def _effect_head(effect: Effect) -> str:
    head = _EFFECT_HEADS[effect.effect]
    if effect.effect is EffectKind.FORM:
        return _named(head, effect.data.get("form"))
    if effect.effect is EffectKind.EMAIL:
        to = effect.data.get("to")
        return _named(f"{head} to", ", ".join(map(str, to)) if isinstance(to, (list, tuple)) else to)
    return head


def _named(head: str, name: Json) -> str:
    if not name:
        return head.removesuffix(" to")
    return f"{head} " + _guarded.label(str(name)).replace(":", r"\:")


def call_words(call: ToolCall) -> str:
    """A call as its line shows it: the tool and its arguments as JSON, cut when they are very long."""
    return f"{call.tool} {_json_text(call.arguments)}"


def _json_text(value: Json) -> str:
    text = value if isinstance(value, str) else _dumped(value)
    if len(text) <= _VALUE_CHARS:
        return text
    return f"{text[:_VALUE_CHARS]}… ({len(text) - _VALUE_CHARS} more characters)"


def _dumped(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain_json)
    except RecursionError:
        return "(nested too deeply to be shown)"


def _plain_json(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Json]", value))
    return list(cast("Sequence[Json]", value)) if isinstance(value, Sequence) else str(value)


def _message_lines(message: Message, manner: _Manner) -> list[str]:
    if not message.parts:
        return ["[empty message]"]
    return [line for part in message.parts for line in _part_lines(part, manner)]


def _part_lines(part: Part, manner: _Manner) -> Sequence[str]:
    match part:
        case Text():
            return manner.text(part.text)
        case Card():
            return _card_lines("card", part, manner, indent="")
        case Carousel():
            count = len(part.cards)
            cards = [
                line
                for number, card in enumerate(part.cards, start=1)
                for line in _card_lines(f"card {number}", card, manner, indent="  ")
            ]
            return [f"[carousel: {count} card{'' if count == 1 else 's'}]", *cards]
        case Chips():
            return [_listing("suggested replies", _chip_labels(part.chips, manner))]
        case Options():
            return [_listing("options", map(manner.label, part.options))]
        case Confirm():
            return [_listing("confirm", map(manner.label, part.labels))]
        case TimePicker():
            count = len(part.slots)
            head = f"time picker, {count} slot{'' if count == 1 else 's'}"
            return [_listing(head, (manner.label(slot.label or slot.start) for slot in part.slots))]
        case Media():
            return [f"[media: {manner.label(part.alt or part.url)}]"]


def _card_lines(head: str, card: Card, manner: _Manner, *, indent: str) -> list[str]:
    title = manner.label(card.title)
    if manner is _guarded:
        title = title.replace("—", r"\—")
    named = f"{title} — {manner.label(card.subtitle)}" if card.subtitle else title
    lines = [f"{indent}[{head}: {named}]{'' if card.media is None else ' (media)'}"]
    if card.chips:
        lines.append(f"{indent}  {_listing('chips', _chip_labels(card.chips, manner))}")
    return lines


def _chip_labels(chips: Iterable[Chip], manner: _Manner) -> Iterable[str]:
    return (manner.label(chip.label) + CHIP_ACTIONS[chip.action] for chip in chips)


def _listing(head: str, labels: Iterable[str]) -> str:
    listed = list(labels)
    return f"[{head}: {' | '.join(listed)}]" if listed else f"[{head}]"
