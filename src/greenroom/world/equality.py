"""When two JSON values are the same (features.md H7; field lessons P01, T26)."""

from collections.abc import Mapping, Sequence

from greenroom.conversation.json_values import Json

__all__ = ["same", "type_name"]


def same(left: Json, right: Json) -> bool:
    """Equality of JSON: numbers by value, but true is no 1; strings exactly; mappings in any order, lists in theirs."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and left == right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right, strict=True))
    return left == right


def type_name(value: Json) -> str:
    """What a value is, in words: null, boolean, number, text, list or mapping."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "mapping" if isinstance(value, Mapping) else "list"
