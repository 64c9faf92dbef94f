"""Whether the world of a case can answer what its agent may call (features.md C6–C11; semantics: the world)."""

from collections.abc import Iterator

from greenroom.authoring.case_rules import parameter_notes
from greenroom.authoring.notes import Note, Path, Target, error, expectations, warning
from greenroom.conversation.calls import name_key
from greenroom.documents.agent import Tool
from greenroom.documents.channels import on_channel
from greenroom.documents.checks import Called
from greenroom.documents.mocks import Mock
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.suite import Case, Suite
from greenroom.nearest import did_you_mean
from greenroom.world.tools import asks_by_itself, may_reach_endpoint

__all__ = ["suite_notes", "world_notes"]

_ADD = "add a mock to the tool or an entry to `world.mocks`"


def world_notes(case: Case, target: Target) -> Iterator[Note]:
    """What is to be said of a case's mocks, of `real`, and of required calls that nothing would answer."""
    yield from as_far_as_read(_mocks(case, target))
    for index, name in enumerate(case.world.real):
        yield from as_far_as_read(_real(("world", "real", index), name, case, target))
    unanswered = {name_key(name) for name, _ in _unanswered(case, target)}
    for path, entry in expectations(case):
        if isinstance(entry, Called) and name_key(entry.tool) in unanswered:
            yield warning((*path, "tool"), f"a call to {entry.tool!r} would go unanswered; {_ADD}")


def suite_notes(suite: Suite, target: Target) -> Iterator[Note]:
    """Tools that would go unanswered in some case, whether it needs them or not: one warning for all cases."""
    by_tool: dict[tuple[str, str], int] = {}
    cases = 0
    for case in suite.cases.values():
        found = list(_unanswered(on_channel(case, target.agent), target))
        cases += bool(found)
        for tool in found:
            by_tool[tool] = by_tool.get(tool, 0) + 1
    if by_tool:
        tools = ", ".join(f"{name} ({kind}{count})" for (name, kind), count in by_tool.items())
        where = f"in {cases} of {len(suite.cases)} cases"
        yield warning(("suite",), f"{where} a tool would go unanswered if it were called: {tools}; {_ADD}")


def _mocks(case: Case, target: Target) -> Iterator[Note]:
    fallbacks: set[str] = set()
    for index, mock in enumerate(case.world.mocks):
        path = ("world", "mocks", index)
        name = name_key(mock.tool)
        yield from as_far_as_read(_mock(path, mock, case, target))
        if not mock.when:
            fallbacks.add(name)
        elif name in fallbacks:
            yield warning(
                path,
                f"an entry without `when` for {mock.tool!r} stands before this one; it is the fallback all the same",
            )


def _mock(path: Path, mock: Mock, case: Case, target: Target) -> Iterator[Note]:
    tool = target.tool(mock.tool)
    # A tool that is only missing on this channel may be mocked in the defaults of a suite for several channels.
    if tool is None and not target.has(mock.tool, case.channel):
        near = did_you_mean(mock.tool, target.names_on(case.channel))
        yield warning((*path, "tool"), f"this mock answers nothing: the agent has no tool {mock.tool!r}{near}")
    elif tool is not None and tool.kind == "client" and not tool.waits:
        yield error((*path, "tool"), f"{mock.tool!r} is a client tool that waits for nothing, so no mock can answer it")
    else:
        yield from parameter_notes((*path, "when"), mock.when, mock.tool, target)
        yield from _answer_notes(path, mock, tool, case, target)


def _answer_notes(path: Path, mock: Mock, tool: Tool | None, case: Case, target: Target) -> Iterator[Note]:
    """An HTTP status where there is no HTTP, and a write whose confirmation nothing answers (features.md C6, C9)."""
    if (mock.status is not None or mock.statuses is not None) and (tool is None or tool.kind != "webhook"):
        key = "status" if mock.status is not None else "statuses"
        meant = "write `error: true` to make the call fail"
        yield warning(
            (*path, key), f"only webhook tools answer with an HTTP status, and {mock.tool!r} is none; {meant}"
        )
    confirm = None if tool is None else tool.confirm_with
    if confirm is not None and confirm in dict(_unanswered(case, target)):
        yield warning(
            (*path, "tool"),
            f"{mock.tool!r} only asks for the confirmation; what commits is {confirm!r}, and a call to it would go "
            "unanswered, so mock both",
        )


def _real(path: Path, name: str, case: Case, target: Target) -> Iterator[Note]:
    tool = target.tool(name)
    if tool is None:
        yield warning(path, f"the agent has no tool {name!r}{did_you_mean(name, target.agent.tools)}")
    elif not _may_be_real(tool) and not case.world.live_test:
        yield error(
            path, f"{name!r} can't be real: only webhook tools and `read_only` integration tools reach their endpoint"
        )


def _may_be_real(tool: Tool) -> bool:
    return tool.kind == "webhook" or (tool.kind == "integration" and tool.read_only)


def _unanswered(case: Case, target: Target) -> Iterator[tuple[str, str]]:
    """The tools of this channel whose call would have no answer, each with what to know of it (features.md C8–C10)."""
    if case.world.no_answer == "captured":
        return
    entries = {name_key(mock.tool) for mock in case.world.mocks}
    for name, tool in target.offered(case.channel):
        waits = tool.waits or tool.kind == "integration"
        if not waits or name_key(name) in entries or tool.mocks:
            continue
        if not may_reach_endpoint(name, tool, case.world, has_entry=False) and not asks_by_itself(tool, case.world):
            yield name, _what_it_is(name, tool, target)


def _what_it_is(name: str, tool: Tool, target: Target) -> str:
    """What to know of a tool that needs its mock, to stand before a count; empty for an ordinary one."""
    if tool.kind == "client":
        return "a client tool, which answers from mocks only; "
    confirmed = next((other for other, one in target.tools.values() if one.confirm_with == name), None)
    return "" if confirmed is None else f"commits what {confirmed} asks to confirm; "
