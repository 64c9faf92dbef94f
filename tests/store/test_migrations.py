"""The migrations lead from an empty database to the tables as they stand, and nowhere else."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from tests.servers.postgres import PostgresServer
from tests.stores import opened

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Said
from greenroom.conversation.messages import text_message
from greenroom.conversation.turns import Turn
from greenroom.store.encoding import encode, pack
from greenroom.store.migrations.walk import config_for, upgrade
from greenroom.store.partition import Partition
from greenroom.store.people_lists import PeopleFilter
from greenroom.store.schema import HEAD, REVISIONS, VERSION_TABLE, bring_to_head
from greenroom.store.tables import metadata
from greenroom.world.ports import ConversationState


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Engine, Engine]]:
    """Two databases of one kind with no tables."""
    with ExitStack() as databases:
        if request.param == "sqlite":
            urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("walked", "made")]
        else:
            server: PostgresServer = request.getfixturevalue("postgres_server")
            made = [databases.enter_context(server.new_url()) for _ in range(2)]
            urls = [url.replace("postgresql:", "postgresql+psycopg:") for url in made]
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


async def test_people_and_conversations_of_the_first_revision_are_found_as_before(
    new_database_url: str, tmp_path: Path
) -> None:
    """A database of the previous schema, as it was written then."""
    with first_revision(new_database_url, tmp_path) as engine, engine.begin() as connection:
        for table, row in FIRST_ROWS:
            names = ", ".join(row)
            values = ", ".join(f":{name}" for name in row)
            connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)

    async with opened(new_database_url, tmp_path) as store:
        people = store.people(Partition.LIVE)
        person = await people.find("web:visitor-7")
        assert person is not None
        assert (person.first_name, person.fields, person.status) == ("José", {"guests": 6}, "lead")
        page = await people.page(PeopleFilter(search="jose ruiz", status="lead"))
        assert [(one.person, one.created_at) for one in page.people] == [(person, "2026-01-01T00:00:00.000+00:00")]
        assert (await store.people(Partition.SANDBOX).page(PeopleFilter())).people == ()
        state = await store.conversations(ConversationState, Partition.LIVE).load("web:7")
        assert state == ConversationState(conversation="web:7", channel=Channel.WEB, identity="web:visitor-7", turns=2)


def test_statistics_count_what_went_on_before_they_were_there(empty: tuple[Engine, Engine]) -> None:
    walked, _ = empty
    share = {"workspace": "w", "partition": "live", "sandbox": ""}
    of = {**share, "agent": "desk", "channel": "sms"}
    talk = {"conversation": "c", "identity": "sms:1", "turns": 1, "state": b"", "started_at": "1", "updated_at": "2"}
    turn = Turn(index=1, event=Said(text="Hi"), entries=(text_message("Yes?"), text_message("No?")), duration_s=0.25)
    came = {"conversation": "c", "delivery": "answer", "status": "served", "received_at": "2"}
    kept = {"conversation": "c", "number": 1, "at": "3", "revision": "h", "body": pack(encode(turn))}
    with walked.begin() as connection:
        upgrade(connection, "0003")
        rows: Sequence[tuple[str, Mapping[str, object]]] = (
            ("conversations", {**of, **talk}),
            ("inbound", {**of, **came, "message_id": "m0", "event": pack(b'{"event":{"kind":"opened"}}')}),
            ("inbound", {**of, **came, "message_id": "m1", "event": pack(b'{"event":{"kind":"said","text":"Hi"}}')}),
            ("conversation_turns", {**share, **kept}),
        )
        for table, row in rows:
            values = ", ".join(f":{name}" for name in row)
            connection.execute(text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})"), row)
        upgrade(connection)

        counted = connection.execute(
            text("SELECT at, messages_in, messages_out, duration_ms FROM activity ORDER BY at")
        )
        assert [tuple(row) for row in counted] == [("2", 1, 0, None), ("3", 0, 2, 250)]


def test_the_known_revisions_are_the_files_that_are_there(empty: tuple[Engine, Engine]) -> None:
    with empty[0].connect() as connection:
        scripts = ScriptDirectory.from_config(config_for(connection))

    assert [script.revision for script in reversed(list(scripts.walk_revisions()))] == list(REVISIONS)


_TIMES = {"created_at": "2026-01-01T00:00:00.000+00:00", "updated_at": "2026-01-02T00:00:00.000+00:00"}
_LIVE = {"workspace": "default", "partition": "live"}
FIRST_ROWS = (
    (
        "people",
        {
            **_LIVE,
            **_TIMES,
            "person_id": "person-1",
            "body": (
                '{"person_id":"person-1","first_name":"José","last_name":"Ruiz","status":"lead","fields":{"guests":6}}'
            ),
        },
    ),
    ("identities", {**_LIVE, "identity": "web:visitor-7", "person_id": "person-1"}),
    (
        "conversations",
        {
            **_LIVE,
            "conversation": "web:7",
            "channel": "web",
            "identity": "web:visitor-7",
            "person_id": None,
            "ended": None,
            "turns": 2,
            "state": b'{"conversation":"web:7","channel":"web","identity":"web:visitor-7","turns":2}',
            "started_at": "2026-01-01T00:00:00.000+00:00",
            "updated_at": "2026-01-01T00:00:00.000+00:00",
        },
    ),
)


@contextmanager
def first_revision(url: str, root: Path) -> Generator[Engine]:
    """The database at the first revision."""
    if url.startswith("sqlite"):
        path = root / url.removeprefix("sqlite:///")
        path.parent.mkdir(parents=True)
        url = f"sqlite:///{path}"
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        upgrade(connection, REVISIONS[0])
    yield engine
    engine.dispose()


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
