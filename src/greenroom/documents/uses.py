"""What a playbook's `uses` brings: tools, capabilities, built-in actions and their labels (documents.md).

A capability brings all its actions, `Collect data: NAME` one form, and a tool that writes after a confirmation brings
the tool that commits (features.md C9).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from greenroom.conversation.actions import COLLECT_DATA, LABELS, SPEAKING, Action, answers_to, named_by
from greenroom.conversation.calls import name_key
from greenroom.documents.agent import Agent, Capability, Playbook
from greenroom.documents.flow import (
    FlowAsk,
    FlowBook,
    FlowCancel,
    FlowHandOver,
    FlowHttp,
    FlowMove,
    FlowNotify,
    FlowSet,
    FlowStep,
    every_step,
)
from greenroom.documents.flow_names import is_person_field

__all__ = ["ABOUT_APPOINTMENTS", "Uses", "form_named", "use_of", "used_by", "uses_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """What may be called."""

    tools: tuple[str, ...] = ()
    actions: frozenset[Action] = frozenset()
    forms: tuple[str, ...] = ()
    """Ids of the forms that `submit_form` may fill in."""


ABOUT_APPOINTMENTS = frozenset({
    Action.FIND_TIMES,
    Action.BOOK_APPOINTMENT,
    Action.MOVE_APPOINTMENT,
    Action.CANCEL_APPOINTMENT,
})
"""What `scheduling` brings."""

_ACTIONS: Mapping[Capability, frozenset[Action]] = MappingProxyType({
    Capability.PEOPLE: frozenset({Action.UPDATE_PERSON}),
    Capability.NOTIFY: frozenset({Action.NOTIFY_TEAM}),
    Capability.EMAIL: frozenset({Action.SEND_EMAIL}),
    Capability.KNOWLEDGE: frozenset({Action.SEARCH_KNOWLEDGE}),
    Capability.CONTACT: frozenset({Action.COLLECT_CONTACT}),
    Capability.FORMS: frozenset({Action.SUBMIT_FORM}),
    Capability.SCHEDULING: ABOUT_APPOINTMENTS,
    Capability.HAND_OVER: frozenset({Action.HAND_OVER, Action.TRANSFER}),
})


def use_of(agent: Agent, name: str) -> Uses | None:
    """What one entry of `uses` brings; None when it names nothing that can be used."""
    if name in agent.tools:
        confirm = agent.tools[name].confirm_with
        return Uses(tools=(name, confirm) if confirm in agent.tools else (name,))
    form = named_by(name, COLLECT_DATA)
    if form is not None:
        found = form_named(agent, form)
        return None if found is None else _actions(frozenset({Action.SUBMIT_FORM}), [found])
    key = name_key(name)
    if key in set(Capability):
        return _actions(_ACTIONS[Capability(key)], agent.forms)
    if key in LABELS:
        return _actions(LABELS[key], agent.forms)
    return _actions(frozenset({Action(key)}), agent.forms) if key in set(Action) - SPEAKING else None


def used_by(agent: Agent, names: Iterable[str]) -> Uses:
    """What all entries bring together, each once, in the order in which they are written."""
    uses = [use for name in names if (use := use_of(agent, name)) is not None]
    return Uses(
        tools=tuple(dict.fromkeys(tool for use in uses for tool in use.tools)),
        actions=frozenset[Action]().union(*(use.actions for use in uses)),
        forms=tuple(form for form in agent.forms if any(form in use.forms for use in uses)),
    )


def uses_in(agent: Agent, playbook: Playbook) -> tuple[str, ...]:
    """What a playbook uses: what it says, and what the steps of its flow need."""
    needed = (name for _, step in every_step(playbook.flow) for name in _needed(agent, step))
    return tuple(dict.fromkeys((*playbook.uses, *needed)))


def _needed(agent: Agent, step: FlowStep) -> Iterator[str]:
    match step:
        case FlowHttp():
            yield step.http.tool
        case FlowSet() if any(is_person_field(name, agent) for name in step.set):
            yield Action.UPDATE_PERSON
        case FlowAsk():
            yield from [Action.UPDATE_PERSON] if step.ask.field is not None else []
            yield from [Action.FIND_TIMES] if step.ask.slots is not None else []
        case FlowBook():
            yield Action.BOOK_APPOINTMENT
        case FlowMove():
            yield Action.MOVE_APPOINTMENT
        case FlowCancel():
            yield Action.CANCEL_APPOINTMENT
        case FlowNotify():
            yield Action.NOTIFY_TEAM
        case FlowHandOver():
            yield Capability.HAND_OVER
        case _:
            pass


def form_named(agent: Agent, wanted: str) -> str | None:
    """The id of the form that goes by this name."""
    return next((key for key, form in agent.forms.items() if answers_to(wanted, key, form.name)), None)


def _actions(actions: frozenset[Action], forms: Iterable[str]) -> Uses:
    """Without a form there is nothing to submit."""
    listed = tuple(forms) if Action.SUBMIT_FORM in actions else ()
    return Uses(actions=actions if listed else actions - {Action.SUBMIT_FORM}, forms=listed)
