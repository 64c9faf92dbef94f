"""What a person sees, by channel."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.stage import Stage, calls, desk, in_turn, says
from tests.waiting import stopped_after

from greenroom.agents.hosted.render import for_channel
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, Text, text_message
from greenroom.conversation.reasoning import without_reasoning
from greenroom.documents.rich import parts_from

RICH: Json = [
    {"text": "Two marinas."},
    {
        "carousel": [
            {"title": "North", "subtitle": "12 boats", "media": "north.jpg", "chips": ["Book at North"]},
            {"title": "South"},
        ]
    },
    {"card": {"title": "Kayak", "chips": [{"label": "Call us", "call": "+15550100"}]}},
    {"media": {"url": "https://lakeside.example/map.png", "alt": "The lake"}},
    {"media": "https://lakeside.example/b.png"},
    {"options": ["One hour", "Two hours", "A day"]},
    {"time_picker": [{"start": "2026-06-06T14:00", "label": "Saturday 2 pm"}, "2026-06-06T16:00"]},
    {"confirm": ["Yes", "No"]},
    {"chips": ["Something else", {"label": "Rates", "link": "https://lakeside.example/rates"}]},
]
WRITTEN = """Two marinas.
North — 12 boats
- Book at North
South
Kayak
- Call us: +15550100
The lake https://lakeside.example/map.png
https://lakeside.example/b.png
- One hour
- Two hours
- A day
- Saturday 2 pm
- 2026-06-06T16:00
Reply Yes or No.
- Something else
- Rates: https://lakeside.example/rates"""
SPOKEN = """Two marinas.
North, 12 boats. You can say Book at North. South.
Kayak.
The lake.
You can say One hour, Two hours or A day.
There is Saturday 2 pm or 2026-06-06T16:00.
Please say Yes or No.
You can say Something else."""


@pytest.mark.requirement("A2", "D2")
@pytest.mark.parametrize(
    ("channel", "shown"),
    [
        (Channel.SMS, text_message(WRITTEN)),
        (Channel.WEB_VOICE, text_message(SPOKEN)),
        (Channel.PHONE_INBOUND, text_message(SPOKEN)),
        (Channel.WEB, Message(parts=parts_from(RICH))),
        (Channel.RICH, Message(parts=parts_from(RICH))),
    ],
)
async def test_a_rich_message_is_shown_as_the_channel_can(channel: Channel, shown: Message) -> None:
    session = await Stage(desk(), in_turn(calls(("send_message", {"parts": RICH})), says(""))).opened(channel)
    turn = await session.send(Said(text="Show me"))
    assert turn.messages == (shown,)


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("<think>hm</think>\n\nYes.", "Yes."),
        ("Yes.<THINKING depth='2'>hm\nhm</THINKING> Certainly.", "Yes. Certainly."),
        ("hm, the prompt opened this</think>Yes.", "Yes."),
        ("Yes.\n<reasoning>cut off here", "Yes."),
        ("<think>one</think>a<think>two</think>b", "ab"),
        ("5 < 6 & <b>bold</b>", "5 < 6 & <b>bold</b>"),
        ("I <thinkso>.", "I <thinkso>."),
    ],
)
def test_reasoning_is_taken_out_and_nothing_else(said: str, seen: str) -> None:
    """S17."""
    assert without_reasoning(said) == seen


def test_marks_without_end_make_nobody_wait() -> None:
    said = "<think " * 100_000
    with stopped_after(seconds=20):
        assert without_reasoning(said) == said.strip()


@given(words=st.text(), thought=st.text().filter(lambda text: "</" not in text))
def test_no_thought_is_ever_seen(words: str, thought: str) -> None:
    words = words.replace("<", "(")
    assert without_reasoning(f"<think>{thought}</think>{words}") == words.strip()


@given(text=st.text())
def test_words_alone_are_the_same_on_every_channel(text: str) -> None:
    message = Message(parts=(Text(text=text),))
    assert all(for_channel(message, abilities) == message for abilities in ABILITIES.values())
