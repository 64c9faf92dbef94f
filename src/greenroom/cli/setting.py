"""What a command finds around it: environment, folder, and the time when that is given."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import typer

from greenroom.clock import Clock, FrozenClock, SystemClock

__all__ = ["Setting", "clock_of", "setting_of"]


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


def clock_of(setting: Setting) -> Clock:
    """Real time, unless the setting's stands still."""
    return SystemClock() if setting.frozen_at is None else FrozenClock(setting.frozen_at)
