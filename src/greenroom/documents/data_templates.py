"""Data that is a template all the same, where `template: …` says so: script lines, history, results of mocks.

Everything else that a person says or a mock answers stays as it is written (P12). A line is filled in when its
conversation begins, from the person as the case has them; a result at each call, from the person as they are then.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from greenroom.conversation.json_values import Json
from greenroom.documents.mocks import OwnMock
from greenroom.documents.suite import Case, GivenAgent, GivenPerson, GivenStep, Say, ScriptLine, TapLine
from greenroom.documents.template_rules import is_known, nothing_named
from greenroom.documents.templates import fill_named, filled_value, named_templates

__all__ = [
    "TEMPLATE",
    "Path",
    "filled_data",
    "is_template",
    "line_templates",
    "mock_templates",
    "unknown_names",
    "with_lines_filled",
]

TEMPLATE = "template"
"""The one key of data that is a template."""

Path = tuple[str | int, ...]
L = TypeVar("L", bound=ScriptLine | GivenStep)


def is_template(data: Json) -> bool:
    """Whether data is a mapping with the one key `template`."""
    return isinstance(data, Mapping) and len(data) == 1 and TEMPLATE in data


def filled_data(data: Json, values: Mapping[str, Json]) -> Json:
    """The data; what stands under its `template`, when it is one, with every text in it filled in.

    A text that is one template and nothing else becomes the value itself: a number stays a number.
    """
    return filled_value(data[TEMPLATE], values) if isinstance(data, Mapping) and is_template(data) else data


def with_lines_filled(case: Case, values: Mapping[str, Json]) -> Case:
    """The case with its script and its history as they are said."""
    if not any(line.is_template for line in (*case.script, *case.history)):
        return case
    said = {name: tuple(_filled(line, values) for line in getattr(case, name)) for name in ("script", "history")}
    return case.model_copy(update=said)


def _filled(line: L, values: Mapping[str, Json]) -> L:
    if not line.is_template:
        return line
    key, text = _words(line)
    return line.model_copy(update={key: fill_named(text, values), "is_template": False})


def _words(line: ScriptLine | GivenStep) -> tuple[str, str]:
    """What is said, and the key under which it stands."""
    match line:
        case Say():
            return "say", line.say
        case TapLine():
            return "otherwise", line.otherwise
        case GivenPerson():
            return "person", line.person
        case GivenAgent():
            return "agent", line.agent


def line_templates(case: Case) -> Iterator[tuple[Path, str]]:
    """The templates of script and history, each with its place in the case."""
    for place, lines in (("script", case.script), ("history", case.history)):
        for index, line in enumerate(lines):
            if line.is_template:
                key, text = _words(line)
                yield (place, index, *(("tap", key) if isinstance(line, TapLine) else (key,))), text


def mock_templates(mock: OwnMock) -> Iterator[tuple[Path, str]]:
    """The texts in a mock's templates, each with its place in the mock."""
    results = [(("results", index), result) for index, result in enumerate(mock.results or ())]
    for place, data in ((("result",), mock.result), *results):
        if isinstance(data, Mapping) and is_template(data):
            yield from _texts((*place, TEMPLATE), data[TEMPLATE])


def _texts(place: Path, value: Json) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts((*place, key), item)
    elif isinstance(value, Sequence):
        for index, item in enumerate(value):
            yield from _texts((*place, index), item)


def unknown_names(text: str, declared: Sequence[str]) -> Iterator[str]:
    """What is to be said of each name in a template that means nothing; `declared` are the agent's people fields."""
    for name in named_templates(text):
        if not is_known(name, declared):
            yield f"{{{{{name}}}}} {nothing_named(name, declared)}"
