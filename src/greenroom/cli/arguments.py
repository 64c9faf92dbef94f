"""What is written behind `greenroom` is text, whatever the terminal sends."""

import sys
from collections.abc import Sequence

__all__ = ["fault_of_arguments"]


def fault_of_arguments(arguments: Sequence[str]) -> str | None:
    """Why these can't be read, in a line; None when all of them are text.

    Bytes that the locale can't decode arrive as lone surrogates, which no file, database or screen takes.
    """
    return next((fault for argument in arguments if (fault := _fault(argument)) is not None), None)


def _fault(argument: str) -> str | None:
    try:
        argument.encode()
    except UnicodeEncodeError:
        written = argument.encode("utf-8", "surrogatepass" if _is_half(argument) else "surrogateescape")
    else:
        return None
    shown = written.decode("utf-8", "backslashreplace")
    if written == shown.encode():
        locale = sys.getfilesystemencoding()
        return (
            f"the argument {shown!r} can't be read: the locale says {locale}; set PYTHONUTF8=1 and it is read as UTF-8"
        )
    return f"the argument '{shown}' is no text: it isn't UTF-8; write it anew"


def _is_half(argument: str) -> bool:
    """Whether it holds half of a sign beyond the first 65,536, and not a byte that couldn't be decoded."""
    return any("\ud800" <= sign <= "\udfff" and not "\udc80" <= sign <= "\udcff" for sign in argument)
