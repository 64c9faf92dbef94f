"""Talking to an agent live, through the operation: its state is kept on the live side and read again at each turn."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.projects import written_project
from tests.servers.mail import mail_server
from tests.servers.office import office
from tests.servers.webhooks import endpoint

from greenroom.conversation.sent import SentStatus
from greenroom.conversation.transcript import render_transcript
from greenroom.errors import CaseFault
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


@pytest.mark.requirement("A8", "A9")
async def test_a_live_chat_sends_what_its_turns_leave_and_says_so_once(tmp_path: Path) -> None:
    async with endpoint() as team, mail_server() as server:
        maker = office(tmp_path, team=team, mail_port=server.port)
        async with maker.open() as context, open_chat(context, ChatRequest(agent="desk", live=True)) as chat:
            turn = await chat.say("tell them")
            assert [effect.data["status"] for effect in turn.effects] == ["queued"]
            assert team.received == []
            assert [(one.kind, one.status) for one in await chat.errands()] == [("notify", SentStatus.SENT)]
            await chat.say("mail Dana")
            assert [(one.kind, one.status) for one in await chat.errands()] == [("email", SentStatus.SENT)]
            assert (await chat.errands(), await chat.errands_waiting()) == ([], 0)
    assert len(team.received) == len(server.taken) == 1


async def test_what_a_turn_that_broke_off_wanted_done_never_is(tmp_path: Path) -> None:
    rules: Sequence[object] = [
        {"when": {"answered": "notify_team"}, "fault": "rejected"},
        {"when": {"last": "tell"}, "calls": [{"tool": "notify_team", "arguments": {"text": "never"}}]},
        {"reply": "Fine."},
    ]
    async with endpoint() as team:
        maker = office(tmp_path, team=team)
        maker.write("models/agent.yaml", {"rules": rules})
        async with maker.open() as context, open_chat(context, ChatRequest(agent="desk", live=True)) as chat:
            with pytest.raises(CaseFault):
                await chat.say("tell them")
            await chat.say("hello")
            assert await chat.errands() == []
    assert team.received == []
