"""Changes to a person by the names that people write: whether one can be made, and who comes of it (features.md A5).

A name is a core field, a declared one, `consent.KIND` or `tags`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CONSENT, CORE_FIELDS, Person, with_written
from greenroom.documents.agent import Agent
from greenroom.documents.people_filters import changes_from
from greenroom.documents.people_values import field_fault, told
from greenroom.nearest import did_you_mean

__all__ = ["change_fault", "change_faults", "changed_person", "changes_written"]

_HELD_AS_TEXT = ("string", "date")


def changes_written(agents: Collection[Agent], pairs: Sequence[str]) -> Mapping[str, Json]:
    """What `FIELD=VALUE` pairs say, each value read by the field that is to hold it.

    Raises:
        UsageError: a pair has no `=`.
    """
    types = [(name, one.type) for agent in agents for name, one in agent.people.fields.items()]
    values = {name for name, kind in types if kind not in _HELD_AS_TEXT}
    texts = {name for name, kind in types if kind in _HELD_AS_TEXT and name not in values}
    return changes_from(pairs, texts)


def change_fault(agents: Collection[Agent], name: str, value: Json) -> str | None:
    """Why no agent's people can have this, as a sentence; None when it can be set."""
    if name.startswith(CONSENT) and name != CONSENT:
        return None if isinstance(value, bool) else f"{name!r} is true or false, not {told(value)}"
    if name == "tags":
        return _tags_fault(value)
    faults = [field_fault(agent, name, value) for agent in agents]
    if not faults or any(fault is None for fault in faults):
        return None if faults else _no_agent_fault(name)
    # Of several agents, those that declare the field know best what is wrong with it.
    knowing = [field_fault(agent, name, value) for agent in agents if name in agent.people.fields]
    return (knowing or faults)[0]


def change_faults(agents: Collection[Agent], changes: Mapping[str, Json]) -> list[str]:
    """The same of all of these."""
    return [fault for name, value in changes.items() if (fault := change_fault(agents, name, value)) is not None]


def changed_person(person: Person, changes: Mapping[str, Json], *, at: str) -> Person:
    """The person with all of these set, which can be; `at` is when consent was given or refused."""
    for name, value in changes.items():
        if name == "tags":
            tags = value if isinstance(value, list | tuple) else ()
            person = replace(person, tags=tuple(dict.fromkeys(str(tag) for tag in tags)))
        else:
            person = with_written(person, name, value, at)
    return person


def _tags_fault(value: Json) -> str | None:
    if not isinstance(value, list | tuple):
        return f"'tags' is a list of texts such as [vip, north], not {told(value)}"
    wrong = [tag for tag in value if not isinstance(tag, str) or not tag.strip()]
    return f"'tags' is a list of texts such as [vip, north]; in it is {told(wrong[0])}" if wrong else None


def _no_agent_fault(name: str) -> str | None:
    if name in CORE_FIELDS:
        return None
    return f"a person has no field {name!r}{did_you_mean(name, CORE_FIELDS)}, and no agent declares any"
