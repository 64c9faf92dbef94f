"""A private PostgreSQL server: its own folder, a socket in it, no network; gone when the tests are over."""

import os
import pwd
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

from greenroom.store.database import open_database
from greenroom.store.schema import VERSION_TABLE

BINARIES = "/usr/lib/postgresql"
MISSING = (
    f"these tests run on PostgreSQL too, and there is no server program under {BINARIES}/*/bin; "
    "on Debian or Ubuntu: apt-get install postgresql"
)


_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname"
_COUNTERS = """
SELECT setval(format('public.%I', sequencename)::regclass, start_value, false) FROM pg_sequences
WHERE schemaname = 'public' AND last_value IS NOT NULL
"""
_SHAPE = f"""
SELECT
    (SELECT version_num FROM {VERSION_TABLE}),
    (SELECT array_agg((relname, relkind) ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
    (SELECT count(*) FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid
        WHERE relnamespace = 'public'::regnamespace),
    (SELECT count(*) FROM pg_trigger), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_constraint)
"""


class PostgresServer:
    """A running server with databases for tests: new ones, and ones that hold Greenroom's tables already.

    Making those tables costs more than most tests do, so a database is swept after its test and lent to the next.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._counted = count(1)
        self._swept: list[str] = []

    @contextmanager
    def new_url(self) -> Generator[str]:
        """The URL of a database in which nothing is yet."""
        name = self._made()
        try:
            yield self._url(name)
        finally:
            self._drop(name)

    @contextmanager
    def empty_url(self) -> Generator[str]:
        """The URL of a database with all tables, and no row in them."""
        if not self._swept:
            name = self._made()
            open_database(self._url(name), root=self._folder).close()
            self._swept.append(name)
        name = self._swept.pop()
        with psycopg.connect(self._url(name)) as connection:
            shape = connection.execute(_SHAPE).fetchone()
        try:
            yield self._url(name)
        finally:
            if self._sweep(name, shape):
                self._swept.append(name)
            else:
                self._drop(name)

    def _sweep(self, name: str, shape: object) -> bool:
        """Whether the database is as it was, now that nobody is in it and what was kept in it is gone."""
        with psycopg.connect(self._url(name)) as connection:
            connection.execute(_OTHERS)
            if connection.execute(_SHAPE).fetchone() != shape:
                return False
            tables = [str(table) for (table,) in connection.execute(_TABLES) if table != VERSION_TABLE]
            ask = sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})")
            asked = [ask.format(sql.Literal(table), sql.Identifier(table)) for table in tables]
            used = [str(table) for (table,) in connection.execute(sql.SQL(" UNION ALL ").join(asked))]
            if used:
                connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(sql.SQL(", ").join(map(sql.Identifier, used))))
            connection.execute(_COUNTERS)
        return True

    def _made(self) -> str:
        name = f"d{next(self._counted)}"
        self._ask("CREATE DATABASE {}", name)
        return name

    def _drop(self, name: str) -> None:
        self._ask("DROP DATABASE {} WITH (FORCE)", name)

    def _ask(self, statement: LiteralString, database: str) -> None:
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(sql.Identifier(database)))

    def _url(self, database: str) -> str:
        return f"postgresql://greenroom@/{database}?host={self._folder}"


_CLEAR_UP = 'cat; "$0" stop -D "$1/data" --wait --silent --mode=immediate; rm -rf "$1"'
"""Once nobody holds the other end of the pipe any more; so a process that is killed leaves no server behind."""


@contextmanager
def private_postgres() -> Generator[PostgresServer]:
    """A server from `initdb` to its end. PostgreSQL refuses to run as root, so root lends it another user."""
    binaries, user = _binaries(), _server_user()
    folder = Path(tempfile.mkdtemp(prefix="greenroom-pg-"))
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    data = folder / "data"
    clearing = subprocess.Popen(
        ["sh", "-c", _CLEAR_UP, binaries / "pg_ctl", folder],
        user=user,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

    def run(program: str, *arguments: str) -> None:
        with (folder / "log").open("ab") as log:
            done = subprocess.run(
                [binaries / program, "-D", data, *arguments],
                user=user,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode:
            pytest.fail(f"{program} failed:\n{(folder / 'log').read_text()}")

    try:
        run("initdb", "--username=greenroom", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
        settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=50"
        run("pg_ctl", "start", "--wait", "--silent", "-o", settings)
        yield PostgresServer(folder)
    finally:
        clearing.communicate()


def _binaries() -> Path:
    found = sorted(Path(BINARIES).glob("*/bin/postgres"))
    if not found:
        pytest.fail(MISSING)
    return found[-1].parent


def _server_user() -> str | None:
    if os.geteuid() != 0:
        return None
    return next((entry.pw_name for entry in pwd.getpwall() if entry.pw_name in {"postgres", "nobody"}), "nobody")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for all tests of a process; each takes a database of its own."""
    with private_postgres() as server:
        yield server
