"""Whether the team can be told where `notifications.to` says (documents.md: agent)."""

from collections.abc import Iterator, Mapping

from greenroom.documents.agent import Agent
from greenroom.documents.findings import Finding, Severity
from greenroom.documents.loaded import DocumentKind, LoadedProject
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.templates import environment_names
from greenroom.world.requests import CannotSend, with_variables

__all__ = ["filled_address_faults", "notification_findings"]

_PLACE = "`notifications.to`"


def notification_findings(project: LoadedProject) -> Iterator[Finding]:
    """Errors of addresses that Apprise can't read; `${NAME}` is looked at by whoever publishes."""
    for name, agent in project.agents_seen.items():
        for index, fault in as_far_as_read(_written_faults(agent)):
            source = project.sources[DocumentKind.AGENT, name]
            message = f"nobody can be told at this address: {fault}"
            yield source.finding(source.tree(), ("notifications", "to", index), message, Severity.ERROR)


def filled_address_faults(agent: Agent, environment: Mapping[str, str]) -> Iterator[str]:
    """Why the team can't be told at an address as it is on this machine, a sentence each; without what it is."""
    for number, written in enumerate(_addresses(agent), start=1):
        try:
            filled = with_variables(written, environment, _PLACE)
        except CannotSend:
            continue
        if filled and (fault := _fault(filled)) is not None:
            names = "".join(f" (${{{name}}})" for name in environment_names(written))
            yield f"the team is not told at address {number} of {_PLACE}{names}: {fault}"


def _written_faults(agent: Agent) -> Iterator[tuple[int, str]]:
    for index, written in enumerate(_addresses(agent)):
        if not environment_names(written) and (fault := _fault(written)) is not None:
            yield index, fault


def _addresses(agent: Agent) -> tuple[str, ...]:
    return () if agent.notifications is None else agent.notifications.to


def _fault(address: str) -> str | None:
    # Loaded here: Apprise takes longer to load than all the rest of a look at the documents.
    from greenroom.world.live.apprising import notify_address_fault  # noqa: PLC0415

    return notify_address_fault(address)
