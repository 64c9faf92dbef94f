"""Which database, and its engines: SQLite in WAL mode, or PostgreSQL through psycopg.

Two engines: one connection that writes, a few that read. Opening brings the schema to the newest revision.
"""

import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from greenroom.errors import StoreError, UsageError
from greenroom.store.faults import as_store_error
from greenroom.store.schema import at_head, bring_to_head

__all__ = ["LOCK_WAIT_S", "Database", "Kind", "faults_told", "open_database"]

LOCK_WAIT_S = 10.0
"""How long a write waits for another process, in seconds."""

_WAL_TRIES = 50
_READERS = 4

Kind = Literal["sqlite", "postgresql"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """An open database at the newest schema."""

    kind: Kind
    where: str
    """The database as a person knows it: the path, or the URL without its password."""
    writer: Engine
    """One connection; a transaction holds the write lock from its beginning."""
    readers: Engine
    read_only: bool = False
    """What is stored can be looked at and nothing can be kept."""

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A connection to read from: one consistent view, never changed by writers.

        Raises:
            StoreError: the database can't be read.
        """
        with faults_told(self.where), self.readers.connect() as connection:
            yield connection

    def close(self) -> None:
        """Let go of every connection."""
        self.readers.dispose()
        self.writer.dispose()


@contextmanager
def faults_told(where: str) -> Generator[None]:
    """Turn what a driver raises into the store's own errors."""
    try:
        yield
    # The second comes from the settings of a new connection, which SQLAlchemy doesn't wrap.
    except (DBAPIError, sqlite3.Error) as error:
        raise as_store_error(error, where) from error


def open_database(url: str, *, root: Path, lock_wait_s: float = LOCK_WAIT_S) -> Database:
    """Open the database, make it when it is new, and bring its schema to the newest revision.

    `sqlite:///relative` is relative to `root`, the project's folder; its parent folder is created. Blocks: call it
    in a thread.

    Raises:
        UsageError: a URL that names no database we know.
        StoreError: it can't be opened, is locked, or was made by a newer Greenroom.
    """
    parsed = _parsed(url)
    if parsed.drivername == "sqlite":
        database = _sqlite(_sqlite_path(parsed, root), lock_wait_s)
    else:
        database = _postgresql(parsed, lock_wait_s)
    try:
        with database.reading() as connection:
            ready = at_head(connection)
        if not ready and database.read_only:
            raise StoreError(
                f"the database {database.where} was made by an older Greenroom and may not be written to, so that it "
                "can't be brought up to date; run one command on it where it may be, such as `greenroom runs`"
            )
        if not ready:
            with faults_told(database.where), database.writer.connect() as connection:
                bring_to_head(connection, database.where)
    # Whatever went wrong, no connection may stay open behind the error.
    except BaseException:
        database.close()
        raise
    return database


def _parsed(url: str) -> URL:
    allowed = "write `sqlite:///FILE` (relative to the project) or `postgresql://USER:PASSWORD@HOST/NAME`"
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise UsageError(f"the database URL can't be read; {allowed}") from error
    name = parsed.drivername
    if name in {"postgres", "postgresql", "postgresql+psycopg"}:
        return parsed.set(drivername="postgresql+psycopg")
    if name != "sqlite":
        raise UsageError(f"{name!r} is no database that Greenroom knows; {allowed}")
    if not parsed.database or parsed.database == ":memory:":
        raise UsageError("a database in memory can't keep runs; write `sqlite:///FILE` (relative to the project)")
    return parsed


def _sqlite_path(url: URL, root: Path) -> Path:
    path = root / (url.database or "")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"the folder for the database {path} can't be made: {error.strerror}; name another place as `database` in "
            "greenroom.yaml, or in the environment variable GREENROOM_DATABASE"
        ) from error
    return path


def _sqlite(path: Path, lock_wait_s: float) -> Database:
    locked = path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    url = _read_only(path) if locked else URL.create("sqlite", database=str(path))

    def engine(*, size: int, begin: str, read_only: bool) -> Engine:
        made = create_engine(url, pool_size=size, max_overflow=0, connect_args={"timeout": lock_wait_s})

        def connected(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
            # The driver must not begin transactions by itself: it would begin them without the write lock.
            connection.isolation_level = None
            if not locked:
                _use_wal(connection)
                connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=ON")
            if read_only:
                connection.execute("PRAGMA query_only=ON")

        def begun(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        event.listen(made, "connect", connected)
        event.listen(made, "begin", begun)
        return made

    return Database(
        kind="sqlite",
        where=str(path),
        writer=engine(size=1, begin="BEGIN IMMEDIATE", read_only=False),
        readers=engine(size=_READERS, begin="BEGIN", read_only=True),
        read_only=locked,
    )


def _use_wal(connection: sqlite3.Connection) -> None:
    """Several may open a new database at once: the switch refuses at once where a transaction waits for its turn."""
    for _ in range(_WAL_TRIES):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        else:
            return
    connection.execute("PRAGMA journal_mode=WAL")


def _read_only(path: Path) -> URL:
    """A file that may not be written to, nor its folder, can be read all the same.

    A database in WAL mode wants two files beside it. Where they aren't, nobody has it open and they can't be made: so
    SQLite is told that it won't change. Where they are, somebody may be writing, and it is read like any other.
    """
    still = {} if path.with_name(f"{path.name}-wal").exists() else {"immutable": "1"}
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query={"mode": "ro", "uri": "true", **still})


def _postgresql(url: URL, lock_wait_s: float) -> Database:
    wait_ms = round(lock_wait_s * 1000)
    arguments: dict[str, Any] = {"connect_timeout": max(2, round(lock_wait_s)), "application_name": "greenroom"}
    theirs = url.query.get("options", ())
    options = [theirs] if isinstance(theirs, str) else [*theirs]

    def engine(*, size: int, option: str) -> Engine:
        return create_engine(
            url.difference_update_query(["options"]),
            pool_size=size,
            max_overflow=0,
            pool_pre_ping=True,
            connect_args={**arguments, "options": " ".join([*options, option])},
        )

    return Database(
        kind="postgresql",
        where=url.set(drivername="postgresql", query={}).render_as_string(hide_password=True),
        writer=engine(size=1, option=f"-c lock_timeout={wait_ms}"),
        readers=engine(size=_READERS, option="-c default_transaction_read_only=on"),
    )
