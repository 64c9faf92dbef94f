"""Whether a case may begin with an outreach of the agent's, and whether its person would get that one live (A8)."""

from collections.abc import Iterator

from greenroom.authoring.notes import Note, Target, error, warning
from greenroom.conversation.channels import ABILITIES
from greenroom.conversation.people import person_values
from greenroom.documents.outreach import Outreach
from greenroom.documents.outreach_rules import CONSENT
from greenroom.documents.suite import Case
from greenroom.nearest import did_you_mean
from greenroom.world.people_matching import person_mismatch
from greenroom.world.sandbox.people import starting_person

__all__ = ["opening_notes"]


def opening_notes(case: Case, target: Target) -> Iterator[Note]:
    """What is to be said of the outreach that a case begins with; nothing when it begins with none."""
    if case.outreach is None:
        return
    known = target.agent.outreach
    outreach = known.get(case.outreach)
    if outreach is None:
        there_are = f"; there are {', '.join(known)}" if known else "; the agent has no `outreach`"
        near = did_you_mean(case.outreach, known) or there_are
        yield error(("outreach",), f"there is no outreach {case.outreach!r}{near}")
        return
    if None not in {case.playbook, outreach.playbook} and case.playbook != outreach.playbook:
        yield error(
            ("playbook",),
            f"the outreach {case.outreach!r} leads to the playbook {outreach.playbook!r}; leave `playbook` out",
        )
    yield from _would_not_get_it(case, outreach, target)


def _would_not_get_it(case: Case, outreach: Outreach, target: Target) -> Iterator[Note]:
    person = starting_person(case, "person")
    if person is None:
        yield warning(
            ("outreach",),
            "live nobody unknown gets an outreach; write the `person`, such as {consent: {messages: true}}",
        )
        return
    known = person_values(person)
    for path, matcher in {**outreach.to, CONSENT: True}.items():
        if (why := person_mismatch(path, matcher, known)) is not None:
            yield warning(("person",), f"live this person would not get {case.outreach!r}: {path}: {why}")
    channels = outreach.channel or tuple(name for name, one in target.agent.channels.items() if one.outbound)
    if channels and ABILITIES[case.channel].config not in channels:
        yield warning(("channel",), f"live {case.outreach!r} goes out by {', '.join(channels)}, not by {case.channel}")
