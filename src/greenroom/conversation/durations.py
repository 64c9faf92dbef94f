"""Lengths of time in the words that people write them with."""

from datetime import timedelta

__all__ = ["length_of", "spelled_length"]

_UNITS = ((86_400, 2, "d"), (3_600, 1, "h"), (60, 1, "m"))
"""Seconds, the least number of them that is told, and the letter: a day is 24h, two are 2d."""


def spelled_length(seconds: float) -> str:
    """`24h`, `2d`, `90m` or `45s`: the largest unit of which it is a whole number."""
    for unit, least, letter in _UNITS:
        if seconds >= unit * least and seconds % unit == 0:
            return f"{seconds / unit:g}{letter}"
    return f"{seconds:g}s"


def length_of(spelled: str) -> timedelta | None:
    """The length that was spelled so; None when it is none."""
    sizes = {letter: unit for unit, _, letter in _UNITS} | {"s": 1}
    try:
        return timedelta(seconds=float(spelled[:-1]) * sizes[spelled[-1:]])
    except (ValueError, KeyError):
        return None
