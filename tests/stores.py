"""Open stores, once on each kind of database."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event
from tests.servers.postgres import PostgresServer

from greenroom.clock import FrozenClock
from greenroom.store.opening import Store, open_store

SQLITE = "sqlite:///.greenroom/greenroom.db"
"""Relative to the `root` that the store is opened with."""

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
async def sqlite_store(tmp_path: Path) -> AsyncGenerator[Store]:
    """An empty store on SQLite."""
    async with opened(SQLITE, tmp_path) as made:
        yield made


@pytest.fixture
async def postgresql_store(postgres_server: PostgresServer, tmp_path: Path) -> AsyncGenerator[Store]:
    """An empty store on PostgreSQL."""
    async with opened(postgres_server.fresh_url(), tmp_path) as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return SQLITE
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.fresh_url()


@asynccontextmanager
async def opened(
    url: str, root: Path, *, at: datetime = NOON, lock_wait_s: float = 10.0, workspace: str = "default"
) -> AsyncGenerator[Store]:
    """A store at a moment that stands still; closed at the end."""
    store = await open_store(url, root, clock=FrozenClock(at), lock_wait_s=lock_wait_s, workspace=workspace)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def store(database_url: str, tmp_path: Path) -> AsyncGenerator[Store]:
    """An empty store."""
    async with opened(database_url, tmp_path) as made:
        yield made


class Statements:
    """What an engine was asked, while it is listened to."""

    def __init__(self, engine: Engine) -> None:
        self.asked: list[tuple[str, object]] = []
        self.commits = 0
        event.listen(engine, "before_cursor_execute", self._on_execute)
        event.listen(engine, "commit", self._on_commit)

    @property
    def queries(self) -> Sequence[tuple[str, object]]:
        """The SELECT statements and their parameters."""
        return [(statement, values) for statement, values in self.asked if statement.startswith("SELECT")]

    def _on_execute(self, *asked: object) -> None:
        _connection, _cursor, statement, values, _context, _many = asked
        self.asked.append((str(statement), values))

    def _on_commit(self, _connection: Connection) -> None:
        self.commits += 1
