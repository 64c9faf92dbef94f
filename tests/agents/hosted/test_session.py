"""A hosted session: its limits, its history, what is left when a turn breaks off."""

import asyncio

import pytest
from tests.agents.stage import HeldClock, PlayedModel, Stage, calls, desk, in_turn, never_asked, says, world_of

from greenroom.clock import SystemClock
from greenroom.conversation.calls import ToolKind
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.messages import text_message
from greenroom.conversation.outcomes import Given
from greenroom.conversation.records import RouteBy
from greenroom.conversation.turns import StopReason
from greenroom.documents.mocks import Mock
from greenroom.documents.project import Limits
from greenroom.errors import CaseFault
from greenroom.models.model import AgentSays, ModelAnswer, ModelRequest, UserSays

HISTORY = (
    Given(person=Said(text="I want a boat")),
    Given(agent="Which marina?"),
    Given(person=Said(text="North")),
)


@pytest.mark.requirement("D4")
async def test_an_agent_that_says_nothing_in_time_ends_the_run_naming_line_and_limit() -> None:
    """S27: over the limit is an error that names the limit."""
    forever = asyncio.Event()

    async def silent(request: ModelRequest) -> ModelAnswer:
        await forever.wait()
        return says("too late")

    session = await Stage(desk(), PlayedModel(silent), limits=Limits(reply_seconds=0.02)).opened()
    with pytest.raises(CaseFault) as caught:
        await session.send(Said(text="Anybody there?"))
    assert caught.value.message == 'The agent did not answer "Anybody there?" within 0.02 s (`reply_seconds`).'
    assert (caught.value.cause, caught.value.stopped) == ("agent", StopReason.REPLY_TIMEOUT)
    assert session.broken_turn is not None
    assert session.broken_turn.event == Said(text="Anybody there?")
    assert session.broken_turn.entries == ()


@pytest.mark.requirement("D4")
async def test_a_slow_answer_within_the_limit_is_an_answer() -> None:
    """S27: the other half."""

    async def slow(request: ModelRequest) -> ModelAnswer:
        await SystemClock().sleep(0.05)
        return says("Here I am.")

    session = await Stage(desk(), PlayedModel(slow), limits=Limits(reply_seconds=5, settle_seconds=0)).opened()
    turn = await session.send(Said(text="Anybody there?"))
    assert turn.messages == (text_message("Here I am."),)
    assert not turn.unfinished


@pytest.mark.requirement("D4", "H8")
async def test_a_turn_that_does_not_settle_is_cut_and_the_script_goes_on_with_what_there_is() -> None:
    forever = asyncio.Event()

    async def answering(request: ModelRequest) -> ModelAnswer:
        match len(request.messages):
            case 1:
                return calls(("notify_team", {"text": "Somebody asks"}), text="One moment.")
            case 3:
                await forever.wait()
                return says("too late")
            case _:
                return says("Yes?")

    agent = desk(notifications={"to": []})
    stage = Stage(agent, PlayedModel(answering), limits=Limits(settle_seconds=0.02))
    session = await stage.opened()
    first = await session.send(Said(text="Hello"))
    second = await session.send(Said(text="Still there?"))
    assert first.unfinished
    assert [entry.kind for entry in first.entries] == ["message", "call", "effect"]
    assert second.messages == (text_message("Yes?"),)
    assert not second.unfinished
    assert [message.kind for message in stage.model.asked[-1].messages] == ["user", "assistant", "tool", "user"]


async def test_a_call_that_was_cut_off_is_kept_and_answered_so_that_the_conversation_stays_whole() -> None:
    started, forever = asyncio.Event(), asyncio.Event()
    agent = desk(tools={"get_weather": {"url": "https://weather.example"}})
    model = in_turn(calls(("get_weather", {}), text="Let me see."), says("Yes?"))

    async def never() -> None:
        started.set()
        await forever.wait()

    world = world_of(agent, mocks=[Mock(tool="get_weather", delay=1)], clock=HeldClock(never))
    session = await Stage(agent, model, world=world, limits=Limits(settle_seconds=0.02)).opened()
    first = await session.send(Said(text="Weather?"))
    await session.send(Said(text="And?"))
    assert started.is_set()
    assert first.unfinished
    (call,) = first.calls
    assert call.error == "cut off: the turn was over before this call was answered"
    assert [message.kind for message in model.asked[-1].messages] == ["user", "assistant", "tool", "user"]


async def test_a_cancelled_turn_leaves_what_there_was_of_it() -> None:
    """The run's own time limit cancels: transcript, records and usage are still there (features.md E6)."""
    asked_again, forever = asyncio.Event(), asyncio.Event()

    async def answering(request: ModelRequest) -> ModelAnswer:
        if len(request.messages) == 1:
            return calls(("send_message", {"parts": ["One"]}))
        asked_again.set()
        await forever.wait()
        return says("too late")

    session = await Stage(desk(), PlayedModel(answering)).opened()
    sending = asyncio.create_task(session.send(Said(text="Hello")))
    await asyncio.wait_for(asked_again.wait(), 5)
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    assert session.broken_turn is not None
    assert session.broken_turn.messages == (text_message("One"),)
    assert session.records[-1].turn == 1


@pytest.mark.requirement("B9")
async def test_history_alone_asks_for_the_next_message() -> None:
    model = in_turn(says("North it is."))
    session = await Stage(desk(greeting="Hi!"), model).opened(history=HISTORY)
    turn = await session.reply_to_history()
    assert model.asked[0].messages == (
        UserSays(text="I want a boat"),
        AgentSays(text="Which marina?"),
        UserSays(text="North"),
    )
    assert (turn.index, turn.event) == (1, None)
    assert turn.messages == (text_message("North it is."),)


async def test_a_given_history_is_not_greeted_and_is_no_turn() -> None:
    session = await Stage(desk(greeting="Hi!"), in_turn(says("Good."))).opened(history=HISTORY)
    assert session.records[0].entries == ()
    turn = await session.send(Said(text="Thanks"))
    assert turn.index == 1


async def test_history_that_ends_with_the_agent_is_answered_too() -> None:
    model = in_turn(says("Are you there?"))
    books = {"booking": {"when": "boats"}, "refunds": {"when": "money"}}
    agent = desk(playbooks=books)
    session = await Stage(agent, model).opened(history=(Given(agent="Shall I book it?"),))
    turn = await session.reply_to_history()
    assert turn.messages == (text_message("Are you there?"),)
    assert session.records[-1].route.by is RouteBy.NONE


@pytest.mark.requirement("C8", "D2")
async def test_what_checks_may_know_of_the_agent_follows_the_channel() -> None:
    agent = desk(
        prompt="Rent boats.",
        playbooks={"booking": {"name": "Booking a boat", "uses": ["hand_over", "show_map", "get_weather"]}},
        tools={
            "show_map": {"kind": "client"},
            "get_weather": {"kind": "integration", "url": "https://weather.example"},
        },
    )
    web = (await Stage(agent, never_asked()).opened(Channel.WEB)).facts
    phone = (await Stage(agent, never_asked()).opened(Channel.PHONE_INBOUND)).facts
    assert web.tools == {
        "show_map": ToolKind.CLIENT,
        "get_weather": ToolKind.INTEGRATION,
        "hand_over": ToolKind.BUILT_IN,
        "send_message": ToolKind.BUILT_IN,
        "end_conversation": ToolKind.BUILT_IN,
    }
    assert set(phone.tools) == {"get_weather", "transfer", "send_message", "end_conversation"}
    assert web.playbooks == {"booking": "Booking a boat"}
    assert web.name == "Lakeside"
    assert "Rent boats." in web.digest


async def test_a_long_behavior_is_cut_in_the_digest_and_it_says_so() -> None:
    session = await Stage(desk(prompt="word " * 5000), never_asked()).opened()
    assert session.facts.digest.endswith("\n(Cut: 12000 of 25030 characters are shown.)")
