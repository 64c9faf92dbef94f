"""Running cases: from what a person asks for to a stored run (features.md F1, F11)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from greenroom import __version__
from greenroom.agents.hosted.hosted_agent import HostedAgent
from greenroom.authoring.live_test_rules import past_live_tests
from greenroom.authoring.model_rules import has_criteria
from greenroom.conversation.outcomes import (
    PlannedSample,
    RunStatus,
    RunSummary,
    SampleKey,
    SampleResult,
    Status,
    UnderTest,
)
from greenroom.conversation.progress import Progress, RunFinished
from greenroom.conversation.rollup import Rollup
from greenroom.documents.agent import Agent, ModelChoice
from greenroom.documents.suite import Case
from greenroom.errors import (
    DocumentsInvalid,
    JudgeMissing,
    LimitReached,
    SelectionEmpty,
    SimulatorMissing,
    StoreError,
    UsageError,
)
from greenroom.grading.judge import PROMPT_VERSION
from greenroom.models.opening import Models
from greenroom.models.pacing import Pacing
from greenroom.operations.context import Context
from greenroom.operations.live_tests import live_side
from greenroom.operations.playing import RunRequest, what_is_played
from greenroom.operations.real_calls import real_calls
from greenroom.operations.results import as_it_stands
from greenroom.operations.sandboxes import outside_of
from greenroom.operations.stopping import Stop
from greenroom.personas.simulator_prompt import PROMPT_VERSION as SIMULATOR_PROMPT
from greenroom.running.case import CaseRun
from greenroom.running.casting import Company, play
from greenroom.running.execute import Lanes, execute, finished
from greenroom.store.definitions import Revision
from greenroom.store.times import stamp

__all__ = ["Prepared", "RunRequest", "perform", "prepare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A run that may begin: everything checked, nothing spent."""

    run: RunSummary
    plan: tuple[PlannedSample, ...]
    agent: Agent
    judge: ModelChoice | None
    simulator: ModelChoice | None
    """None when no selected case simulates a person."""
    warnings: tuple[str, ...]
    """What is worth a look before it begins, a line each."""
    request: RunRequest


async def prepare(context: Context, request: RunRequest) -> Prepared:
    """Check everything that can be checked before the first model call.

    Raises `DocumentsInvalid`, `NothingSelected`, `AgentUnclear`, `NotFound`, `JudgeMissing`,
    `SimulatorMissing`, `LimitReached`.
    """
    most = context.project.limits.samples_max
    if request.samples is not None and request.samples > most:
        raise UsageError(f"--samples is {request.samples}; the limit `samples_max` is {most}")
    played = await what_is_played(context, request)
    cases, agent, written = played.cases, played.agent, played.written
    if request.failed:
        cases = await _failed_before(context, agent.id, cases, allow_empty=request.allow_empty)
    if late := await asyncio.to_thread(past_live_tests, written, agent, cases, context.clock.now()):
        raise DocumentsInvalid(late)
    if request.model is not None:
        agent = agent.model_copy(update={"model": agent.model.model_copy(update={"name": request.model})})
    judge = ModelChoice(name=request.judge) if request.judge else context.project.models.judge
    for case in cases:
        if judge is None and case.skip is None and has_criteria(case):
            raise JudgeMissing(f"{case.suite}/{case.id}")
    simulator = _simulator(context, request, cases)
    await _within_limits(context, request, cases)
    synced = await context.store.definitions.sync(
        # Of a file that is broken it can't be told which definitions are still in it.
        agents=written.agents.values(),
        suites=written.suites.values(),
        whole=not written.broken,
    )
    plan = tuple(
        sample for case in cases for sample in _samples(case, synced.cases[case.suite, case.id], request.samples)
    )
    return Prepared(
        run=_summary(context, request, agent, played.kept or synced.agents[agent.id], _Played(judge, simulator)),
        plan=plan,
        agent=agent,
        judge=judge,
        simulator=simulator,
        warnings=played.warnings,
        request=request,
    )


async def perform(context: Context, prepared: Prepared, stop: Stop) -> AsyncIterator[Progress]:
    """Run what was prepared, storing each result as it ends. The last event is `RunFinished`, also after a stop.

    A plan that holds nothing makes no run, so that one has no id. A store that is lost on the way ends the run; what
    was decided until then is told all the same.
    """
    store, run = context.store, prepared.run
    if not prepared.plan:
        yield RunFinished(run=replace(finished(run, Rollup(()), context.clock), run_id=""))
        return
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(
            Models(context.root, context.environment, context.clock, record=prepared.request.record)
        )
        calls = await stack.enter_async_context(real_calls())
        roles = context.project.models
        company = Company(
            agent=prepared.agent,
            hosted=HostedAgent(prepared.agent),
            model=await models.open(prepared.agent.model),
            router=await models.open(roles.router or prepared.agent.model),
            judge=await models.open(prepared.judge) if prepared.judge else None,
            simulator=await models.open(prepared.simulator) if prepared.simulator else None,
            limits=context.project.limits,
            clock=context.clock,
            outside=outside_of(context, prepared.agent, calls),
            live=live_side(context, prepared.agent, calls),
            case_of=store.definitions.case,
            waits=models.pacing.waits,
        )
        await store.runs.create(run, prepared.plan)
        await stack.enter_async_context(store.leases.holding(run.run_id))
        saving, rollup = _Saving(context, run.run_id), Rollup(prepared.plan)
        lanes = Lanes(
            run=lambda planned: play(company, planned),
            save=saving.save,
            concurrency=min(prepared.request.concurrency or context.project.concurrency, max(1, len(prepared.plan))),
            stop=stop,
            fail_fast=prepared.request.fail_fast,
            shut=lambda: models.pacing.shut,
        )
        try:
            async for event in execute(run, prepared.plan, rollup, lanes, context.clock):
                if isinstance(event, RunFinished):
                    ended = _as_paced(replace(event.run, interrupted=stop.by), models.pacing)
                    await store.runs.finish(ended, note=_why_unplayed(ended))
                    yield RunFinished(run=ended)
                else:
                    yield event
        except StoreError as fault:
            for result in saving.unsaved.values():
                rollup.add(result)
            ended = _as_paced(finished(run, rollup, context.clock), models.pacing)
            ended = replace(ended, status=RunStatus.BROKEN_OFF)
            yield RunFinished(
                run=ended, fault=saving.told(fault, len(prepared.plan)), unsaved=tuple(saving.unsaved.values())
            )


def _as_paced(run: RunSummary, pacing: Pacing) -> RunSummary:
    """The run with what its providers made of it: how long they held it back, and why they ended it, if they did."""
    shut = pacing.shut if run.status is RunStatus.CANCELLED else ""
    return replace(run, rate_limited_s=pacing.waits.total_s, stopped_why=shut)


def _why_unplayed(run: RunSummary) -> str:
    return f"Not run: {run.stopped_why}." if run.stopped_why else "The run was stopped before this sample was played."


class _Saving:
    """Saves each result, and knows which ones the store doesn't have."""

    def __init__(self, context: Context, run_id: str) -> None:
        self._results = context.store.results
        self._run_id = run_id
        self._saved = 0
        self.unsaved: dict[SampleKey, SampleResult] = {}

    async def save(self, outcome: CaseRun) -> None:
        """Keep it. Raises `StoreError`."""
        key = outcome.result.key
        self.unsaved[key] = outcome.result
        await self._results.save(self._run_id, outcome.result, outcome.records)
        del self.unsaved[key]
        self._saved += 1

    def told(self, fault: StoreError, planned: int) -> str:
        """What the store refused, and what of the run it has."""
        names = [f"{key.suite}/{key.case}" for key in self.unsaved]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        lost = f"; not saved: {', '.join(names[:_NAMED])}{more}" if names else ""
        return f"{fault}. Saved: {self._saved} of {planned} conversations{lost}"


_NAMED = 5
"""Of the results that were not saved, so many are named."""


async def _within_limits(context: Context, request: RunRequest, cases: Sequence[Case]) -> None:
    """How much may be run at once and in an hour (features.md B11). Raises `LimitReached`."""
    limits = context.project.limits
    if limits.run_all_tests is not None and not request.selectors and len(cases) > limits.run_all_tests:
        raise LimitReached(
            f"a run of everything would play {len(cases)} cases; the limit `run_all_tests` is {limits.run_all_tests}; "
            "select some, by suite, suite/case or @tag"
        )
    if limits.runs_per_hour is None:
        return
    wanted = sum(request.samples or case.samples for case in cases)
    an_hour_ago = stamp(context.clock, after_s=-3_600)
    begun = await context.store.runs.planned_since(an_hour_ago)
    if begun + wanted > limits.runs_per_hour:
        raise LimitReached(
            f"{begun} conversations were begun within the last hour and {wanted} more are asked for; the limit "
            f"`runs_per_hour` is {limits.runs_per_hour}; select at most {max(0, limits.runs_per_hour - begun)} or wait"
        )


async def _failed_before(context: Context, agent: str, cases: Sequence[Case], *, allow_empty: bool) -> tuple[Case, ...]:
    newest = await context.store.runs.last(agent)
    if newest is None:
        if allow_empty:
            return ()
        raise SelectionEmpty(f"agent {agent!r} has no earlier run whose failed cases could be run again")
    last = await as_it_stands(context, await context.store.runs.get(newest.run_id))
    # What a run that still goes has not played is its own affair; what a broken one has not is nobody's.
    unplayed = {Status.QUEUED} if last.status is RunStatus.BROKEN_OFF else set[Status]()
    not_passed = {Status.FAILED, Status.ERRORED, Status.CANCELLED} | unplayed
    bad = {(case.suite, case.case) for case in last.cases if case.status in not_passed}
    again = tuple(case for case in cases if (case.suite, case.id) in bad)
    if not again and not allow_empty:
        raise SelectionEmpty(f"no selected case failed in the last run of agent {agent!r} ({last.run_id})")
    return again


def _simulator(context: Context, request: RunRequest, cases: Sequence[Case]) -> ModelChoice | None:
    """Who plays the simulated people; None when there are none. Raises `SimulatorMissing`."""
    simulated = next((case for case in cases if case.simulate is not None and case.skip is None), None)
    if simulated is None:
        return None
    chosen = ModelChoice(name=request.simulator) if request.simulator else context.project.models.simulator
    if chosen is None:
        raise SimulatorMissing(f"{simulated.suite}/{simulated.id}")
    return chosen


def _samples(case: Case, case_hash: str, samples: int | None) -> Sequence[PlannedSample]:
    count = samples or case.samples
    return [
        PlannedSample(
            key=SampleKey(suite=case.suite, case=case.id, sample=number),
            case_hash=case_hash,
            samples=count,
            need=min(case.pass_at_least or count, count),
            name=case.name,
            known_failure=case.known_failure or "",
        )
        for number in range(1, count + 1)
    ]


@dataclass(frozen=True, slots=True)
class _Played:
    """Which models play the parts beside the agent."""

    judge: ModelChoice | None
    simulator: ModelChoice | None


def _summary(context: Context, request: RunRequest, agent: Agent, revision: Revision, played: _Played) -> RunSummary:
    return RunSummary(
        run_id=context.clock.new_id("run"),
        status=RunStatus.RUNNING,
        agent=agent.id,
        revision=str(request.revision),
        requested_by=request.requested_by,
        fail_on=request.fail_on,
        started_at=stamp(context.clock),
        under_test=UnderTest(
            behavior_hash=revision.hash,
            behavior_edited_at=revision.seen_at,
            build=__version__,
            agent_model=agent.model.name,
            judge_model=played.judge.name if played.judge else "",
            judge_prompt=PROMPT_VERSION if played.judge else "",
            simulator_model=played.simulator.name if played.simulator else "",
            simulator_prompt=SIMULATOR_PROMPT if played.simulator else "",
        ),
    )
