"""The layout can be read back, and nobody's words can be taken for it (features.md A4)."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conversation import conversations

from greenroom.conversation.effects import Effect
from greenroom.conversation.events import Event, MissedTap, Said, Tap
from greenroom.conversation.messages import (
    Card,
    Carousel,
    Chip,
    Chips,
    Confirm,
    Media,
    Message,
    Options,
    Part,
    Slot,
    Text,
    TimePicker,
    text_message,
)
from greenroom.conversation.outcomes import Given
from greenroom.conversation.transcript import (
    CallsShown,
    cites,
    render_message,
    render_transcript,
    turn_text,
)
from greenroom.conversation.transcript_parsing import (
    AgentShows,
    PersonSays,
    PersonTaps,
    Shown,
    SystemLine,
    TranscriptUnreadable,
    parse_message,
    parse_transcript,
)
from greenroom.conversation.turns import Turn
from greenroom.conversation.visible import one_line, said_lines, shown_lines

pytestmark = pytest.mark.requirement("A4")


def as_shown(message: Message) -> Message:
    """The message without what a transcript doesn't show; neighbouring texts are one."""
    parts: list[Part] = []
    for part in map(_part_as_shown, message.parts):
        last = parts[-1] if parts else None
        if isinstance(last, Text) and isinstance(part, Text):
            parts[-1] = Text(text=f"{last.text}\n{part.text}")
        else:
            parts.append(part)
    return Message(parts=tuple(parts))


def _words(text: str) -> str:
    return "\n".join(shown_lines(text))


def _card(card: Card) -> Card:
    media = None if card.media is None else ""
    return Card(title=one_line(card.title), subtitle=one_line(card.subtitle), media=media, chips=_chips(card.chips))


def _chips(chips: Sequence[Chip]) -> tuple[Chip, ...]:
    return tuple(Chip(label=one_line(chip.label), action=chip.action) for chip in chips)


def _part_as_shown(part: Part) -> Part:
    match part:
        case Text():
            return Text(text=_words(part.text))
        case Card():
            return _card(part)
        case Carousel():
            return Carousel(cards=tuple(map(_card, part.cards)))
        case Chips():
            return Chips(chips=_chips(part.chips))
        case Options():
            return Options(options=tuple(map(one_line, part.options)))
        case Confirm():
            return Confirm(labels=tuple(map(one_line, part.labels)))
        case TimePicker():
            return TimePicker(slots=tuple(Slot(start="", label=one_line(s.label or s.start)) for s in part.slots))
        case Media():
            return Media(url="", alt=one_line(part.alt or part.url))


def _event_as_shown(event: Event | None) -> list[Shown]:
    if isinstance(event, Said):
        return [PersonSays(text=_words(event.text))]
    return [PersonTaps(label=one_line(event.label))] if isinstance(event, Tap) else []


def _without_system(shown: Sequence[Shown]) -> list[Shown]:
    return [each for each in shown if not isinstance(each, SystemLine)]


@given(conversations.messages)
def test_every_message_renders_and_its_lines_read_back_as_what_they_show(message: Message) -> None:
    assert parse_message(render_message(message)) == as_shown(message)


@given(
    st.lists(conversations.turns, max_size=4), st.lists(conversations.givens, max_size=3), st.sampled_from(CallsShown)
)
def test_no_text_of_anybody_adds_or_takes_away_a_message(
    turns: list[Turn], history: list[Given], calls: CallsShown
) -> None:
    shown = parse_transcript(render_transcript(turns, history=history, calls=calls))

    said: list[Shown] = []
    for turn in turns:
        said += _event_as_shown(turn.event)
        said += [AgentShows(message=as_shown(message)) for message in turn.messages]
    earlier: list[Shown] = []
    for step in history:
        earlier += _event_as_shown(step.person)
        earlier += [] if step.agent is None else [AgentShows(message=as_shown(text_message(step.agent)))]
    assert _without_system(shown.now) == said
    assert list(shown.earlier) == earlier


@given(conversations.turns, st.sampled_from(CallsShown))
def test_effects_and_calls_stand_among_the_messages_in_their_order(turn: Turn, calls: CallsShown) -> None:
    """H9: one list of messages, calls and effects."""
    shown = parse_transcript(render_transcript([turn], calls=calls)).now

    after_event = shown[(turn.missed is not None) + len(_event_as_shown(turn.event)) :]
    kinds = ["message" if isinstance(each, AgentShows) else "system" for each in after_event if not _nested(each)]
    assert kinds == [
        "message" if isinstance(entry, Message) else "system" for entry in turn.entries if _has_line(entry, calls)
    ]
    summaries = [one_line(entry.summary) for entry in turn.entries if isinstance(entry, Effect)]
    lines = [each.text for each in after_event if isinstance(each, SystemLine) and not each.head.endswith("call")]
    if calls not in {CallsShown.ALL, CallsShown.FAILED} and not any(e.effect == "captured_call" for e in turn.effects):
        assert lines == summaries


@given(conversations.turns, conversations.missed_taps)
def test_a_tap_that_could_not_be_made_is_one_line_before_the_person_s_and_nobody_s_words(
    turn: Turn, missed: MissedTap
) -> None:
    (first, *rest) = parse_transcript(render_transcript([replace(turn, missed=missed)])).now
    where = "" if missed.card is None else f" on card {missed.card}"
    assert first == SystemLine(head="nothing to tap", text=one_line(f"{missed.tapped} {missed.target}{where}"))
    assert rest == list(parse_transcript(render_transcript([replace(turn, missed=None)])).now)
    assert not cites(f"[nothing to tap: {one_line(missed.target)}]", [replace(turn, missed=missed, entries=())])


def _nested(shown: Shown) -> bool:
    return isinstance(shown, SystemLine) and shown.nested


def _has_line(entry: object, calls: CallsShown) -> bool:
    unanswered = getattr(entry, "unanswered", None)
    if unanswered is None:
        return True
    failed = getattr(entry, "error", None) is not None
    return (
        calls is CallsShown.ALL
        or (unanswered and calls is not CallsShown.NONE)
        or (failed and calls is CallsShown.FAILED)
    )


@given(st.lists(conversations.turns, max_size=3))
def test_a_transcript_can_be_stored_as_utf8_and_holds_no_control_character(turns: list[Turn]) -> None:
    """P26, X15: lone surrogates and control characters are replaced by something visible."""
    text = render_transcript(turns, calls=CallsShown.ALL)

    assert json.loads(json.dumps(text)).encode() == text.encode()
    assert all(char == "\n" or char == "\t" or char.isprintable() or ord(char) > 0x9F for char in text)
    assert text.splitlines() == text.split("\n") or not text or text.endswith("\n")


@given(conversations.turns)
def test_every_line_an_agent_shows_can_be_cited(turn: Turn) -> None:
    lines = [line.strip() for message in turn.messages for line in render_message(message).split("\n")]

    for line in lines:
        if line.replace("\\", "").replace("Agent:", "").strip(" \"'“”„«»`"):
            assert cites(line, [turn])
            assert cites(f"Agent: {line}", [turn])


def test_a_line_in_which_the_agent_says_its_own_name_can_be_cited_as_the_transcript_has_it() -> None:
    turn = Turn(index=1, event=None, entries=(text_message("Agent: Ahoy!"),))
    assert [cites(line, [turn]) for line in (r"Agent: \Agent: Ahoy!", "Ahoy!", "Agent:", "Ahoy")] == [
        True, True, False, False
    ]  # fmt: skip


@given(conversations.texts)
def test_a_check_sees_words_as_they_were_said(text: str) -> None:
    turn = Turn(index=1, event=None, entries=(text_message(text),))

    said = "\n".join(said_lines(text))
    assert turn_text(turn) == said
    assert turn_text(replace(turn, entries=turn.entries * 2)) == f"{said}\n\n{said}"


@pytest.mark.parametrize("line", ["[surprise: x]", "  [chips: A]", "hello", "[unclosed"])
def test_a_line_that_no_transcript_has_is_refused(line: str) -> None:
    with pytest.raises(TranscriptUnreadable, match="layout"):
        parse_transcript(f"Agent: Hi\n{line}" if line != "hello" else line)
