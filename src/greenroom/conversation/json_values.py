"""JSON as a type: what enters from files, models and endpoints, before anybody narrows it."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from typing_extensions import TypeAliasType

__all__ = ["Json", "JsonObject"]

# A TypeAliasType, since pydantic reads a recursive alias in no other form on Python 3.11.
Json = TypeAliasType("Json", "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None")
JsonObject: TypeAlias = Mapping[str, Json]
