"""A scripted person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.events import Event, MissedTap, Said, Tap, TapKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, text_message
from greenroom.conversation.turns import StopReason, Turn
from greenroom.documents.rich import parts_from
from greenroom.documents.suite import Say, TapLine
from greenroom.personas.persons import NextEvent, Stops
from greenroom.personas.script import ScriptPersona, tap_for


def shown(*messages: Json, ended: StopReason | None = None) -> Turn:
    entries = tuple(Message(parts=parts_from(parts)) for parts in messages)
    return Turn(index=0, event=None, entries=entries, ended=ended)


@pytest.mark.requirement("B10")
async def test_lines_are_sent_as_written_one_after_another_with_their_numbers() -> None:
    """P11, P12: whatever stands in a line, the agent reads it."""
    lines = ("Hi", "  {{person.email}} {# \n---  ", "\n".join(map(str, range(5000))), "👩‍👩‍👧 \u202eمرحبا", "0")
    person = ScriptPersona([Say(say=line) for line in lines])
    steps = [await person.next([shown(["Anything?"])]) for _ in range(len(lines) + 1)]
    assert steps[:-1] == [NextEvent(event=Said(text=line), line=number) for number, line in enumerate(lines, start=1)]
    assert steps[-1] == Stops(reason=StopReason.SCRIPT_END)
    assert person.usage == {}


@pytest.mark.requirement("B10")
@pytest.mark.parametrize("ended", [StopReason.HANDED_OVER, StopReason.RESOLVED, StopReason.TRANSFERRED])
async def test_the_script_stops_where_the_agent_ended_the_conversation(ended: StopReason) -> None:
    person = ScriptPersona([Say(say="one"), Say(say="two")])
    assert await person.next([shown(["Goodbye"], ended=ended)]) == Stops(reason=ended)


CARDS: Json = [
    {
        "carousel": [
            {"title": "North", "chips": ["Book", {"label": "Map", "map": "North marina"}]},
            {"title": "South", "chips": ["Book", "Book at South"]},
        ]
    },
    {"chips": ["Something  else", {"label": "Rates", "link": "https://x.example"}]},
]


def tapped(kind: TapKind, target: str, turn: Turn, *, card: str | None = None) -> Tap | None:
    return tap_for(TapLine(tapped=kind, target=target, card=card, otherwise="typed"), turn)


@pytest.mark.requirement("A3")
@pytest.mark.parametrize(
    ("target", "card", "tap"),
    [
        ("Book", None, Tap(tapped=TapKind.CHIP, label="Book", value="Book", card="North")),
        ("book", "south", Tap(tapped=TapKind.CHIP, label="Book", value="Book", card="South")),
        ("Book at South", None, Tap(tapped=TapKind.CHIP, label="Book at South", value="Book at South", card="South")),
        ("something else", None, Tap(tapped=TapKind.CHIP, label="Something  else", value="Something  else")),
        ("Book at South", "North", None),
        ("Something else", "North", None),
        ("Rates", None, None),
        ("Map", "North", None),
        ("Boo", None, None),
    ],
)
def test_a_chip_is_found_by_its_label_and_its_card(target: str, card: str | None, tap: Tap | None) -> None:
    assert tapped(TapKind.CHIP, target, shown(CARDS), card=card) == tap


def test_a_single_card_has_chips_too() -> None:
    turn = shown([{"card": {"title": "North", "chips": ["Book"]}}])
    assert tapped(TapKind.CHIP, "Book", turn) == Tap(tapped=TapKind.CHIP, label="Book", value="Book", card="North")


@pytest.mark.parametrize("kind", [TapKind.CHIP, TapKind.OPTION])
def test_a_choice_is_found_whether_the_agent_showed_it_as_option_or_as_chip(kind: TapKind) -> None:
    options, chips = shown(["Which?"], [{"options": ["North", "South"]}]), shown([{"chips": ["North", "South"]}])
    assert tapped(kind, "south", options) == Tap(tapped=TapKind.OPTION, label="South", value="South")
    assert tapped(kind, "south", chips) == Tap(tapped=TapKind.CHIP, label="South", value="South")


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("kind", [TapKind.CHIP, TapKind.OPTION, TapKind.CONFIRM])
def test_of_two_labels_that_are_nearly_alike_the_one_is_tapped_that_is_written_so(kind: TapKind) -> None:
    part = {TapKind.CHIP: "chips", TapKind.OPTION: "options", TapKind.CONFIRM: "confirm"}[kind]
    taps = [tapped(kind, target, shown([{part: ["Café", "café"]}])) for target in ("café", "CAFÉ", "cafe\u0301")]
    assert [None if tap is None else tap.label for tap in taps] == ["café", "Café", "Café"]


SLOTS: Json = [
    {"time_picker": [{"start": "2026-06-06T14:00:00-06:00", "label": "Saturday 2 pm"}, "2026-06-06T16:00", "soon"]}
]


@pytest.mark.requirement("A3")
@pytest.mark.parametrize(
    ("target", "start"),
    [
        ("first", "2026-06-06T14:00:00-06:00"),
        ("2026-06-06T14:00:00-06:00", "2026-06-06T14:00:00-06:00"),
        ("2026-06-06T20:00Z", "2026-06-06T14:00:00-06:00"),
        ("2026-06-06T14:00", "2026-06-06T14:00:00-06:00"),
        ("saturday 2 pm", "2026-06-06T14:00:00-06:00"),
        ("2026-06-06 16:00:00", "2026-06-06T16:00"),
        ("soon", "soon"),
        ("2026-06-06T15:00", None),
        ("later", None),
    ],
)
def test_a_slot_is_tapped_as_its_start_however_the_moment_is_written(target: str, start: str | None) -> None:
    tap = tapped(TapKind.SLOT, target, shown(SLOTS))
    assert (None if tap is None else tap.value) == start


@pytest.mark.requirement("A3")
@pytest.mark.parametrize(
    ("target", "label"),
    [("yes", "Cancel it"), ("No", "Keep it"), ("keep it", "Keep it"), ("Later", None)],
)
def test_a_confirmation_is_tapped_by_its_label_or_by_yes_and_no(target: str, label: str | None) -> None:
    tap = tapped(TapKind.CONFIRM, target, shown([{"confirm": ["Cancel it", "Keep it"]}]))
    assert (None if tap is None else tap.value) == label


@pytest.mark.requirement("A3")
@pytest.mark.parametrize("kind", list(TapKind))
async def test_what_is_not_there_is_said_in_the_words_of_the_fallback(kind: TapKind) -> None:
    line = TapLine(tapped=kind, target="first", otherwise="Saturday at two")
    for turns in ([], [shown(["No buttons"])], [shown(SLOTS, [{"chips": ["first"]}]), shown(["Text only"])]):
        step = await ScriptPersona([line]).next(turns)
        missed = MissedTap(tapped=kind, target="first")
        assert step == NextEvent(event=Said(text="Saturday at two"), line=1, missed=missed)


async def test_only_the_last_turn_can_be_tapped_and_all_its_messages_can() -> None:
    person = ScriptPersona([TapLine(tapped=TapKind.CHIP, target="North", otherwise="typed")])
    step = await person.next([shown(["Hi"]), shown([{"chips": ["North"]}], ["Which one?"])])
    assert isinstance(step, NextEvent)
    assert step.event == Tap(tapped=TapKind.CHIP, label="North", value="North")


@given(label=st.text(min_size=1).filter(lambda text: text.strip()))
def test_every_label_that_is_shown_can_be_tapped(label: str) -> None:
    tap = tapped(TapKind.CHIP, label, shown([{"chips": ["other", label]}]))
    assert tap is not None
    assert tap.value.split() == tap.label.split()


@given(st.lists(st.text(min_size=1)))
async def test_a_script_says_each_line_once(lines: list[str]) -> None:
    person = ScriptPersona([Say(say=line) for line in lines])
    said: list[Event] = []
    while isinstance(step := await person.next([Turn(index=0, event=None, entries=(text_message("?"),))]), NextEvent):
        said.append(step.event)
    assert said == [Said(text=line) for line in lines]
