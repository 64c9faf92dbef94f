"""What a live test does for real, said before anybody runs it (features.md C13)."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from greenroom.authoring.notes import Note, Target, error, warning
from greenroom.conversation.actions import Action
from greenroom.conversation.appointments import pinned
from greenroom.conversation.calls import name_key
from greenroom.documents.agent import Agent
from greenroom.documents.channels import on_channel
from greenroom.documents.findings import Finding
from greenroom.documents.loaded import DocumentKind, LoadedProject
from greenroom.documents.suite import Case, Suite
from greenroom.documents.zones import zone_named
from greenroom.world.availability import instant
from greenroom.world.tools import may_reach_endpoint

__all__ = ["live_test_notes", "past_live_tests", "past_notes"]


def live_test_notes(suite: Suite, target: Target) -> Iterator[Note]:
    """One warning for all live tests of a suite, at the first; and one for each whose agent goes by another time."""
    cases = [on_channel(case, target.agent) for case in suite.cases.values() if case.world.live_test]
    if not cases:
        return
    called = [
        name
        for case in cases
        for name, tool in target.offered(case.channel)
        if may_reach_endpoint(name, tool, case.world, has_entry=False)
        and not any(name_key(mock.tool) == name_key(name) and not mock.when for mock in case.world.mocks)
    ]
    tools = list(dict.fromkeys(called))
    real = [f"{', '.join(tools)} {'is' if len(tools) == 1 else 'are'} called"] if tools else []
    channels = {case.channel for case in cases}
    if any(target.has(action, channel) for action in (Action.HAND_OVER, Action.TRANSFER) for channel in channels):
        real.append("a hand-over reaches the team")
    if any(target.has(Action.BOOK_APPOINTMENT, channel) for channel in channels):
        real.append("appointments are booked, kept, and written into the business's calendar")
    told = f"what the agent does there is real: {'; '.join(real)}. Use keys and people made for tests"
    count = f"{len(cases)} of {len(suite.cases)} cases {'is a live test' if len(cases) == 1 else 'are live tests'}"
    yield warning(
        ("cases", cases[0].id, "world", "policy"),
        f"{count}; {told if real else 'nothing that this agent can do there is real'}",
    )
    for case in cases:
        if case.world.now is not None:
            yield warning(
                ("cases", case.id, "world", "now"),
                "only the agent goes by this time; in a live test endpoints, calendars and the team don't",
            )


def past_live_tests(project: LoadedProject, agent: Agent, cases: Iterable[Case], now: datetime) -> tuple[Finding, ...]:
    """What `past_notes` says of these cases alone, which a run is about to play.

    The same documents may have been right before, so no other run is stopped. A file is read again for each place.
    """
    target, found = Target(agent, now=now), list[Finding]()
    for case in cases:
        for note in past_notes(on_channel(case, agent), target):
            source = project.sources[DocumentKind.SUITE, case.suite]
            found.append(source.finding(source.tree(), ("cases", case.id, *note.path), note.message, note.severity))
    return tuple(found)


def past_notes(case: Case, target: Target) -> Iterator[Note]:
    """Errors of live tests that would book in a time that is over by now, in the business's own calendar."""
    written, now = case.world.now, target.now
    if written is None or now is None or not case.world.live_test:
        return
    zone = zone_named(target.agent.time_zone)
    taken = written if written.tzinfo is not None else pinned(instant(written, zone), zone)
    if taken < now and target.has(Action.BOOK_APPOINTMENT, case.channel):
        yield error(
            ("world", "now"),
            f"{taken.isoformat(timespec='minutes')} is past, and a live test books in the business's calendar: leave "
            "`now` out, so that the agent goes by the real time, or write a time to come",
        )
