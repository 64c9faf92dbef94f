"""What all tables have in common."""

from sqlalchemy import BigInteger, ForeignKeyConstraint, Integer, MetaData

__all__ = ["Number", "metadata", "of_conversation"]

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows by itself only in a column of the very type INTEGER.
Number = BigInteger().with_variant(Integer, "sqlite")


def of_conversation() -> ForeignKeyConstraint:
    """The row goes with its conversation."""
    columns = ("workspace", "partition", "conversation")
    return ForeignKeyConstraint(columns, [f"conversations.{column}" for column in columns], ondelete="CASCADE")
