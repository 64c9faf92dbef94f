"""A private PostgreSQL server: its own folder, a socket in it, no network; gone when the tests are over."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

BINARIES = "/usr/lib/postgresql"
MISSING = (
    f"these tests run on PostgreSQL too, and there is no server program under {BINARIES}/*/bin; "
    "on Debian or Ubuntu: apt-get install postgresql"
)


class PostgresServer:
    """A running server; `fresh_url` gives an empty place in it."""

    def __init__(self, folder: Path) -> None:
        self._url = f"postgresql://greenroom@/postgres?host={folder}"
        self._counted = count(1)

    def fresh_url(self) -> str:
        """The URL of an empty schema."""
        name = f"s{next(self._counted)}"
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self._url}&options=-csearch_path%3D{name}"


@contextmanager
def private_postgres() -> Generator[PostgresServer]:
    """A server from `initdb` to its end. PostgreSQL refuses to run as root, so root lends it another user."""
    folder = Path(tempfile.mkdtemp(prefix="greenroom-pg-"))
    user = _server_user()
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    data = folder / "data"

    def run(program: str, *arguments: str) -> None:
        with (folder / "log").open("ab") as log:
            done = subprocess.run(
                [_binaries() / program, "-D", data, *arguments],
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
        try:
            yield PostgresServer(folder)
        finally:
            run("pg_ctl", "stop", "--wait", "--silent", "--mode=immediate")
    finally:
        shutil.rmtree(folder)


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
    """One server for all tests; each takes a schema of its own."""
    with private_postgres() as server:
        yield server
