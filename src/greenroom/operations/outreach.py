"""Outreach: conversations that live agents begin by themselves, once with each person (features.md A7, A8).

On the tick everybody whom an outreach is for, who gave their consent to messages and who is known on one of its
channels gets a timer, and its opening is said. Only who changed since the last tick is looked at. What was asked then
is asked again when it is said, and their consent once more by the transaction that keeps the message.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

from greenroom.agents.own_messages import outreach_message
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.people import CONSENT_TO_MESSAGES, Person, PersonRecord
from greenroom.conversation.timers import Timer, TimerStatus
from greenroom.documents.outreach import Outreach, is_within
from greenroom.documents.outreach_rules import CONSENT
from greenroom.errors import NotFound
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway
from greenroom.operations.live_agents import LiveAgent
from greenroom.operations.own_messages import (
    Saying,
    Speaker,
    channels_out,
    fits,
    fits_now,
    say_all_due,
    whereabouts,
)
from greenroom.store.partition import Partition
from greenroom.store.people_lists import PeopleFilter
from greenroom.store.speaking import Whereabouts
from greenroom.store.timers import NewTimer, NotSaid

__all__ = ["send_outreach"]

_UNDISTURBED = timedelta(hours=1)
"""A conversation in which something has happened since is not broken into."""
_LATER = timedelta(minutes=15)
"""When somebody can't be written to now, it is tried again after so long."""

_KIND = OwnMessageKind.OUTREACH


async def send_outreach(context: Context, gateway: Gateway) -> int:
    """Say the openings whose time it is; how many were said. At most `limits.own_messages` are tried."""
    timers = context.store.timers()

    async def sayings(live: LiveAgent, speaker: Speaker) -> AsyncIterator[Saying]:
        written = live.document.outreach
        await timers.drop_forgotten(_KIND, live.document.id, written.keys())
        for name, outreach in written.items():
            yield _Opening(context, live, speaker, name, outreach)

    return await say_all_due(context, gateway, sayings, again_after=_LATER)


class _Opening:
    """One outreach of one agent."""

    def __init__(self, context: Context, live: LiveAgent, speaker: Speaker, name: str, outreach: Outreach) -> None:
        self._live = live
        self._agent = live.document
        self._speaker = speaker
        self._name = name
        self._outreach = outreach
        self._channels = channels_out(live.document, outreach.channel)
        self._now = context.clock.now()
        self._timers = context.store.timers()
        self._looks = context.store.looks()
        self._speaking = context.store.speaking()
        self._people = context.store.people(Partition.LIVE)

    async def due(self, room: int) -> Sequence[Timer]:
        """Those who are to get it now."""
        outreach, there = self._outreach, self._live.hosted.local_time(self._now)
        if outreach.until is not None and there.date() > outreach.until:
            why = f"its last day was {outreach.until}"
            await self._timers.end_all(_KIND, self._agent.id, self._name, TimerStatus.SKIPPED, why)
            return ()
        if outreach.since is not None and there.date() < outreach.since:
            return ()
        if not is_within(outreach.hours, there):
            return ()
        due = await self._due(room)
        if len(due) < room and await self._enrol(room - len(due)):
            due = await self._due(room)
        return due

    async def say(self, timer: Timer) -> None:
        """Begin a conversation with them, or go on with the one that is open. Raises `NotSaid`."""
        try:
            record = await self._people.get(timer.subject)
        except NotFound as gone:
            raise NotSaid("the person is gone") from gone
        await _still_for(record.person, self._outreach)
        at = self._at(record)
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

    async def _due(self, room: int) -> Sequence[Timer]:
        return await self._timers.due(_KIND, self._agent.id, limit=room, names=[self._name])

    async def _enrol(self, most: int) -> int:
        """Give timers to people who changed since the last look and have none, so many at most; how many got one."""
        conditions = {**self._outreach.to, CONSENT: True}
        wanted = PeopleFilter(
            without_timer=(_KIND, self._agent.id, self._name), keep=lambda person: fits_now(person, conditions)
        )
        look = await self._looks.current(self._agent.id, self._name, self._live.hash)
        upto, found, is_all = look.since(self._now), list[NewTimer](), False
        while len(found) < most and not is_all:
            changed = await self._people.changed(wanted, after=upto, limit=most - len(found))
            upto, is_all = changed.upto, changed.is_all
            found += [self._new(record) for record in changed.people if self._at(record) is not None]
        enrolled = await self._timers.enrol(found) if found else 0
        await self._looks.keep(look.reached(upto, is_all=is_all, now=self._now))
        return enrolled

    def _at(self, record: PersonRecord) -> Whereabouts | None:
        return whereabouts(self._agent, self._channels, record.identities)

    def _new(self, record: PersonRecord) -> NewTimer:
        subject = record.person.person_id
        return NewTimer(kind=_KIND, agent=self._agent.id, name=self._name, subject=subject, due_at=self._now)


async def _still_for(person: Person, outreach: Outreach) -> None:
    if person.consent.get(CONSENT_TO_MESSAGES) is not True:
        raise NotSaid("the consent was withdrawn")
    if not await fits(person, outreach.to):
        raise NotSaid("it is not for this person any more")
