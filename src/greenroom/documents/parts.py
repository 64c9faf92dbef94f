"""What every document model shares."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from greenroom.conversation.json_values import Json

__all__ = ["Doc", "JsonValue", "Matcher", "Schema"]

JsonValue = Annotated[Json, Field()]
Matcher = JsonValue
"""One matcher language everywhere (features.md H7): a plain value equals, a mapping of matcher words matches."""
Schema = dict[str, JsonValue]
"""A JSON Schema, as written."""


class Doc(BaseModel):
    """Frozen; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, arbitrary_types_allowed=True)
