"""Opening a database: where it is, what it refuses, and what it costs."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.stores import SQLITE, opened

from greenroom.errors import StoreError, UsageError
from greenroom.store.opening import open_store
from greenroom.store.schema import HEAD

IN_MEMORY = "a database in memory can't keep runs; write `sqlite:///FILE` (relative to the project)"


async def test_a_relative_path_starts_from_the_project_and_its_folder_is_made(tmp_path: Path) -> None:
    async with opened("sqlite:///deep/below/runs.db", tmp_path):
        pass

    assert (tmp_path / "deep" / "below" / "runs.db").is_file()


async def test_an_absolute_path_is_taken_as_it_is(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path}/elsewhere.db", tmp_path / "project"):
        pass

    assert (tmp_path / "elsewhere.db").is_file()


@pytest.mark.parametrize("folder", ["with space", "a#b", "100%20", "für Gäste", "who?"])
async def test_a_folder_may_be_called_anything(tmp_path: Path, folder: str) -> None:
    """W07."""
    async with opened(SQLITE, tmp_path / folder) as store:
        assert store.database.where == str(tmp_path / folder / ".greenroom" / "greenroom.db")

    assert (tmp_path / folder / ".greenroom" / "greenroom.db").is_file()


async def test_sqlite_writes_ahead_and_keeps_references(tmp_path: Path) -> None:
    async with opened(SQLITE, tmp_path) as store:
        with store.database.writer.connect() as connection:
            settings = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            ]

    assert settings == ["wal", 1, 1, 10_000]


async def test_readers_can_change_nothing(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:

        def write() -> None:
            with store.database.reading() as connection:
                connection.execute(text("DELETE FROM runs"))

        with pytest.raises(StoreError):
            await asyncio.to_thread(write)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "greenroom.db",
            "the database URL can't be read; write `sqlite:///FILE` (relative to the project) or "
            "`postgresql://USER:PASSWORD@HOST/NAME`",
        ),
        (
            "mysql://root@localhost/runs",
            "'mysql' is no database that Greenroom knows; write `sqlite:///FILE` (relative to the project) or "
            "`postgresql://USER:PASSWORD@HOST/NAME`",
        ),
        ("sqlite://", IN_MEMORY),
        (
            "sqlite:///:memory:",
            IN_MEMORY,
        ),
    ],
)
async def test_a_url_that_names_no_database_says_what_to_write(tmp_path: Path, url: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        await open_store(url, tmp_path)

    assert str(refused.value) == said


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("These are my notes, and they are long enough to be read as a header. " * 4)

    with pytest.raises(StoreError, match=r"notes\.txt is not a sound SQLite database .* move it away or name another"):
        await open_store("sqlite:///notes.txt", tmp_path)

    assert (tmp_path / "notes.txt").read_text().startswith("These are my notes")


async def test_a_folder_that_cant_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    with pytest.raises(StoreError, match=r"the folder for the database .*taken/runs\.db can't be made"):
        await open_store("sqlite:///taken/runs.db", tmp_path)


async def test_a_path_that_is_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs.db").mkdir()

    with pytest.raises(StoreError, match=r"runs\.db can't be opened; see that its folder exists"):
        await open_store("sqlite:///runs.db", tmp_path)


async def test_a_newer_schema_is_refused(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as store:
        with store.database.writer.begin() as connection:
            connection.execute(text("UPDATE greenroom_version SET version_num = '9999'"))

    with pytest.raises(StoreError) as refused:
        await open_store(database_url, tmp_path)

    assert f"was made by a newer Greenroom (schema 9999; this one knows up to {HEAD}); update Greenroom" in str(
        refused.value
    )


async def test_tables_of_somebody_else_are_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shared.db") as theirs:
        theirs.execute("CREATE TABLE people (name TEXT)")
    theirs.close()

    with pytest.raises(StoreError, match=r"already has tables that are not Greenroom's \(people\); name another"):
        await open_store("sqlite:///shared.db", tmp_path)


async def test_a_server_that_cant_be_reached_is_told_without_the_password(tmp_path: Path) -> None:
    url = f"postgresql://ada:secret@/runs?host={tmp_path}"

    with pytest.raises(StoreError) as refused:
        await open_store(url, tmp_path)

    assert str(refused.value).startswith("the database postgresql://ada:***@/runs can't be reached: ")
    assert not {"\n", "\t"} & set(str(refused.value)), "one line, whatever the driver says"
    assert "secret" not in str(refused.value)


async def test_several_may_open_a_new_database_at_once(new_database_url: str, tmp_path: Path) -> None:
    stores = await asyncio.gather(*(open_store(new_database_url, tmp_path) for _ in range(5)))

    for store in stores:
        assert await store.runs.list() == ()
        await store.close()


def test_opening_a_database_that_is_up_to_date_loads_no_alembic(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from greenroom.store.database import open_database\n"
        f"open_database({SQLITE!r}, root=pathlib.Path({str(tmp_path)!r})).close()\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'alembic' or name == 'sqlalchemy.orm'])\n"
    )
    loaded = [subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout for _ in range(2)]

    assert loaded == [b"[]\n", b"[]\n"]
