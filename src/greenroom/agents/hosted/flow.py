"""The steps of a flow and which one comes next; pure, and always at an end after as many steps as the flow has.

There is no way back in a flow: from each step one goes into one of its branches or to what follows it.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias

from greenroom.conversation.calls import name_key
from greenroom.conversation.events import Event, Tap, TapKind, words_of
from greenroom.conversation.flows import FlowChoice, FlowWait
from greenroom.conversation.json_values import Json
from greenroom.conversation.moments import same_moment
from greenroom.documents.agent import Agent
from greenroom.documents.answers import FieldAnswers, answer_of_type
from greenroom.documents.flow import FlowStep, Question, every_step, flow_hash

__all__ = ["Course", "Place", "answer_to", "place_from", "place_words"]

Place: TypeAlias = tuple[str | int, ...]
"""The path to a step: its number, then the key of a branch and the number within it, and so on."""

_AROUND = " \t\r\n.,;:!?\"'()"


class Course:
    """A flow, ready to be run through."""

    def __init__(self, flow: Sequence[FlowStep]) -> None:
        self._steps = dict(every_step(flow))
        self.hash = flow_hash(flow)

    @property
    def first(self) -> Place | None:
        """The first step."""
        return self._there((0,))

    def step(self, place: Place) -> FlowStep | None:
        """The step at a place."""
        return self._steps.get(place)

    def into(self, place: Place, branch: str) -> Place | None:
        """The first step of a branch; of one that has none, what follows the step."""
        return self._there((*place, branch, 0)) or self.after(place)

    def after(self, place: Place) -> Place | None:
        """What follows a step, out of the branches that end with it; None at the end of the flow."""
        while place:
            *way, number = place
            if isinstance(number, int) and (following := self._there((*way, number + 1))) is not None:
                return following
            place = tuple(way[:-1])
        return None

    def _there(self, place: Place) -> Place | None:
        return place if place in self._steps else None


def place_words(place: Place) -> str:
    """A place as it is kept and shown, counted from 1: `3.do.1`."""
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in place)


def place_from(words: str) -> Place:
    """The place that was kept."""
    return tuple(int(word) - 1 if word.isdecimal() else word for word in words.split("."))


def answer_to(asked: Question, waits: FlowWait, event: Event, agent: Agent) -> Json:
    """The answer that an event gives to a question; None when it fits none of the choices or is not of the type.

    A tap is known by its label, a time by its moment. What is written counts as the choice whose label it is, whatever
    its case, its spaces and the signs around it (features.md A3), or of whose label alone it is a part, as `9:00` is
    of `Mon 1 June, 09:00`.
    """
    if waits.choices:
        # Two of them may differ in nothing but their case.
        chosen = next((choice for choice in waits.choices if choice.label == _label_of(event)), None)
        chosen = chosen or next((choice for choice in waits.choices if _chosen(choice, event)), None)
        chosen = chosen or _only_one_with(words_of(event), waits.choices)
        return None if chosen is None else chosen.value
    text = words_of(event)
    if asked.field is not None:
        return FieldAnswers.of(asked.field, agent).of_text(text)
    return answer_of_type(text, asked.type or "string")


def _label_of(event: Event) -> str | None:
    """What is meant to be a choice's label as it stands; a time is known by its moment."""
    if isinstance(event, Tap):
        return None if event.tapped is TapKind.SLOT else event.label
    return words_of(event)


def _chosen(choice: FlowChoice, event: Event) -> bool:
    if isinstance(event, Tap) and event.tapped is TapKind.SLOT:
        return choice.start is not None and same_moment(choice.start, event.value)
    said = event.label if isinstance(event, Tap) else words_of(event)
    if _label_key(said) == _label_key(choice.label):
        return True
    return choice.start is not None and same_moment(choice.start, said.strip())


def _only_one_with(said: str, choices: Sequence[FlowChoice]) -> FlowChoice | None:
    """The one choice whose label has these words, next to each other."""
    words = _words(said)
    if not words:
        return None
    length = len(words)
    having = [
        choice
        for choice in choices
        if any(words == label[at : at + length] for label in (_words(choice.label),) for at in range(len(label)))
    ]
    return having[0] if len(having) == 1 else None


def _words(text: str) -> list[str]:
    """Words and numbers as they are compared: an hour is the same with and without a zero before it."""
    return [word.removeprefix("0") or "0" for word in _WORD.findall(name_key(text))]


_WORD = re.compile(r"[\w:.]*\w")


def _label_key(label: str) -> str:
    """A label as it is compared; one of nothing but signs by them."""
    return name_key(label.strip(_AROUND)) or name_key(label)
