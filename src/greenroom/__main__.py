"""`python -m greenroom` is `greenroom`."""

import gc
from typing import NoReturn

__all__ = ["greenroom"]


def greenroom() -> NoReturn:
    """The command line as a process of its own.

    What is loaded stays as long as the process does, so nothing looks for garbage among it: that takes a tenth of the
    start. `cli.loop` begins to look when the work begins.
    """
    gc.disable()
    from greenroom.cli.app import main  # noqa: PLC0415  # what is loaded is loaded here

    main()


if __name__ == "__main__":
    greenroom()
