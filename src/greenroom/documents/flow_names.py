"""The names of a flow: which step gives one, what is known to stand under it, and every text that may use it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CONSENT
from greenroom.documents.agent import Agent
from greenroom.documents.flow import (
    FlowAsk,
    FlowBook,
    FlowCancel,
    FlowHttp,
    FlowMove,
    FlowSay,
    FlowSet,
    FlowStep,
    FlowWhen,
    OptionsFrom,
    Question,
)
from greenroom.documents.parts import Doc
from greenroom.documents.people_values import writable_by
from greenroom.documents.template_rules import is_known, nothing_named, texts_in
from greenroom.documents.templates import ROOTS, named_templates
from greenroom.nearest import did_you_mean

__all__ = [
    "APPOINTMENTS",
    "ITEM",
    "OF_CONSENT",
    "OF_PERSON",
    "Names",
    "Path",
    "Shape",
    "given_by",
    "is_person_field",
    "name_fault",
    "texts_of",
]

ITEM = "item"
"""What each choice of a list is called in its label."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

Path = tuple[str | int, ...]
"""Leads to a text from the step it stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is known of the value behind a name."""

    keys: frozenset[str] | None = None
    """What stands under it; None when anything may."""
    values: tuple[Json, ...] | None = None
    """All that it can be; None when that isn't known."""


_ONE_VALUE: frozenset[str] = frozenset()
_SLOT = Shape(keys=frozenset({"start", "end", "representative", "label"}))
_APPOINTMENT = Shape(
    keys=frozenset({"id", "title", "start", "end", "representative", "status", "notes", "label"}),
)
OF_PERSON = "person."
OF_CONSENT = f"{OF_PERSON}{CONSENT}"
"""Stands before a kind of consent where a flow looks at it."""
APPOINTMENTS = "appointments"
"""Where the choices of `from` are the person's appointments that are to come."""


def given_by(step: FlowStep, agent: Agent) -> Mapping[str, Shape]:
    """The names that later steps know by this one."""
    given: dict[str | None, Shape] = {}
    match step:
        case FlowAsk():
            given = {step.ask.as_ or step.ask.field: _answer(step.ask)}
        case FlowHttp():
            given = {step.http.as_: Shape()}
        case FlowSet():
            given = {name: Shape() for name in step.set if not is_person_field(name, agent)}
        case FlowBook():
            given = {step.book.as_: _APPOINTMENT}
        case FlowMove():
            given = {step.move.as_: _APPOINTMENT}
        case FlowCancel():
            given = {step.cancel.as_: _APPOINTMENT}
        case _:
            pass
    return {name: shape for name, shape in given.items() if name is not None and name_fault(name) is None}


def is_person_field(name: str, agent: Agent) -> bool:
    """Whether `set` and `ask` keep a value of this name on the person's record."""
    return name in writable_by(agent)


def _answer(asked: Question) -> Shape:
    if asked.field is not None or asked.type is not None:
        return Shape(keys=_ONE_VALUE)
    if asked.slots is not None:
        return _SLOT
    if isinstance(asked.options, OptionsFrom):
        return _APPOINTMENT if asked.options.from_ == APPOINTMENTS else Shape()
    if asked.confirm is not None:
        return Shape(keys=_ONE_VALUE, values=asked.confirm)
    if asked.options is not None:
        values = tuple(one.label if one.value is None else one.value for one in asked.options)
        plain = not any(isinstance(value, Mapping) for value in values)
        fixed = not any(isinstance(value, str) and named_templates(value) for value in values)
        return Shape(keys=_ONE_VALUE if plain else None, values=values if fixed else None)
    return Shape(keys=_ONE_VALUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What is known at a step of a flow that is read from top to bottom."""

    agent: Agent
    ever: Mapping[str, Shape]
    """All that some step of the flow gives."""
    known: Mapping[str, Shape] = field(default_factory=dict[str, Shape])
    """What steps so far have given."""

    def after(self, step: FlowStep) -> "Names":
        """What is known when this step is read too; a name that several give is what any of them may have given."""
        given = {
            name: shape if name not in self.known else _either(self.known[name], shape)
            for name, shape in given_by(step, self.agent).items()
        }
        return replace(self, known={**self.known, **given}) if given else self

    def fault(self, name: str, *, braces: bool = True) -> str | None:
        """What is wrong with a dotted name, or nothing; `braces`: it stands in a template."""
        root, _, rest = name.partition(".")
        shape = self.known.get(root)
        shown = f"{{{{{name}}}}}" if braces else f"`{name}`"
        if shape is None:
            wrong = self._unknown(name, root)
            return None if wrong is None else f"{shown} {wrong}"
        if not rest or shape.keys is None or rest in shape.keys:
            return None
        there = did_you_mean(rest, shape.keys) or (f"; it has {', '.join(sorted(shape.keys))}" if shape.keys else "")
        return f"{shown} names nothing: {root!r} has no {rest!r}{there or ', it is one value'}"

    def _unknown(self, name: str, root: str) -> str | None:
        declared = tuple(self.agent.people.fields)
        if is_known(name, declared):
            return None
        if root in self.ever and root not in ROOTS:
            return f"is not known here: the step that gives {root!r} comes later"
        return nothing_named(name, declared, self._listed())

    def _listed(self) -> list[str]:
        """Every full name that is known besides those of the person and the system."""
        return [
            one for key, each in self.known.items() for one in (key, *(f"{key}.{part}" for part in each.keys or ()))
        ]


def _either(one: Shape, other: Shape) -> Shape:
    return Shape(
        keys=None if one.keys is None or other.keys is None else one.keys | other.keys,
        values=None if one.values is None or other.values is None else (*one.values, *other.values),
    )


def name_fault(name: str) -> str | None:
    """Why a step can't give its answer this name."""
    if name in {*ROOTS, ITEM, APPOINTMENTS}:
        return f"{name!r} stands for something already (`{{{{{name}.…}}}}`); take another name"
    if _NAME.fullmatch(name) is None:
        return f"a name has letters, digits, `_` and `-` and begins with a letter, unlike {name!r}"
    return None


def texts_of(step: FlowStep) -> Iterator[tuple[Path, str]]:
    """Every text of a step in which names may stand, with the path to what it stands in."""
    word = next(iter(type(step).model_fields))
    match step:
        case FlowSay():
            yield from (((word,), text) for text in texts_in(step.say.parts))
        case FlowAsk():
            yield from (((word, *path), text) for path, text in _texts_asked(step.ask))
        case FlowSet():
            yield from (((word, *path), text) for path, text in _texts_within(step.set))
        case FlowHttp():
            yield from (((word, "with", *path), text) for path, text in _texts_within(step.http.with_))
        case FlowWhen():
            pass
        case _:
            value = getattr(step, word)
            if isinstance(value, str):
                yield (word,), value
            else:
                yield from (((word, key), text) for key, text in _texts_of_model(value))


def _texts_of_model(model: Doc) -> Iterator[tuple[str, str]]:
    """The texts that stand under the keys of a mapping, as they are written."""
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, str) and name != "as_":
            yield info.alias or name, value


def _texts_asked(asked: Question) -> Iterator[tuple[Path, str]]:
    yield ("text",), asked.text
    yield ("again",), asked.again
    if asked.slots is not None:
        yield from ((("slots", key), text) for key, text in _texts_of_model(asked.slots))
    yield from ((("confirm", index), label) for index, label in enumerate(asked.confirm or ()))
    if isinstance(asked.options, OptionsFrom):
        yield ("options", "label"), asked.options.label
        return
    for index, option in enumerate(asked.options or ()):
        yield ("options", index), option.label
        yield from ((("options", index, "value", *path), text) for path, text in _texts_within(option.value))


def _texts_within(value: Json) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield (), value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from (((key, *path), text) for path, text in _texts_within(item))
    elif isinstance(value, Sequence):
        for index, item in enumerate(value):
            yield from (((index, *path), text) for path, text in _texts_within(item))
