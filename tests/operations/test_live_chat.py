"""Talking to an agent live, through the operation: its state is kept on the live side and read again at each turn."""

from pathlib import Path

import pytest
from tests.projects import written_project

from greenroom.conversation.transcript import render_transcript
from greenroom.operations.chat import ChatRequest, open_chat

RULES = [
    {"when": {"last": "name", "turn": 2}, "reply": "You said it before."},
    {"when": {"last": "Ana"}, "calls": [{"tool": "update_person", "arguments": {"first_name": "Ana"}}]},
    {"reply": "Noted."},
]


@pytest.mark.requirement("A1", "A8")
async def test_a_live_chat_is_answered_turn_by_turn_and_what_it_does_is_real(tmp_path: Path) -> None:
    rules = [{"when": {"answered": "update_person"}, "reply": "Hello Ana."}, *RULES]
    maker = written_project(tmp_path, rules=rules, cases={"any": {"script": ["Hi"], "expect": [{"reply": "Noted"}]}})
    async with maker.open() as context, open_chat(context, ChatRequest(agent="desk", live=True)) as chat:
        first = await chat.say("I am Ana")
        second = await chat.say("What is my name?")
    assert render_transcript([first, second]).split("\n\n") == [
        "Person: I am Ana",
        "[person: first_name = Ana]",
        "Agent: Hello Ana.",
        "Person: What is my name?",
        "Agent: You said it before.",
    ]
    assert [effect.captured for effect in first.effects] == [False]
    assert "Name: Ana" in chat.records[-1].prompt
