"""Which timer had a message said, so that what became of both can be told together."""

import sqlalchemy as sa
from alembic import op

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column. What was said before counts as delivered, as it was told before."""
    op.add_column("outbox", sa.Column("timer", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=True))
