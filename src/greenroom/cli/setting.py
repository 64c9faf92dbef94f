"""What a command finds around it: environment, folder, and the time when that is given."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import typer

__all__ = ["Setting", "setting_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Handed to `main`; left out, it is the process's own."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    folder: Path = field(default_factory=Path.cwd)
    """Where the person stands; relative paths start here."""
    frozen_at: datetime | None = None
    """A time that stands still, with counted ids: then the same run prints the same screen."""


def setting_of(context: typer.Context) -> Setting:
    """The setting that this command was called in."""
    found: object = context.obj  # pyright: ignore[reportUnknownMemberType] — Typer leaves it untyped
    return found if isinstance(found, Setting) else Setting()
