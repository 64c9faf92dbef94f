"""Which tools the model is offered in a turn (features.md A2, C8, D2; documents.md: built-in actions).

Only what the playbook `uses`; an agent without playbooks offers all its tools and every capability it configures.
`send_message` and `end_conversation` are always there. Client tools are not on a phone, and a phone call is
transferred where another conversation is handed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import cast

from greenroom.agents.hosted.arguments import Arguments
from greenroom.conversation.calls import ToolKind
from greenroom.conversation.channels import Abilities
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent, Capability, PeopleField, Playbook, Tool
from greenroom.documents.rich import PARTS_SCHEMA
from greenroom.models.model import ToolSpec

__all__ = ["CORE_FIELDS", "Action", "Offer", "OfferBook", "Offered"]


class Action(StrEnum):
    """The built-in actions, by the names that models, checks and mocks know them by."""

    UPDATE_PERSON = "update_person"
    NOTIFY_TEAM = "notify_team"
    SEARCH_KNOWLEDGE = "search_knowledge"
    HAND_OVER = "hand_over"
    TRANSFER = "transfer"
    SEND_MESSAGE = "send_message"
    END_CONVERSATION = "end_conversation"


CORE_FIELDS = ("first_name", "last_name", "email", "phone", "company", "title", "product_interest", "status")
"""Fields that every person has and `update_person` may write, besides the declared ones and `representative`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """One tool that may be called."""

    spec: ToolSpec
    kind: ToolKind
    arguments: Arguments
    tool: Tool | None = None
    """The agent's own tool; None for a built-in action."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Everything that may be called in a turn, in a fixed order."""

    specs: tuple[ToolSpec, ...]
    by_name: Mapping[str, Offered]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(spec.name for spec in self.specs)


class OfferBook:
    """The offers of one agent: tools compiled once, each playbook's offer on a channel put together once."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._own = {name: _own(name, tool) for name, tool in agent.tools.items()}
        self._actions = {action: _built_in(action, _parameters(action, agent)) for action in Action}
        self._offers: dict[tuple[str | None, bool, bool], Offer] = {}

    def offer(self, playbook: str | None, abilities: Abilities) -> Offer:
        """What a turn in this playbook offers on such a channel."""
        key = (playbook, abilities.client_tools, abilities.transfers)
        if key not in self._offers:
            used = tuple(self._used(playbook))
            offered = (*self._tools(used, abilities), *(self._actions[action] for action in _actions(used, abilities)))
            by_name = {one.spec.name: one for one in offered}
            self._offers[key] = Offer(
                specs=tuple(one.spec for one in by_name.values()), by_name=MappingProxyType(by_name)
            )
        return self._offers[key]

    def kinds(self, abilities: Abilities) -> dict[str, ToolKind]:
        """Every tool and built-in action that some turn on such a channel may offer, by name."""
        everything = (*self._agent.tools, *(name for book in self._books() for name in book.uses), *self._configured())
        own = self._tools(everything, abilities) if self._agent.playbooks else self._tools(self._own, abilities)
        found = {one.spec.name: one.kind for one in own}
        return found | {str(action): ToolKind.BUILT_IN for action in _actions(everything, abilities)}

    def kind_of(self, name: str) -> ToolKind | None:
        """What a name is on this agent, offered now or not."""
        if name in self._own:
            return self._own[name].kind
        return ToolKind.BUILT_IN if name in set(Action) else None

    def _books(self) -> tuple[Playbook, ...]:
        return tuple(self._agent.playbooks.values())

    def _used(self, playbook: str | None) -> Iterator[str]:
        if playbook is not None:
            yield from self._agent.playbooks[playbook].uses
        elif not self._agent.playbooks:
            yield from self._agent.tools
            yield from self._configured()

    def _configured(self) -> Iterator[str]:
        """The capabilities that an agent without playbooks offers: those it configures."""
        agent = self._agent
        if agent.playbooks:
            return
        if "people" in agent.model_fields_set:
            yield Capability.PEOPLE
        if agent.notifications is not None:
            yield Capability.NOTIFY
        if agent.knowledge:
            yield Capability.KNOWLEDGE
        if agent.hand_over is not None:
            yield Capability.HAND_OVER

    def _tools(self, names: "tuple[str, ...] | Mapping[str, Offered]", abilities: Abilities) -> list[Offered]:
        return [
            own
            for name in names
            if (own := self._own.get(name)) is not None and (abilities.client_tools or own.kind is not ToolKind.CLIENT)
        ]


def _actions(used: tuple[str, ...], abilities: Abilities) -> list[Action]:
    actions: list[Action] = []
    if Capability.PEOPLE in used:
        actions.append(Action.UPDATE_PERSON)
    if Capability.NOTIFY in used:
        actions.append(Action.NOTIFY_TEAM)
    if Capability.KNOWLEDGE in used:
        actions.append(Action.SEARCH_KNOWLEDGE)
    if Capability.HAND_OVER in used:
        actions.append(Action.TRANSFER if abilities.transfers else Action.HAND_OVER)
    return [*actions, Action.SEND_MESSAGE, Action.END_CONVERSATION]


def _own(name: str, tool: Tool) -> Offered:
    return Offered(
        spec=ToolSpec(name=name, description=tool.description, parameters=tool.parameters),
        kind=ToolKind(tool.kind),
        arguments=Arguments(name, tool.parameters),
        tool=tool,
    )


def _built_in(action: Action, parameters: Mapping[str, Json]) -> Offered:
    return Offered(
        spec=ToolSpec(name=str(action), description=_DESCRIPTIONS[action], parameters=parameters),
        kind=ToolKind.BUILT_IN,
        arguments=Arguments(str(action), _checked_by_schema(action, parameters)),
    )


def _checked_by_schema(action: Action, parameters: Mapping[str, Json]) -> Mapping[str, Json]:
    """Parts of a message and names of templates are read by the action itself, which says more than a schema can."""
    if action is not Action.SEND_MESSAGE:
        return parameters
    return _object({"parts": {}, "template": {"type": "string"}}, required=[])


_DESCRIPTIONS: Mapping[Action, str] = MappingProxyType({
    Action.UPDATE_PERSON: "Keep what you learned about the person. Give only the fields that are new or have changed.",
    Action.NOTIFY_TEAM: "Tell the team something it must know. The person doesn't see it.",
    Action.SEARCH_KNOWLEDGE: "Look something up in what the business has written down. Answers with the best entries.",
    Action.HAND_OVER: "Give the conversation to a person of the team, when they are asked for or you can't help.",
    Action.TRANSFER: "Transfer the call to a person of the team, when they are asked for or you can't help.",
    Action.SEND_MESSAGE: "Send one message with rich parts, or a prepared message by its name. Plain words need no "
    "tool: just write them. Don't repeat in words what you send here.",
    Action.END_CONVERSATION: "Close the conversation when there is nothing more to do. Say goodbye in the same turn.",
})


def _parameters(action: Action, agent: Agent) -> Mapping[str, Json]:
    match action:
        case Action.UPDATE_PERSON:
            return _person_parameters(agent)
        case Action.SEND_MESSAGE:
            return _message_parameters(agent)
        case Action.NOTIFY_TEAM:
            return _object({"text": _text("What to tell, in one or two sentences.")}, required=["text"])
        case Action.SEARCH_KNOWLEDGE:
            return _object({"query": _text("What you want to know.")}, required=["query"])
        case Action.HAND_OVER:
            return _object({"reason": _text("Why, in a few words.")}, required=["reason"])
        case Action.TRANSFER:
            to = _text("Whom to, when the person asked for somebody.")
            return _object({"reason": _text("Why, in a few words."), "to": to}, required=["reason"])
        case Action.END_CONVERSATION:
            resolved: Json = {"type": "boolean", "description": "Whether the person got what they came for."}
            return _object({"resolved": resolved}, required=[])


def _object(properties: Mapping[str, Json], *, required: list[str]) -> Mapping[str, Json]:
    schema: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | {"required": required} if required else schema


def _text(description: str) -> Json:
    return {"type": "string", "minLength": 1, "description": description}


def _person_parameters(agent: Agent) -> Mapping[str, Json]:
    properties: dict[str, Json] = {name: {"type": "string"} for name in CORE_FIELDS}
    if agent.representatives:
        properties["representative"] = {"type": "string", "enum": list(agent.representatives)}
    properties |= {name: _field_schema(declared) for name, declared in agent.people.fields.items()}
    return {**_object(properties, required=[]), "minProperties": 1}


def _field_schema(declared: PeopleField) -> Json:
    is_date = declared.type == "date"
    schema: dict[str, Json] = {"type": "string", "format": "date"} if is_date else {"type": declared.type}
    if declared.description:
        schema["description"] = declared.description
    if declared.options is not None:
        schema["enum"] = list(declared.options)
    return schema


def _message_parameters(agent: Agent) -> Mapping[str, Json]:
    properties: dict[str, Json] = {"parts": PARTS_SCHEMA}
    if agent.templates:
        names = cast("Json", list(agent.templates))
        properties["template"] = {"type": "string", "enum": names, "description": "A prepared message, by its name."}
    return _object(properties, required=[])
