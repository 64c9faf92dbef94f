"""The clock that a command goes by. Apart from its setting, since `--help` has no time to load one."""

from greenroom.cli.setting import Setting
from greenroom.clock import Clock, FrozenClock, SystemClock

__all__ = ["clock_of"]


def clock_of(setting: Setting) -> Clock:
    """Real time, unless the setting's stands still."""
    return SystemClock() if setting.frozen_at is None else FrozenClock(setting.frozen_at)
