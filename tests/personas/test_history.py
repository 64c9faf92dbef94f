"""The person of a case that is history alone."""

import pytest

from greenroom.conversation.events import Said
from greenroom.conversation.outcomes import Given
from greenroom.conversation.turns import StopReason, Turn
from greenroom.documents.suite import Case, GivenAgent, GivenPerson, Say
from greenroom.personas.history import HistoryPersona, given_steps, persona_of, wants_next_reply
from greenroom.personas.persons import Stops
from greenroom.personas.script import ScriptPersona

HISTORY = (GivenPerson(person="A boat, please"), GivenAgent(agent="Which marina?"))


@pytest.mark.requirement("B9")
async def test_history_alone_asks_for_one_reply_and_says_nothing_more() -> None:
    case = Case(id="next", suite="s", history=HISTORY)
    person = persona_of(case)
    assert wants_next_reply(case)
    assert isinstance(person, HistoryPersona)
    assert person.usage == {}
    assert await person.next([Turn(index=1, event=None)]) == Stops(reason=StopReason.SCRIPT_END)
    ended = Turn(index=1, event=None, ended=StopReason.RESOLVED)
    assert await person.next([ended]) == Stops(reason=StopReason.RESOLVED)


def test_history_with_a_script_goes_on_with_the_script() -> None:
    case = Case(id="next", suite="s", history=HISTORY, script=(Say(say="North"),))
    assert not wants_next_reply(case)
    assert isinstance(persona_of(case), ScriptPersona)


def test_written_steps_become_what_was_given() -> None:
    assert given_steps(HISTORY) == (Given(person=Said(text="A boat, please")), Given(agent="Which marina?"))
