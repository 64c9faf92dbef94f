"""Lanes: what a stop and a fault of our own may cost, and what not."""

import asyncio
import re

import pytest
from tests import builders
from tests.agents.stage import PlayedModel, says
from tests.world.makers import live_side

from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.clock import SystemClock
from greenroom.conversation.outcomes import Cause, CheckStatus, PlannedSample, RunStatus, SampleResult, Status
from greenroom.conversation.progress import RunFinished, SampleFinished
from greenroom.conversation.rollup import Rollup
from greenroom.documents.project import Limits
from greenroom.documents.suite import Case
from greenroom.errors import OutputFault
from greenroom.models.model import ModelAnswer, ModelRequest
from greenroom.running.case import CaseRun
from greenroom.running.casting import Company, play
from greenroom.running.execute import Lanes, execute
from greenroom.world.sandbox.world import Outside
from greenroom.world.webhooks import Webhooks


async def test_a_stop_while_a_result_is_being_saved_keeps_and_tells_it() -> None:
    """Its tokens are spent: store and report must say the same of it."""
    stop = asyncio.Event()
    plan = builders.planned("saturday", samples=2)

    async def played(planned: PlannedSample) -> CaseRun:
        return CaseRun(result=SampleResult(key=planned.key, status=Status.PASSED), records=())

    async def save(_: CaseRun) -> None:
        stop.set()
        for _round in range(20):
            await asyncio.sleep(0)  # noqa: TID251 - a commit takes its time, and the stop arrives within it

    lanes = Lanes(run=played, save=save, concurrency=1, stop=stop)
    told = [event async for event in execute(builders.run_summary(), plan, Rollup(plan), lanes, SystemClock())]

    assert [event.result.key.sample for event in told if isinstance(event, SampleFinished)] == [1]
    last = told[-1]
    assert isinstance(last, RunFinished)
    assert (last.run.status, last.run.cases[0].passed, last.run.cases[0].cancelled) == (RunStatus.CANCELLED, 1, 1)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            RuntimeError("a library that nobody knows well enough"),
            r"^Greenroom itself failed: RuntimeError: a library that nobody knows well enough in tests\.running.*$",
        ),
        (OutputFault("can't record to a.jsonl", "no space"), r"^can't record to a\.jsonl: no space$"),
    ],
)
async def test_a_judge_that_breaks_in_an_unforeseen_way_costs_its_case_only_and_leaves_the_checks(
    fault: Exception, told: str
) -> None:
    def broken(_: ModelRequest) -> ModelAnswer:
        raise fault

    case = builders.case(script=["Hello"], expect=[{"reply": "Booked"}, {"judge": "The agent is polite."}])

    async def case_of(_: str) -> Case:
        return case

    desk = await asyncio.to_thread(builders.agent)
    model = PlayedModel(lambda _: says("Booked."))
    company = Company(
        agent=desk,
        hosted=HostedAgent(desk),
        model=model,
        router=model,
        judge=PlayedModel(broken),
        simulator=None,
        limits=Limits(),
        clock=SystemClock(),
        outside=Outside(environment={}, webhooks=Webhooks()),
        live=live_side(),
        case_of=case_of,
    )
    (planned,) = builders.planned("saturday")
    result = (await play(company, planned)).result

    assert (result.status, [check.status for check in result.checks]) == (Status.ERRORED, [CheckStatus.PASSED])
    assert result.error is not None
    assert result.error.cause is Cause.PLATFORM
    assert re.search(told, result.error.message)
