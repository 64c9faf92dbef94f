"""A report as three moments: before the cases, each case with its samples, after them.

A report is never whole in memory (R16, R17): results come one at a time in the order of the run's plan, the samples
of one case are held together, and each piece goes out before the next case comes in. `written` is for results at
hand, `streamed` for those that a store reads page by page.
"""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from greenroom.conversation.outcomes import CaseRollup, PlannedSample, RunSummary, SampleResult
from greenroom.conversation.rollup import roll_up

__all__ = ["Report", "streamed", "written"]

Piece_co = TypeVar("Piece_co", covariant=True)


class Report(Protocol[Piece_co]):
    """One format. `Piece_co` is what it is made of: bytes, text, or lines."""

    @property
    def run(self) -> RunSummary:
        """What is reported."""
        ...

    def begin(self) -> Iterable[Piece_co]:
        """All that is known without a result."""
        ...

    def case(self, case: CaseRollup, samples: Sequence[SampleResult]) -> Iterable[Piece_co]:
        """One case; without samples when none of it was ever run."""
        ...

    def end(self) -> Iterable[Piece_co]:
        """What stands at the end."""
        ...


_P = TypeVar("_P")


def written(report: Report[_P], results: Iterable[SampleResult]) -> Iterator[_P]:
    """The report, piece by piece. Raises `ValueError` when results don't come case by case in the run's order."""
    grouping = _Grouping(report.run)
    yield from report.begin()
    for result in results:
        for case, samples in grouping.add(result):
            yield from report.case(case, samples)
    for case, samples in grouping.rest():
        yield from report.case(case, samples)
    yield from report.end()


async def streamed(report: Report[_P], results: AsyncIterable[SampleResult]) -> AsyncIterator[_P]:
    """As `written`, for results that come from a store."""
    grouping = _Grouping(report.run)
    for piece in report.begin():
        yield piece
    async for result in results:
        for case, samples in grouping.add(result):
            for piece in report.case(case, samples):
                yield piece
    for case, samples in grouping.rest():
        for piece in report.case(case, samples):
            yield piece
    for piece in report.end():
        yield piece


_Group = tuple[CaseRollup, Sequence[SampleResult]]


class _Grouping:
    """Gives a case out as soon as the next one begins; a case of the run without results comes out empty."""

    def __init__(self, run: RunSummary) -> None:
        self._waiting = {(case.suite, case.case): case for case in run.cases}
        self._given: set[tuple[str, str]] = set()
        self._held: list[SampleResult] = []

    def add(self, result: SampleResult) -> Iterator[_Group]:
        if self._held and _case_of(self._held[0]) != _case_of(result):
            yield from self._given_out()
        if _case_of(result) in self._given:
            raise ValueError(f"results of {'/'.join(_case_of(result))} do not come together, in the order of the run")
        self._held.append(result)

    def rest(self) -> Iterator[_Group]:
        if self._held:
            yield from self._given_out()
        while self._waiting:
            yield self._waiting.pop(next(iter(self._waiting))), ()

    def _given_out(self) -> Iterator[_Group]:
        samples, self._held = self._held, []
        name = _case_of(samples[0])
        self._given.add(name)
        while name in self._waiting:
            first = next(iter(self._waiting))
            self._given.add(first)
            yield self._waiting.pop(first), samples if first == name else ()
            if first == name:
                return
        yield _folded(samples), samples


def _case_of(result: SampleResult) -> tuple[str, str]:
    return result.key.suite, result.key.case


def _folded(samples: Sequence[SampleResult]) -> CaseRollup:
    """The case of a run that has not been summed up: it is still going, or was killed."""
    count = len({sample.key.sample for sample in samples})
    plan = [PlannedSample(key=samples[0].key, case_hash=samples[0].case_hash, samples=count, need=count)]
    return roll_up(samples, plan)[0]
