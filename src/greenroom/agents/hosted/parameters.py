"""The parameters of built-in actions as JSON Schema, in the few forms that they have."""

from collections.abc import Mapping, Sequence

from greenroom.conversation.json_values import Json

__all__ = ["object_schema", "text_schema"]


def object_schema(properties: Mapping[str, Json], *, required: Sequence[str] = ()) -> Mapping[str, Json]:
    """An object with these properties and no other."""
    schema: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | {"required": list(required)} if required else schema


def text_schema(description: str, *, most: int | None = None) -> Json:
    """A text that isn't empty, of so many characters at most."""
    bounds: dict[str, Json] = {"minLength": 1} if most is None else {"minLength": 1, "maxLength": most}
    return {"type": "string", **bounds, "description": description}
