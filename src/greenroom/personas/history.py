"""The person of a case that is history alone: everything was said already, and the agent's next message is wanted.

`run_case` asks the session for that one message (`AgentSession.reply_to_history`); this person says nothing after it
(features.md B9: next reply, tool call; semantics: history alone).
"""

from collections.abc import Mapping, Sequence

from greenroom.conversation.events import Said
from greenroom.conversation.outcomes import Given
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.usage import Role, Usage
from greenroom.documents.suite import Case, GivenPerson, GivenStep
from greenroom.personas.persons import Next, Persona, Stops
from greenroom.personas.script import ScriptPersona

__all__ = ["HistoryPersona", "given_steps", "persona_of", "wants_next_reply"]


class HistoryPersona:
    """Says nothing more."""

    @property
    def usage(self) -> Mapping[Role, Usage]:
        """Nothing."""
        return {}

    async def next(self, turns: Sequence[Turn]) -> Next:
        """Stops: with the agent's own reason when it ended the conversation, else as a script that is through."""
        ended = turns[-1].ended if turns else None
        return Stops(reason=ended or StopReason.SCRIPT_END)


def wants_next_reply(case: Case) -> bool:
    """Whether the case is history alone and asks for the one next reply."""
    return bool(case.history) and not case.script and case.simulate is None and case.outreach is None


def persona_of(case: Case) -> Persona:
    """Who speaks in this case when nobody is simulated."""
    return HistoryPersona() if wants_next_reply(case) else ScriptPersona(case.script)


def given_steps(steps: Sequence[GivenStep]) -> tuple[Given, ...]:
    """The written history as values: the person's steps as words said, the agent's as text."""
    return tuple(
        Given(person=Said(text=step.person)) if isinstance(step, GivenPerson) else Given(agent=step.agent)
        for step in steps
    )
