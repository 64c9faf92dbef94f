"""Which names a template may have, and what to say of one that names nothing (semantics: two levels of lint)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass

from greenroom.documents.templates import PERSON_NAMES, ROOTS, SYSTEM_NAMES
from greenroom.nearest import nearest

__all__ = ["is_known", "nothing_named", "texts_in"]


def is_known(name: str, declared: Sequence[str]) -> bool:
    """Whether a dotted name under `person` or `system` means something; `declared` are the agent's people fields."""
    root, _, rest = name.partition(".")
    if root == "system":
        return rest in SYSTEM_NAMES
    if root != "person":
        return False
    return rest in PERSON_NAMES or rest in declared or rest.removeprefix("fields.") in declared


def nothing_named(name: str, declared: Sequence[str], others: Collection[str] = ()) -> str:
    """That a name `names nothing`, with the nearest that does; `others` are names that are known besides."""
    known = [f"system.{key}" for key in SYSTEM_NAMES] + [f"person.{key}" for key in (*PERSON_NAMES, *declared)]
    near = nearest(name, [*known, *others])
    if near is not None:
        return f"names nothing; did you mean {{{{{near}}}}}?"
    roots = [*ROOTS, *dict.fromkeys(other.partition(".")[0] for other in others)]
    listed = f"{', '.join(roots[:-1])} or {roots[-1]}"
    has = ", ".join((*PERSON_NAMES, *declared))
    return f"names nothing; names begin with {listed}, and a person has {has}"


def texts_in(value: object) -> Iterator[str]:
    """Every text of a part of a message, or of several."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:  # pyright: ignore[reportUnknownVariableType]: a tuple of parts
            yield from texts_in(item)  # pyright: ignore[reportUnknownArgumentType]
    elif is_dataclass(value):
        for field in fields(value):
            yield from texts_in(getattr(value, field.name))
