"""Which tools the model is offered in a turn (features.md A2, C8, D2; documents.md: built-in actions).

Only what the playbook `uses`, what its flow needs included; an agent without playbooks offers all its tools and every
capability it configures. A tool that writes after a confirmation brings the tool that commits. `send_message` and
`end_conversation` are always there. Client tools are not on a phone, and a phone call is transferred where another
conversation is handed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast, get_args

from greenroom.agents.hosted.arguments import Arguments
from greenroom.agents.hosted.booking import booking_parameters
from greenroom.agents.hosted.emailing import PERSON, recipients_of
from greenroom.agents.hosted.parameters import object_schema, text_schema
from greenroom.conversation.actions import SPEAKING, Action
from greenroom.conversation.calls import ToolKind
from greenroom.conversation.channels import Abilities
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CONSENT_TO_MESSAGES, TOLD_FIELDS
from greenroom.documents.agent import Agent, Capability, ContactDetail, DataForm, PeopleField, Tool
from greenroom.documents.rich import PARTS_SCHEMA
from greenroom.documents.uses import Uses, used_by, uses_in
from greenroom.models.model import ToolSpec

__all__ = ["Offer", "OfferBook", "Offered"]


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
        self._actions = {action: _built_in(action, agent, agent.forms) for action in Action}
        self._offers: dict[tuple[str | None, bool, bool], Offer] = {}

    def offer(self, playbook: str | None, abilities: Abilities) -> Offer:
        """What a turn in this playbook offers on such a channel."""
        key = (playbook, abilities.client_tools, abilities.transfers)
        if key not in self._offers:
            uses = used_by(self._agent, self._used(playbook))
            offered = (*self._tools(uses.tools, abilities), *self._done_by(uses, abilities))
            by_name = {one.spec.name: one for one in offered}
            self._offers[key] = Offer(
                specs=tuple(one.spec for one in by_name.values()), by_name=MappingProxyType(by_name)
            )
        return self._offers[key]

    def kinds(self, abilities: Abilities) -> dict[str, ToolKind]:
        """Every tool and built-in action that some turn on such a channel may offer, by name."""
        uses = self._uses_anywhere()
        own = {one.spec.name: one.kind for one in self._tools(uses.tools, abilities)}
        return own | {str(action): ToolKind.BUILT_IN for action in _actions(uses, abilities)}

    def forms(self) -> dict[str, str]:
        """Ids to names of the forms that some turn may submit."""
        return {form: self._agent.forms[form].name or form for form in self._uses_anywhere().forms}

    def parameters_of(self, action: Action) -> Mapping[str, Json]:
        """The JSON Schema of a built-in action's arguments on this agent."""
        return self._actions[action].spec.parameters

    def kind_of(self, name: str) -> ToolKind | None:
        """What a name is on this agent, offered now or not."""
        if name in self._own:
            return self._own[name].kind
        return ToolKind.BUILT_IN if name in set(Action) else None

    def _uses_anywhere(self) -> Uses:
        in_books = [name for book in self._agent.playbooks.values() for name in uses_in(self._agent, book)]
        return used_by(self._agent, (*in_books, *self._used(None)))

    def _used(self, playbook: str | None) -> Iterator[str]:
        """What a playbook uses; an agent without playbooks uses its tools and the capabilities it configures."""
        agent = self._agent
        if playbook is not None:
            yield from uses_in(agent, agent.playbooks[playbook])
        if agent.playbooks:
            return
        yield from agent.tools
        configured = {
            Capability.PEOPLE: "people" in agent.model_fields_set,
            Capability.NOTIFY: agent.notifications is not None,
            Capability.EMAIL: agent.email is not None,
            Capability.KNOWLEDGE: bool(agent.knowledge),
            Capability.CONTACT: agent.contact is not None,
            Capability.FORMS: bool(agent.forms),
            Capability.SCHEDULING: agent.scheduling is not None,
            Capability.HAND_OVER: agent.hand_over is not None,
        }
        yield from (capability for capability, there in configured.items() if there)

    def _tools(self, names: Sequence[str], abilities: Abilities) -> list[Offered]:
        own = [self._own[name] for name in names]
        return [one for one in own if abilities.client_tools or one.kind is not ToolKind.CLIENT]

    def _done_by(self, uses: Uses, abilities: Abilities) -> Iterator[Offered]:
        forms = {form: self._agent.forms[form] for form in uses.forms}
        for action in _actions(uses, abilities):
            of_forms = action is Action.SUBMIT_FORM
            yield _built_in(action, self._agent, forms) if of_forms else self._actions[action]


def _actions(uses: Uses, abilities: Abilities) -> list[Action]:
    """In a fixed order; a conversation that can't be transferred is handed over, and the other way round."""
    other = Action.HAND_OVER if abilities.transfers else Action.TRANSFER
    return [action for action in Action if action in SPEAKING or (action in uses.actions and action is not other)]


def _own(name: str, tool: Tool) -> Offered:
    return Offered(
        spec=ToolSpec(name=name, description=tool.description, parameters=tool.parameters),
        kind=ToolKind(tool.kind),
        arguments=Arguments(name, tool.parameters),
        tool=tool,
    )


def _built_in(action: Action, agent: Agent, forms: Mapping[str, DataForm]) -> Offered:
    parameters = _parameters(action, agent, forms)
    return Offered(
        spec=ToolSpec(name=str(action), description=_DESCRIPTIONS[action], parameters=parameters),
        kind=ToolKind.BUILT_IN,
        arguments=Arguments(str(action), _checked_by_schema(action, parameters, forms)),
    )


def _checked_by_schema(
    action: Action, parameters: Mapping[str, Json], forms: Mapping[str, DataForm]
) -> Mapping[str, Json]:
    """Parts of a message and names of templates are read by the action itself, which says more than a schema can.

    Which values fit depends on the form; that is said so that a mistake is found in the form that was meant.
    """
    if action is Action.SEND_MESSAGE:
        return object_schema({"parts": {}, "template": {"type": "string"}})
    if action is not Action.SUBMIT_FORM:
        return parameters
    named: Json = {"type": "string", "enum": list(forms)}
    checked = object_schema({"form": named, "values": {"type": "object"}}, required=["form", "values"])
    by_form: list[Json] = [
        {"if": {"properties": {"form": {"const": name}}}, "then": {"properties": {"values": _values_schema(form)}}}
        for name, form in forms.items()
    ]
    return {**checked, "allOf": by_form}


_DESCRIPTIONS: Mapping[Action, str] = MappingProxyType({
    Action.UPDATE_PERSON: "Keep what you learned about the person. Give only the fields that are new or have changed.",
    Action.NOTIFY_TEAM: "Tell the team something it must know. The person doesn't see it.",
    Action.SEARCH_KNOWLEDGE: "Look something up in what the business has written down. Answers with the best entries.",
    Action.COLLECT_CONTACT: "Keep the person's contact details, once they have given them.",
    Action.SUBMIT_FORM: "Submit a form once the person has given what it asks for. Never make up a value.",
    Action.SEND_EMAIL: "Send one mail in plain text. Without `to` it goes to the person's address on record.",
    Action.FIND_TIMES: "Find free times and show them to the person to choose from. Don't repeat them in words.",
    Action.BOOK_APPOINTMENT: "Book one of the free times, once the person has chosen it.",
    Action.MOVE_APPOINTMENT: "Give an appointment of the person's another of the free times, once they have chosen it.",
    Action.CANCEL_APPOINTMENT: "Cancel an appointment of the person's, once they have confirmed it.",
    Action.HAND_OVER: "Give the conversation to a person of the team, when they are asked for or you can't help.",
    Action.TRANSFER: "Transfer the call to a person of the team, when they are asked for or you can't help.",
    Action.SEND_MESSAGE: "Send one message with rich parts, or a prepared message by its name. Plain words need no "
    "tool: just write them. Don't repeat in words what you send here.",
    Action.END_CONVERSATION: "Close the conversation when there is nothing more to do. Say goodbye in the same turn.",
})


def _parameters(action: Action, agent: Agent, forms: Mapping[str, DataForm]) -> Mapping[str, Json]:
    """Those that depend on the agent, and those that are the same for all."""
    match action:
        case Action.UPDATE_PERSON:
            return _person_parameters(agent)
        case Action.SEND_MESSAGE:
            return _message_parameters(agent)
        case Action.COLLECT_CONTACT:
            return _contact_parameters(agent)
        case Action.SUBMIT_FORM:
            return _form_parameters(forms)
        case Action.SEND_EMAIL:
            return _email_parameters(agent)
        case Action.FIND_TIMES | Action.BOOK_APPOINTMENT | Action.MOVE_APPOINTMENT | Action.CANCEL_APPOINTMENT:
            return booking_parameters(action, agent)
        case _:
            return _FIXED_PARAMETERS[action]


def _person_parameters(agent: Agent) -> Mapping[str, Json]:
    properties: dict[str, Json] = {name: {"type": "string"} for name in TOLD_FIELDS}
    properties["email"] = {"type": "string", "format": "email"}
    del properties["representative"]
    if agent.representatives:
        properties["representative"] = {"type": "string", "enum": list(agent.representatives)}
    properties |= {name: _field_schema(declared) for name, declared in agent.people.fields.items()}
    if agent.people.consent:
        properties["consent"] = _consent_schema(agent.people.consent)
    return {**object_schema(properties), "minProperties": 1}


def _consent_schema(kinds: Sequence[str]) -> Json:
    about = {CONSENT_TO_MESSAGES: "To get messages that they didn't ask for: offers, reminders, follow-ups."}
    given: dict[str, Json] = {
        kind: {"type": "boolean", **({"description": about[kind]} if kind in about else {})} for kind in kinds
    }
    what = "Only what the person said themselves: true when they consent, false when they refuse or take it back."
    return {**object_schema(given), "minProperties": 1, "description": what}


def _field_schema(declared: PeopleField) -> Json:
    is_date = declared.type == "date"
    schema: dict[str, Json] = {"type": "string", "format": "date"} if is_date else {"type": declared.type}
    if declared.description:
        schema["description"] = declared.description
    if declared.options is not None:
        schema["enum"] = list(declared.options)
    return schema


def _email_parameters(agent: Agent) -> Mapping[str, Json]:
    to = text_schema(f"Whom to: {' or '.join(recipients_of(agent))}. Left out: {PERSON}, at the address on record.")
    subject, text = text_schema("What it is about, on one line."), text_schema("The whole text of the mail.")
    return object_schema({"to": to, "subject": subject, "text": text}, required=["subject", "text"])


def _contact_parameters(agent: Agent) -> Mapping[str, Json]:
    properties: dict[str, Json] = {detail: {"type": "string", "minLength": 1} for detail in get_args(ContactDetail)}
    properties["email"] = {"type": "string", "minLength": 1, "format": "email"}
    required = list(agent.contact.required) if agent.contact is not None else []
    return {**object_schema(properties, required=[*required]), "minProperties": 1}


def _form_parameters(forms: Mapping[str, DataForm]) -> Mapping[str, Json]:
    shapes = [_values_schema(form) for form in forms.values()]
    values: Json = shapes[0] if len(shapes) == 1 else {"type": "object", "anyOf": list(shapes)}
    about = "; ".join(f"{name}: {form.description or form.name or name}" for name, form in forms.items())
    named: Json = {"type": "string", "enum": list(forms), "description": about}
    return object_schema({"form": named, "values": values}, required=["form", "values"])


def _values_schema(form: DataForm) -> Mapping[str, Json]:
    """What a form takes: its fields by their type, and at least one of them."""
    properties = {name: _field_schema(declared) for name, declared in form.fields.items()}
    required = [name for name, declared in form.fields.items() if declared.required]
    schema = {**object_schema(properties, required=required), "minProperties": 1}
    return schema | {"title": form.name} if form.name else schema


def _message_parameters(agent: Agent) -> Mapping[str, Json]:
    properties: dict[str, Json] = {"parts": PARTS_SCHEMA}
    if agent.templates:
        names = cast("Json", list(agent.templates))
        properties["template"] = {"type": "string", "enum": names, "description": "A prepared message, by its name."}
    return object_schema(properties)


_REASON = text_schema("Why, in a few words.")
_FIXED_PARAMETERS: Mapping[Action, Mapping[str, Json]] = MappingProxyType({
    Action.NOTIFY_TEAM: object_schema(
        {"text": text_schema("What to tell, in one or two sentences.")}, required=["text"]
    ),
    Action.SEARCH_KNOWLEDGE: object_schema({"query": text_schema("What you want to know.")}, required=["query"]),
    Action.HAND_OVER: object_schema({"reason": _REASON}, required=["reason"]),
    Action.TRANSFER: object_schema(
        {"reason": _REASON, "to": text_schema("Whom to, when the person asked for somebody.")}, required=["reason"]
    ),
    Action.END_CONVERSATION: object_schema(
        {"resolved": {"type": "boolean", "description": "Whether the person got what they came for."}}, required=[]
    ),
})
