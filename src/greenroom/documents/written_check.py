"""What the written form of every check shares: its word, under which it is written and by which it is stored."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from greenroom.documents.parts import Doc

__all__ = ["WORD", "WrittenCheck"]

WORD = "check"
"""The key of a stored check that holds its word."""


class WrittenCheck(Doc):
    """What every check's written form shares."""

    word: ClassVar[str]
    """The key under which it is written."""

    # `judge: x` and `never_says: x` have the same fields; in the store and in hashes each says which it is.
    @model_serializer(mode="wrap")
    def _with_its_word(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {WORD: self.word, **fields(self)}

    @model_validator(mode="before")
    @classmethod
    def _of_its_word(cls, data: object) -> object:
        if not isinstance(data, Mapping) or WORD not in data:
            return cast("object", data)
        stored = dict(cast("Mapping[str, object]", data))
        if stored.pop(WORD) != cls.word:
            raise ValueError(f"this is no `{cls.word}`")
        return stored
