"""A simulated person as people write it: `simulate: {brief, max_turns}` (features.md B9, D1; documents.md: a case)."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from pydantic import Field

from greenroom.documents.parts import Doc

__all__ = ["Brief", "Detail", "Simulation", "Told"]


class Detail(Doc):
    """One entry of a section; what is known has a name when it is written as `name: value`."""

    text: str = Field(min_length=1)
    """What it says."""
    name: str = ""
    """What it is called."""


class Told(NamedTuple):
    """One text of a brief."""

    section: str
    name: str
    """Of an entry that has one."""
    path: tuple[str | int, ...]
    """Leads to it from the brief."""
    text: str


class Brief(Doc):
    """What a simulated person is told of itself: free text, or sections, or both. All of it may hold templates.

    A section of several entries takes one text, a list of texts, or a mapping of names to texts; what stands there as
    `name: value` is a fact that the person is held to.
    """

    short: ClassVar[str | None] = "text"
    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({"goal": "wants", "persona": "who", "name": "who"})

    text: str = ""
    """The whole brief as free text."""
    who: str = ""
    """Who the person is."""
    wants: str = ""
    """What the person is after; must be there unless the brief is free text."""
    knows: tuple[Detail, ...] = ()
    """What the person knows and may say."""
    does_not_know: tuple[Detail, ...] = ()
    """What the person says it doesn't know when it is asked."""
    reveals_when_asked: tuple[Detail, ...] = ()
    """What the person knows and tells only when it is asked for it, one thing at a time."""
    steps: tuple[Detail, ...] = ()
    """What the person does, in order."""
    reactions: tuple[Detail, ...] = ()
    """What the person does when something happens."""
    style: str = ""
    """How the person talks."""
    ends_when: str = ""
    """When the person ends the conversation."""
    opens_with: str = ""
    """What the person's first message says, in its own words."""

    def texts(self) -> Iterator[Told]:
        """Every text of the brief."""
        for section in type(self).model_fields:
            value: object = getattr(self, section)
            if isinstance(value, str):
                if value:
                    yield Told(section, "", (section,), value)
                continue
            details: tuple[Detail, ...] = getattr(self, section)
            for index, detail in enumerate(details):
                yield Told(section, detail.name, (section, detail.name or index), detail.text)


class Simulation(Doc):
    """A model plays the person, after the script when there is one."""

    brief: Brief
    """What the person is told of itself: free text, or sections."""
    max_turns: int | None = Field(default=None, ge=1)
    """The most turns that the person takes, script lines included. Left out: the project's limit `turns`."""
