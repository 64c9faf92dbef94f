"""What templates stand for in one conversation, wherever they are written: prompts, messages, briefs, data."""

from collections.abc import Mapping
from datetime import datetime

from greenroom.conversation.channels import Channel
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import TOLD_FIELDS, Person, full_name
from greenroom.documents.agent import Agent
from greenroom.documents.templates import system_values

__all__ = ["template_values"]


def template_values(agent: Agent, channel: Channel, person: Person | None, now: datetime) -> Mapping[str, Json]:
    """What `{{person.…}}` and `{{system.…}}` stand for; a field that isn't known is empty."""
    of_person: dict[str, Json] = dict.fromkeys(agent.people.fields, "")
    known = person if person is not None else Person(person_id="")
    of_person |= {"name": full_name(known), **{name: getattr(known, name) for name in TOLD_FIELDS}}
    of_person |= {name: "" if value is None else value for name, value in known.fields.items()}
    of_person["fields"] = {name: of_person[name] for name in (*agent.people.fields, *known.fields)}
    return {"person": of_person, "system": system_values(channel, now)}
