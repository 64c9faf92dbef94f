"""Follow-ups: what live agents say in a conversation in which they spoke last and the person has been silent since.

A silence that has lasted long enough gives the conversation a timer, which waits for the hours in which people are
written to. It is cancelled when the person speaks or the conversation is over, and counted when it is said.
"""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta

from greenroom.agents.own_messages import follow_up_message
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.people import CONSENT_TO_MESSAGES
from greenroom.conversation.summaries import ClosedBy, ConversationSummary
from greenroom.conversation.timers import Timer, TimerStatus
from greenroom.documents.outreach import FollowUp, is_within
from greenroom.operations.context import Context
from greenroom.operations.gateway import Gateway
from greenroom.operations.live_agents import LiveAgent
from greenroom.operations.own_messages import Saying, Speaker, channels_out, fits, say_all_due
from greenroom.store.partition import Partition
from greenroom.store.speaking import SilentConversation, Whereabouts
from greenroom.store.timers import NewTimer, NotSaid

__all__ = ["send_follow_ups"]

_TOO_LATE = timedelta(days=1)
"""After so long nobody is asked any more why they fell silent."""
_LATER = timedelta(minutes=5)
"""When the person is being answered at this very moment, it is looked at again after so long."""

_KIND = OwnMessageKind.FOLLOW_UP


async def send_follow_ups(context: Context, gateway: Gateway) -> int:
    """Say the follow-ups whose time it is; how many were said. At most `limits.own_messages` are tried."""
    timers = context.store.timers()

    async def sayings(live: LiveAgent, speaker: Speaker) -> AsyncIterator[Saying]:
        each = [_Nudge(context, live, speaker, name, one) for name, one in live.document.follow_ups.items()]
        known = {name for one in each for name in one.names}
        await timers.drop_forgotten(_KIND, live.document.id, known)
        for one in each:
            yield one

    return await say_all_due(context, gateway, sayings, again_after=_LATER)


class _Nudge:
    """One follow-up of one agent."""

    def __init__(self, context: Context, live: LiveAgent, speaker: Speaker, name: str, follow_up: FollowUp) -> None:
        self._live = live
        self._agent = live.document
        self._speaker = speaker
        self._name = name
        self._follow_up = follow_up
        self._now = context.clock.now()
        self._timers = context.store.timers()
        self._speaking = context.store.speaking()
        self._lists = context.store.conversation_lists(Partition.LIVE)
        self._people = context.store.people(Partition.LIVE)
        self.names = (name, *(f"{name}/{count}" for count in range(2, follow_up.at_most + 1)))
        """Of its timers: the first, the second and so on in one conversation."""

    async def due(self, room: int) -> Sequence[Timer]:
        """Those of the conversations in which it is to be said now."""
        await self._enrol()
        if not is_within(self._follow_up.hours, self._live.hosted.local_time(self._now)):
            return ()
        return await self._timers.due(_KIND, self._agent.id, limit=room, names=self.names)

    async def say(self, timer: Timer) -> None:
        """Say it in its conversation. Raises `NotSaid`."""
        if datetime.fromisoformat(timer.due_at) < self._now - _TOO_LATE:
            raise NotSaid("it was due more than a day ago")
        async with self._speaker.holding(timer.subject):
            there = await self._lists.get(timer.subject)
            at = Whereabouts(agent=self._agent.id, channel=there.channel, identity=there.identity)
            await self._still_silent(there, at)
            if not await self._may_be_asked(there.identity):
                raise NotSaid("it is not for this person any more")
            person = there.person_id
            await self._speaker.say(
                self._live,
                follow_up_message(self._agent, self._name),
                at,
                timer=timer,
                conversation=timer.subject,
                only_if=[] if person is None else [self._speaking.has_not_refused(person, CONSENT_TO_MESSAGES)],
            )

    async def _enrol(self) -> None:
        """Give a timer to each conversation that has been silent for long enough."""
        after, playbooks = timedelta(seconds=self._follow_up.after), self._follow_up.playbooks
        silent = await self._speaking.silent(
            self._agent.id,
            since=self._now - after - _TOO_LATE,
            until=self._now - after,
            channels=channels_out(self._agent),
            names=self.names,
        )
        asked = [one for one in silent if not playbooks or one.playbook in playbooks]
        known = await self._timers.of_subjects(_KIND, self._agent.id, [one.conversation for one in asked])
        new = [timer async for timer in self._new(asked, known)]
        if new:
            # One that a word of the person's cancelled was never said, and counts for nothing.
            await self._timers.enrol(new, again=frozenset({TimerStatus.CANCELLED}))

    async def _new(self, silent: Sequence[SilentConversation], known: Sequence[Timer]) -> AsyncIterator[NewTimer]:
        said = Counter(
            timer.subject for timer in known if timer.name in self.names and timer.status is TimerStatus.DONE
        )
        for one in silent:
            done = said[one.conversation]
            if done < self._follow_up.at_most and await self._may_be_asked(one.at.identity):
                due_at = one.updated_at + timedelta(seconds=self._follow_up.after)
                name, subject = self.names[done], one.conversation
                yield NewTimer(kind=_KIND, agent=self._agent.id, name=name, subject=subject, due_at=due_at)

    async def _may_be_asked(self, identity: str) -> bool:
        to, person = self._follow_up.to, await self._people.find(identity)
        if person is None:
            return to is None
        return person.consent.get(CONSENT_TO_MESSAGES) is not False and await fits(person, to or {})

    async def _still_silent(self, there: ConversationSummary, at: Whereabouts) -> None:
        over = TimerStatus.CANCELLED
        if there.closed_by is not None:
            raise NotSaid(_CLOSED[there.closed_by], becomes=over)
        if datetime.fromisoformat(there.updated_at) > self._now - timedelta(seconds=self._follow_up.after):
            raise NotSaid("the person has spoken", becomes=over)
        newest = await self._speaker.open_with(self._live, at)
        if newest is not None and newest.conversation != there.conversation:
            raise NotSaid("the person went on in another conversation", becomes=over)


_CLOSED: Mapping[ClosedBy, str] = {
    ClosedBy.END: "the conversation has ended",
    ClosedBy.HAND_OVER: "the conversation was handed over",
    ClosedBy.SILENCE: "the conversation was closed",
}
