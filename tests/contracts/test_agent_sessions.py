"""What every kind of agent session keeps, whatever agent stands behind it.

A kind takes part by a maker in `KINDS`: a session with an agent that greets with "Hi, this is Lakeside.", answers each
line with how many lines of the person it has read, hands over when it is asked to, and breaks when it is told to.
"""

from collections.abc import Callable

import pytest
from tests.agents.stage import PlayedModel, Stage, calls, desk, heard, says

from greenroom.agents.sessions import AgentSession, Start
from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said, Tap, TapKind
from greenroom.conversation.messages import text_message
from greenroom.conversation.outcomes import Cause, Given
from greenroom.conversation.turns import StopReason
from greenroom.errors import CaseFault, ModelUnreachable
from greenroom.models.model import ModelAnswer, ModelRequest


def hosted() -> AgentSession:
    def answering(request: ModelRequest) -> ModelAnswer:
        lines = heard(request)
        if lines and lines[-1] == "break":
            raise ModelUnreachable("script:desk", "the server answered 500")
        if lines and lines[-1] == "human":
            return calls(("hand_over", {"reason": "asked for"}), text="Here is Dana.")
        return says(str(len(lines)))

    agent = desk(greeting="Hi, this is Lakeside.", hand_over={"email": []})
    return Stage(agent, PlayedModel(answering)).session()


KINDS: dict[str, Callable[[], AgentSession]] = {"hosted": hosted}

pytestmark = pytest.mark.requirement("G3")


@pytest.fixture(params=list(KINDS))
def session(request: pytest.FixtureRequest) -> AgentSession:
    return KINDS[request.param]()


def start(history: tuple[Given, ...] = ()) -> Start:
    return Start(conversation="talk-1", channel=Channel.WEB, identity="visitor-1", history=history)


async def test_turn_0_is_the_greeting_and_turns_count_from_there(session: AgentSession) -> None:
    opening = await session.open(start())
    first = await session.send(Said(text="one"))
    second = await session.send(Tap(tapped=TapKind.CHIP, label="two", value="two"))
    assert [turn.index for turn in (opening, first, second)] == [0, 1, 2]
    assert [turn.messages for turn in (opening, first, second)] == [
        (text_message("Hi, this is Lakeside."),),
        (text_message("1"),),
        (text_message("2"),),
    ]
    assert first.event == Said(text="one")
    await session.close()


async def test_a_history_is_read_and_is_no_turn(session: AgentSession) -> None:
    history = (Given(person=Said(text="one")), Given(agent="1"), Given(person=Said(text="two")))
    opening = await session.open(start(history))
    reply = await session.reply_to_history()
    assert opening.messages == ()
    assert (reply.index, reply.event, reply.messages) == (1, None, (text_message("2"),))
    await session.close()


async def test_the_end_that_the_agent_makes_is_on_the_turn(session: AgentSession) -> None:
    await session.open(start())
    turn = await session.send(Said(text="human"))
    assert turn.ended is StopReason.HANDED_OVER
    await session.close()


async def test_what_breaks_has_a_cause_and_leaves_what_there_was(session: AgentSession) -> None:
    await session.open(start())
    whole = await session.send(Said(text="one"))
    assert session.broken_turn is None
    with pytest.raises(CaseFault) as caught:
        await session.send(Said(text="break"))
    assert Cause(caught.value.cause) in {Cause.AGENT, Cause.PLATFORM}
    assert StopReason(caught.value.stopped)
    assert session.broken_turn is not None
    assert session.broken_turn.index == whole.index + 1
    assert session.broken_turn.event == Said(text="break")
    await session.close()


async def test_usage_grows_with_every_turn_and_facts_stay(session: AgentSession) -> None:
    await session.open(start())
    facts = session.facts
    before = sum(usage.calls for usage in session.usage.values())
    await session.send(Said(text="one"))
    assert sum(usage.calls for usage in session.usage.values()) > before
    assert session.facts == facts
    assert facts.name == "Lakeside"
    await session.close()
