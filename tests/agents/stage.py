"""Makers for the tests of agents: models played by a function, a hosted agent on a stage, its conversation."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Literal

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.session import HostedSession
from greenroom.agents.service import ConversationService
from greenroom.agents.sessions import Start
from greenroom.clock import Clock, FrozenClock, SystemClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import Given
from greenroom.conversation.usage import Usage
from greenroom.documents.agent import Agent
from greenroom.documents.mocks import Mock
from greenroom.documents.project import Limits
from greenroom.documents.suite import Case, CaseWorld, PersonStart
from greenroom.models.model import Finish, ModelAnswer, ModelRequest, RequestedCall, UserSays
from greenroom.world.sandbox.world import Outside, SandboxWorld, sandbox_world
from greenroom.world.webhooks import Webhooks

NOON = datetime(2026, 6, 6, 12, 0, tzinfo=UTC)

Answering = Callable[[ModelRequest], "ModelAnswer | Awaitable[ModelAnswer]"]


class PlayedModel:
    """A model whose answers a function gives; it keeps what it was asked."""

    def __init__(self, answering: Answering, name: str = "script:played") -> None:
        self._answering = answering
        self.name = name
        self.scripted = True
        self.asked: list[ModelRequest] = []

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        self.asked.append(request)
        answer = self._answering(request)
        return answer if isinstance(answer, ModelAnswer) else await answer


def in_turn(*answers: ModelAnswer) -> PlayedModel:
    """A model that gives these answers one after another, and breaks the test when it is asked once more."""
    left = iter(answers)
    return PlayedModel(lambda _: next(left))


def never_asked() -> PlayedModel:
    def answering(request: ModelRequest) -> ModelAnswer:
        raise AssertionError(f"nobody should ask this model: {request}")

    return PlayedModel(answering)


def says(text: str, finish: Finish = Finish.STOP) -> ModelAnswer:
    return ModelAnswer(text=text, finish=finish, usage=Usage(input_tokens=100, output_tokens=10, calls=1))


def calls(*wanted: tuple[str, Json], text: str = "") -> ModelAnswer:
    """An answer that asks for these calls, at once."""
    requested = tuple(
        RequestedCall(call_id=f"call-{number}", tool=tool, arguments=arguments)
        for number, (tool, arguments) in enumerate(wanted, start=1)
    )
    usage = Usage(input_tokens=100, output_tokens=10, calls=1)
    return ModelAnswer(text=text, calls=requested, finish=Finish.TOOL_CALLS, usage=usage)


def heard(request: ModelRequest) -> list[str]:
    """What the person has said so far, as the model reads it."""
    return [message.text for message in request.messages if isinstance(message, UserSays)]


def desk(**given: object) -> Agent:
    """A small agent without playbooks, but for what is given."""
    return Agent.model_validate({"agent": "lakeside", "name": "Lakeside", "model": {"name": "script:desk"}, **given})


class HeldClock(FrozenClock):
    """A clock on which everybody who sleeps waits for the same thing."""

    def __init__(self, until: Callable[[], Awaitable[object]]) -> None:
        super().__init__(NOON)
        self._until = until

    async def sleep(self, seconds: float) -> None:
        await self._until()


def world_of(
    agent: Agent,
    *,
    person: PersonStart | None = None,
    mocks: Sequence[Mock] = (),
    no_answer: Literal["fail", "captured"] = "fail",
    clock: Clock | None = None,
) -> SandboxWorld:
    """The sandbox of a conversation with `visitor-1`, at noon of 6 June 2026."""
    return sandbox_world(
        agent=agent,
        case=Case(id="talk", suite="stage", person=person, world=CaseWorld(mocks=tuple(mocks), no_answer=no_answer)),
        clock=clock or FrozenClock(NOON),
        conversation="talk-1",
        identity="visitor-1",
        outside=Outside(environment={}, webhooks=Webhooks()),
    )


class Stage:
    """An agent, its world and its models, ready for a conversation."""

    def __init__(
        self,
        agent: Agent,
        model: PlayedModel,
        *,
        router: PlayedModel | None = None,
        world: SandboxWorld | None = None,
        limits: Limits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.model = model
        self.router = router or never_asked()
        self.world = world or world_of(agent)
        self.agent = HostedAgent(agent)
        self.clock = clock or SystemClock()
        self.service = ConversationService(
            self.agent,
            world=self.world,
            model=model,
            router=self.router,
            limits=limits or Limits(),
            clock=self.clock,
        )

    def session(self) -> HostedSession:
        return HostedSession(self.agent, service=self.service, world=self.world, clock=self.clock)

    async def opened(
        self,
        channel: Channel = Channel.WEB,
        *,
        playbook: str | None = None,
        history: tuple[Given, ...] = (),
    ) -> HostedSession:
        session = self.session()
        await session.open(
            Start(conversation="talk-1", channel=channel, identity="visitor-1", playbook=playbook, history=history)
        )
        return session
