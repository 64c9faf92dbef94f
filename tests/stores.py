"""Open stores, once on each kind of database."""

import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import current_thread
from typing import cast

import pytest
from sqlalchemy import Connection, Engine, event
from tests.servers.postgres import PostgresServer

from greenroom.clock import FrozenClock
from greenroom.store.locks import Turn
from greenroom.store.opening import Store, open_store
from greenroom.store.writer import WRITER_THREAD

SQLITE = "sqlite:///.greenroom/greenroom.db"
"""Relative to the `root` that the store is opened with."""

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
async def sqlite_store(tmp_path: Path) -> AsyncGenerator[Store]:
    """An empty store on SQLite."""
    async with opened(SQLITE, tmp_path) as made:
        yield made


@pytest.fixture
def postgresql_url(postgres_server: PostgresServer) -> Iterator[str]:
    """An empty database on PostgreSQL."""
    with postgres_server.empty_url() as url:
        yield url


@pytest.fixture
def new_postgresql_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A database on PostgreSQL that has no tables yet."""
    with postgres_server.new_url() as url:
        yield url


@pytest.fixture
async def postgresql_store(postgresql_url: str, tmp_path: Path) -> AsyncGenerator[Store]:
    """An empty store on PostgreSQL."""
    async with opened(postgresql_url, tmp_path) as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database."""
    return SQLITE if request.param == "sqlite" else request.getfixturevalue("postgresql_url")


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database_url(request: pytest.FixtureRequest) -> str:
    """A database that has no tables yet."""
    return SQLITE if request.param == "sqlite" else request.getfixturevalue("new_postgresql_url")


@asynccontextmanager
async def opened(
    url: str, root: Path, *, at: datetime = NOON, lock_wait_s: float = 10.0, workspace: str = "default"
) -> AsyncGenerator[Store]:
    """A store at a moment that stands still; closed at the end."""
    store = await open_store(url, root, clock=FrozenClock(at), lock_wait_s=lock_wait_s, workspace=workspace)
    watch_turns(store)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def store(database_url: str, tmp_path: Path) -> AsyncGenerator[Store]:
    """An empty store."""
    async with opened(database_url, tmp_path) as made:
        yield made


def watch_turns(store: Store) -> None:
    """Fail each write that changes what it has no turn for, or takes a turn when it holds something already."""
    if store.database.kind == "postgresql":
        _Watch(store.database.writer)


_TURNS = {
    Turn.DEFINITIONS: "definitions documents revisions publications signing_keys",
    Turn.PEOPLE: "people identities",
    Turn.CONVERSATIONS: "conversations conversation_turns inbound outbox errands timers looks reviews activity",
    Turn.APPOINTMENTS: "appointments",
}
_TURN_OF = {table: turn for turn, tables in _TURNS.items() for table in tables.split()}
_CHANGES = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM|SELECT .* FROM) (\w+)", re.DOTALL)


class _Watch:
    def __init__(self, engine: Engine) -> None:
        self._taken: list[int] = []
        self._holds_rows = False
        event.listen(engine, "begin", self._on_begin)
        event.listen(engine, "before_cursor_execute", self._on_execute)

    def _on_begin(self, _connection: Connection) -> None:
        self._taken, self._holds_rows = [], False

    def _on_execute(self, *asked: object) -> None:
        _connection, _cursor, statement, values, _context, _many = asked
        said = str(statement)
        if current_thread().name != WRITER_THREAD:
            return
        if "pg_advisory_xact_lock" in said:
            (turn,) = cast("Mapping[str, int]", values).values()
            assert not self._holds_rows, f"the turn {Turn(turn).name} is taken with rows held"
            assert not self._taken or turn > self._taken[-1], f"{Turn(turn).name} after {self._taken}"
            self._taken.append(turn)
        elif not said.startswith("SELECT") or said.endswith("FOR UPDATE"):
            self._holds_rows = True
            changed = _CHANGES.match(said)
            needed = _TURN_OF.get(changed[1]) if changed else None
            removes = said.startswith("DELETE") and Turn.SANDBOXES in self._taken
            assert needed is None or needed in self._taken or removes, f"without the turn {needed}: {said}"


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
