"""What a live agent needs of the machine that serves it, and what won't work until it is there (features.md A1, A8).

Told when an agent is published and when `serve` starts. Values are never told, only the names of what is missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from greenroom.authoring.notification_rules import filled_address_faults
from greenroom.documents.agent import Agent
from greenroom.documents.mail import MailSettings
from greenroom.documents.scheduling import ExternalCalendar, WhichCalendar
from greenroom.documents.smtp_urls import smtp_server
from greenroom.world.requests import CannotSend, with_variables

__all__ = ["live_warnings", "mail_warnings", "sends_mail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Need:
    """A text that is filled in where an agent is live."""

    place: str
    written: str
    without: str
    """What doesn't work until it can be."""


def live_warnings(agent: Agent, settings: MailSettings | None, environment: Mapping[str, str]) -> Sequence[str]:
    """Why something of an agent won't work on this machine, a sentence each; the project's mail apart.

    It may load what reads the team's addresses, so an event loop has it done in a thread.
    """
    told = dict.fromkeys((why, need.without) for need in _needs(agent) if (why := _missing(need, environment)))
    found = [
        f"agent {agent.id!r}: {why}; until it is set where `greenroom serve` runs, {without}" for why, without in told
    ]
    found += [f"agent {agent.id!r}: {fault}" for fault in filled_address_faults(agent, environment)]
    if settings is None and sends_mail(agent):
        found.append(f"agent {agent.id!r} sends mail, which waits: the project has no `mail: {{smtp: …, from: …}}`")
    return found


def sends_mail(agent: Agent) -> bool:
    """Whether any mail of the agent's may have to leave."""
    return agent.email is not None or bool(agent.hand_over is not None and agent.hand_over.email)


def mail_warnings(settings: MailSettings | None, environment: Mapping[str, str]) -> Iterator[str]:
    """Why the project's mail can't leave from this machine."""
    if settings is not None:
        try:
            smtp_server(settings.smtp, lambda text: with_variables(text, environment, "`mail.smtp`"))
        except (CannotSend, ValueError) as reason:
            yield f"no mail can leave: {reason}"


def _missing(need: _Need, environment: Mapping[str, str]) -> str | None:
    try:
        filled = with_variables(need.written, environment, need.place)
    except CannotSend as reason:
        return str(reason)
    return None if filled or not need.written else f"{need.place} is empty, since what it names is set to nothing"


def _needs(agent: Agent) -> Iterator[_Need]:
    for key, channel in agent.channels.items():
        place = f"channels.{key}"
        stops = f"nothing is taken from the channel {key!r}{' or sent by it' if channel.outbound else ''}"
        yield _Need(place=f"`{place}.secret`", written=channel.secret, without=stops)
        yield _Need(place=f"`{place}.outbound`", written=channel.outbound, without=f"messages by {key!r} wait")
    for written in agent.notifications.to if agent.notifications is not None else ():
        yield _Need(place="`notifications.to`", written=written, without="the team is not told there")
    if agent.scheduling is not None:
        yield from _of_calendar("scheduling", agent.scheduling.calendar, "it makes no appointments")
        for key, one in agent.representatives.items():
            yield from _of_calendar(f"representatives.{key}", one.calendar, f"it makes no appointments with {key!r}")
    for name, tool in agent.tools.items():
        for written in (tool.url or "", *tool.headers.values()):
            yield _Need(place=f"the tool {name!r}", written=written, without="calls to it fail")
    yield _Need(place="`model.name`", written=agent.model.name, without="it answers nothing")


def _of_calendar(place: str, calendar: WhichCalendar, without: str) -> Iterator[_Need]:
    if isinstance(calendar, ExternalCalendar):
        for written in (calendar.caldav, calendar.user, calendar.password):
            yield _Need(place=f"`{place}.calendar`", written=written, without=without)
