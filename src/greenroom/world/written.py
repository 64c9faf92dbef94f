"""The effect of writing a person's field, live and captured alike (documents.md: `[person: field = value]`)."""

from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.world.wording import as_json

__all__ = ["effect_of_writing"]


def effect_of_writing(person_id: str, field: str, value: Json, *, captured: bool) -> Effect:
    """What is shown of one written field."""
    text = value if isinstance(value, str) else as_json(value)
    data: dict[str, Json] = {"person": person_id, "field": field, "value": value}
    return Effect(effect=EffectKind.PERSON, summary=f"{field} = {text}", data=data, captured=captured)
