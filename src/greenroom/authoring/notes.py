"""What a rule of lint has to say of a case, before it has a place in a file; and what rules know of an agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from greenroom.agents.hosted.offer import OfferBook
from greenroom.conversation.actions import LABELS, Action
from greenroom.conversation.calls import name_key
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent, Tool
from greenroom.documents.channels import settled_channel
from greenroom.documents.checks import Expectation
from greenroom.documents.findings import Severity
from greenroom.documents.parts import Unread, as_far_as_read
from greenroom.documents.people_values import representative_fault
from greenroom.documents.project import Limits
from greenroom.documents.suite import Case
from greenroom.documents.uses import used_by, uses_in

__all__ = ["Note", "Path", "Target", "error", "expectations", "representative_notes", "warning"]

Path = tuple[str | int, ...]
"""Leads to a value from the case; the case itself is the empty path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing to say of a case."""

    path: Path
    message: str
    severity: Severity


def error(path: Path, message: str) -> Note:
    """Something that makes the case impossible to run as it is written."""
    return Note(path=path, message=message, severity=Severity.ERROR)


def warning(path: Path, message: str) -> Note:
    """Something that is worth a look and never stops a run."""
    return Note(path=path, message=message, severity=Severity.WARNING)


class Target:
    """An agent, as the rules look at it, in its project and at a time."""

    def __init__(self, agent: Agent, *, limits: Limits | None = None, now: datetime | None = None) -> None:
        """Nothing of it is looked at before it is asked for: of an agent with errors not all could be read.

        Args:
            agent: The document.
            limits: The project's; None: they can't be read, and nothing is measured by them.
            now: What time it is; None: nothing is said of what time alone makes wrong.
        """
        self.agent = agent
        self.limits = limits
        self.now = now

    @cached_property
    def tools(self) -> Mapping[str, tuple[str, Tool]]:
        """The agent's own tools by their compared name, without those that could not be read."""
        return {name_key(name): (name, tool) for name, tool in self.agent.tools.items() if tool.is_whole}

    @cached_property
    def _unread(self) -> Mapping[str, Tool]:
        """Tools of which no more is known than their name and a part, by compared name."""
        return {name_key(name): tool for name, tool in self.agent.tools.items() if not tool.is_whole}

    @cached_property
    def _as_read(self) -> Agent:
        """The agent with a plain tool in place of each that could not be read: it is there, whatever it is."""
        if not self._unread:
            return self.agent
        tools = {
            name: tool if tool.is_whole else Tool.model_construct(confirm_with=tool.__dict__.get("confirm_with"))
            for name, tool in self.agent.tools.items()
        }
        return self.agent.model_copy(update={"tools": tools})

    @cached_property
    def forms(self) -> Mapping[str, str]:
        """Ids to names of the data forms that some turn may submit."""
        return self._offers.forms()

    @cached_property
    def _used(self) -> frozenset[str]:
        agent = self._as_read
        books = [used_by(agent, uses_in(agent, book)).tools for book in agent.playbooks.values()]
        confirming = [tool.confirm_with for tool in agent.tools.values() if tool.confirm_with is not None]
        return frozenset(agent.tools if not books else (*(name for names in books for name in names), *confirming))

    @cached_property
    def _offers(self) -> OfferBook:
        return OfferBook(self._as_read)

    @cached_property
    def _on(self) -> Mapping[Channel, Mapping[str, str]]:
        return {
            channel: {name_key(name): name for name in self._offers.kinds(abilities)}
            for channel, abilities in ABILITIES.items()
        }

    def parameters(self, name: str) -> tuple[str, ...] | None:
        """Which parameters may be given to this tool, action or label; None: any, or nobody knows. Raises `Unread`."""
        tool, key = self.tool(name), name_key(name)
        actions = sorted(LABELS.get(key, {Action(key)} if key in set(Action) else ()))
        schemas = [self._offers.parameters_of(action) for action in actions] if tool is None else [tool.parameters]
        found = dict[str, None]()
        for schema in schemas:
            properties = schema.get("properties")
            if not isinstance(properties, Mapping) or schema.get("additionalProperties"):
                return None
            found |= dict.fromkeys(properties)
        return tuple(found) if schemas else None

    @property
    def has_number(self) -> bool:
        """Whether the agent can be called, so that `channel: auto` is the phone."""
        return settled_channel(Channel.AUTO, self.agent) is Channel.PHONE_INBOUND

    def names_on(self, channel: Channel) -> tuple[str, ...]:
        """Tools and built-in actions that some turn on this channel may offer."""
        return tuple(self._on[channel].values())

    def has(self, name: str, channel: Channel) -> bool:
        """Whether some turn on this channel may offer this tool or action. Raises `Unread` where nobody can know."""
        own = self.tool(name)
        if own is None:
            return name_key(name) in self._on[channel]
        offered = any(one is own for _, one in self.offered(channel))
        if not offered and any("confirm_with" not in tool.__dict__ for tool in self._unread.values()):
            # It may be what one of those has to be confirmed with.
            raise Unread(name)
        return offered

    def offered(self, channel: Channel) -> Iterator[tuple[str, Tool]]:
        """The agent's own tools that some turn on this channel may offer, as far as they can be read."""
        on = self._on[channel]
        yield from ((name, tool) for key, (name, tool) in self.tools.items() if key in on and self.uses(name))

    def uses(self, name: str) -> bool:
        """Whether the agent's own tool is offered in some playbook, itself or as what confirms another."""
        return name in self._used

    def tool(self, name: str) -> Tool | None:
        """The agent's own tool of this name. Raises `Unread` for one that could not be read."""
        if name_key(name) in self._unread:
            raise Unread(name)
        found = self.tools.get(name_key(name))
        return None if found is None else found[1]


def expectations(case: Case) -> Iterator[tuple[Path, Expectation]]:
    """Every entry of `expect`, the script lines' own included, with the path to what stands under its word."""
    yield from as_far_as_read(_of_the_whole(case))
    yield from as_far_as_read(_of_lines(case))


def _of_the_whole(case: Case) -> Iterator[tuple[Path, Expectation]]:
    yield from ((("expect", index, entry.word), entry) for index, entry in enumerate(case.expect))


def _of_lines(case: Case) -> Iterator[tuple[Path, Expectation]]:
    for number, line in enumerate(case.script):
        for index, entry in enumerate(line.expect):
            yield ("script", number, "expect", index, entry.word), entry


def representative_notes(path: Path, matcher: Json, target: Target) -> Iterator[Note]:
    """Errors of representatives that a matcher names and the agent doesn't have (semantics: two levels of lint)."""
    for place, name in _names(matcher):
        if name and (fault := representative_fault(target.agent, name)) is not None:
            yield error((*path, *place), fault)


def _names(matcher: Json) -> Iterator[tuple[Path, str]]:
    """What a matcher compares a name with, wherever in it that stands."""
    if isinstance(matcher, str):
        yield (), matcher
    elif isinstance(matcher, Mapping):
        for word in ("equals", "not"):
            yield from (((word, *place), name) for place, name in _names(matcher.get(word)))
        listed = matcher.get("one_of")
        for index, item in enumerate(listed if isinstance(listed, list) else ()):
            yield from ((("one_of", index, *place), name) for place, name in _names(item))
