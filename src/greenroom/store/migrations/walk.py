"""Walking the migrations on a connection that is already in its transaction; the only user of Alembic's commands."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

__all__ = ["config_for", "upgrade"]


def config_for(connection: Connection) -> Config:
    """Alembic's settings for this package's migrations, without an `alembic.ini`."""
    config = Config()
    # The settings are read with `%` as a mark of their own, and a folder may be called anything.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection, to: str = "head") -> None:
    """Walk up to this revision."""
    command.upgrade(config_for(connection), to)
