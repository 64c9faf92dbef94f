"""What must be known, and what must still hold, when an agent says something by itself; always live.

Which conversation is open with somebody and which fell silent is looked at beforehand. What may change between that
look and the message is asked once more by the transaction that keeps it: these writes raise `NotSaid`, and then
nothing is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from greenroom.clock import Clock
from greenroom.conversation.channels import Channel
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.people import Person
from greenroom.conversation.timers import TimerStatus
from greenroom.conversation.turns import Turn
from greenroom.store.encoding import decode, decode_text, unpack, visible
from greenroom.store.open_conversations import open_with
from greenroom.store.partition import Share
from greenroom.store.reader import Reader
from greenroom.store.tables import conversation_turns, conversations, inbound, people, timers
from greenroom.store.timers import NotSaid
from greenroom.store.times import as_utc, is_free
from greenroom.store.turn_work import WithTurn

__all__ = ["OpenConversation", "SilentConversation", "Speaking", "Whereabouts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """Where somebody is reached."""

    agent: str
    channel: Channel
    identity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenConversation:
    """A conversation that goes on."""

    conversation: str
    with_team: bool
    """People of the team have taken it over."""
    updated_at: datetime
    """When something happened in it last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentConversation:
    """An open conversation in which nothing has happened for a while, and the agent spoke last."""

    conversation: str
    at: Whereabouts
    person_id: str | None
    updated_at: datetime
    playbook: str | None
    """In which its last turn was."""


class Speaking:
    """Looks, and asks again."""

    def __init__(self, *, reader: Reader, share: Share, clock: Clock) -> None:
        self._reader = reader
        self._conversations = conversations.of(share)
        self._turns = conversation_turns.of(share)
        self._inbound = inbound.of(share)
        self._people = people.of(share)
        self._timers = timers.of(share)
        self._clock = clock

    async def open_with(self, at: Whereabouts, *, alive: datetime) -> OpenConversation | None:
        """The conversation in which an answer of theirs would be served, if it isn't a new one."""
        query = self._open(at, alive)
        row = await self._reader.read(lambda connection: connection.execute(query).one_or_none())
        if row is None:
            return None
        return OpenConversation(
            conversation=row.conversation,
            with_team=row.ended is not None,
            updated_at=datetime.fromisoformat(row.updated_at),
        )

    async def silent(
        self, agent: str, *, since: datetime, until: datetime, channels: Sequence[Channel], names: Sequence[str]
    ) -> Sequence[SilentConversation]:
        """The agent's open conversations in which the last thing happened between these moments: it spoke.

        None that somebody holds, and none whose last event has no answer. `names` are those of a follow-up's timers, in
        order: none in which one of them waits or was skipped, or the last was said.
        """
        of, timed = self._conversations.c, self._timers.c
        pending = timed.name.in_(names) & timed.status.in_([TimerStatus.WAITING.value, TimerStatus.SKIPPED.value])
        over = (timed.name == names[-1]) & (timed.status == TimerStatus.DONE.value)
        followed_up = select(timed.subject).where(
            timed.subject == of.conversation,
            timed.kind == OwnMessageKind.FOLLOW_UP.value,
            timed.agent == visible(agent),
            pending | over,
        )
        query = (
            select(of.conversation, of.channel, of.identity, of.person_id, of.updated_at)
            .where(of.agent == visible(agent), of.closed_at.is_(None))
            .where(of.updated_at >= as_utc(since), of.updated_at <= as_utc(until))
            .where(of.channel.in_([channel.value for channel in channels]))
            .where(is_free(of.held_by, of.held_until, self._clock))
            .where(~followed_up.exists())
            .order_by(of.updated_at, of.conversation)
        )
        return await self._reader.read(lambda connection: self._silent(connection, agent, query))

    def consents(self, person_id: str, kind: str) -> WithTurn:
        """The person still gives their consent to this."""

        def write(connection: Connection) -> None:
            person = self._person(connection, person_id)
            if person is None or person.consent.get(kind) is not True:
                raise NotSaid("the consent was withdrawn")

        return write

    def has_not_refused(self, person_id: str, kind: str) -> WithTurn:
        """The person has not refused this."""

        def write(connection: Connection) -> None:
            person = self._person(connection, person_id)
            if person is not None and person.consent.get(kind) is False:
                raise NotSaid("the person refused messages")

        return write

    def nothing_waits(self, conversation: str) -> WithTurn:
        """What the person said last was answered."""

        def write(connection: Connection) -> None:
            if not self._answered(connection, visible(conversation)):
                raise NotSaid("the person is being answered", becomes=None)

        return write

    def begins(self, conversation: str, at: Whereabouts, *, alive: datetime) -> WithTurn:
        """No other conversation with them was begun in the meantime."""
        query = self._open(at, alive).where(self._conversations.c.conversation != visible(conversation))

        def write(connection: Connection) -> None:
            if connection.execute(query).first() is not None:
                raise NotSaid("another conversation has begun", becomes=None)

        return write

    def _open(self, at: Whereabouts, alive: datetime) -> Select[*tuple[Any, ...]]:
        return open_with(
            self._conversations, agent=visible(at.agent), channel=at.channel, identity=at.identity, alive=alive
        )

    def _silent(
        self, connection: Connection, agent: str, query: Select[*tuple[Any, ...]]
    ) -> Sequence[SilentConversation]:
        found: list[SilentConversation] = []
        for row in connection.execute(query).all():
            last = self._last_turn(connection, row.conversation)
            if last is not None and last.messages and self._answered(connection, row.conversation):
                found.append(
                    SilentConversation(
                        conversation=row.conversation,
                        at=Whereabouts(agent=agent, channel=Channel(row.channel), identity=row.identity),
                        person_id=row.person_id,
                        updated_at=datetime.fromisoformat(row.updated_at),
                        playbook=last.playbook,
                    )
                )
        return found

    def _answered(self, connection: Connection, conversation: str) -> bool:
        columns = self._inbound.c
        last = select(columns.status).where(columns.conversation == conversation).order_by(columns.number.desc())
        return connection.execute(last.limit(1)).scalar_one_or_none() in {None, "served"}

    def _last_turn(self, connection: Connection, conversation: str) -> Turn | None:
        columns = self._turns.c
        last = select(func.max(columns.number)).where(columns.conversation == conversation).scalar_subquery()
        query = select(columns.body).where(columns.conversation == conversation, columns.number == last)
        body = connection.execute(query).scalar_one_or_none()
        return None if body is None else decode(Turn, unpack(body))

    def _person(self, connection: Connection, person_id: str) -> Person | None:
        who = self._people.c
        query = select(who.body).where(who.person_id == visible(person_id)).with_for_update()
        body = connection.execute(query).scalar_one_or_none()
        return None if body is None else decode_text(Person, body)
