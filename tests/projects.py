"""A project on disk for tests that go through the operations: documents in, a stored run out."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from greenroom.clock import SystemClock
from greenroom.conversation.outcomes import RunSummary, SampleResult
from greenroom.conversation.progress import Progress, RunFinished, SampleFinished
from greenroom.operations.context import Context, opened
from greenroom.operations.runs import RunRequest, perform, prepare
from greenroom.operations.stopping import Stop

__all__ = ["Outcome", "ProjectMaker", "written_project"]

DESK: Mapping[str, object] = {
    "agent": "desk",
    "name": "Lakeside Boat Rentals",
    "model": "script:models/agent.yaml",
    "greeting": "Hello, this is Lakeside.",
    "prompt": "You are the desk of a boat rental.",
    "people": {"fields": {"party_size": {"type": "number"}}},
    "notifications": {"to": ["json://127.0.0.1:9/team"]},
    "tools": {
        "list_boats": {
            "description": "Boats that are free on a day.",
            "parameters": {"type": "object", "properties": {"date": {"type": "string"}}, "required": ["date"]},
            "url": "https://boats.example/free",
            "mocks": [{"result": [{"boat": "pontoon-20", "free": True}]}],
        }
    },
}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A run and its results, as they were told and as they were stored."""

    run: RunSummary
    told: Sequence[Progress]
    stored: Sequence[SampleResult]

    @property
    def results(self) -> Mapping[str, SampleResult]:
        """The stored results by case; the last sample of each."""
        return {result.key.case: result for result in self.stored}

    @property
    def only(self) -> SampleResult:
        """The one result."""
        (result,) = self.stored
        return result


@dataclass(kw_only=True)
class ProjectMaker:
    """Writes documents; JSON is YAML."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def write(self, name: str, document: object) -> Path:
        """One document."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps(document))
        return path

    def open(self) -> AbstractAsyncContextManager[Context]:
        """The project as an operation is handed it."""
        return opened(self.root, environment=self.environment, clock=SystemClock())

    async def run(self, request: RunRequest | None = None, *, stop: Stop | None = None) -> Outcome:
        """Run it all, or what is asked for."""
        async with self.open() as context:
            prepared = await prepare(context, request or RunRequest())
            told = [event async for event in perform(context, prepared, stop or Stop())]
            last = told[-1]
            assert isinstance(last, RunFinished)
            assert sum(isinstance(event, RunFinished) for event in told) == 1
            stored = [result async for result in context.store.results.of_run(last.run.run_id, attempts=True)]
            finished = {event.result.key for event in told if isinstance(event, SampleFinished)}
            assert finished <= {result.key for result in stored}
            return Outcome(run=await context.store.runs.get(last.run.run_id), told=told, stored=stored)


def written_project(
    root: Path,
    *,
    rules: Sequence[object],
    cases: Mapping[str, object],
    agent: Mapping[str, object] | None = None,
    project: Mapping[str, object] | None = None,
) -> ProjectMaker:
    """A desk with one tool, one script that plays agent and judge, and one suite of these cases."""
    maker = ProjectMaker(root=root)
    settings = {"workspace": "test", "models": {"judge": "script:models/agent.yaml"}, **(project or {})}
    maker.write("greenroom.yaml", settings)
    maker.write("models/agent.yaml", {"rules": rules})
    maker.write("agents/desk.yaml", {**DESK, **(agent or {})})
    maker.write("suites/booking.yaml", {"suite": "booking", "agents": ["desk"], "cases": cases})
    return maker
