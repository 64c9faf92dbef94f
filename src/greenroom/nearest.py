"""The nearest right name for a wrong one."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean", "nearest", "there_are"]

_LISTED = 10
"""So many names are told where none is near."""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate a person most likely meant, ignoring case; None when nothing is near."""
    # `str`, since words of an enumeration are shown as they are written.
    by_folded = {candidate.casefold(): str(candidate) for candidate in candidates}
    found = get_close_matches(name.casefold(), list(by_folded), n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing."""
    found = nearest(name, candidates)
    return f"; did you mean {found!r}?" if found else ""


def there_are(names: Iterable[str]) -> str:
    """`; there are a, b and 3 more`, for when none is near; nothing when there is none at all."""
    known = sorted(names)
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    return f"; there {'is' if len(known) == 1 else 'are'} {', '.join(known[:_LISTED])}{more}" if known else ""
