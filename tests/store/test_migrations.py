"""The migrations lead from an empty database to the tables as they stand, and nowhere else."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from tests.servers.postgres import PostgresServer

from greenroom.store.migrations.walk import config_for, upgrade
from greenroom.store.schema import HEAD, REVISIONS, VERSION_TABLE, bring_to_head
from greenroom.store.tables import metadata


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Engine, Engine]]:
    """Two empty databases of one kind."""
    if request.param == "sqlite":
        urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("walked", "made")]
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        urls = [server.fresh_url().replace("postgresql:", "postgresql+psycopg:") for _ in range(2)]
    engines = [create_engine(url) for url in urls]
    yield engines[0], engines[1]
    for engine in engines:
        engine.dispose()


def test_a_new_database_is_the_same_as_one_that_walked_every_migration(empty: tuple[Engine, Engine]) -> None:
    walked, made = empty

    with walked.begin() as connection:
        upgrade(connection)
    with made.connect() as connection:
        bring_to_head(connection, "made")

    with walked.connect() as left, made.connect() as right:
        assert _described(left) == _described(right)
        assert _version(left) == _version(right) == HEAD


def test_the_migrations_leave_nothing_out_of_the_tables(empty: tuple[Engine, Engine]) -> None:
    walked, _ = empty
    with walked.begin() as connection:
        upgrade(connection)
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})

        assert compare_metadata(context, metadata) == []


def test_a_database_at_the_first_revision_is_brought_to_the_newest(empty: tuple[Engine, Engine]) -> None:
    walked, _ = empty
    with walked.begin() as connection:
        upgrade(connection, REVISIONS[0])
        connection.execute(text("INSERT INTO documents (hash, body, seen_at) VALUES ('h', '', '')"))

    with walked.connect() as connection:
        bring_to_head(connection, "walked")

        assert _version(connection) == HEAD
        assert connection.execute(text("SELECT hash FROM documents")).scalar_one() == "h"


def test_the_known_revisions_are_the_files_that_are_there(empty: tuple[Engine, Engine]) -> None:
    with empty[0].connect() as connection:
        scripts = ScriptDirectory.from_config(config_for(connection))

    assert [script.revision for script in reversed(list(scripts.walk_revisions()))] == list(REVISIONS)


def _version(connection: Connection) -> str:
    return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one()


def _described(connection: Connection) -> Mapping[str, object]:
    """Everything a database knows of its tables."""
    if connection.dialect.name == "sqlite":
        rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        return {row.name: " ".join(row.sql.split()) for row in rows}
    known = inspect(connection)
    return {
        table: [
            [{**column, "type": repr(column["type"])} for column in known.get_columns(table)],
            known.get_pk_constraint(table),
            sorted(known.get_foreign_keys(table), key=str),
            sorted(known.get_unique_constraints(table), key=str),
            sorted(known.get_indexes(table), key=str),
        ]
        for table in sorted(known.get_table_names())
    }
