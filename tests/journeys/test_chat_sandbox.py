"""A chat's sandbox: seen from outside while the chat goes on, gone at its end, cleaned up after a kill (A11)."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.command_line import SOURCES, CommandLine
from tests.projects import ProjectMaker, written_project
from tests.stores import NOON, Statements

from greenroom.clock import FrozenClock, SystemClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.errors import UsageError
from greenroom.operations.chat import ChatRequest, open_chat
from greenroom.operations.context import Context, opened
from greenroom.operations.conversations import ConversationsRequest, list_conversations, show_conversation
from greenroom.operations.people import PeopleRequest, list_people
from greenroom.operations.runs import RunRequest, perform, prepare
from greenroom.operations.sandboxes import kept_sandbox
from greenroom.operations.stopping import Stop
from greenroom.store.sandboxes import LEASE_S

RULES = [
    {"when": {"answered": "update_person"}, "reply": "Fine."},
    {
        "when": {"last": "six of us"},
        "calls": [{"tool": "update_person", "arguments": {"party_size": 6, "status": "lead"}}],
    },
    {"reply": "Fine."},
]
CASES = {"one": {"script": ["Hi"], "expect": [{"reply": "x"}]}}


@pytest.fixture
def maker(tmp_path: Path) -> ProjectMaker:
    return written_project(tmp_path, rules=RULES, cases=CASES)


PARTY = {"fields": {"party_size": {"type": "number"}}}
LINES = ("There are six of us", "Thanks")


@dataclass(frozen=True, kw_only=True)
class Talked:
    turns: Sequence[Turn]
    records: Sequence[TurnRecord]


async def talked(context: Context, *, live: bool) -> Talked:
    async with open_chat(context, ChatRequest(agent="desk", live=live)) as chat:
        turns = [chat.opening, *[await chat.say(line) for line in LINES]]
        return Talked(turns=turns, records=chat.records)


async def people(context: Context, *, sandbox: bool) -> list[tuple[str, object, str]]:
    page = await list_people(context, PeopleRequest(sandbox=sandbox))
    return [
        (record.person.first_name, record.person.fields.get("party_size"), record.person.status)
        for record in page.people
    ]


@pytest.mark.requirement("A5", "A7", "A11")
async def test_what_the_agent_keeps_in_a_chat_is_in_the_sandbox_until_the_chat_ends(maker: ProjectMaker) -> None:
    async with maker.open() as context, maker.open() as outside:
        async with open_chat(context, ChatRequest(agent="desk")) as chat:
            assert await people(outside, sandbox=True) == []
            turn = await chat.say("There are six of us")
            assert [effect.summary for effect in turn.effects] == ["party_size = 6", "status = lead"]
            assert await people(outside, sandbox=True) == [("", 6, "lead")]
            assert await people(outside, sandbox=False) == []
            # Somebody else's cleanup leaves a chat that goes on alone.
            assert (await outside.store.sandboxes.clean()).held == 1
            await chat.say("Thanks")
        assert await people(outside, sandbox=True) == []
        assert (await outside.store.sandboxes.clean()).sandboxes == 0


@pytest.mark.requirement("A1", "A6", "A9")
@pytest.mark.parametrize("auto_create", [True, False])
async def test_whoever_chats_is_the_stranger_that_they_would_be_live(tmp_path: Path, auto_create: bool) -> None:
    """Nobody is made up: greeting, prompts and what is kept are those of a cold inbound, here, live and in a run."""
    agent = {"greeting": "Hello {{person.first_name}}.", "people": {"auto_create": auto_create, **PARTY}}
    cases = {"one": {"script": list(LINES), "expect": [{"never_says": "never"}]}}
    written_project(tmp_path, rules=RULES, cases=cases, agent=agent)

    async with opened(tmp_path, environment={}, clock=FrozenClock(NOON)) as context:
        here, there = [await talked(context, live=live) for live in (False, True)]
        run = await prepare(context, RunRequest())
        async for _ in perform(context, run, Stop()):
            pass
        (result,) = [each async for each in context.store.results.of_run(run.run.run_id)]
        records = await context.store.results.records(run.run.run_id, "booking", "one", 1)

    transcripts = [render_transcript(turns) for turns in (here.turns, there.turns, result.turns)]
    assert transcripts[0] == transcripts[1] == transcripts[2]
    assert ("[person: party_size = 6]" in transcripts[0]) is auto_create
    prompts = [[one.prompt for one in each] for each in (here.records, there.records, records)]
    assert prompts[0] == prompts[1] == prompts[2]
    assert "Nothing is known of this person yet." in prompts[0][1]


@pytest.mark.requirement("A5")
async def test_who_chats_may_be_somebody(maker: ProjectMaker) -> None:
    asked = ChatRequest(agent="desk", person=("first_name=Ana", "fields.party_size=4", "consent.messages=true"))
    async with maker.open() as context, open_chat(context, asked) as chat:
        assert await people(context, sandbox=True) == [("Ana", 4, "")]
        assert await people(context, sandbox=False) == []
        await chat.say("Hi")
        assert "# The person\nName: Ana\nparty_size: 4" in chat.records[-1].prompt


@pytest.mark.requirement("A7")
async def test_a_chat_is_listed_under_its_agent_by_who_asks_for_the_sandbox(maker: ProjectMaker) -> None:
    async with maker.open() as context, open_chat(context, ChatRequest(agent="desk")):
        found = (await list_conversations(context, ConversationsRequest(sandbox=True, agent="desk"))).conversations
        assert [(one.agent, one.channel) for one in found] == [("desk", Channel.WEB)]
        shown = await show_conversation(context, found[0].conversation, sandbox=True)
        assert shown.conversation.agent == "desk"


@pytest.mark.parametrize(
    ("channels", "settled"),
    [({}, Channel.WEB_VOICE), ({"phone": {"number": "+15550100"}}, Channel.PHONE_INBOUND)],
)
@pytest.mark.requirement("D2")
async def test_a_chat_takes_the_channel_auto_as_a_case_does(tmp_path: Path, channels: object, settled: Channel) -> None:
    project = written_project(tmp_path, rules=RULES, cases=CASES, agent={"channels": channels})
    async with project.open() as context, open_chat(context, ChatRequest(agent="desk", channel=Channel.AUTO)):
        found = (await list_conversations(context, ConversationsRequest(sandbox=True))).conversations
        assert [one.channel for one in found] == [settled]


@pytest.mark.requirement("A11")
async def test_a_chat_that_breaks_off_removes_its_sandbox_too(maker: ProjectMaker) -> None:
    async with maker.open() as context:
        with pytest.raises(ZeroDivisionError):
            async with open_chat(context, ChatRequest(agent="desk")):
                raise ZeroDivisionError
        assert await people(context, sandbox=True) == []


@pytest.mark.requirement("A7", "A11")
def test_what_a_killed_chat_left_is_cleaned_up(maker: ProjectMaker, capsys: pytest.CaptureFixture[str]) -> None:
    command = CommandLine(folder=maker.root, capsys=capsys)
    with subprocess.Popen(
        [sys.executable, "-m", "greenroom", "chat", "desk"],
        cwd=maker.root,
        env={"PYTHONPATH": str(SOURCES), "PATH": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as chat:
        assert chat.stdin is not None
        assert chat.stdout is not None
        # The greeting is printed when the conversation is open, the answer when it is kept.
        chat.stdin.write("There are six of us\n")
        chat.stdin.flush()
        while "Fine." not in (line := chat.stdout.readline()):
            assert line
        chat.kill()

    now = SystemClock().now()
    left = json.loads(command("people", "--sandbox", "--format", "json", at=now).out)
    assert [(person["first_name"], person["fields"]) for person in left["people"]] == [("", {"party_size": 6})]
    assert command("people", "--count", at=now).out == "0 people\n"

    assert command("cleanup", at=now).out == (
        "Nothing was left over. 1 sandbox in use or just abandoned: left alone; ask again in a minute.\n"
    )
    later = now + timedelta(seconds=LEASE_S + 1)
    assert command("cleanup", at=later).out.endswith(" of 1 sandbox.\n")
    assert command("people", "--sandbox", "--count", at=later).out == "0 people\n"
    assert command("cleanup", at=later).out == "Nothing was left over.\n"


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (ChatRequest(agent="desk", outreach="sesaon"), "season"),
        (ChatRequest(agent="desk", outreach="season", live=True), "--outreach opens a chat in the sandbox"),
        (ChatRequest(agent="desk", person=("first_name=Ana",), live=True), "--person says who speaks in the sandbox"),
        (ChatRequest(agent="desk", person=("Ana",)), "'Ana' sets nothing; write FIELD=VALUE"),
        (ChatRequest(agent="desk", person=("frist_name=A", "party_size=x")), "'first_name'.*'party_size' is declared"),
    ],
)
async def test_who_speaks_and_what_opens_a_chat_must_fit_the_agent_and_is_for_the_sandbox_alone(
    tmp_path: Path, request_: ChatRequest, told: str
) -> None:
    agent = {"outreach": {"season": {"to": {"consent.messages": True}, "opening": "The season opens."}}}
    project = written_project(tmp_path, rules=RULES, cases=CASES, agent=agent)
    async with project.open() as context:
        with pytest.raises(UsageError, match=told):
            async with open_chat(context, request_):
                pass


class MovableClock(FrozenClock):
    """Stands still until it is set forward."""

    def __init__(self) -> None:
        super().__init__(NOON)
        self.passed = timedelta()

    def now(self) -> datetime:
        return super().now() + self.passed


@pytest.mark.requirement("A11")
async def test_a_sandbox_in_use_gives_signs_of_life(maker: ProjectMaker) -> None:
    clock = MovableClock()
    far = FrozenClock(NOON + timedelta(seconds=LEASE_S + 5))
    async with (
        opened(maker.root, environment={}, clock=clock) as context,
        opened(maker.root, environment={}, clock=far) as outside,
        kept_sandbox(context, "chat-1", agent="desk", renew_every_s=0.01) as kept,
    ):
        await kept.people.create("chat:chat-1")
        clock.passed = timedelta(seconds=LEASE_S)
        heard = Statements(context.store.database.writer)
        async with asyncio.timeout(5):
            # The first one heard may have been worked out before the clock was set; the second is in at the third.
            while sum(asked.startswith("UPDATE sandboxes") for asked, _ in heard.asked) < 3:
                await SystemClock().sleep(0.01)
        assert (await outside.store.sandboxes.clean()).held == 1
        assert await kept.people.find("chat:chat-1") is not None
