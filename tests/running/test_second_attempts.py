"""A sample whose simulated person was at fault is tried once more; each attempt has its own conversation and seed."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests import builders
from tests.agents.stage import PlayedModel, says
from tests.world.makers import live_side

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.clock import SystemClock
from greenroom.conversation.outcomes import PlannedSample, SampleResult, Status
from greenroom.conversation.progress import Progress, RunFinished, SampleFinished
from greenroom.conversation.rollup import Rollup
from greenroom.documents.project import Limits
from greenroom.documents.suite import Case
from greenroom.models.model import ModelRequest
from greenroom.models.seeds import SeededModel, seed_of
from greenroom.running.case import CaseRun
from greenroom.running.casting import Company, play
from greenroom.running.execute import Lanes, execute
from greenroom.world.sandbox.world import Outside
from greenroom.world.webhooks import Webhooks

DESK = builders.agent()
CASE = builders.case(
    script=[], simulate={"brief": {"wants": "A boat", "ends_when": "It is booked."}}, expect=[{"reply": "Booked"}]
)


def company(person: Callable[[ModelRequest], str], *, agent: PlayedModel | None = None) -> tuple[Company, PlayedModel]:
    """A desk that answers `Booked.` to everything, and a person whose answers a function gives."""
    simulator = PlayedModel(lambda request: says(person(request)))
    model = agent or PlayedModel(lambda _: says("Booked."))
    made = Company(
        agent=DESK,
        hosted=HostedAgent(DESK),
        model=model,
        router=model,
        judge=None,
        simulator=simulator,
        limits=Limits(),
        clock=SystemClock(),
        outside=Outside(environment={}, webhooks=Webhooks()),
        live=live_side(),
        case_of=stored_case,
    )
    return made, simulator


async def stored_case(_: str) -> Case:
    return CASE


async def run(made: Company, *, samples: int = 1, fail_fast: bool = False) -> tuple[list[Progress], list[SampleResult]]:
    saved: list[SampleResult] = []
    plan = builders.planned("saturday", samples=samples)

    async def keep(outcome: CaseRun) -> None:
        saved.append(outcome.result)

    async def one(planned: PlannedSample) -> CaseRun:
        return await play(made, planned)

    lanes = Lanes(run=one, save=keep, concurrency=1, stop=asyncio.Event(), fail_fast=fail_fast)
    summary = builders.run_summary()
    return [event async for event in execute(summary, plan, Rollup(plan), lanes, made.clock)], saved


def at_fault_in(attempt: int) -> Callable[[ModelRequest], str]:
    """A person that speaks as the agent in one attempt and plays its part in the others."""

    def answers(request: ModelRequest) -> str:
        if request.conversation.endswith(f"/{attempt}"):
            return json.dumps({"say": "Agent: Hello", "end": None})
        return json.dumps({"say": "A boat", "end": "nothing_more"})

    return answers


@pytest.mark.requirement("H4", "H1")
async def test_the_second_attempt_decides_and_the_first_stays_in_the_open() -> None:
    """S10, R12: what the fault cost is counted; the pass rate knows nothing of it."""
    made, _ = company(at_fault_in(1))
    told, saved = await run(made)
    assert [(result.key.attempt, result.status) for result in saved] == [(1, Status.ERRORED), (2, Status.PASSED)]
    last = told[-1]
    assert isinstance(last, RunFinished)
    assert last.run.pass_rate == 1.0
    assert (last.run.counts.passed, last.run.counts.errored) == (1, 0)
    assert last.run.units == sum(result.units for result in saved)
    assert [event.result for event in told if isinstance(event, SampleFinished)] == saved


async def test_a_sample_that_is_not_the_simulators_fault_is_never_tried_again() -> None:
    """R10."""
    silent = PlayedModel(lambda _: says(""))
    made, _ = company(at_fault_in(0), agent=silent)
    _, saved = await run(made)
    assert [(result.key.attempt, result.status) for result in saved] == [(1, Status.ERRORED)]


async def test_fail_fast_waits_for_the_second_attempt() -> None:
    made, _ = company(at_fault_in(1))
    _, saved = await run(made, samples=2, fail_fast=True)
    assert [(result.key.sample, result.key.attempt) for result in saved] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    made, _ = company(lambda _: "{}")
    _, saved = await run(made, samples=2, fail_fast=True)
    assert [(result.key.sample, result.key.attempt) for result in saved] == [(1, 1), (1, 2)]


@pytest.mark.requirement("F2")
async def test_agent_and_person_of_a_sample_share_a_seed_of_their_own() -> None:
    """K11, R01: samples and attempts differ, and a run repeats them."""
    made, simulator = company(at_fault_in(1))
    await run(made, samples=2)
    agent = made.model
    assert isinstance(agent, PlayedModel)
    seeds = {request.conversation: request.seed for request in [*simulator.asked, *agent.asked]}
    assert seeds == {
        f"booking/saturday/{sample}/{attempt}": seed_of("booking", "saturday", sample, attempt)
        for sample in (1, 2)
        for attempt in (1, 2)
    }
    assert len(set(seeds.values())) == 4


async def test_a_seed_that_a_question_brings_stands() -> None:
    asked = PlayedModel(lambda _: says("x"))
    seeded = SeededModel(asked, 7)
    made, simulator = company(at_fault_in(0))
    await run(made)
    request = replace(simulator.asked[0], seed=5)
    await seeded.ask(request)
    await seeded.ask(replace(request, seed=None))
    assert [each.seed for each in asked.asked] == [5, 7]
    assert (seeded.name, seeded.scripted) == (asked.name, asked.scripted)
