"""Reminders of appointments: on a channel whose messages leave, else by mail (features.md A8, A10).

Their timers are set by the turn that books or moves an appointment. When the time of one comes, the appointment is
looked at as it stands now: a reminder is for an appointment that is still to come, and at no other time than its own.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

from greenroom.agents.hosted.render import in_words
from greenroom.agents.own_messages import reminder_message, said_message
from greenroom.conversation.appointments import AppointmentRecord, AppointmentStatus
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.durations import length_of
from greenroom.conversation.own_messages import OwnMessage, OwnMessageKind
from greenroom.conversation.people import CONSENT_TO_MESSAGES, PersonRecord
from greenroom.conversation.timers import Timer, TimerStatus
from greenroom.conversation.visible import one_line
from greenroom.documents.template_values import template_values
from greenroom.documents.templates import fill_named
from greenroom.errors import NotFound
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway
from greenroom.operations.live_agents import LiveAgent
from greenroom.operations.own_messages import Saying, Speaker, channels_out, say_all_due, whereabouts
from greenroom.store.errands import Errand
from greenroom.store.partition import Partition
from greenroom.store.speaking import Whereabouts
from greenroom.store.timers import NotSaid
from greenroom.store.turn_work import WithTurn
from greenroom.world.live.mail import mail_body
from greenroom.world.live.sending import EMAIL

__all__ = ["send_reminders"]

_LATER = timedelta(minutes=1)
"""When the person is being answered at this very moment, it is looked at again after so long."""

_KIND = OwnMessageKind.REMINDER


async def send_reminders(context: Context, gateway: Gateway) -> int:
    """Say the reminders whose time it is; how many were said or mailed. At most `limits.own_messages` are tried."""

    async def sayings(live: LiveAgent, speaker: Speaker) -> AsyncIterator[Saying]:
        yield _Reminders(context, gateway, live, speaker)

    return await say_all_due(context, gateway, sayings, again_after=_LATER)


class _Reminders:
    """The reminders of one agent's appointments."""

    def __init__(self, context: Context, gateway: Gateway, live: LiveAgent, speaker: Speaker) -> None:
        self._context = context
        self._gateway = gateway
        self._live = live
        self._agent = live.document
        self._speaker = speaker
        self._due: Sequence[Timer] = ()
        self._now = context.clock.now()
        self._timers = context.store.timers()
        self._errands = context.store.errands()
        self._speaking = context.store.speaking()
        self._appointments = context.store.appointment_lists(Partition.LIVE)
        self._conversations = context.store.conversation_lists(Partition.LIVE)
        self._people = context.store.people(Partition.LIVE)

    async def due(self, room: int) -> Sequence[Timer]:
        """Those of the appointments of which it is time to remind."""
        self._due = await self._timers.due(_KIND, self._agent.id, limit=room)
        return self._due

    async def say(self, timer: Timer) -> None:
        """Remind somebody, if it is still to be done. Raises `NotSaid`."""
        record = await self._still_coming(timer)
        person = await self._whom(record)
        own = reminder_message(self._agent, record.appointment, timer.name)
        not_refused = self._speaking.has_not_refused(person.person.person_id, CONSENT_TO_MESSAGES)
        at = await self._whereabouts(record, person)
        if at is not None:
            await self._say(timer, own, at, not_refused)
        elif person.person.email and self._context.project.mail is not None:
            await self._mail(timer, own, person, not_refused)
        else:
            raise NotSaid("the person is known on no channel by which messages leave, and can't be written a mail")

    async def _still_coming(self, timer: Timer) -> AppointmentRecord:
        """The appointment, when it is the time to remind of it."""
        try:
            record = await self._appointments.get(timer.subject)
        except NotFound as gone:
            raise NotSaid("there is no such appointment any more", becomes=TimerStatus.CANCELLED) from gone
        appointment, before = record.appointment, length_of(timer.name)
        if appointment.status is AppointmentStatus.CANCELLED:
            raise NotSaid("the appointment was cancelled", becomes=TimerStatus.CANCELLED)
        if appointment.start <= self._now:
            raise NotSaid("the appointment had begun by then")
        if before is not None and appointment.start - before > self._now:
            raise NotSaid("the appointment was moved", becomes=TimerStatus.CANCELLED)
        if any(self._is_later(other, timer) for other in self._due):
            raise NotSaid("a later reminder was due as well")
        return record

    @staticmethod
    def _is_later(other: Timer, timer: Timer) -> bool:
        return other.subject == timer.subject and other.due_at > timer.due_at

    async def _whom(self, record: AppointmentRecord) -> PersonRecord:
        try:
            person = await self._people.get(record.appointment.person_id or "")
        except NotFound as nobody:
            raise NotSaid("nobody is on record whose appointment it is") from nobody
        if person.person.consent.get(CONSENT_TO_MESSAGES) is False:
            raise NotSaid("the person refused messages")
        return person

    async def _whereabouts(self, record: AppointmentRecord, person: PersonRecord) -> Whereabouts | None:
        """Where it was booked, if messages leave there; else the first channel that knows the person."""
        leaving = channels_out(self._agent)
        booked_on = await self._booked_on(record)
        first = [channel for channel in leaving if channel is booked_on]
        return whereabouts(self._agent, [*first, *leaving], person.identities)

    async def _booked_on(self, record: AppointmentRecord) -> Channel | None:
        if record.conversation is None:
            return None
        try:
            return (await self._conversations.get(record.conversation)).channel
        except NotFound:
            return None

    async def _say(self, timer: Timer, own: OwnMessage, at: Whereabouts, not_refused: WithTurn) -> None:
        there = await self._speaker.open_with(self._live, at)
        conversation = None if there is None else there.conversation
        async with self._speaker.holding(conversation):
            await self._speaker.say(self._live, own, at, timer=timer, conversation=conversation, only_if=[not_refused])

    async def _mail(self, timer: Timer, own: OwnMessage, person: PersonRecord, not_refused: WithTurn) -> None:
        now = self._live.hosted.local_time(self._now)
        values = template_values(self._agent, Channel.WEB, person.person, now)
        text = in_words(said_message(own, values, ABILITIES[Channel.WEB]))
        subject = fill_named("{{appointment.title}}, {{appointment.date}} {{appointment.time}}", own.values)
        name, to = f"reminder/{timer.number}/{timer.due_at}", person.person.email
        errand = Errand(
            kind=EMAIL,
            agent=self._agent.id,
            summary=one_line(f"to {to}: {subject}"),
            lane=name,
            body=mail_body(to, [to], subject=subject, text=text),
        )
        await self._timers.fire(timer, not_refused, self._errands.with_turn(errand, name=name))
        self._gateway.server.spoke()
