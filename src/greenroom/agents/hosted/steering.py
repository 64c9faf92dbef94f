"""Who leads a turn: the flow that waits for an answer, else the playbook that is chosen, by its flow or by the model.

A flow is run when the conversation comes into its playbook, and from the answer it waits for. While it waits no router
is asked; when it is left because nothing fits, one is, since the person may have changed the subject.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from greenroom.agents.hosted.calling import Caller
from greenroom.agents.hosted.flow import Course
from greenroom.agents.hosted.flow_run import CHANGED, FlowRun, Went, flow_note
from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.record import TurnInProgress
from greenroom.agents.hosted.scene import Scene
from greenroom.conversation.flows import FlowState
from greenroom.conversation.json_values import Json
from greenroom.conversation.records import Route, RouteBy
from greenroom.models.model import Model
from greenroom.world.ports import ConversationState

__all__ = ["Steering"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Steering:
    """The way of one turn."""

    agent: HostedAgent
    router: Model
    state: ConversationState
    scene: Scene
    turn: TurnInProgress

    async def served(self) -> bool:
        """Whether a flow served the turn, so that no model is asked. Afterwards `turn.route` is the turn's route."""
        turn, held = self.turn, self._held()
        turn.flow = held
        if held is not None and held.waits is not None:
            course = self.agent.course(held.playbook)
            if course is not None:
                turn.route = Route(playbook=held.playbook, by=RouteBy.FLOW, stayed=True)
                run = self._run(course, held.playbook, held)
                if (went := await run.go_on(held.waits, turn.event)) is not Went.UNFIT:
                    return self._is_served(went)
        route = turn.route = await self._route()
        if turn.flow is not None and turn.flow.playbook != route.playbook and held is self.state.flow:
            # What was changed just now is told once, also in another playbook: its own may be gone.
            turn.flow = None
        course = self.agent.course(route.playbook)
        if route.playbook is None or course is None or route.stayed:
            return False
        return self._is_served(await self._run(course, route.playbook, None).start())

    @property
    def note(self) -> str:
        """What the model is told of a flow that led here, to stand after its prompt."""
        flow = self.turn.flow
        return f"\n\n# Where this conversation stands\n{flow.note}" if flow is not None and flow.note else ""

    def caller(self, playbook: str | None) -> Caller:
        """What may be called in a playbook."""
        offer = self.agent.offer(playbook, self.state.channel)
        return Caller(offers=self.agent.offers, offer=offer, scene=self.scene)

    def _held(self) -> FlowState | None:
        """The flow that was begun; one that is another by now can't go on (semantics: revisions)."""
        held = self.state.flow
        if held is None or held.waits is None:
            return held
        course = self.agent.course(held.playbook)
        if course is not None and course.hash == held.flow:
            return held
        return replace(held, waits=None, note=flow_note(CHANGED, held.values))

    def _run(self, course: Course, playbook: str, held: FlowState | None) -> FlowRun:
        values: Mapping[str, Json] = {} if held is None else held.values
        caller = self.caller(playbook)
        return FlowRun(playbook=playbook, course=course, caller=caller, turn=self.turn, values=values)

    async def _route(self) -> Route:
        state, router = self.state, self.agent.router
        if state.playbook is not None and state.playbook not in self.agent.document.playbooks:
            # A revision that came live in the meantime may have another set of playbooks.
            state = replace(state, playbook=None)
        at_once = router.at_once(self.turn.event, state.playbook, first=state.turns == 0 or state.placed)
        return at_once or await router.ask(self.router, state, self.turn, self.scene.values)

    def _is_served(self, went: Went) -> bool:
        """The person has the flow's answer; one that ends without a word leaves the answer to the model."""
        return went in {Went.WAITS, Went.ENDED} or (went is Went.OVER and self.turn.spoke)
