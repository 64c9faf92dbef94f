"""Running a plan in this process: lanes that take the next sample, run it, save it and tell of it.

Knows neither the store nor a screen: it is handed a function that runs a sample and one that saves it. What it
tells is one stream of events that always ends in exactly one `RunFinished`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from greenroom.clock import Clock
from greenroom.conversation.outcomes import Badge, Cause, PlannedSample, RunStatus, RunSummary, SampleResult, Status
from greenroom.conversation.progress import Progress, RunFinished, RunStarted, SampleFinished, SampleStarted
from greenroom.conversation.rollup import Rollup
from greenroom.running.case import CaseRun

__all__ = ["Lanes", "RunSample", "SaveSample", "execute", "finished"]

RunSample = Callable[[PlannedSample], Awaitable[CaseRun]]
SaveSample = Callable[[CaseRun], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """How a plan is worked on."""

    run: RunSample
    save: SaveSample
    concurrency: int
    stop: asyncio.Event
    """Set from outside: running conversations are cancelled, nothing new begins; what was played is still saved."""
    fail_fast: bool = False
    """Begin nothing new after the first sample that did not pass."""
    shut: Callable[[], str] = str
    """Why no further sample can be played, empty as long as one can: begin nothing new then (C02)."""


async def execute(
    run: RunSummary, plan: Sequence[PlannedSample], rollup: Rollup, lanes: Lanes, clock: Clock
) -> AsyncIterator[Progress]:
    """Work through the plan. A failure to save ends the run and is raised after the lanes have stopped."""
    events: asyncio.Queue[Progress | None] = asyncio.Queue()
    yield RunStarted(run=run, samples=len(plan))
    work = asyncio.create_task(_work(iter(plan), lanes, events), name="greenroom-lanes")
    work.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            if isinstance(event, SampleFinished):
                rollup.add(event.result)
            yield event
        await work
    finally:
        if not work.done():
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
    yield RunFinished(run=finished(run, rollup, clock))


def finished(run: RunSummary, rollup: Rollup, clock: Clock) -> RunSummary:
    """The run as it ended: cancelled when a planned sample has no result."""
    return replace(
        rollup.summed(run),
        status=RunStatus.FINISHED if rollup.complete else RunStatus.CANCELLED,
        finished_at=clock.now().isoformat(timespec="milliseconds"),
    )


async def _work(samples: Iterator[PlannedSample], lanes: Lanes, events: asyncio.Queue[Progress | None]) -> None:
    """All lanes, until the plan is done or the stop is set."""
    running = {asyncio.create_task(_lane(samples, lanes, events)) for _ in range(lanes.concurrency)}
    stop = asyncio.create_task(lanes.stop.wait())
    try:
        while running:
            done, _ = await asyncio.wait({*running, stop}, return_when=asyncio.FIRST_COMPLETED)
            if stop in done:
                return
            for lane in done:
                running.discard(lane)
                lane.result()
    finally:
        stop.cancel()
        for lane in running:
            lane.cancel()
        await asyncio.gather(stop, *running, return_exceptions=True)


async def _lane(samples: Iterator[PlannedSample], lanes: Lanes, events: asyncio.Queue[Progress | None]) -> None:
    for planned in samples:
        if lanes.shut():
            return
        outcome = await _played(planned, lanes, events)
        if _to_be_tried_again(outcome.result) and not lanes.shut():
            outcome = await _played(_next_attempt(planned), lanes, events)
        if lanes.fail_fast and _ends_a_fast_run(outcome.result):
            for _ in samples:
                pass


async def _played(planned: PlannedSample, lanes: Lanes, events: asyncio.Queue[Progress | None]) -> CaseRun:
    events.put_nowait(SampleStarted(key=planned.key))
    outcome = await lanes.run(planned)
    keeping = asyncio.create_task(_kept(outcome, lanes, events))
    try:
        await asyncio.shield(keeping)
    finally:
        # Played is played: a stop in this moment waits until the result is saved and told.
        await keeping
    return outcome


async def _kept(outcome: CaseRun, lanes: Lanes, events: asyncio.Queue[Progress | None]) -> None:
    await lanes.save(outcome)
    events.put_nowait(SampleFinished(result=outcome.result))


def _to_be_tried_again(result: SampleResult) -> bool:
    """Once more when the simulated person was at fault, which tells nothing about the agent (features.md H4).

    A live test is not: what its agent did was real, and would be done twice.
    """
    at_fault = result.error is not None and result.error.cause is Cause.SIMULATOR
    return at_fault and result.key.attempt == 1 and Badge.LIVE_TEST not in result.badges


def _next_attempt(planned: PlannedSample) -> PlannedSample:
    """The same sample anew; the earlier attempt stays as it is (R12)."""
    return replace(planned, key=replace(planned.key, attempt=planned.key.attempt + 1))


def _ends_a_fast_run(result: SampleResult) -> bool:
    return result.status in {Status.FAILED, Status.ERRORED}
