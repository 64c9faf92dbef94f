"""Live or sandbox: the one place where that filter is written (features.md A7).

Every row that a conversation leaves behind belongs to one workspace and one partition. A repository is opened for
one partition and sees nothing of the other.
"""

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, Table, and_

__all__ = ["Partition", "Share"]


class Partition(StrEnum):
    """Where a row counts: the sandbox is never seen by anything that lists, counts or sends."""

    LIVE = "live"
    SANDBOX = "sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One partition of one workspace."""

    workspace: str
    partition: Partition

    def of(self, table: Table) -> ColumnElement[bool]:
        """The rows of this table that belong to it."""
        return and_(table.c.workspace == self.workspace, table.c.partition == self.partition.value)

    def columns(self) -> dict[str, str]:
        """What marks a new row as belonging to it."""
        return {"workspace": self.workspace, "partition": self.partition.value}
