"""Who takes part in each sample: what is shared by a whole run is made once, what belongs to one sample anew."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.agents.hosted.session import hosted_session
from greenroom.agents.own_messages import outreach_message
from greenroom.clock import Clock
from greenroom.conversation.moments import spelled_out
from greenroom.conversation.outcomes import PlannedSample, SampleResult, Status
from greenroom.conversation.people import Person
from greenroom.documents.agent import Agent
from greenroom.documents.channels import on_channel
from greenroom.documents.data_templates import with_lines_filled
from greenroom.documents.facts import facts_of
from greenroom.documents.project import Limits
from greenroom.documents.simulation import Brief, Simulation
from greenroom.documents.suite import Case, PersonStart
from greenroom.documents.template_values import template_values
from greenroom.errors import SimulatorMissing
from greenroom.models.model import Model
from greenroom.models.seeds import SeededModel, seed_of
from greenroom.models.time_limits import Waits
from greenroom.personas.history import given_steps, persona_of
from greenroom.personas.simulated import Part, SimulatedPersona
from greenroom.personas.simulator_prompt import filled, part_text
from greenroom.running.case import CaseRun, Cast, conversation_id, identity_of, limits_of, run_case
from greenroom.world.policy import LiveSide, case_world
from greenroom.world.sandbox.people import starting_person
from greenroom.world.sandbox.world import Outside

__all__ = ["Company", "play"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """What the samples of a run share."""

    agent: Agent
    hosted: HostedAgent
    model: Model
    router: Model
    judge: Model | None
    simulator: Model | None
    """None when no case simulates anybody."""
    limits: Limits
    clock: Clock
    outside: Outside
    live: LiveSide
    """What live tests reach."""
    case_of: Callable[[str], Awaitable[Case]]
    """A case's definition by its hash: a lane holds the case it plays and no other."""
    waits: Waits | None = None
    """Who is held back by rate limits; None where no model has any."""


async def play(company: Company, planned: PlannedSample) -> CaseRun:
    """One sample of the plan, in a world of its own. A skipped case is not played."""
    case = on_channel(await company.case_of(planned.case_hash), company.agent)
    if case.skip is not None:
        skipped = SampleResult(key=planned.key, status=Status.SKIPPED, note=case.skip, case_hash=planned.case_hash)
        return CaseRun(result=skipped, records=())
    limits = limits_of(case, company.limits)
    world = case_world(
        agent=company.agent,
        case=case,
        clock=company.clock,
        conversation=conversation_id(planned.key),
        identity=identity_of(planned.key),
        outside=company.outside,
        live=company.live,
    )
    key = planned.key
    seed = seed_of(key.suite, key.case, key.sample, key.attempt)
    agent = hosted_session(
        agent=company.hosted,
        world=world,
        model=SeededModel(company.model, seed),
        router=SeededModel(company.router, seed),
        limits=limits,
        clock=company.clock,
        waits=company.waits,
    )
    opening = None if case.outreach is None else outreach_message(company.agent, case.outreach)
    now = company.hosted.local_time(world.clock.now())
    person = starting_person(case, conversation_id(key))
    values = template_values(company.agent, case.channel, person, now)
    case = with_lines_filled(case, values)
    persona, part = persona_of(case), ""
    if case.simulate is not None:
        brief = filled(case.simulate.brief, values)
        played = _part(
            company,
            case,
            case.simulate,
            brief=brief,
            person=person,
            conversation=conversation_id(key),
            now=now,
            limits=limits,
        )
        if company.simulator is None:
            raise SimulatorMissing(f"{case.suite}/{case.id}")
        persona, part = SimulatedPersona(played, SeededModel(company.simulator, seed)), part_text(brief)
    cast = Cast(
        agent=agent,
        world=world,
        persona=persona,
        judge=company.judge,
        opening=opening,
        began=spelled_out(now),
        part=part,
        waits=company.waits,
    )
    return await run_case(case, cast, limits=limits, clock=company.clock, planned=planned)


def _part(
    company: Company,
    case: Case,
    simulate: Simulation,
    *,
    brief: Brief,
    person: Person | None,
    conversation: str,
    now: datetime,
    limits: Limits,
) -> Part:
    """The part of this sample's person; brief and script with the case's own person and time filled in."""
    wished = simulate.max_turns or max(limits.turns, len(case.script) + 1)
    return Part(
        brief=brief,
        facts=facts_of(brief, case.person if isinstance(case.person, PersonStart) else None),
        channel=case.channel,
        now=spelled_out(now),
        conversation=conversation,
        max_turns=min(limits.turns_max, wished),
        line_chars=limits.line_chars,
        person=person,
        agent_name=company.agent.name,
        script=case.script,
        history=given_steps(case.history),
    )
