"""What a live test does for real, said before anybody runs it (features.md C13)."""

from collections.abc import Iterator

from greenroom.authoring.notes import Note, Target, warning
from greenroom.conversation.actions import Action
from greenroom.conversation.calls import name_key
from greenroom.documents.channels import on_channel
from greenroom.documents.suite import Suite
from greenroom.world.tools import may_reach_endpoint

__all__ = ["live_test_notes"]


def live_test_notes(suite: Suite, target: Target) -> Iterator[Note]:
    """One warning for all live tests of a suite, at the first; and one for each whose agent goes by another time."""
    cases = [on_channel(case, target.agent) for case in suite.cases.values() if case.world.live_test]
    if not cases:
        return
    called = [
        name
        for key, (name, tool) in target.tools.items()
        for case in cases
        if target.has(name, case.channel)
        and may_reach_endpoint(name, tool, case.world, has_entry=False)
        and not any(name_key(mock.tool) == key and not mock.when for mock in case.world.mocks)
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
