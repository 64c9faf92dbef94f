"""Flows: steps that run as they are written, without a model (documents.md: `flow`; features.md A3, A8)."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

import pytest
from tests.agents.flows import EXAMPLE, TOOLS, agent_with, on_stage, shown, tapped
from tests.agents.stage import HeldClock, Stage, in_turn, says, world_of

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.conversation.calls import AnsweredBy
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.events import Said, TapKind
from greenroom.conversation.turns import StopReason
from greenroom.documents.mocks import Mock
from greenroom.documents.project import Limits

pytestmark = pytest.mark.requirement("A3", "A8")


async def test_a_flow_asks_acts_and_ends_without_any_model() -> None:
    stage = on_stage(EXAMPLE)
    session = await stage.opened()

    first = await session.send(Said(text="I want to cancel"))
    second = await session.send(tapped("Powerboat"))
    third = await session.send(tapped("Yes", TapKind.CONFIRM))

    assert shown(first) == ["Which booking?", "options Powerboat | Kayak"]
    assert shown(second) == ["Cancel it?", "confirm Yes | No"]
    assert shown(third) == ["It is cancelled."]
    assert [(call.tool, call.arguments, call.answered_by) for call in third.calls] == [
        ("cancel_booking", {"id": "B-1"}, AnsweredBy.MOCK),
        ("update_person", {"last_cancelled": "B-1"}, AnsweredBy.BUILT_IN),
    ]
    assert [(effect.effect, effect.summary) for effect in third.effects] == [
        (EffectKind.PERSON, "last_cancelled = B-1")
    ]
    assert stage.model.asked == stage.router.asked == []
    assert not session.usage


async def test_a_branch_that_ends_the_conversation_ends_the_flow() -> None:
    session = await on_stage(EXAMPLE).opened()
    await session.send(Said(text="Cancel, please"))
    await session.send(Said(text="Kayak"))

    last = await session.send(Said(text="no"))

    assert shown(last) == ["Nothing changed."]
    assert last.ended is StopReason.RESOLVED
    assert last.calls == ()


async def test_a_flow_that_is_done_is_not_begun_again_in_the_same_playbook() -> None:
    stage = on_stage(agent_with([{"say": "We open at 8."}]), in_turn(says("You're welcome.")))
    session = await stage.opened()

    assert shown(await session.send(Said(text="When do you open?"))) == ["We open at 8."]
    assert shown(await session.send(Said(text="Thanks"))) == ["You're welcome."]
    assert "They are done" in stage.model.asked[0].system


async def test_what_is_kept_of_a_person_is_known_at_once() -> None:
    session = await on_stage(agent_with([{"set": {"company": "Ace"}}, {"say": "{{person.company}}, then."}])).opened()

    assert shown(await session.send(Said(text="I work for Ace"))) == ["Ace, then."]


async def test_a_flow_that_ends_without_a_word_leaves_the_answer_to_the_model() -> None:
    flow = [{"set": {"company": "Ace"}}]
    stage = on_stage(agent_with(flow), in_turn(says("Noted.")))
    session = await stage.opened()

    turn = await session.send(Said(text="I work for Ace"))

    assert shown(turn) == ["Noted."]
    assert "Company: Ace" in stage.model.asked[0].system


@pytest.mark.parametrize(
    "branch", [None, [{"say": "That did not work: {{answer}}"}, {"hand_over": "cancelling failed"}]]
)
async def test_a_call_that_fails_goes_otherwise_or_leaves_the_flow_to_the_model(
    branch: Sequence[object] | None,
) -> None:
    step: dict[str, object] = {"http": {"tool": "cancel_booking", "with": {"id": "B-1"}, "as": "answer"}}
    agent = agent_with([step if branch is None else {**step, "otherwise": branch}, {"say": "Done."}])
    mocks = [Mock.model_validate({"tool": "cancel_booking", "result": "locked", "error": True, "status": 409})]
    stage = on_stage(agent, in_turn(says("Sorry about that.")), world=world_of(agent, mocks=mocks))
    session = await stage.opened()

    turn = await session.send(Said(text="Cancel it"))

    assert turn.calls[0].status == 409
    if branch is None:
        assert shown(turn) == ["Sorry about that."]
        assert "cancel_booking failed: the endpoint answered HTTP 409" in stage.model.asked[0].system
    else:
        assert shown(turn) == ["That did not work: locked"]
        assert turn.ended is StopReason.HANDED_OVER
        assert [call.tool for call in turn.calls] == ["cancel_booking", "hand_over"]


async def test_a_call_that_nothing_answers_is_an_unanswered_call() -> None:
    bare: Mapping[str, object] = {
        "cancel_booking": {**cast("Mapping[str, object]", TOOLS["cancel_booking"]), "mocks": []}
    }
    agent = agent_with(
        [{"http": {"tool": "cancel_booking", "with": {"id": "1"}}, "otherwise": [{"say": "Later."}]}], tools=bare
    )
    session = await on_stage(agent).opened()

    turn = await session.send(Said(text="Cancel it"))

    assert [call.unanswered for call in turn.calls] == [True]
    assert shown(turn) == ["Later."]


async def test_parameters_take_the_type_that_the_tool_wants_and_wrong_ones_are_the_agent_s_mistake() -> None:
    properties = {"count": {"type": "integer"}, "code": {"type": "string"}, "day": {"type": "string", "format": "date"}}
    tools = {
        "hold": {
            "parameters": {"type": "object", "properties": properties, "additionalProperties": False},
            "url": "https://a.example",
            "mocks": [{"result": "held"}],
        }
    }
    held = {"tool": "hold", "with": {"count": "{{count}}", "code": "{{code}}", "day": "{{missing.day}}"}}
    flow: Sequence[object] = [
        {"ask": {"text": "How many?", "options": ["2", "4"], "as": "count"}},
        {"set": {"code": 17, "missing": {}}},
        {"http": held},
        {"http": {"tool": "hold", "with": {"count": "{{code}} boats"}}, "otherwise": [{"say": "Not that many."}]},
    ]
    session = await on_stage(agent_with(flow, tools=tools)).opened()
    await session.send(Said(text="Hold some"))

    turn = await session.send(tapped("4"))

    assert [call.arguments for call in turn.calls] == [{"count": 4, "code": "17"}, {"count": "17 boats"}]
    assert [call.answered_by for call in turn.calls] == [AnsweredBy.MOCK, AnsweredBy.REFUSED]
    assert shown(turn) == ["Not that many."]


WHEN = {"system.channel": "sms", "person.status": {"one_of": ["", "lead"]}, "system.now": {"regex": "^2026"}}
CONDITIONED = agent_with([{"when": WHEN, "do": [{"say": "By SMS."}], "otherwise": [{"say": "Not by SMS."}]}])


async def test_conditions_look_at_answers_people_and_the_channel_and_all_must_hold() -> None:
    for channel, said in ((Channel.SMS, "By SMS."), (Channel.WEB, "Not by SMS.")):
        session = await on_stage(CONDITIONED).opened(channel)
        assert shown(await session.send(Said(text="Hi"))) == [said]


async def test_a_case_may_answer_a_built_in_action_of_a_flow_in_its_place() -> None:
    agent = agent_with([{"notify": "{{person.name}} cancels", "otherwise": [{"say": "Nobody is there."}]}])
    mocks = [Mock.model_validate({"tool": "notify_team", "result": "down", "error": True})]
    session = await on_stage(agent, world=world_of(agent, mocks=mocks)).opened()

    turn = await session.send(Said(text="Hi"))

    assert shown(turn) == ["Nobody is there."]
    assert turn.effects == ()


async def test_a_flow_that_is_cut_off_in_the_middle_is_left_to_the_model() -> None:
    agent = agent_with([
        {"say": "One moment."},
        {"http": {"tool": "cancel_booking", "with": {"id": "1"}}},
        {"say": "Done."},
    ])
    never = asyncio.Event()
    clock = HeldClock(never.wait)
    slow = [Mock.model_validate({"tool": "cancel_booking", "result": "ok", "delay": 5})]
    stage = Stage(
        agent,
        in_turn(says("Let me look.")),
        world=world_of(agent, mocks=slow, clock=clock),
        limits=Limits(settle_seconds=0.05),
    )
    session = await stage.opened()

    cut = await session.send(Said(text="Cancel"))
    after = await session.send(Said(text="And?"))

    assert cut.unfinished
    assert shown(cut) == ["One moment."]
    assert cut.calls[0].error == "cut off: the turn was over before this call was answered"
    assert shown(after) == ["Let me look."]
    assert "cut off because they took too long" in stage.model.asked[0].system


async def test_turn_records_say_which_steps_and_branches_were_reached() -> None:
    session = await on_stage(EXAMPLE).opened()
    for event in (Said(text="Cancel"), tapped("Powerboat"), tapped("No", TapKind.CONFIRM)):
        await session.send(event)

    assert [[f"{one.at} {one.step} {one.came}" for one in record.flow] for record in session.records] == [
        [],
        ["1 ask waits"],
        ["1 ask on", "2 ask waits"],
        ["2 ask on", "3 when do", "3.do.1 say on", "3.do.2 end ended"],
    ]


async def test_somebody_who_is_on_no_record_can_t_be_written_to() -> None:
    flow = [{"set": {"company": "Ace"}, "otherwise": [{"say": "Not kept."}]}]
    session = await on_stage(agent_with(flow, people={"auto_create": False})).opened()

    assert shown(await session.send(Said(text="Hi"))) == ["Not kept."]


def test_whoever_judges_reads_the_steps_in_words() -> None:
    digest = HostedAgent(EXAMPLE).digest

    _, _, steps = digest.partition("Prepared steps, which are followed word for word:\n")
    assert steps.partition("\n\n")[0].splitlines() == [
        "1. Ask: Which booking? Answers: Powerboat, Kayak.",
        "2. Ask: Cancel it? Answers: Yes, No.",
        "3. When sure: No:",
        "   Then:",
        "   1. Say: Nothing changed.",
        "   2. End the conversation, resolved.",
        "4. Call cancel_booking with id: {{booking.id}}.",
        "5. Keep last_cancelled: {{booking.id}}.",
        "6. Say: It is {{answer.status}}.",
    ]


def test_what_a_flow_needs_is_offered_and_known_to_checks() -> None:
    facts = HostedAgent(EXAMPLE).facts(Channel.WEB)

    assert {"cancel_booking", "update_person"} <= facts.tools.keys()
