"""Live or sandbox: the one place where that filter is written (features.md A7).

Every row that a conversation leaves behind belongs to one workspace and one partition; a row of the sandbox belongs to
one sandbox besides, with which it goes. A table of such rows is made by `partitioned` and stays in there: what it
hands out is `Rows` of one `Share`, whose columns are those of a query that is filtered already. A query that doesn't
say which partition can therefore not be written; `tests/store/test_partition.py` holds that nobody goes round.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Delete,
    Insert,
    MetaData,
    Select,
    Subquery,
    Table,
    Text,
    Update,
    and_,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from greenroom.store.encoding import visible

__all__ = ["Partition", "Partitioned", "Rows", "Sandbox", "Share", "Where", "partitioned", "share_of"]


class Partition(StrEnum):
    """Where a row counts: the sandbox is never seen by anything that lists, counts or sends."""

    LIVE = "live"
    SANDBOX = "sandbox"

    @classmethod
    def asked(cls, *, sandbox: bool) -> "Partition":
        """The sandbox where it is asked for, else the live side."""
        return cls.SANDBOX if sandbox else cls.LIVE


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One sandbox of the sandbox partition. Only in one can something be written, so that all of it can be removed."""

    name: str


Where: TypeAlias = Partition | Sandbox
"""The live side, all sandboxes (to look at), or one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The rows of one workspace in one partition, or in one sandbox of it."""

    workspace: str
    partition: Partition
    sandbox: str = ""
    """Empty: live, or all sandboxes."""


def share_of(workspace: str, where: Where) -> Share:
    """The share that somebody asks for."""
    if isinstance(where, Sandbox):
        return Share(workspace=workspace, partition=Partition.SANDBOX, sandbox=visible(where.name))
    return Share(workspace=workspace, partition=where)


_Values: TypeAlias = Mapping[str, Any]
_Named: TypeAlias = str | int | Select[*tuple[Any, ...]]
"""What a column must be: this value, or one of those that a query finds."""


_MARKS = ("workspace", "partition", "sandbox")


class Rows:
    """The rows of one table in one share: to select from, and to change by the columns that name them."""

    def __init__(self, table: Table, share: Share) -> None:
        self.__table = table
        self._share = share
        self.source: Subquery = select(table).where(self._mine()).subquery(table.name)
        """For joins. The columns in `c` are its columns."""

    @property
    def c(self) -> ReadOnlyColumnCollection[str, ColumnElement[Any]]:
        """The columns, of this share's rows alone."""
        return self.source.c

    def insert(self, values: _Values | None = None) -> Insert:
        """New rows; what marks them as this share's can't be left out.

        Rows of the sandbox are refused by the database when the share is no single sandbox.
        """
        share = self._share
        marks = {"workspace": share.workspace, "partition": share.partition.value, "sandbox": share.sandbox}
        return insert(self.__table).values({**(values or {}), **marks})

    def update(self, values: _Values, **named: _Named) -> Update:
        """Change the rows of this share whose columns are so. Rows never leave their share."""
        kept = {name: value for name, value in values.items() if name not in _MARKS}
        return update(self.__table).where(self._mine(), *self._named(named)).values(kept)

    def delete(self, **named: _Named) -> Delete:
        """Remove the rows of this share whose columns are so; without a column, all of them."""
        return delete(self.__table).where(self._mine(), *self._named(named))

    def _mine(self) -> ColumnElement[bool]:
        columns, share = self.__table.c, self._share
        mine = and_(columns.workspace == share.workspace, columns.partition == share.partition.value)
        return and_(mine, columns.sandbox == share.sandbox) if share.sandbox else mine

    def _named(self, named: Mapping[str, _Named]) -> list[ColumnElement[bool]]:
        columns = self.__table.c
        return [
            columns[name].in_(value) if isinstance(value, Select) else columns[name] == value
            for name, value in named.items()
        ]


class Partitioned:
    """A table whose rows can be reached one share at a time."""

    def __init__(self, table: Table) -> None:
        self.__table = table

    @property
    def name(self) -> str:
        """The table's name."""
        return self.__table.name

    def of(self, share: Share) -> Rows:
        """The rows of this share."""
        return _rows(self.__table, share)


@lru_cache(maxsize=512)
def _rows(table: Table, share: Share) -> Rows:
    """Made once: to set up the columns of its subquery costs more than the queries that use it (half of an event)."""
    return Rows(table, share)


def partitioned(name: str, metadata: MetaData, *items: SchemaItem) -> Partitioned:
    """A table with `workspace`, `partition` and `sandbox` before these columns.

    `sandbox` is empty on the live side and only there: a row of the sandbox that belongs to none could never be
    cleaned up.
    """
    table = Table(
        name,
        metadata,
        Column("workspace", Text, nullable=False),
        Column("partition", Text, nullable=False),
        Column("sandbox", Text, nullable=False),
        *items,
        CheckConstraint("(partition = 'sandbox') = (sandbox <> '')", name=f"ck_{name}_sandbox"),
    )
    return Partitioned(table)
