"""Opening the project that a command works on. Loaded by the commands that need one, for it loads the store."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from greenroom.cli.setting import Setting
from greenroom.cli.told_time import clock_of
from greenroom.operations.context import Context, opened

__all__ = ["open_project"]


def open_project(setting: Setting, project: Path | None) -> AbstractAsyncContextManager[Context]:
    """The project in `project`, or the one that the person stands in."""
    return opened(
        setting.folder,
        environment=setting.environment,
        clock=clock_of(setting),
        project=None if project is None else setting.folder / project,
    )
