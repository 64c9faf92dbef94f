"""What an agent collects, captured (features.md A5, A8): contact details go to the case's copy of the person."""

from collections.abc import Mapping

from greenroom.conversation.effects import Effect
from greenroom.conversation.json_values import Json
from greenroom.world.sandbox.people import SandboxPeople
from greenroom.world.written import effect_of_contact, effect_of_form

__all__ = ["SandboxIntake"]


class SandboxIntake:
    """Nothing lands among anybody's contacts or collected data."""

    def __init__(self, people: SandboxPeople) -> None:
        self._people = people

    async def contact(self, person_id: str | None, details: Mapping[str, str]) -> Effect:
        """Contact details that would have been kept."""
        if person_id is not None:
            for name, value in details.items():
                await self._people.write(person_id, name, value)
        return effect_of_contact(person_id, details, captured=True)

    async def form(self, form: str, values: Mapping[str, Json]) -> Effect:
        """A form that would have been taken in."""
        return effect_of_form(form, values, captured=True)
