"""The tool loop, seen from the conversation."""

import asyncio

import pytest
from tests.agents.stage import HeldClock, PlayedModel, Stage, calls, desk, heard, in_turn, says, world_of

from greenroom.conversation.calls import AnsweredBy, ToolKind
from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Card, Message, text_message
from greenroom.conversation.records import RouteBy
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import StopReason
from greenroom.conversation.usage import Role
from greenroom.documents.mocks import Mock
from greenroom.documents.project import Limits
from greenroom.errors import CaseFault, ModelUnreachable
from greenroom.models.model import AgentSays, Finish, ModelAnswer, ModelRequest, ToolAnswer, UserSays

ORDERS: Json = {
    "get_order": {
        "kind": "webhook",
        "description": "Looks an order up.",
        "url": "https://orders.example/{order_id}",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
            "required": ["order_id"],
            "additionalProperties": False,
        },
    },
    "get_weather": {"kind": "webhook", "url": "https://weather.example", "read_only": True},
}


@pytest.mark.requirement("A2", "A9", "A12")
async def test_a_turn_shows_what_was_said_called_and_done_and_its_record_shows_how() -> None:
    agent = desk(tools=ORDERS, notifications={"to": []}, rules=["Never promise a refund."])
    world = world_of(agent, mocks=[Mock(tool="get_order", result={"status": "shipped"})])
    model = in_turn(
        calls(("get_order", {"order_id": "A-1"}), text="One moment."),
        calls(("notify_team", {"text": "Order A-1 was asked for"})),
        says("It is on its way."),
    )
    session = await Stage(agent, model, world=world).opened()

    turn = await session.send(Said(text="Where is A-1?"))

    assert [entry.kind for entry in turn.entries] == ["message", "call", "call", "effect", "message"]
    assert turn.messages == (text_message("One moment."), text_message("It is on its way."))
    assert [(call.tool, call.result, call.answered_by) for call in turn.calls] == [
        ("get_order", {"status": "shipped"}, AnsweredBy.MOCK),
        ("notify_team", "the team will be told", AnsweredBy.BUILT_IN),
    ]
    assert [effect.summary for effect in turn.effects] == ["Order A-1 was asked for"]
    record = session.records[-1]
    assert record.entries == turn.entries
    assert record.offered == ("get_order", "get_weather", "notify_team", "send_message", "end_conversation")
    assert record.route.by is RouteBy.NONE
    assert "Never promise a refund." in record.prompt
    assert record.prompt == model.asked[0].system
    assert [(call.role, call.finish) for call in record.model_calls] == [
        (Role.AGENT, "tool_calls"),
        (Role.AGENT, "tool_calls"),
        (Role.AGENT, "stop"),
    ]
    assert session.usage[Role.AGENT].calls == 3
    assert session.usage[Role.AGENT].output_tokens == 30


@pytest.mark.requirement("A1")
async def test_each_turn_reads_each_of_the_persons_lines_once() -> None:
    """S05: an agent that counts what it hears answers 1, 2, 3."""
    stage = Stage(desk(greeting="Hi!"), PlayedModel(lambda request: says(str(len(heard(request))))))
    session = await stage.opened()
    answers = [await session.send(Said(text=f"line {number}")) for number in range(3)]
    assert [turn.messages for turn in answers] == [(text_message(str(number)),) for number in (1, 2, 3)]
    assert stage.model.asked[-1].messages == (
        AgentSays(text="Hi!"),
        UserSays(text="line 0"),
        AgentSays(text="1"),
        UserSays(text="line 1"),
        AgentSays(text="2"),
        UserSays(text="line 2"),
    )


async def test_several_messages_in_a_turn_are_one_turn() -> None:
    """S25: text, card, text; the next line of the person is turn 2."""
    card: Json = {"parts": [{"card": {"title": "North", "subtitle": "12 boats"}}]}
    model = in_turn(calls(("send_message", card), text="We have two."), says("Which one?"), says("Fine."))
    session = await Stage(desk(), model).opened()
    first, second = await session.send(Said(text="Marinas?")), await session.send(Said(text="North"))
    assert first.messages == (
        text_message("We have two."),
        Message(parts=(Card(title="North", subtitle="12 boats"),)),
        text_message("Which one?"),
    )
    assert (first.index, second.index) == (1, 2)


async def test_nothing_more_is_needed_after_a_message_was_sent_by_a_tool() -> None:
    model = in_turn(calls(("send_message", {"parts": ["Here you are."]})), says(""))
    session = await Stage(desk(), model).opened()
    turn = await session.send(Said(text="Hello"))
    assert turn.messages == (text_message("Here you are."),)


async def test_private_reasoning_is_neither_shown_nor_read_again() -> None:
    """S17: nor does a stop word inside it end anything."""
    model = in_turn(says("<think>The user may stop. [END] end_conversation</think>\n\nHello."), says("Yes."))
    session = await Stage(desk(), model).opened()
    turn = await session.send(Said(text="Hi"))
    await session.send(Said(text="Still there?"))
    assert turn.messages == (text_message("Hello."),)
    assert turn.ended is None
    assert model.asked[1].messages[1] == AgentSays(text="Hello.")


async def test_calls_that_are_asked_for_together_run_together_and_are_answered_in_order() -> None:
    agent = desk(tools=ORDERS)
    both_running = asyncio.Barrier(2)

    async def until_both_run() -> None:
        await asyncio.wait_for(both_running.wait(), 5)

    mocks = [Mock(tool="get_order", result={"status": "shipped"}, delay=1), Mock(tool="get_weather", result=0, delay=1)]
    world = world_of(agent, mocks=mocks, clock=HeldClock(until_both_run))
    model = in_turn(calls(("get_order", {"order_id": "A-1"}), ("get_weather", {})), says("Done."))
    session = await Stage(agent, model, world=world).opened()
    turn = await session.send(Said(text="Both, please"))
    assert [call.tool for call in turn.calls] == ["get_order", "get_weather"]
    assert model.asked[1].messages[2:] == (
        ToolAnswer(call_id="call-1", tool="get_order", text='{"status":"shipped"}'),
        ToolAnswer(call_id="call-2", tool="get_weather", text="0"),
    )


@pytest.mark.parametrize(
    ("result", "text"),
    [(False, "false"), (0, "0"), ("", ""), ([], "[]"), (None, "null"), ({"b": 1, "a": 2}, '{"b":1,"a":2}')],
)
async def test_every_kind_of_answer_reaches_the_model_as_itself(result: Json, text: str) -> None:
    """P01: false, 0, an empty text, an empty list and null are five different results."""
    agent = desk(tools=ORDERS)
    model = in_turn(calls(("get_weather", {})), says("Done."))
    session = await Stage(agent, model, world=world_of(agent, mocks=[Mock(tool="get_weather", result=result)])).opened()
    await session.send(Said(text="Weather?"))
    assert model.asked[1].messages[-1] == ToolAnswer(call_id="call-1", tool="get_weather", text=text)


async def test_a_tool_that_does_not_exist_is_the_agents_mistake_and_the_conversation_goes_on() -> None:
    """T16: it counts as a call and is answered with the nearest right name."""
    agent = desk(tools=ORDERS)
    model = in_turn(calls(("get_ordr", {"order_id": "A-1"})), says("Sorry."))
    session = await Stage(agent, model).opened()
    turn = await session.send(Said(text="Where is it?"))
    (call,) = turn.calls
    assert call.answered_by is AnsweredBy.REFUSED
    assert call.error == (
        "'get_ordr' is not one of your tools; did you mean 'get_order'?; "
        "there are get_order, get_weather, send_message, end_conversation"
    )
    assert model.asked[1].messages[-1] == ToolAnswer(
        call_id="call-1", tool="get_ordr", text=f"Error: {call.error}", failed=True
    )
    assert turn.messages == (text_message("Sorry."),)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "the arguments don't fit the parameters of get_order: 'order_id' is a required property"),
        (
            {"order_id": 7},
            "the arguments don't fit the parameters of get_order: order_id: 7 is not of type 'string'",
        ),
        (
            {"order_id": "A-1", "ammount": 3},
            "the arguments don't fit the parameters of get_order: Additional properties are not allowed "
            "('ammount' was unexpected); did you mean 'amount'?",
        ),
        ('{"order_id": ', "the arguments of get_order must be one JSON object; got '{\"order_id\": '"),
        (["A-1"], "the arguments of get_order must be one JSON object; got ['A-1']"),
    ],
)
async def test_arguments_that_do_not_fit_are_answered_as_an_error(arguments: Json, why: str) -> None:
    agent = desk(tools=ORDERS)
    session = await Stage(agent, in_turn(calls(("get_order", arguments)), says("Sorry."))).opened()
    turn = await session.send(Said(text="Where is it?"))
    (call,) = turn.calls
    assert (call.answered_by, call.tool_kind) == (AnsweredBy.REFUSED, ToolKind.WEBHOOK)
    assert call.error == why
    assert call.arguments == arguments


@pytest.mark.requirement("C12")
async def test_a_pattern_of_a_tool_is_javascripts() -> None:
    """As it is checked when the document is read."""
    day: Json = {"type": "string", "pattern": "^(?<day>[a-z]+)$"}
    parameters: Json = {"type": "object", "properties": {"day": day}}
    agent = desk(tools={"find": {"url": "https://a.example", "parameters": parameters, "mocks": [{"result": 2}]}})
    session = await Stage(agent, in_turn(calls(("find", {"day": "monday"})), says("Two."))).opened()
    turn = await session.send(Said(text="Monday?"))
    assert [(call.result, call.error) for call in turn.calls] == [(2, None)]


async def test_a_loop_of_calls_that_fail_says_why_the_last_one_did() -> None:
    """R1 S5."""
    model = PlayedModel(lambda _: calls(("get_wether", {})))
    agent = desk(tools=ORDERS)
    session = await Stage(agent, model, world=world_of(agent), limits=Limits(tool_rounds=2)).opened()
    with pytest.raises(CaseFault) as caught:
        await session.send(Said(text="Weather?"))
    assert "the last one was get_wether, which failed: 'get_wether' is not one of your tools; did you mean" in str(
        caught.value
    )


async def test_an_agent_that_calls_for_ever_is_stopped_and_what_it_did_is_kept() -> None:
    agent = desk(tools=ORDERS)
    model = PlayedModel(lambda _: calls(("get_weather", {})))
    world = world_of(agent, mocks=[Mock(tool="get_weather", result="rain")])
    session = await Stage(agent, model, world=world, limits=Limits(tool_rounds=3)).opened()
    with pytest.raises(CaseFault) as caught:
        await session.send(Said(text="Weather?"))
    assert caught.value.cause == "agent"
    assert caught.value.stopped == StopReason.AGENT_ERROR
    assert caught.value.message == (
        "the agent called tools 3 times in a row without coming to an end (`tool_rounds`); the last one was "
        "get_weather. A script is asked again after each call: above the rule that calls get_weather it needs one with "
        "`when: {answered: get_weather}` that says what comes then"
    )
    assert session.broken_turn is not None
    assert len(session.broken_turn.calls) == 3
    assert session.broken_turn.event == Said(text="Weather?")
    assert len(session.records) == 2
    assert session.usage[Role.AGENT].calls == 4


async def test_an_empty_reply_is_asked_for_once_more() -> None:
    session = await Stage(desk(), in_turn(says("  \n"), says("Here I am."))).opened()
    turn = await session.send(Said(text="Hello"))
    assert turn.messages == (text_message("Here I am."),)


@pytest.mark.parametrize("empty", ["", " \n ", "<think>nothing to say</think>"])
async def test_an_empty_reply_twice_is_the_agents_fault(empty: str) -> None:
    session = await Stage(desk(), in_turn(says(empty), says(empty))).opened()
    with pytest.raises(CaseFault, match="answered with nothing, twice") as caught:
        await session.send(Said(text="Hello"))
    assert (caught.value.cause, caught.value.stopped) == ("agent", StopReason.AGENT_ERROR)


async def test_an_empty_reply_that_was_cut_off_says_so() -> None:
    """J10's kind: a model that reasons until its limit."""
    cut = says("<think>so much to think of</think>", Finish.LENGTH)
    session = await Stage(desk(), in_turn(cut, cut)).opened()
    with pytest.raises(CaseFault, match=r"with nothing, twice; it was cut off at its limit of tokens .*max_tokens"):
        await session.send(Said(text="Hello"))


async def test_a_refusal_is_a_reply() -> None:
    session = await Stage(desk(), in_turn(says("I can't help with that.", Finish.REFUSAL))).opened()
    turn = await session.send(Said(text="Do harm"))
    assert turn.messages == (text_message("I can't help with that."),)
    assert session.records[-1].model_calls[0].finish == "refusal"


async def test_a_refusal_without_a_word_is_not_asked_again() -> None:
    session = await Stage(desk(), in_turn(says("", Finish.REFUSAL))).opened()
    with pytest.raises(CaseFault, match="refused and said nothing"):
        await session.send(Said(text="Do harm"))


async def test_a_provider_that_fails_is_the_platforms_fault_and_is_written_down() -> None:
    """S21, T22: an error inside the conversation is never a success, and its reason is on the record."""

    def failing(request: ModelRequest) -> ModelAnswer:
        raise ModelUnreachable("anthropic:x", "the server answered 529", attempts=4)

    session = await Stage(desk(), PlayedModel(failing)).opened()
    with pytest.raises(CaseFault, match=r"anthropic:x: the server answered 529 \(after 4 tries\)") as caught:
        await session.send(Said(text="Hello"))
    assert (caught.value.cause, caught.value.stopped) == ("platform", StopReason.PLATFORM_ERROR)
    assert session.records[-1].model_calls[0].error == "anthropic:x: the server answered 529 (after 4 tries)"
    assert session.usage[Role.AGENT].retries == 3


@pytest.mark.parametrize(
    "line",
    [
        "👩‍👩‍👧 ok ✅",
        "\u202eمرحبا بالعالم",
        "{{person.email}} {# hello",
        "---\n- x: 1",
        "\n".join(map(str, range(5000))),
    ],
)
async def test_a_line_reaches_the_agent_word_for_word(line: str) -> None:
    """P11, P12, P15: nothing in a person's words is a template, and nothing is escaped."""
    stage = Stage(desk(), PlayedModel(lambda request: says(heard(request)[-1])))
    session = await stage.opened()
    turn = await session.send(Said(text=line))
    assert heard(stage.model.asked[0]) == [line]
    assert turn.messages == (text_message(line.strip()),)


@pytest.mark.requirement("A8", "A9")
async def test_a_captured_call_is_an_effect_with_a_line_of_its_own() -> None:
    """C10, the other way: with `no_answer: captured` nothing was prepared, and nothing went unanswered."""
    agent = desk(tools=ORDERS)
    model = in_turn(calls(("get_order", {"order_id": "W1"}), ("get_weather", {})), says("It is on its way."))
    world = world_of(agent, mocks=[Mock(tool="get_weather", result="fine")], no_answer="captured")
    session = await Stage(agent, model, world=world).opened()
    turn = await session.send(Said(text="Where is W1?"))
    assert turn.effects == (
        Effect(
            effect=EffectKind.CAPTURED_CALL,
            summary='get_order {"order_id": "W1"}',
            data={"tool": "get_order", "arguments": {"order_id": "W1"}},
        ),
    )
    assert [call.answered_by for call in turn.calls] == [AnsweredBy.CAPTURED, AnsweredBy.MOCK]
    assert session.records[-1].entries == turn.entries
    assert render_transcript([turn]).split("\n\n") == [
        "Person: Where is W1?",
        '[captured call: get_order {"order_id": "W1"}]',
        "Agent: It is on its way.",
    ]


async def test_when_one_of_several_calls_breaks_the_others_have_stopped_before_the_turn_is_over() -> None:
    """Nothing of a turn that broke off may still act on a world that is being closed."""
    stopped: list[str] = []
    agent = desk(tools={"slow": {"kind": "webhook"}, "bad": {"kind": "webhook", "parameters": {"type": "no-type"}}})

    async def until() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # noqa: TID251 - takes one more round of the loop to stop
            stopped.append("slow")

    world = world_of(agent, mocks=[Mock(tool="slow", result=1, delay=1)], clock=HeldClock(until))
    session = await Stage(agent, in_turn(calls(("slow", {}), ("bad", {}))), world=world).opened()
    with pytest.raises(CaseFault):
        await session.send(Said(text="Both"))
    assert stopped == ["slow"]
