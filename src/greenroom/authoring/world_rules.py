"""Whether the world of a case can answer what its agent may call (features.md C6–C11; semantics: the world)."""

from collections.abc import Iterator

from greenroom.authoring.case_rules import parameter_notes
from greenroom.authoring.notes import Note, Target, error, warning
from greenroom.conversation.calls import name_key
from greenroom.conversation.channels import ABILITIES
from greenroom.documents.agent import Tool
from greenroom.documents.suite import Case
from greenroom.nearest import did_you_mean
from greenroom.world.tools import may_reach_endpoint

__all__ = ["world_notes"]


def world_notes(case: Case, target: Target) -> Iterator[Note]:
    """What is to be said of a case's mocks, of `real`, and of calls that nothing would answer."""
    yield from _mocks(case, target)
    yield from _real(case, target)
    unanswered = list(_unanswered(case, target))
    if unanswered:
        add = "add a mock to the tool or an entry to `world.mocks`"
        yield warning(("world",), f"calls to {', '.join(unanswered)} would go unanswered; {add}")


def _mocks(case: Case, target: Target) -> Iterator[Note]:
    fallbacks: set[str] = set()
    for index, mock in enumerate(case.world.mocks):
        path = ("world", "mocks", index)
        name, tool = name_key(mock.tool), target.tool(mock.tool)
        if not target.has(mock.tool, case.channel):
            near = "" if tool is not None else did_you_mean(mock.tool, target.names_on(case.channel))
            yield warning(
                (*path, "tool"), f"this mock answers nothing, for the agent doesn't have {mock.tool!r} here{near}"
            )
        elif tool is not None and tool.kind == "client" and not tool.waits:
            yield error(
                (*path, "tool"), f"{mock.tool!r} is a client tool that waits for nothing, so no mock can answer it"
            )
        else:
            yield from parameter_notes((*path, "when"), mock.when, mock.tool, target)
        if not mock.when:
            fallbacks.add(name)
        elif name in fallbacks:
            yield warning(
                path,
                f"an entry without `when` for {mock.tool!r} stands before this one; it is the fallback all the same",
            )


def _real(case: Case, target: Target) -> Iterator[Note]:
    for index, name in enumerate(case.world.real):
        path = ("world", "real", index)
        tool = target.tool(name)
        if tool is None:
            yield warning(path, f"the agent has no tool {name!r}{did_you_mean(name, target.agent.tools)}")
        elif not _may_be_real(tool):
            yield error(
                path,
                f"{name!r} can't be real: only webhook tools and `read_only` integration tools reach their endpoint",
            )


def _may_be_real(tool: Tool) -> bool:
    return tool.kind == "webhook" or (tool.kind == "integration" and tool.read_only)


def _unanswered(case: Case, target: Target) -> Iterator[str]:
    """The tools of this channel whose call would have no answer (features.md C8, C10)."""
    if case.world.no_answer == "captured":
        return
    entries = {name_key(mock.tool) for mock in case.world.mocks}
    for key, (name, tool) in target.tools.items():
        waits = tool.waits or tool.kind == "integration"
        here = target.has(name, case.channel) or _confirms(name, target)
        if not here or not waits or key in entries or tool.mocks:
            continue
        if tool.kind == "client" and not ABILITIES[case.channel].client_tools:
            continue
        if not may_reach_endpoint(name, tool, case.world, has_entry=False):
            yield name


def _confirms(name: str, target: Target) -> bool:
    """A confirm-write tool is offered with the tool that it confirms (features.md C9)."""
    return any(tool.confirm_with == name for tool in target.agent.tools.values())
