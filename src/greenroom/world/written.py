"""The effects of writing down what an agent learned, live and captured alike (documents.md: built-in actions)."""

from collections.abc import Mapping

from greenroom.conversation.effects import Effect, EffectKind
from greenroom.conversation.json_values import Json
from greenroom.world.wording import as_json

__all__ = ["effect_of_contact", "effect_of_form", "effect_of_writing"]


def effect_of_writing(person_id: str, field: str, value: Json, *, captured: bool) -> Effect:
    """What is shown of one written field: `[person: field = value]`."""
    data: dict[str, Json] = {"person": person_id, "field": field, "value": value}
    return Effect(effect=EffectKind.PERSON, summary=_pair(field, value), data=data, captured=captured)


def effect_of_contact(
    person_id: str | None, details: Mapping[str, Json], *, captured: bool, told: Mapping[str, Json] | None = None
) -> Effect:
    """What is shown of contact details: `[contact: email = ana@example.com]`; `told`: what came of telling the team."""
    data: dict[str, Json] = {"person": person_id, "details": details, **(told or {})}
    return Effect(effect=EffectKind.CONTACT, summary=_pairs(details), data=data, captured=captured)


def effect_of_form(
    form: str, values: Mapping[str, Json], *, captured: bool, told: Mapping[str, Json] | None = None
) -> Effect:
    """What is shown of a filled form: `[form refund-request: order = W100]`; `told` as for contact details."""
    data: dict[str, Json] = {"form": form, "values": values, **(told or {})}
    return Effect(effect=EffectKind.FORM, summary=_pairs(values), data=data, captured=captured)


def _pairs(values: Mapping[str, Json]) -> str:
    return ", ".join(_pair(name, value) for name, value in values.items())


def _pair(name: str, value: Json) -> str:
    return f"{name} = {value if isinstance(value, str) else as_json(value)}"
