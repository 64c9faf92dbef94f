"""Which playbook a turn runs in."""

import pytest
from tests.agents.stage import PlayedModel, Stage, desk, in_turn, never_asked, says

from greenroom.conversation.events import Event, Said, Tap, TapKind
from greenroom.conversation.records import Route, RouteBy
from greenroom.conversation.usage import Role
from greenroom.errors import CaseFault, ModelUnreachable
from greenroom.models.asking import OUTPUT_TOKENS
from greenroom.models.model import AgentSays, Finish, ModelAnswer, ModelRequest, UserSays

BOOKS = {
    "booking": {
        "name": "Booking",
        "when": "The person wants a boat.",
        "prompt": "Ask for the date.",
        "uses": ["notify"],
    },
    "refunds": {"name": "Refunds", "when": "The person wants money back.", "uses": ["hand_over"]},
}
CHIP = Tap(tapped=TapKind.CHIP, label="North", value="North")


def talking() -> PlayedModel:
    return PlayedModel(lambda _: says("Certainly."))


async def routes(stage: Stage, *events: Event, playbook: str | None = None) -> list[Route]:
    session = await stage.opened(playbook=playbook)
    for event in events:
        await session.send(event)
    return [record.route for record in session.records[1:]]


@pytest.mark.requirement("A2")
async def test_an_agent_without_playbooks_is_not_routed() -> None:
    assert await routes(Stage(desk(), talking()), Said(text="Hi")) == [Route(playbook=None, by=RouteBy.NONE)]


async def test_no_model_is_asked_when_there_is_one_playbook() -> None:
    agent = desk(playbooks={"booking": BOOKS["booking"]})
    assert await routes(Stage(agent, talking()), Said(text="Hi"), Said(text="Boat")) == [
        Route(playbook="booking", by=RouteBy.ONLY),
        Route(playbook="booking", by=RouteBy.ONLY, stayed=True),
    ]


@pytest.mark.requirement("A2", "A3")
async def test_the_router_decides_each_free_text_turn_and_a_tap_stays_without_it() -> None:
    router = in_turn(says("booking"), says("stay"), says("`Refunds`."))
    stage = Stage(desk(playbooks=BOOKS), talking(), router=router)
    lines = (Said(text="A boat"), CHIP, Said(text="Two hours"), Said(text="My money back"))
    assert await routes(stage, *lines) == [
        Route(playbook="booking", by=RouteBy.MODEL),
        Route(playbook="booking", by=RouteBy.TAP, stayed=True),
        Route(playbook="booking", by=RouteBy.MODEL, stayed=True),
        Route(playbook="refunds", by=RouteBy.MODEL),
    ]
    assert [request.role for request in router.asked] == [Role.ROUTER] * 3
    assert router.asked[1].messages == (
        UserSays(text="A boat"),
        AgentSays(text="Certainly."),
        UserSays(text="North"),
        AgentSays(text="Certainly."),
        UserSays(text="Two hours"),
    )
    assert "- booking: The person wants a boat.\n- refunds: The person wants money back." in router.asked[0].system
    assert "now in `booking`" in router.asked[1].system
    assert router.asked[0].tools == ()


async def test_the_turn_runs_in_the_playbook_with_what_it_uses() -> None:
    stage = Stage(desk(playbooks=BOOKS), talking(), router=in_turn(says("booking"), says("refunds")))
    session = await stage.opened()
    first, second = await session.send(Said(text="A boat")), await session.send(Said(text="Money"))
    assert (first.playbook, second.playbook) == ("booking", "refunds")
    assert [tool.name for tool in stage.model.asked[0].tools] == ["notify_team", "send_message", "end_conversation"]
    assert [tool.name for tool in stage.model.asked[1].tools] == ["hand_over", "send_message", "end_conversation"]
    assert "Ask for the date." in stage.model.asked[0].system
    assert "Ask for the date." not in stage.model.asked[1].system
    assert session.usage[Role.ROUTER].calls == 2
    assert session.usage[Role.AGENT].calls == 2


@pytest.mark.parametrize("answer", ["I think it is about booking", "", "bookings", "BOOKING or refunds"])
async def test_an_answer_that_names_no_playbook_stays_and_is_on_the_record(answer: str) -> None:
    """J20's kind of fault: an id that is mentioned somewhere in an answer is no choice."""
    router = in_turn(says("refunds"), says(answer))
    routed = await routes(Stage(desk(playbooks=BOOKS), talking(), router=router), Said(text="a"), Said(text="b"))
    assert routed[1] == Route(playbook="refunds", by=RouteBy.MODEL, stayed=True, answer=answer)


async def test_a_router_that_was_cut_off_is_asked_once_more_with_more_room() -> None:
    """J10's kind: a model that reasons first would stay in each turn, and nobody would see why."""
    router = in_turn(says("", Finish.LENGTH), says("refunds"), says("boo", Finish.LENGTH), says("", Finish.LENGTH))
    routed = await routes(Stage(desk(playbooks=BOOKS), talking(), router=router), Said(text="a"), Said(text="b"))
    assert routed[0] == Route(playbook="refunds", by=RouteBy.MODEL)
    assert routed[1] == Route(playbook="refunds", by=RouteBy.MODEL, stayed=True)
    first, second, *_ = (request.max_tokens for request in router.asked)
    # At first the limit is what the document says for its router, else the one that all routers have.
    assert first is None
    assert second is not None
    assert second > 4 * OUTPUT_TOKENS[Role.ROUTER]


async def test_a_conversation_that_fits_no_playbook_yet_offers_only_what_is_always_there() -> None:
    stage = Stage(desk(playbooks=BOOKS), talking(), router=in_turn(says("stay")))
    session = await stage.opened()
    turn = await session.send(Said(text="Hi"))
    assert turn.playbook is None
    assert session.records[-1].offered == ("send_message", "end_conversation")
    assert "- Booking: The person wants a boat." in session.records[-1].prompt


async def test_a_case_that_starts_in_a_playbook_is_routed_from_its_second_turn_on() -> None:
    stage = Stage(desk(playbooks=BOOKS), talking(), router=in_turn(says("booking")))
    assert await routes(stage, Said(text="Hi"), Said(text="A boat"), playbook="refunds") == [
        Route(playbook="refunds", by=RouteBy.START),
        Route(playbook="booking", by=RouteBy.MODEL),
    ]


async def test_a_tap_before_any_playbook_is_in_force_decides_nothing() -> None:
    stage = Stage(desk(playbooks=BOOKS), talking(), router=in_turn(says("booking")))
    assert await routes(stage, CHIP) == [Route(playbook="booking", by=RouteBy.MODEL)]


async def test_a_router_whose_provider_fails_breaks_the_turn_off_as_the_platforms_fault() -> None:
    def failing(request: ModelRequest) -> ModelAnswer:
        raise ModelUnreachable("openai:x", "connection refused", attempts=3)

    session = await Stage(desk(playbooks=BOOKS), never_asked(), router=PlayedModel(failing)).opened()
    with pytest.raises(CaseFault) as caught:
        await session.send(Said(text="Hi"))
    assert caught.value.cause == "platform"
    assert session.usage[Role.ROUTER].calls == 3
