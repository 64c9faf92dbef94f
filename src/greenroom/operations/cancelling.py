"""Taking back a live appointment by hand, with all that follows when an agent does it (features.md A7, A8)."""

from collections.abc import Sequence
from dataclasses import dataclass

from greenroom.conversation.appointments import AppointmentRecord
from greenroom.conversation.people import full_name
from greenroom.conversation.summaries import ErrandSummary
from greenroom.documents.agent import Agent
from greenroom.errors import NotFound, UsageError
from greenroom.operations.appointments import ListedAppointments, show_appointment
from greenroom.operations.context import Context
from greenroom.operations.leaving import LiveErrands
from greenroom.operations.live_turns import LiveReminders
from greenroom.operations.published import published_agent
from greenroom.operations.real_calls import real_calls
from greenroom.operations.written import written_agent
from greenroom.store.partition import Partition
from greenroom.world.live.notify import Team
from greenroom.world.live.scheduling import LiveConsequences
from greenroom.world.policy import A_LIVE_TEST, is_of_live_test
from greenroom.world.ports import NotScheduled
from greenroom.world.scheduling import AgentScheduling

__all__ = ["CancelledAppointment", "cancel_appointment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelledAppointment:
    """What was done, and what came of it so far."""

    shown: ListedAppointments
    """The appointment as it is now."""
    errands: Sequence[ErrandSummary]
    """Telling the team and the calendar: tried once; what waits is tried again by `serve` and `tick`."""


async def cancel_appointment(context: Context, appointment_id: str) -> CancelledAppointment:
    """Take back a live appointment: it is cancelled, its calendar event goes, nobody is reminded, the team is told.

    Raises:
        NotFound: there is no such live appointment.
        UsageError: it is cancelled already or over, or nobody knows its agent any more; nothing was changed.
    """
    record = await context.store.appointment_lists(Partition.LIVE).get(appointment_id)
    agent = await _agent_of(context, record)
    async with real_calls() as calls:
        errands = LiveErrands(
            context,
            agent,
            record.conversation or context.clock.new_id("cancelled"),
            identity="",
            calls=calls,
        )
        turn = errands.turn
        known = {each.key for each in await turn.errands.of_conversation(turn.conversation)}
        done = await _scheduling(context, agent, record, errands).take_back(record.appointment)
        if isinstance(done, NotScheduled):
            raise UsageError(f"{done.why}; nothing was changed")
        await context.store.keep(turn.work)
        told = [each for each in await errands.do() if each.key not in known]
    return CancelledAppointment(shown=await show_appointment(context, appointment_id), errands=told)


def _scheduling(context: Context, agent: Agent, record: AppointmentRecord, errands: LiveErrands) -> AgentScheduling:
    """As it is for the agent in a conversation; what is done leaves with the errands' work."""
    turn, store = errands.turn, context.store

    async def with_whom(_: str) -> str:
        return await _told_of(context, record)

    return AgentScheduling(
        agent,
        clock=context.clock,
        store=store.appointments(Partition.LIVE, agent=agent.id, conversation=turn.conversation, with_turn=turn.work),
        consequences=LiveConsequences(
            agent,
            clock=context.clock,
            turn=turn,
            team=Team(agent, turn, with_whom=with_whom),
            reminders=LiveReminders(timers=store.timers(), work=turn.work, agent=agent.id),
        ),
    )


async def _agent_of(context: Context, record: AppointmentRecord) -> Agent:
    """Whose calendar and team it is: as published, else as written, since live tests are of agents that aren't live."""
    live = await published_agent(context, record.agent)
    if live is not None:
        return live
    try:
        return (await written_agent(context, record.agent)).document
    except NotFound:
        raise UsageError(
            f"agent {record.agent!r}, which made it, is neither published nor written in a file, so nobody knows its "
            "calendar and its team; write it or publish it again; nothing was changed"
        ) from None


async def _told_of(context: Context, record: AppointmentRecord) -> str:
    """Whom the team has to do with."""
    if is_of_live_test(record.conversation):
        return A_LIVE_TEST
    person_id = record.appointment.person_id or ""
    try:
        person = (await context.store.people(Partition.LIVE).get(person_id)).person
    except NotFound:
        return person_id
    known = (full_name(person), person.company, person.phone, person.email)
    return ", ".join(dict.fromkeys(one for one in known if one)) or person_id
