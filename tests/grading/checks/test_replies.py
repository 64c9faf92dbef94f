"""Checks on what the agent said and showed."""

import pytest
from tests.grading.makers import evidence, make_case, said, turn

from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Card, Carousel, Chip, Message, Options, Part, Shape, Slot, Text, TimePicker
from greenroom.conversation.outcomes import CheckOutcome, CheckStatus
from greenroom.documents.checks import Check, Mentions, NeverSays, Reply, WhichTurn
from greenroom.grading.checks.registry import decide_checks
from greenroom.grading.evidence import Evidence

GREETED = (turn(0, None, "Hi, this is Lakeside."), *said("Which marina?", "It is booked.", "Bye!"))


def decided(check: Check, seen: Evidence) -> CheckOutcome:
    (outcome,) = decide_checks(make_case(check), seen)
    return outcome


def shown(*parts: Part) -> Message:
    return Message(parts=parts)


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("text", "which", "passes"),
    [
        ("Bye", "last", True),
        ("booked", "last", False),
        ("booked", "any", True),
        ({"regex": "[.?!]$"}, "all", True),
        ("b", "all", False),
        ("booked", 2, True),
        ("Lakeside", 0, True),
        ("Lakeside", "any", False),
        ("bye", "last", False),
    ],
)
def test_a_reply_contains_text_in_the_last_turn_any_all_or_the_nth(text: Json, which: WhichTurn, passes: bool) -> None:
    """A plain string means contains, and capitals count; the greeting is turn 0 and no reply."""
    assert decided(Reply(text=text, turn=which), evidence(*GREETED)).passed is passes


@pytest.mark.requirement("E1", "H7")
@pytest.mark.parametrize(
    ("matcher", "passes"),
    [
        ({"regex": "^It is .*[.]$"}, True),
        ({"regex": "^booked"}, False),
        ({"equals": "It is booked."}, True),
        ({"equals": "booked"}, False),
        ({"contains": "booked"}, True),
        ({"one_of": ["reserved", "booked"]}, True),
    ],
)
def test_a_reply_is_matched_by_the_one_matcher_language(matcher: Json, passes: bool) -> None:
    assert decided(Reply(text=matcher, turn=2), evidence(*GREETED)).passed is passes


@pytest.mark.requirement("E1")
def test_every_sign_of_a_plain_text_is_literal_and_the_miss_names_the_mode() -> None:
    """P10."""
    check = Reply(text="Price: $5.00 (+tax)*")
    assert decided(check, evidence(*said("Price: $5.00 (+tax)*, final"))).passed
    missed = decided(check, evidence(*said("Price: $5.00 plus tax")))
    assert missed.detail.startswith('turn 1: expected something that contains "Price: $5.00 (+tax)*"')


@pytest.mark.requirement("E1", "A4")
def test_labels_can_be_matched_as_the_transcript_shows_them() -> None:
    seen = evidence(*said(shown(Text(text="Which one?"), Options(options=("North", "South [new]")))))
    assert decided(Reply(text="[options: North | South [new]]"), seen).passed


@pytest.mark.requirement("E1", "H8")
def test_the_messages_of_a_turn_are_one_reply() -> None:
    seen = evidence(turn(1, "Book it", "One moment.", "It is booked."))
    assert decided(Reply(text="One moment.\n\nIt is booked."), seen).passed


@pytest.mark.requirement("E1")
@pytest.mark.parametrize(
    ("message", "shapes"),
    [
        (shown(Text(text="Hi")), {Shape.TEXT}),
        (shown(Options(options=("A", "B"))), {Shape.OPTIONS}),
        (shown(TimePicker(slots=(Slot(start="2026-06-06T14:00", label="2 pm"),))), {Shape.TIME_PICKER}),
        (shown(Text(text="See"), Card(title="North", chips=(Chip(label="Book"),))), {"text", "card", "chips"}),
        (shown(Carousel(cards=(Card(title="North"), Card(title="South")))), {Shape.CAROUSEL}),
    ],
)
def test_a_reply_has_each_of_its_shapes_and_no_other(message: Message, shapes: set[str]) -> None:
    seen = evidence(*said(message))
    for shape in Shape:
        assert decided(Reply(shape=shape), seen).passed is (shape in shapes)
        assert decided(Reply(not_shape=shape), seen).passed is (shape not in shapes)


@pytest.mark.requirement("E1")
def test_a_wrong_shape_is_told_with_the_one_that_was_shown() -> None:
    outcome = decided(Reply(shape=Shape.TIME_PICKER), evidence(*said("When?")))
    assert outcome.detail == "turn 1: expected a time picker; it shows text"


@pytest.mark.requirement("E1")
def test_a_silent_turn_is_no_reply() -> None:
    seen = evidence(*said("Hello"), turn(2, "And?"))
    assert decided(Reply(text="Hello"), seen).detail == "turn 2: the agent sent no message"
    assert not decided(Reply(text={"any": True}, turn="all"), seen).passed
    assert decided(Reply(text="Hello", turn="any"), seen).passed
    assert not decided(Reply(not_shape=Shape.CAROUSEL), seen).passed


@pytest.mark.requirement("E1")
def test_a_turn_that_never_came_says_which_there_were() -> None:
    outcome = decided(Reply(text="x", turn=7), evidence(*said("Hello", "Bye")))
    assert (outcome.status, outcome.detail) == (CheckStatus.FAILED, "there is no turn 7; this check sees turn 1, 2")
    assert not decided(Reply(text="x", turn="all"), evidence(turn(0, None, "Hi"))).passed


@pytest.mark.requirement("E1")
def test_never_says_looks_at_every_message_the_greeting_too() -> None:
    assert decided(NeverSays(text="refund"), evidence(*GREETED)).passed
    assert decided(NeverSays(text="Lakeside"), evidence(*GREETED)).detail == "turn 0 says 'Hi, this is Lakeside.'"


@pytest.mark.requirement("E1")
def test_never_says_finds_an_anchored_pattern_in_one_message_of_several() -> None:
    """P07: the same pattern on two turns gives the same answer."""
    seen = evidence(turn(1, "Book it", "One moment.", "Done"), turn(2, "Again", "One moment.", "Done"))
    for _ in range(2):
        assert decided(NeverSays(text={"regex": "^Done$"}), seen).detail == "turn 1 says 'Done'"
    assert decided(NeverSays(text={"regex": "^moment"}), seen).passed


@pytest.mark.requirement("E1")
def test_a_silent_agent_has_never_said_anything() -> None:
    assert decided(NeverSays(text={"regex": "^"}), evidence(turn(1, "Hi"))).passed
    assert not decided(Mentions(values=("10",)), evidence(turn(1, "Hi"))).passed


@pytest.mark.requirement("E1")
def test_mentions_looks_at_all_turns_and_at_labels() -> None:
    seen = evidence(*said("It costs $44.08.", shown(Options(options=("polyester", "wool")))))
    assert decided(Mentions(values=("$44.08", "polyester", "[options: polyester | wool]")), seen).passed
