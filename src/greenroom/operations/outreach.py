"""Outreach: conversations that live agents begin by themselves, once with each person (features.md A7, A8).

On the tick everybody whom an outreach is for, who gave their consent to messages and who is known on one of its
channels gets a timer, and its opening is said. What was asked then is asked again when it is said, and their consent
once more by the transaction that keeps the message.
"""

from collections.abc import Sequence
from datetime import timedelta

from greenroom.agents.own_messages import outreach_message
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.people import Person
from greenroom.conversation.timers import Timer, TimerStatus
from greenroom.documents.outreach import Outreach, is_within
from greenroom.documents.outreach_rules import CONSENT
from greenroom.errors import NotFound
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway
from greenroom.operations.live_agents import LiveAgent
from greenroom.operations.own_messages import Speaker, channels_out, each_live, fits, fits_now, whereabouts
from greenroom.store.partition import Partition
from greenroom.store.people_lists import PeopleFilter
from greenroom.store.timers import NewTimer, NotSaid
from greenroom.world.people_matching import CONSENT_TO_MESSAGES

__all__ = ["send_outreach"]

_UNDISTURBED = timedelta(hours=1)
"""A conversation in which something has happened since is not broken into."""
_LATER = timedelta(minutes=15)
"""When somebody can't be written to now, it is tried again after so long."""

_KIND = OwnMessageKind.OUTREACH


async def send_outreach(context: Context, gateway: Gateway) -> int:
    """Say the openings whose time it is; how many were said. At most `limits.own_messages` are tried."""
    room, said = context.project.limits.own_messages, 0
    async for live in each_live(context, gateway):
        one = _Pass(context, gateway, live)
        await one.drop_forgotten()
        for name, outreach in live.document.outreach.items():
            tried = await one.send(name, outreach, room=room)
            room -= len(tried)
            said += sum(tried)
    return said


class _Pass:
    """One pass over one agent's outreach."""

    def __init__(self, context: Context, gateway: Gateway, live: LiveAgent) -> None:
        self._live = live
        self._agent = live.document
        self._now = context.clock.now()
        self._speaker = Speaker(context, gateway)
        self._timers = context.store.timers()
        self._speaking = context.store.speaking()
        self._people = context.store.people(Partition.LIVE)

    async def drop_forgotten(self) -> None:
        """Cancel what waits for an outreach that the agent no longer has."""
        await self._timers.drop_forgotten(_KIND, self._agent.id, self._agent.outreach.keys())

    async def send(self, name: str, outreach: Outreach, *, room: int) -> Sequence[bool]:
        """Whether each that was tried was said."""
        there = self._live.hosted.local_time(self._now)
        if outreach.until is not None and there.date() > outreach.until:
            why = f"its last day was {outreach.until}"
            await self._timers.end_all(_KIND, self._agent.id, name, TimerStatus.SKIPPED, why)
            return ()
        if outreach.since is not None and there.date() < outreach.since:
            return ()
        if not is_within(outreach.hours, there):
            return ()
        due = await self._timers.due(_KIND, self._agent.id, limit=room, names=[name])
        if len(due) < room:
            await self._enrol(name, outreach, room - len(due))
            due = await self._timers.due(_KIND, self._agent.id, limit=room, names=[name])
        return [await self._speaker.attempt(timer, self._say(timer, outreach), again_after=_LATER) for timer in due]

    async def _enrol(self, name: str, outreach: Outreach, most: int) -> None:
        """Give timers to people who have none, so many at most."""
        channels = channels_out(self._agent, outreach.channel)
        conditions = {**outreach.to, CONSENT: True}
        status = outreach.to.get("status")
        wanted = PeopleFilter(
            status=status if isinstance(status, str) and status else None,
            without_timer=(_KIND, self._agent.id, name),
            keep=lambda person: fits_now(person, conditions),
        )
        found: list[NewTimer] = []
        async for record in self._people.each(wanted):
            if len(found) == most:
                break
            if whereabouts(self._agent, channels, record.identities) is not None:
                person = record.person.person_id
                new = NewTimer(kind=_KIND, agent=self._agent.id, name=name, subject=person, due_at=self._now)
                found.append(new)
        if found:
            await self._timers.enrol(found)

    async def _say(self, timer: Timer, outreach: Outreach) -> None:
        try:
            record = await self._people.get(timer.subject)
        except NotFound as gone:
            raise NotSaid("the person is gone") from gone
        await _still_for(record.person, outreach)
        at = whereabouts(self._agent, channels_out(self._agent, outreach.channel), record.identities)
        if at is None:
            raise NotSaid("the person is known on none of its channels")
        there = await self._speaker.open_with(self._live, at)
        if there is not None and (there.with_team or there.updated_at > self._now - _UNDISTURBED):
            raise NotSaid("the person is being answered", becomes=None)
        conversation = None if there is None else there.conversation
        async with self._speaker.holding(conversation):
            await self._speaker.say(
                self._live,
                outreach_message(self._agent, timer.name),
                at,
                timer=timer,
                conversation=conversation,
                only_if=[self._speaking.consents(timer.subject, CONSENT_TO_MESSAGES)],
            )


async def _still_for(person: Person, outreach: Outreach) -> None:
    if person.consent.get(CONSENT_TO_MESSAGES) is not True:
        raise NotSaid("the consent was withdrawn")
    if not await fits(person, outreach.to):
        raise NotSaid("it is not for this person any more")
