"""Which cases a selection names (features.md F1; field lessons X10, X11, R11).

A selector is a suite, `suite/case`, a tag `@tag`, or a file. None at all is everything attached to the agent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from greenroom.documents.loaded import Broken
from greenroom.documents.suite import Case, Suite
from greenroom.errors import AgentUnclear, NotFound, NothingSelected, SelectionEmpty, UsageError
from greenroom.nearest import did_you_mean, nearest, there_are

__all__ = ["NO_AGENTS", "Selected", "agent_for", "known_agent", "may_mean", "select_cases"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """Cases in the order of their suites, each once, and the agents their suites are attached to."""

    cases: tuple[Case, ...]
    suites: tuple[Suite, ...]


def select_cases(
    suites: Mapping[str, Suite],
    selectors: Sequence[str],
    *,
    files: Mapping[str, str],
    folder: Path,
    agent: str | None = None,
) -> Selected:
    """The cases that `selectors` name. Raises `NothingSelected` with the nearest names when one names none.

    It is `SelectionEmpty` where the name is right and nothing is in it. Whether a tag is right can't be told, for it
    exists by the cases that have it; so a tag that no case has is an empty selection.

    `files` maps a suite's file (absolute) to the suite's id; `folder` is where relative paths start. With `agent`:
    only cases of suites that are attached to it, or to none (features.md B8); a selector that names no such case is
    refused.
    """
    if not selectors:
        chosen = [suite for suite in suites.values() if agent is None or not suite.agents or agent in suite.agents]
        cases = [case for suite in chosen for case in suite.cases.values()]
        if not cases:
            raise SelectionEmpty(
                f"no suite is attached to agent {agent!r}"
                if agent
                else "the project has no cases: write one in suites/"
            )
        return Selected(cases=tuple(cases), suites=tuple(chosen))
    found: dict[tuple[str, str], Case] = {}
    for selector in selectors:
        named = _named(suites, selector, files=files, folder=folder)
        for case in named if agent is None else _attached(suites, selector, named, agent):
            found.setdefault((case.suite, case.id), case)
    order = {suite: index for index, suite in enumerate(suites)}
    cases = sorted(found.values(), key=lambda case: order[case.suite])
    return Selected(cases=tuple(cases), suites=tuple(suites[name] for name in dict.fromkeys(c.suite for c in cases)))


def may_mean(selectors: Sequence[str], suite: Broken, *, file: Path, folder: Path, agent: str | None) -> bool:
    """Whether a suite that can't be read may hold cases that are selected, which nobody shall miss unseen.

    `file` is the suite's, absolute; `folder` and `agent` are those of `select_cases`.
    """
    named = suite.name is not None and suite.name in {selector.partition("/")[0] for selector in selectors}
    if named or file in {(folder / selector).resolve() for selector in selectors}:
        return True
    if agent is not None and suite.agents and agent not in suite.agents:
        return False
    return not selectors or any(
        selector.startswith("@") or file.is_relative_to((folder / selector).resolve()) for selector in selectors
    )


def _named(suites: Mapping[str, Suite], selector: str, *, files: Mapping[str, str], folder: Path) -> Sequence[Case]:
    if not selector.strip():
        raise UsageError("an empty selector selects nothing; leave it out to run everything")
    if selector.startswith("@"):
        return _tagged(suites, selector[1:])
    if selector in suites:
        return _of_suite(suites[selector])
    suite_id, slash, case_id = selector.partition("/")
    if slash and suite_id in suites:
        suite = suites[suite_id]
        if case_id in suite.cases:
            return [suite.cases[case_id]]
        raise NothingSelected(f"suite {suite_id!r} has no case {case_id!r}{did_you_mean(case_id, suite.cases)}")
    path = (folder / selector).resolve()
    if str(path) in files:
        return _of_suite(suites[files[str(path)]])
    within = [name for file, name in files.items() if path.is_dir() and Path(file).is_relative_to(path)]
    if within:
        return [case for name in within for case in suites[name].cases.values()]
    if path.exists():
        raise SelectionEmpty(f"{selector!r} holds no suite of this project")
    raise NothingSelected(_nothing(suites, selector))


def _attached(suites: Mapping[str, Suite], selector: str, cases: Sequence[Case], agent: str) -> Sequence[Case]:
    """Those of the cases that may run against the agent."""
    mine = [case for case in cases if not suites[case.suite].agents or agent in suites[case.suite].agents]
    if mine:
        return mine
    named = list(dict.fromkeys(case.suite for case in cases))
    attached = list(dict.fromkeys(name for suite in named for name in suites[suite].agents))
    what = f"suite {named[0]!r} is" if len(named) == 1 else f"the suites of {selector!r} ({', '.join(named)}) are"
    raise NothingSelected(
        f"{what} attached to {', '.join(attached)} and not to agent {agent!r}; "
        f"add {agent} to `agents` of the suite to run it there too"
    )


def _tagged(suites: Mapping[str, Suite], tag: str) -> Sequence[Case]:
    cases = [
        case for suite in suites.values() for case in suite.cases.values() if tag in case.tags or tag in suite.tags
    ]
    if cases:
        return cases
    tags = {tag for suite in suites.values() for case in suite.cases.values() for tag in (*case.tags, *suite.tags)}
    raise SelectionEmpty(f"no case is tagged {tag!r}{did_you_mean(tag, tags)}")


def _of_suite(suite: Suite) -> Sequence[Case]:
    if not suite.cases:
        raise SelectionEmpty(f"suite {suite.id!r} has no cases")
    return list(suite.cases.values())


def _nothing(suites: Mapping[str, Suite], selector: str) -> str:
    names = [*suites, *(f"{suite.id}/{case}" for suite in suites.values() for case in suite.cases)]
    hint = did_you_mean(selector, names)
    if not hint and (near := nearest(selector, {case for suite in suites.values() for case in suite.cases})):
        homes = [f"{suite.id}/{near}" for suite in suites.values() if near in suite.cases]
        hint = f"; did you mean {homes[0]!r}?"
    known = f"; suites are {', '.join(suites)}" if suites and not hint else ""
    return f"{selector!r} is no suite, suite/case, @tag or file of this project{hint}{known}"


NO_AGENTS = "; the project has no agents: write one in agents/"
"""How it goes on that there is no such agent, when there is none at all."""


def known_agent(agents: Sequence[str], asked: str) -> str:
    """The agent of that id. Raises `NotFound` with the nearest one."""
    if asked not in agents:
        raise NotFound("agent", asked, nearest(asked, agents), hint=there_are(agents) or NO_AGENTS)
    return asked


def agent_for(agents: Sequence[str], selected: Selected, asked: str | None) -> str:
    """The one agent to run against; any, when there is nothing to run. Raises `AgentUnclear`, or `NotFound`."""
    if asked is not None:
        return known_agent(agents, asked)
    if not selected.cases and agents:
        return agents[0]
    named = list(dict.fromkeys(agent for suite in selected.suites for agent in suite.agents))
    if not named and len(agents) == 1:
        return agents[0]
    if len(named) != 1:
        raise AgentUnclear(named or list(agents))
    return named[0]
