"""An opened project: documents, store, clock and environment. Nothing global; a face opens one and closes it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from greenroom.clock import Clock
from greenroom.documents.loading import LoadedProject, find_project, load_project
from greenroom.store.opening import Store, open_store

__all__ = ["Context", "opened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every operation is handed."""

    loaded: LoadedProject
    store: Store
    clock: Clock
    environment: Mapping[str, str]
    folder: Path
    """Where the person stands; relative files in what they ask for start here."""

    @property
    def root(self) -> Path:
        """The folder of `greenroom.yaml`."""
        return self.loaded.root


@asynccontextmanager
async def opened(
    folder: Path, *, environment: Mapping[str, str], clock: Clock, project: Path | None = None
) -> AsyncGenerator[Context]:
    """Open the project that `folder` stands in, or `project`. Raises `DocumentsInvalid`, `UsageError`, `StoreError`."""
    loaded = await asyncio.to_thread(_loaded, project or folder, environment)
    url = environment.get("GREENROOM_DATABASE") or loaded.project.database
    store = await open_store(url, loaded.root, workspace=loaded.project.workspace, clock=clock)
    try:
        yield Context(loaded=loaded, store=store, clock=clock, environment=environment, folder=folder)
    finally:
        await store.close()


def _loaded(start: Path, environment: Mapping[str, str]) -> LoadedProject:
    return load_project(find_project(start), environment=environment)
