"""Which revision a database is at, and the way to the newest.

A database at the newest revision costs one query and no lock. A new one is made from the tables as they stand, which
a test proves to be the same as walking all migrations; only an older one loads Alembic.
"""

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, insert, inspect, select

from greenroom.errors import StoreError
from greenroom.store import tables
from greenroom.store.locks import Turn, take_turn

__all__ = ["HEAD", "REVISIONS", "VERSION_TABLE", "at_head", "bring_to_head"]

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006")
"""Every revision of the schema, oldest first; the files of `migrations/versions` in the order they are walked."""

HEAD = REVISIONS[-1]

VERSION_TABLE = "greenroom_version"
"""Our own, so that a PostgreSQL database can be shared with another user of Alembic."""

# The very table that Alembic would make.
_version = Table(
    VERSION_TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)


def at_head(connection: Connection) -> bool:
    """Whether there is nothing to do."""
    return _version_of(connection) == HEAD


def bring_to_head(connection: Connection, where: str) -> None:
    """Make or migrate the schema, in one transaction, as the only process that does.

    Raises:
        StoreError: the schema is newer than this Greenroom, or the tables are somebody else's.
    """
    with connection.begin():
        take_turn(connection, Turn.SCHEMA)
        version = _version_of(connection)
        if version is None:
            _make(connection, where)
        elif version not in REVISIONS:
            raise StoreError(
                f"the database {where} was made by a newer Greenroom (schema {version}; this one knows up to {HEAD}); "
                "update Greenroom, or name another `database` in greenroom.yaml"
            )
        elif version != HEAD:
            _migrate(connection)


def _version_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(select(_version.c.version_num)).scalar_one_or_none()


def _make(connection: Connection, where: str) -> None:
    theirs = sorted(set(inspect(connection).get_table_names()) & set(tables.metadata.tables))
    if theirs:
        raise StoreError(
            f"the database {where} already has tables that are not Greenroom's ({', '.join(theirs)}); "
            "name another `database` in greenroom.yaml"
        )
    tables.metadata.create_all(connection, checkfirst=False)
    _version.create(connection, checkfirst=False)
    connection.execute(insert(_version).values(version_num=HEAD))


def _migrate(connection: Connection) -> None:
    # Alembic takes a quarter of a second to import, and is needed once per update of Greenroom.
    from greenroom.store.migrations.walk import upgrade  # noqa: PLC0415

    upgrade(connection)
