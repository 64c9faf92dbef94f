"""What an agent collects, for real: contact details go to the person's record, forms to the team.

Every submission also stands on the turn record of its conversation, as the effect that is returned.
"""

from collections.abc import Mapping

from greenroom.conversation.effects import Effect
from greenroom.conversation.json_values import Json
from greenroom.world.live.notify import Team, queued
from greenroom.world.live.people import LivePeople
from greenroom.world.wording import as_json
from greenroom.world.written import effect_of_contact, effect_of_form

__all__ = ["LiveIntake"]


class LiveIntake:
    """Keeps and passes on; whether there is somebody to be told stands in the effect's data."""

    def __init__(self, people: LivePeople, team: Team) -> None:
        self._people = people
        self._team = team

    async def contact(self, person_id: str | None, details: Mapping[str, str]) -> Effect:
        """Keep the details on the person's record; of somebody who is not on record the team is told."""
        if person_id is None:
            told = await self._tell("contact details", details)
            return effect_of_contact(None, details, captured=False, told=told)
        for name, value in details.items():
            await self._people.write(person_id, name, value)
        return effect_of_contact(person_id, details, captured=False)

    async def form(self, form: str, values: Mapping[str, Json]) -> Effect:
        """Pass the filled form on to the team."""
        return effect_of_form(form, values, captured=False, told=await self._tell(form, values))

    async def _tell(self, what: str, values: Mapping[str, Json]) -> Mapping[str, Json]:
        lines = [f"{name}: {value if isinstance(value, str) else as_json(value)}" for name, value in values.items()]
        text = "\n".join([*lines, "", await self._team.whereabouts()])
        return queued(told=self._team.tell(what, text, summary=f"{what}: {', '.join(lines)}"))
