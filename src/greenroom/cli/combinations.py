"""Which options go together: for each command that does several things, what each of them goes by.

An option that would mean nothing is refused, never passed over: whoever wrote it meant something by it. Commands that
are not here do one thing, for which every option counts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["COMBINATIONS", "Doing", "clash"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """One of the things that a command does, by the names of its parameters."""

    by: str = ""
    """What asks for it; empty for what is done when nothing else is asked for."""
    goes_by: frozenset[str]
    """What counts then."""


def _doing(by: str, goes_by: str) -> Doing:
    return Doing(by=by, goes_by=frozenset({*goes_by.split(), *_ALWAYS, by}))


_ALWAYS = ("project",)
_WHICH_PEOPLE = "search where segment audience sandbox"

COMBINATIONS: Mapping[str, Sequence[Doing]] = MappingProxyType({
    "people": (
        _doing("import_", "preview format_"),
        _doing("add", "set_ bind format_"),
        _doing("person", "set_ bind sandbox format_"),
        _doing("export", _WHICH_PEOPLE),
        _doing("count", f"{_WHICH_PEOPLE} format_"),
        _doing("", f"{_WHICH_PEOPLE} limit after format_"),
    ),
    "appointments": (
        _doing("cancel", "appointment sandbox format_"),
        _doing("appointment", "sandbox format_"),
        _doing("", "agent person representative since until status sandbox limit after format_"),
    ),
    "conversations": (
        _doing("conversation", "sandbox turns format_"),
        _doing("", "sandbox agent person review limit after format_"),
    ),
    "outreach": (
        _doing("preview", "agent name limit format_"),
        _doing("", "agent name limit after format_"),
    ),
    "review": (
        _doing("conversation", "criterion format_"),
        _doing("", "most format_"),
    ),
})
"""By command, what stands first is done when several are asked for."""


def clash(doings: Sequence[Doing], written: Collection[str], names: Mapping[str, str]) -> str | None:
    """What is wrong with writing these together, as a sentence; None when all of them count.

    Args:
        doings: What the command does.
        written: The parameters that were written.
        names: What each parameter is called where it is written.
    """
    does = next(each for each in doings if not each.by or each.by in written)
    left = [name for name in names if name in written and name not in does.goes_by]
    if not left:
        return None
    asked = [each.by for each in doings if each.by in left]
    if asked:
        return f"{names[does.by]} and {names[asked[0]]} are two things to do; ask for one at a time"
    wrong = left[0]
    others = [names[each.by] for each in doings if each.by and wrong in each.goes_by]
    if not does.by:
        return f"{names[wrong]} goes with {_or(others)}; write that too, or leave {names[wrong]} out"
    beside = [names[name] for name in names if name in does.goes_by and name not in {does.by, *_ALWAYS}]
    goes = f", which goes with {_or(beside)}" if beside else ""
    return f"{names[wrong]} means nothing beside {names[does.by]}{goes}; leave {names[wrong]} out"


def _or(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
