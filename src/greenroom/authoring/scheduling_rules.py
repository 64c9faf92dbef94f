"""Whether a case's appointments and calendar are those of its agent (features.md A5, B3; issue 4)."""

from collections.abc import Iterator

from greenroom.authoring.notes import Note, Path, Target, error, expectations, representative_notes, warning
from greenroom.documents.checks import AppointmentIs
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.people_values import representative_fault
from greenroom.documents.suite import Case

__all__ = ["scheduling_notes"]

_ADD = "write `scheduling: {hours: …}` in the agent"


def scheduling_notes(case: Case, target: Target) -> Iterator[Note]:
    """What is to be said of the appointments that a case begins with, of what is taken in it, and of its checks."""
    yield from as_far_as_read(_beginning(case, target))
    yield from as_far_as_read(_taken(case, target))
    for path, entry in expectations(case):
        if isinstance(entry, AppointmentIs):
            yield from as_far_as_read(_check(path, entry, target))


def _beginning(case: Case, target: Target) -> Iterator[Note]:
    if case.appointments and target.agent.scheduling is None:
        yield error(("appointments",), f"the agent makes no appointments, so it would know of none; {_ADD}")
    for index, appointment in enumerate(case.appointments):
        yield from _whom(("appointments", index, "representative"), appointment.representative, target)


def _taken(case: Case, target: Target) -> Iterator[Note]:
    busy = () if case.world.calendar is None else case.world.calendar.busy
    for index, taken in enumerate(busy):
        yield from _whom(("world", "calendar", "busy", index, "representative"), taken.representative, target)
    if busy and target.agent.scheduling is None:
        yield warning(("world", "calendar"), f"the agent makes no appointments and looks into no calendar; {_ADD}")


def _whom(path: Path, name: str, target: Target) -> Iterator[Note]:
    if name and (fault := representative_fault(target.agent, name)) is not None:
        yield error(path, fault)


def _check(path: Path, check: AppointmentIs, target: Target) -> Iterator[Note]:
    if target.agent.scheduling is None and check.at_least and check.exactly != 0:
        yield warning(path, f"the agent makes no appointments, so there will be none; {_ADD}")
    yield from representative_notes((*path, "representative"), check.representative, target)
