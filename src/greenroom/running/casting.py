"""Who takes part in each sample: what is shared by a whole run is made once, what belongs to one sample anew."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.session import hosted_session
from greenroom.clock import Clock
from greenroom.conversation.outcomes import PlannedSample, SampleResult, Status
from greenroom.documents.agent import Agent
from greenroom.documents.project import Limits
from greenroom.documents.suite import Case
from greenroom.models.model import Model
from greenroom.personas.history import persona_of
from greenroom.running.case import CaseRun, Cast, conversation_id, identity_of, limits_of, run_case
from greenroom.world.sandbox.world import sandbox_world
from greenroom.world.webhooks import Webhooks

__all__ = ["Company", "play"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """What the samples of a run share."""

    agent: Agent
    hosted: HostedAgent
    model: Model
    router: Model
    judge: Model | None
    limits: Limits
    clock: Clock
    environment: Mapping[str, str]
    webhooks: Webhooks
    case_of: Callable[[PlannedSample], Case]


async def play(company: Company, planned: PlannedSample) -> CaseRun:
    """One sample of the plan, in a sandbox of its own. A skipped case is not played."""
    case = company.case_of(planned)
    if case.skip is not None:
        skipped = SampleResult(key=planned.key, status=Status.SKIPPED, note=case.skip, case_hash=planned.case_hash)
        return CaseRun(result=skipped, records=())
    limits = limits_of(case, company.limits)
    world = sandbox_world(
        agent=company.agent,
        case=case,
        clock=company.clock,
        conversation=conversation_id(planned.key),
        identity=identity_of(planned.key),
        environment=company.environment,
        webhooks=company.webhooks,
    )
    agent = hosted_session(
        agent=company.hosted,
        world=world,
        model=company.model,
        router=company.router,
        limits=limits,
        clock=company.clock,
    )
    cast = Cast(agent=agent, world=world, persona=persona_of(case), judge=company.judge)
    return await run_case(case, cast, limits=limits, clock=company.clock, planned=planned)
