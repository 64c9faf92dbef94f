"""What is worth a look about consent: a kind spelled almost right, nobody to record it, a choice that takes it back."""

from collections.abc import Iterator

from greenroom.conversation.actions import Action
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.opt_outs import means_stop
from greenroom.conversation.people import CONSENT_TO_MESSAGES
from greenroom.documents.agent import Agent
from greenroom.documents.flow import FlowAsk, every_step
from greenroom.documents.uses import used_by, uses_in
from greenroom.nearest import nearest

__all__ = ["consent_advice"]

_Place = tuple[str | int, ...]
_PLACE: _Place = ("people", "consent")
_ANSWERS = frozenset({"true", "false", "yes", "no", "on", "off"})
"""What is written by whoever takes it for a switch."""


def consent_advice(agent: Agent) -> Iterator[tuple[_Place, str]]:
    """Each with its place."""
    kinds = agent.people.consent
    for index, kind in enumerate(kinds):
        if kind.casefold() in _ANSWERS:
            yield (
                (*_PLACE, index),
                f"{kind!r} would be a kind of consent called so; kinds are named, such as [messages]",
            )
            continue
        if kind != CONSENT_TO_MESSAGES and nearest(kind, [CONSENT_TO_MESSAGES]) is not None:
            asked = f"what outreach, follow-ups and reminders ask for is {CONSENT_TO_MESSAGES!r}"
            yield (*_PLACE, index), f"{kind!r} is a kind of consent of its own; {asked}"
    yield from _choices_that_mean_stop(agent)
    used = [used_by(agent, uses_in(agent, playbook)).actions for playbook in agent.playbooks.values()]
    if kinds and used and not any(Action.UPDATE_PERSON in actions for actions in used):
        how = "add `people` to the `uses` of a playbook, or a `set` to its flow"
        yield _PLACE, f"no playbook can record it, so a person who takes it back is not heard; {how}"


def _choices_that_mean_stop(agent: Agent) -> Iterator[tuple[_Place, str]]:
    """Choices of flows which, answered by SMS, mean something else than what was asked."""
    if ABILITIES[Channel.SMS].config not in agent.channels:
        return
    for key, playbook in agent.playbooks.items():
        for path, step in every_step(playbook.flow):
            asked = step.ask if isinstance(step, FlowAsk) else None
            if asked is None:
                continue
            options = asked.options if isinstance(asked.options, tuple) else ()
            labels = asked.confirm or tuple(option.label for option in options)
            word = "confirm" if asked.confirm else "options"
            for index, label in enumerate(labels):
                if means_stop(label):
                    means = f"by SMS {label!r} alone means no more messages, and answers no question"
                    yield ("playbooks", key, "flow", *path, "ask", word, index), f"{means}; take other words for it"
