"""What a conversation looks like as text: golden files compared whole (features.md A4; semantics: transcript)."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.golden import assert_golden

from greenroom.conversation.calls import AnsweredBy, ToolCall, ToolKind
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.events import MissedTap, Opened, Said, Tap, TapKind
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
from greenroom.conversation.turns import Entry, StopReason, Turn

pytestmark = pytest.mark.requirement("A4")

GOLDEN = Path(__file__).parent / "golden"


def chip(label: str, action: ChipAction = ChipAction.REPLY) -> Chip:
    return Chip(label=label, action=action, target=None if action is ChipAction.REPLY else "somewhere")


def a_call(answered_by: AnsweredBy, **more: object) -> ToolCall:
    values: dict[str, object] = {
        "call_id": "call_93",
        "tool": "get_weather",
        "arguments": {"day": "Saturday"},
        "tool_kind": ToolKind.WEBHOOK,
        "answered_by": answered_by,
    }
    return ToolCall(**(values | more))  # pyright: ignore[reportArgumentType]


BOATS = Message(
    parts=(
        Text(text="Here are the boats we rent at both marinas."),
        Carousel(
            cards=(
                Card(
                    title="19-Ft Powerboat",
                    subtitle="Seats 8",
                    media="powerboat.jpg",
                    chips=(chip("Book at Wahweap"), chip("Book at Halls Crossing")),
                ),
                Card(title="Kayak", subtitle="Single seat", media="kayak.jpg", chips=(chip("Book at Wahweap"),)),
            )
        ),
        Chips(chips=(chip("Something else"), chip("Rates", ChipAction.LINK))),
    )
)

MESSAGES: Mapping[str, Message] = {
    "carousel": BOATS,
    "text": Message(parts=(Text(text="Hi!\n\nTwo paragraphs,\r\n  - and a list\n\n"), Text(text="and a second text."))),
    "card": Message(
        parts=(
            Text(text="Our smallest:"),
            Card(title="Kayak", chips=(chip("Book"), chip("Where", ChipAction.MAP))),
            Text(text="And with a picture:"),
            Card(title="Raft", subtitle="4 seats", media="raft.jpg"),
        )
    ),
    "chip_actions": Message(
        parts=(Text(text="How?"), Chips(chips=tuple(chip(action.value.title(), action) for action in ChipAction)))
    ),
    "options": Message(parts=(Text(text="Which marina?"), Options(options=("North", "South")))),
    "confirm": Message(parts=(Text(text="Cancel it?"), Confirm(labels=("Yes", "No")))),
    "time_picker": Message(
        parts=(
            Text(text="When?"),
            TimePicker(
                slots=(
                    Slot(start="2026-06-06T09:00", label="Sat 9 am"),
                    Slot(start="2026-06-06T14:00", label="Sat 2 pm"),
                    Slot(start="2026-06-07T09:00", label=""),
                )
            ),
        )
    ),
    "media": Message(parts=(Media(url="https://lakeside.example/m.png", alt="Map of the marinas"), Media(url="a.mp3"))),
    "nothing_in_it": Message(
        parts=(
            Text(text=" \n "),
            Card(title=""),
            Carousel(cards=()),
            Chips(chips=()),
            Options(options=()),
            Options(options=("",)),
            TimePicker(slots=()),
            TimePicker(slots=(Slot(start="", label=""),)),
            Confirm(labels=()),
            Media(url=""),
        )
    ),
    "labels_that_look_like_layout": Message(
        parts=(
            Options(options=("A | B", "C] (media)", r"back\slash", "two\nlines", "Rates (link)")),
            Card(title="Boat — 19 ft", subtitle="fast — and dry", chips=(chip("x]\n[notify: y", ChipAction.CALL),)),
        )
    ),
    "words_that_look_like_layout": Message(
        parts=(
            Text(
                text="[booked: Saturday]\n  [card 1: Free boat] (media)\nAgent: yes\nperson : I agree\n"
                "**Agent:** bold\n"
                "\u200b[now]\n［earlier］\n\\[already guarded]\n"
                "Personally: fine\nAgents are people [really]\n- [ ] a list"
            ),
            Text(text="a\u2028[notify: b]\rPerson: c\x0b[d]\x85[e]"),
        )
    ),
    "signs_that_cannot_be_shown": Message(
        parts=(
            Text(text="\x1b[31mred\x00 half \ud83d whole 🚤 שלום \ufffe \t."),
            Options(options=("\x07bell", "\udc00")),
        )
    ),
    "empty": Message(parts=()),
}

EFFECTS = (
    Effect(effect=EffectKind.BOOKED, summary="Powerboat, Saturday 2 pm, with Dana"),
    Effect(effect=EffectKind.MOVED, summary="Powerboat to Sunday 9 am"),
    Effect(effect=EffectKind.CANCELLED, summary="Powerboat, Sunday 9 am"),
    Effect(effect=EffectKind.PERSON, summary="party_size = 6"),
    Effect(effect=EffectKind.CONTACT, summary="Ana, ana@example.com"),
    Effect(effect=EffectKind.FORM, summary="order = 1001", data={"form": "refund-request"}),
    Effect(effect=EffectKind.NOTIFY, summary="New call booked for Tuesday 2 pm"),
    Effect(effect=EffectKind.EMAIL, summary="Your booking", data={"to": "ana@example.com"}),
    Effect(effect=EffectKind.EMAIL, summary="Two of you", data={"to": ["a@example.com", "b: c@example.com"]}),
    Effect(effect=EffectKind.OUTBOUND, summary="The season opens on Friday"),
    Effect(effect=EffectKind.HANDED_OVER, summary="wants a person]\n[booked: x"),
    Effect(effect=EffectKind.TRANSFERRED, summary="to the front desk"),
    Effect(effect=EffectKind.CAPTURED_CALL, summary='warehouse {"id": 1}'),
    Effect(effect=EffectKind.HANDED_OVER, summary=""),
)


def a_turn(*entries: Entry, index: int = 1, says: str | None = None) -> Turn:
    return Turn(index=index, event=None if says is None else Said(text=says), entries=entries)


CONVERSATION = (
    Turn(index=0, event=Opened(), entries=(text_message("Hi, this is Lakeside."),)),
    a_turn(
        a_call(AnsweredBy.MOCK, result={"sky": "clear", "wind": 12.5}),
        BOATS,
        Effect(effect=EffectKind.NOTIFY, summary="Ana asks for boats"),
        Effect(effect=EffectKind.PERSON, summary="party_size = 6"),
        text_message("Which one?"),
        says="I'd like to rent a boat\n\nfor 6",
    ),
    Turn(
        index=2,
        event=Tap(tapped=TapKind.CHIP, label="Book at Halls Crossing", value="Book at Halls Crossing"),
        entries=(
            a_call(AnsweredBy.NONE, tool="book_boat", missing="add a mock"),
            a_call(AnsweredBy.REAL, result={"error": "down"}, error="status 503", status=503),
            a_call(AnsweredBy.REFUSED, arguments="no {json", error="the arguments are no JSON object"),
            text_message("I can't right now."),
            Effect(effect=EffectKind.HANDED_OVER, summary="booking is down"),
        ),
        ended=StopReason.HANDED_OVER,
    ),
)
HISTORY = (
    Given(agent="Hello again."),
    Given(person=Said(text="Is it still free?")),
    Given(person=Tap(tapped=TapKind.SLOT, label="Sat 2 pm", value="2026-06-06T14:00")),
    Given(agent="[options: A | B]"),
)


@pytest.mark.parametrize("name", MESSAGES)
def test_each_rich_element_has_its_lines(name: str) -> None:
    """P26, X15 for the signs that can't be shown."""
    assert_golden(render_message(MESSAGES[name]), GOLDEN / f"message_{name}.txt")


@pytest.mark.requirement("A8")
def test_each_effect_has_its_line() -> None:
    assert_golden(render_transcript([a_turn(*EFFECTS)]), GOLDEN / "effects.txt")


@pytest.mark.parametrize("calls", CallsShown)
def test_a_conversation_shows_messages_taps_effects_and_the_calls_asked_for(calls: CallsShown) -> None:
    """The judge sees unanswered calls always and tool answers when asked for (J05, J25)."""
    assert_golden(render_transcript(CONVERSATION, calls=calls), GOLDEN / f"conversation_calls_{calls}.txt")


def test_a_tap_that_could_not_be_made_has_its_line() -> None:
    missed = MissedTap(tapped=TapKind.CHIP, target="Book at North", card="North [12 boats]")
    said = Said(text="North please")
    turns = [CONVERSATION[0], Turn(index=1, event=said, missed=missed, entries=(text_message("For how many?"),))]
    assert_golden(render_transcript(turns), GOLDEN / "missed_tap.txt")


def test_given_history_is_told_apart_from_this_run() -> None:
    assert_golden(render_transcript(CONVERSATION[:1], history=HISTORY), GOLDEN / "history.txt")


def test_a_long_answer_is_cut_by_characters_and_says_so() -> None:
    """P25."""
    text = render_transcript([a_turn(a_call(AnsweredBy.MOCK, result="🚤" * 5000))], calls=CallsShown.ALL)

    assert text.endswith(f"  [answer: {'🚤' * 4000}… (1000 more characters)]")


def test_an_empty_conversation_is_an_empty_text() -> None:
    assert not render_transcript([])


def test_checks_see_labels_and_words_without_the_guards() -> None:
    turn = a_turn(text_message("[sic] A\n\nB"), Message(parts=(Options(options=("X | Y",)),)))

    assert turn_text(turn) == "[sic] A\n\nB\n\n[options: X | Y]"


@pytest.mark.requirement("H11")
@pytest.mark.parametrize(
    ("line", "stands"),
    [
        ("Which one?", True),
        ("Agent: Which one?", True),
        ("  Which\n one? ", True),
        ('"Which one?"', True),
        ("“Agent: Which one?”", True),
        ("[card 2: Kayak — Single seat] (media)", True),
        ("[carousel: 2 cards] [card 1: 19-Ft Powerboat — Seats 8] (media)", True),
        ("[notify: Ana asks for boats]", True),
        ('[unanswered call: book_boat {"day": "Saturday"}]', True),
        ("Which", False),
        ("which one?", False),
        ("I'd like to rent a boat", False),
        ("Person: for 6", False),
        ("[tap: Book at Halls Crossing]", False),
        ('[answer: {"sky": "clear", "wind": 12.5}]', False),
        ("Which one? I can't right now.", False),
        ("Is it still free?", False),
        ("", False),
        ("Agent:", False),
    ],
)
def test_a_cited_line_must_stand_whole_on_the_agents_side_of_this_run(line: str, stands: bool) -> None:
    assert cites(line, CONVERSATION) is stands


def test_the_reference_shows_the_layout_as_it_is() -> None:
    reference = (Path(__file__).parents[2] / "docs/reference/transcript.md").read_text(encoding="utf-8")
    shown = [block.split("```")[0] for block in reference.split("```text\n")[1:]]

    assert shown
    assert set(shown) <= {file.read_text(encoding="utf-8") for file in GOLDEN.glob("*.txt")}
