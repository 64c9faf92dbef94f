"""An opened project: documents, store, clock and environment. Nothing global; a face opens one and closes it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from greenroom.clock import Clock
from greenroom.documents.loading import LoadedProject, find_project, load_settings, read_project
from greenroom.documents.project import Project
from greenroom.documents.templates import filled_environment
from greenroom.documents.zones import zone_named
from greenroom.store.opening import Store, open_store

__all__ = ["Context", "opened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every operation is handed. What was stored can be looked at while a document is broken."""

    root: Path
    """The folder of `greenroom.yaml`."""
    project: Project
    store: Store
    clock: Clock
    environment: Mapping[str, str]
    folder: Path
    """Where the person stands; relative files in what they ask for start here."""

    @property
    def zone(self) -> tzinfo:
        """By whose clock people read times: the project's. JSON has them with their offset."""
        return zone_named(self.project.time_zone)

    async def documents(self) -> LoadedProject:
        """Agents, suites and customers as they are written now, with whatever keeps the rest from being read."""
        return await asyncio.to_thread(read_project, self.root, environment=self.environment)


@asynccontextmanager
async def opened(
    folder: Path, *, environment: Mapping[str, str], clock: Clock, project: Path | None = None
) -> AsyncGenerator[Context]:
    """Open the project that `folder` stands in, or `project`. Raises `DocumentsInvalid`, `UsageError`, `StoreError`."""
    instead = environment.get("GREENROOM_DATABASE")
    # A variable that the project's own database wants is missed by nobody who names another one.
    root, settings = await asyncio.to_thread(_settings, project or folder, None if instead else environment)
    url = filled_environment(instead or settings.database, environment)
    store = await open_store(url, root, workspace=settings.workspace, clock=clock)
    try:
        yield Context(root=root, project=settings, store=store, clock=clock, environment=environment, folder=folder)
    finally:
        await store.close()


def _settings(start: Path, environment: Mapping[str, str] | None) -> tuple[Path, Project]:
    root = find_project(start)
    return root, load_settings(root, environment=environment)
