"""Flows that wait, are left to the model, or were changed in the meantime (semantics: routing, revisions)."""

from collections.abc import Mapping, Sequence

import pytest
from tests.agents.flows import CANCELLING, EXAMPLE, TOOLS, agent_with, on_stage, shown, tapped
from tests.agents.stage import PlayedModel, Stage, in_turn, never_asked, says
from tests.builders import agent as read_agent

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Inbound, Said, TapKind
from greenroom.conversation.messages import Text
from greenroom.conversation.own_messages import OwnMessage, OwnMessageKind
from greenroom.conversation.records import FlowCame, RouteBy
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.models.model import AgentSays

pytestmark = pytest.mark.requirement("A3", "A8")


async def test_an_answer_that_fits_nothing_is_asked_for_once_more_and_then_the_model_goes_on() -> None:
    stage = on_stage(EXAMPLE, in_turn(says("Which one did you mean?"), says("Bye.")))
    session = await stage.opened()
    await session.send(Said(text="Cancel, please"))

    again = await session.send(Said(text="the red one"))
    left = await session.send(Said(text="the red one, I said"))
    after = await session.send(Said(text="Powerboat"))

    assert shown(again) == ["Which booking?", "options Powerboat | Kayak"]
    assert shown(left) == ["Which one did you mean?"]
    assert shown(after) == ["Bye."]
    told = [request.system for request in stage.model.asked]
    assert all("none of the answers that were expected" in prompt for prompt in told)
    assert [step.came for record in session.records for step in record.flow] == [
        FlowCame.WAITS,
        FlowCame.WAITS,
        FlowCame.UNFIT,
    ]


async def test_the_model_that_takes_over_reads_what_the_flow_said_and_did() -> None:
    flow = [*CANCELLING[:2], CANCELLING[3], {"leave": "Ask whether they want another day."}]
    stage = on_stage(agent_with(flow), in_turn(says("Another day, then?")))
    session = await stage.opened()
    await session.send(Said(text="Cancel, please"))
    await session.send(tapped("Powerboat"))

    turn = await session.send(tapped("Yes", TapKind.CONFIRM))

    (request,) = stage.model.asked
    assert [(type(one).__name__, getattr(one, "text", "")) for one in request.messages] == [
        ("AgentSays", "Hello, this is Lakeside."),
        ("UserSays", "Cancel, please"),
        ("AgentSays", ""),
        ("ToolAnswer", "sent"),
        ("UserSays", "Powerboat"),
        ("AgentSays", ""),
        ("ToolAnswer", "sent"),
        ("UserSays", "Yes"),
        ("AgentSays", ""),
        ("ToolAnswer", '{"status":"cancelled","refund":40}'),
    ]
    asked = request.messages[2]
    assert isinstance(asked, AgentSays)
    assert asked.calls[0].arguments == {"parts": [{"text": "Which booking?"}, {"options": ("Powerboat", "Kayak")}]}
    assert "Ask whether they want another day." in request.system
    assert '"booking": {"id": "B-1"}' in request.system
    assert shown(turn) == ["Another day, then?"]
    assert {"cancel_booking", "send_message"} <= {spec.name for spec in request.tools}


def _two_playbooks() -> Agent:
    return read_agent(
        tools=TOOLS,
        people={"fields": {"last_cancelled": {}}},
        playbooks={
            "cancelling": {"when": "They cancel.", "flow": CANCELLING},
            "hours": {"when": "They ask when.", "flow": [{"say": "From 8 to 19."}]},
            "other": {"when": "Anything else.", "prompt": "Help."},
        },
    )


TWO = _two_playbooks()


async def test_while_a_flow_waits_nobody_asks_the_router() -> None:
    stage = on_stage(TWO, router=in_turn(says("cancelling")))
    session = await stage.opened()
    events = (Said(text="Cancel"), Said(text="what?"), tapped("Powerboat"), tapped("Yes", TapKind.CONFIRM))

    turns = [await session.send(event) for event in events]

    assert shown(turns[-1]) == ["It is cancelled."]
    assert len(stage.router.asked) == 1
    assert [record.route.by for record in session.records[1:]] == [RouteBy.MODEL, *[RouteBy.FLOW] * 3]


async def test_somebody_who_changes_the_subject_is_routed_once_the_flow_gives_up() -> None:
    stage = on_stage(TWO, router=in_turn(says("cancelling"), says("hours"), says("cancelling")))
    session = await stage.opened()
    said = ("Cancel", "When do you open?", "When do you open?", "Then cancel")

    turns = [await session.send(Said(text=text)) for text in said]

    assert [shown(turn)[0] for turn in turns] == ["Which booking?", "Which booking?", "From 8 to 19.", "Which booking?"]
    assert [turn.playbook for turn in turns] == ["cancelling", "cancelling", "hours", "cancelling"]


async def test_a_tap_on_something_else_counts_as_an_answer_and_never_asks_the_router() -> None:
    stage = on_stage(TWO, in_turn(says("I see.")), router=in_turn(says("cancelling")))
    session = await stage.opened()
    for event in (Said(text="Cancel"), tapped("Rates", TapKind.CHIP), tapped("Rates", TapKind.CHIP)):
        last = await session.send(event)

    assert shown(last) == ["I see."]
    assert len(stage.router.asked) == 1


def _resumed(session_of: Stage, agent: Agent, model: PlayedModel) -> Stage:
    """The same world served by another process, maybe with another document."""
    return on_stage(agent, model, world=session_of.world, router=never_asked())


async def _goes_on(stage: Stage, text: str, number: int) -> Turn:
    inbound = Inbound(
        conversation="talk-1", channel=Channel.WEB, identity="visitor-1", message_id=f"m{number}", event=Said(text=text)
    )
    return (await stage.service.deliver(inbound)).turn


async def test_a_flow_goes_on_where_it_waits_when_another_server_serves_the_next_event() -> None:
    before = on_stage(EXAMPLE)
    await (await before.opened()).send(Said(text="Cancel"))

    assert shown(await _goes_on(_resumed(before, EXAMPLE, never_asked()), "Kayak", 7))[0] == "Cancel it?"


CHANGED: Sequence[Mapping[str, object]] = [
    {"cancelling": {"flow": [{"ask": {"text": "Which booking?", "options": ["Powerboat"], "as": "booking"}}]}},
    {"cancelling": {"flow": [{"say": "New."}]}},
    {"cancelling": {}},
    {"new": {}},
    {},
]


@pytest.mark.parametrize("playbooks", CHANGED)
async def test_a_flow_that_was_changed_in_the_meantime_is_left_to_the_model(playbooks: Mapping[str, object]) -> None:
    before = on_stage(EXAMPLE)
    session = await before.opened()
    await session.send(Said(text="Cancel"))
    changed = read_agent(playbooks=playbooks)
    after = _resumed(before, changed, in_turn(says("Where were we?")))

    turn = await _goes_on(after, "Powerboat", 7)

    assert shown(turn) == ["Where were we?"]
    assert "changed in the meantime" in after.model.asked[0].system


async def test_the_flow_of_the_playbook_that_a_conversation_starts_in_begins_with_the_first_event() -> None:
    session = await on_stage(TWO).opened(playbook="hours")

    assert shown(await session.send(Said(text="Hi"))) == ["From 8 to 19."]


async def test_a_message_of_the_agent_s_own_that_begins_another_playbook_ends_the_waiting() -> None:
    stage = on_stage(TWO, router=in_turn(says("cancelling")))
    session = await stage.opened()
    await session.send(Said(text="Cancel"))
    state = await stage.world.conversations.load("talk-1")
    assert state is not None
    own = OwnMessage(kind=OwnMessageKind.OUTREACH, name="season", parts=(Text(text="We are open!"),), playbook="hours")

    await stage.service.say(state, own)

    assert shown(await session.send(Said(text="Kayak"))) == ["From 8 to 19."]
