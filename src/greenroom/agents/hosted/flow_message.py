"""What a flow shows and which answers it offers: a message and its choices, from what stands in the document."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from greenroom.agents.hosted.filling import filled_part
from greenroom.conversation.flows import FlowChoice
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import (
    Card,
    Carousel,
    Chip,
    ChipAction,
    Chips,
    Confirm,
    Options,
    Part,
    Slot,
    Text,
    TimePicker,
)
from greenroom.documents.agent import Agent
from greenroom.documents.answers import FieldAnswers, choices_of_field
from greenroom.documents.flow import OptionsFrom, Question, Spoken
from greenroom.documents.flow_names import APPOINTMENTS, ITEM
from greenroom.documents.templates import fill, fill_named, filled_value
from greenroom.world.matching import lookup

__all__ = ["asked_parts", "choices_of", "said_parts"]

_NAMED_BY = ("label", "title", "name")
"""What of a thing is shown when nothing says how."""
_LABEL_CHARS = 200
_FLAG = ("Yes", "No")


def said_parts(spoken: Spoken, agent: Agent, values: Mapping[str, Json]) -> tuple[Part, ...]:
    """The parts of a message with their names filled in; texts that are empty then are not shown."""
    if spoken.template is not None:
        return _template(spoken.template, agent, values)
    return _shown([filled_part(part, lambda text: fill_named(text, values)) for part in spoken.parts])


def asked_parts(
    asked: Question, choices: Sequence[FlowChoice], agent: Agent, values: Mapping[str, Json], *, again: bool
) -> tuple[Part, ...]:
    """The parts of a question; what the template shows already is not shown again."""
    repeats = again and asked.again != ""
    parts: list[Part] = [Text(text=fill_named(asked.again if repeats else asked.text, values))]
    if asked.template is not None and not repeats:
        parts += _template(asked.template, agent, values)
    elif choices:
        parts.append(_choices(asked, choices, agent))
    return _shown(parts)


def choices_of(
    asked: Question, agent: Agent, values: Mapping[str, Json], appointments: Sequence[Json] = ()
) -> tuple[FlowChoice, ...] | None:
    """The answers that are offered, no two under one label; None when the answer is free.

    Args:
        asked: The question; times are found elsewhere.
        agent: Whose fields and templates it names.
        values: What names stand for.
        appointments: The person's, for a question that offers them.
    """
    found = _found(asked, agent, values, appointments)
    if found is None:
        return None
    choices: dict[str, FlowChoice] = {}
    field = None if asked.field is None else FieldAnswers.of(asked.field, agent)
    for index, (label, given) in enumerate(found):
        value = given
        if field is not None:
            means = {len(found) - 1: False, 0: True}.get(index) if _confirms(asked, agent) else None
            value = field.of_choice(given, means=means)
        if label.strip() and value is not None:
            shown = _unlike(label, choices)
            choices[shown] = FlowChoice(label=shown, value=value)
    return tuple(choices.values())


def _unlike(label: str, taken: Collection[str]) -> str:
    """The label, with a number when there is one like it."""
    return next(
        one for one in (label, *(f"{label} ({count})" for count in range(2, len(taken) + 3))) if one not in taken
    )


def _choices(asked: Question, choices: Sequence[FlowChoice], agent: Agent) -> Part:
    if asked.slots is not None:
        return TimePicker(slots=tuple(Slot(start=one.start or "", label=one.label) for one in choices))
    labels = tuple(choice.label for choice in choices)
    return Confirm(labels=labels) if _confirms(asked, agent) else Options(options=labels)


def _found(
    asked: Question, agent: Agent, values: Mapping[str, Json], appointments: Sequence[Json]
) -> Sequence[tuple[str, Json]] | None:
    """Labels and values of the choices, as they are written or found."""
    if isinstance(asked.options, OptionsFrom):
        listed = appointments if asked.options.from_ == APPOINTMENTS else _listed(asked.options, values)
        return [_item(asked.options, item, values) for item in listed[: asked.options.most]]
    if asked.options is not None:
        labels = [fill_named(option.label, values) for option in asked.options]
        given = [filled_value(option.value, values) for option in asked.options]
        return [(label, label if value is None else value) for label, value in zip(labels, given, strict=True)]
    if asked.confirm is not None:
        return [(label, label) for label in (fill_named(label, values) for label in asked.confirm)]
    if asked.template is not None:
        labels = dict.fromkeys(_tappable(_template(asked.template, agent, values)))
        return [(label, label) for label in labels] or None
    if _is_flag(asked, agent):
        return [(_FLAG[0], True), (_FLAG[1], False)]
    return list(choices_of_field(asked.field, agent).items()) or None if asked.field is not None else None


def _listed(found: OptionsFrom, values: Mapping[str, Json]) -> Sequence[Json]:
    value = lookup(values, found.from_).value
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _item(found: OptionsFrom, item: Json, values: Mapping[str, Json]) -> tuple[str, Json]:
    if found.label:
        return fill_named(found.label, {**values, ITEM: item})[:_LABEL_CHARS], item
    if isinstance(item, Mapping):
        item_label = next((item[key] for key in _NAMED_BY if item.get(key)), item)
        return fill_named("{{item}}", {ITEM: item_label})[:_LABEL_CHARS], item
    return fill_named("{{item}}", {ITEM: item})[:_LABEL_CHARS], item


def _is_flag(asked: Question, agent: Agent) -> bool:
    declared = agent.people.fields.get(asked.field or "")
    return asked.type == "boolean" or (declared is not None and declared.type == "boolean")


def _confirms(asked: Question, agent: Agent) -> bool:
    return asked.confirm is not None or (asked.options is None and _is_flag(asked, agent))


def _template(name: str, agent: Agent, values: Mapping[str, Json]) -> tuple[Part, ...]:
    parts = agent.templates.get(name, ())
    return _shown([filled_part(part, lambda text: fill(text, values)) for part in parts])


def _tappable(parts: Sequence[Part]) -> Iterator[str]:
    """What of a message answers when it is tapped."""
    for part in parts:
        match part:
            case Options():
                yield from part.options
            case Confirm():
                yield from part.labels
            case Chips():
                yield from _replies(part.chips)
            case Card():
                yield from _replies(part.chips)
            case Carousel():
                for card in part.cards:
                    yield from _replies(card.chips)
            case _:
                pass


def _replies(chips: Sequence[Chip]) -> Iterator[str]:
    return (chip.label for chip in chips if chip.action is ChipAction.REPLY)


def _shown(parts: Sequence[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if not isinstance(part, Text) or part.text.strip())
