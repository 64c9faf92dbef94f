"""Looking at stored runs and results (features.md F14, A12)."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace

from greenroom.conversation.outcomes import RunStatus, RunSummary, SampleResult, Status
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.rollup import Rollup
from greenroom.errors import NotFound, StoreError, UsageError
from greenroom.nearest import nearest
from greenroom.operations.context import Context

__all__ = ["Shown", "Target", "as_it_stands", "find_run", "list_runs", "parse_target", "results_of", "show_result"]


_NAMED = 5
"""Of the runs that a name fits, so many are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """`RUN[/[SUITE/]CASE[/SAMPLE]]`, taken apart. The run `last` is the newest one."""

    run: str
    path: tuple[str, ...] = ()
    sample: int | None = None
    digits: str = ""
    """The sample as it was written; what looks like one may be the id of a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One result with its turn records."""

    run: RunSummary
    result: SampleResult
    records: tuple[TurnRecord, ...]


def parse_target(text: str) -> Target:
    """Read what stands after `show`. Raises `UsageError` for more than four steps."""
    run, *steps = [step for step in text.split("/") if step] or [""]
    if not run:
        raise UsageError(f"{text!r} names no run; write a run's id, or `last` for the newest")
    digits = steps.pop() if len(steps) > 1 and steps[-1].isdecimal() else ""
    if len(steps) > 2:
        raise UsageError(f"{text!r}: write RUN, RUN/CASE, RUN/SUITE/CASE or either of these with /SAMPLE")
    return Target(run=run, path=tuple(steps), sample=int(digits) if digits else None, digits=digits)


async def list_runs(context: Context, *, limit: int = 20) -> Sequence[RunSummary]:
    """The newest runs first."""
    return [await as_it_stands(context, run) for run in await context.store.runs.list(limit=limit)]


async def as_it_stands(context: Context, run: RunSummary) -> RunSummary:
    """The run; one that nobody has ended is summed up from the results that are stored (features.md F9, F14)."""
    if run.status not in {RunStatus.QUEUED, RunStatus.RUNNING}:
        return run
    held = await context.store.leases.held(run.run_id)
    rollup = Rollup([planned async for planned in context.store.results.plan(run.run_id)])
    async for result in context.store.results.of_run(run.run_id, bodies=False, attempts=True):
        rollup.add(result)
    ended = RunStatus.FINISHED if rollup.complete else RunStatus.BROKEN_OFF
    return replace(rollup.summed(run), status=run.status if held else ended)


async def find_run(context: Context, name: str) -> RunSummary:
    """A run by its id, an unambiguous beginning or end of it, or `last`. Raises `NotFound`, `UsageError`."""
    runs = context.store.runs
    if name == "last":
        newest = await runs.last()
        if newest is None:
            raise UsageError("there are no runs yet; `greenroom run` makes one")
        return await as_it_stands(context, await runs.get(newest.run_id))
    near = await runs.named(name, most=_NAMED)
    if len(near) > 1:
        raise UsageError(f"{name!r} fits several runs: {', '.join(near)}")
    return await as_it_stands(context, await runs.get(near[0] if near else name))


async def results_of(
    context: Context,
    run: RunSummary,
    statuses: Iterable[Status] | None = None,
    unsaved: Sequence[SampleResult] = (),
) -> AsyncIterator[SampleResult]:
    """The results of a run, or those with these statuses, one at a time in the order of its cases and samples.

    With results that no store has, those stand in their places; a store that can't be read then ends the stored ones.
    """
    wanted = None if statuses is None else frozenset(statuses)
    if not unsaved:
        async for result in context.store.results.of_run(run.run_id, statuses=wanted):
            yield result
        return
    order = {(case.suite, case.case): position for position, case in enumerate(run.cases)}

    def place(result: SampleResult) -> tuple[int, int, int]:
        key = result.key
        return order.get((key.suite, key.case), len(order)), key.sample, key.attempt

    waiting = sorted((one for one in unsaved if wanted is None or one.status in wanted), key=place)
    try:
        async for stored in context.store.results.of_run(run.run_id, statuses=wanted):
            while waiting and place(waiting[0]) < place(stored):
                yield waiting.pop(0)
            yield waiting.pop(0) if waiting and place(waiting[0]) == place(stored) else stored
    except StoreError:
        # The run was broken off by this very store, and that is told; what is at hand can still be shown.
        pass
    for result in waiting:
        yield result


async def show_result(context: Context, target: Target) -> Shown:
    """One result; without a sample the first failed one, else the first (features.md F2). Raises `NotFound`."""
    run = await find_run(context, target.run)
    target = _digits_as_meant(run, target)
    suite, case = _case_in(run, target.path)
    sample = target.sample or await _first_failed(context, run.run_id, suite, case)
    result = await context.store.results.one(run.run_id, suite, case, sample)
    records = await context.store.results.records(run.run_id, suite, case, sample)
    return Shown(run=run, result=result, records=records)


async def _first_failed(context: Context, run_id: str, suite: str, case: str) -> int:
    first: int | None = None
    async for result in context.store.results.of_run(run_id, bodies=False, case=(suite, case)):
        if result.status is Status.FAILED:
            return result.key.sample
        first = first or result.key.sample
    return first or 1


def _digits_as_meant(run: RunSummary, target: Target) -> Target:
    """In `RUN/SUITE/2024` the digits are a case where the suite has one of this id, else a sample of a case."""
    for one in run.cases:
        if len(target.path) == 1 and one.suite == target.path[0] and one.case == target.digits:
            return Target(run=target.run, path=(one.suite, one.case))
    return target


def _case_in(run: RunSummary, path: tuple[str, ...]) -> tuple[str, str]:
    fits = [(one.suite, one.case) for one in run.cases if path in {(one.case,), (one.suite, one.case)}]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise UsageError(
            f"{path[-1]!r} stands in several suites: {', '.join(f'{suite}/{case}' for suite, case in fits)}"
        )
    of_suite = [f"{one.suite}/{one.case}" for one in run.cases if path == (one.suite,)]
    if of_suite:
        raise UsageError(f"{path[0]!r} is a suite; name one of its cases, such as {run.run_id}/{of_suite[0]}")
    names = [f"{one.suite}/{one.case}" for one in run.cases]
    guess = nearest("/".join(path), [*names, *(one.case for one in run.cases)])
    raise NotFound("case", "/".join(path), guess, within=run.run_id)
