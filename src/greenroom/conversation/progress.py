"""What a run tells while it goes. Exactly one `RunFinished` is the last of every stream."""

from dataclasses import dataclass
from typing import TypeAlias

from greenroom.conversation.outcomes import RunSummary, SampleKey, SampleResult

__all__ = ["Progress", "RunFinished", "RunStarted", "SampleFinished", "SampleStarted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The run is planned and stored."""

    run: RunSummary
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleStarted:
    """A conversation begins."""

    key: SampleKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFinished:
    """A conversation is over and graded."""

    result: SampleResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """Nothing more will come: finished or cancelled, or broken off by the store, as its status says."""

    run: RunSummary
    fault: str = ""
    """What the store refused, and what of the run is saved; empty when all of it is."""
    unsaved: tuple[SampleResult, ...] = ()
    """Results that are in no store."""


Progress: TypeAlias = RunStarted | SampleStarted | SampleFinished | RunFinished
