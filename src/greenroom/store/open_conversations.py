"""Which conversation is open with somebody: where what they say next is served, and what an agent says by itself."""

from datetime import datetime
from typing import Any

from sqlalchemy import Select, or_, select

from greenroom.conversation.channels import Channel
from greenroom.conversation.turns import StopReason
from greenroom.store.encoding import visible
from greenroom.store.partition import Rows
from greenroom.store.times import as_utc

__all__ = ["open_with"]

_WITH_PEOPLE = (StopReason.HANDED_OVER.value, StopReason.TRANSFERRED.value)


def open_with(rows: Rows, *, agent: str, channel: Channel, identity: str, alive: datetime) -> Select[*tuple[Any, ...]]:
    """The newest conversation with this person that is open, or that people of the team have taken over.

    One in which nothing has happened since `alive` is not open any more.
    """
    of = rows.c
    return (
        select(of.conversation, of.ended, of.updated_at)
        .where(of.agent == agent, of.channel == channel.value)
        .where(of.identity == visible(identity), of.updated_at >= as_utc(alive))
        .where(or_(of.closed_at.is_(None), of.ended.in_(_WITH_PEOPLE)))
        .order_by(of.updated_at.desc(), of.conversation.desc())
        .limit(1)
    )
