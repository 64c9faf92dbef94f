"""One pass over everything that happens by itself; `greenroom serve` makes one each minute."""

import asyncio

from greenroom.conversation.summaries import Ticked
from greenroom.operations.context import Context
from greenroom.operations.conversations import close_silent, drop_old_records
from greenroom.operations.follow_ups import send_follow_ups
from greenroom.operations.gateway import Gateway
from greenroom.operations.outreach import send_outreach
from greenroom.operations.reminders import send_reminders

__all__ = ["tick"]


_REVIEWS = 40
"""Conversations that are reviewed in one pass, since a judge takes its time."""


async def tick(context: Context, gateway: Gateway, *, beside_server: asyncio.Event | None = None) -> Ticked:
    """Do whatever is due now.

    Beside a server, which this event stops, messages, errands and reviews are left to those who see to them there: a
    receiver or a judge that takes its time must not keep a reminder from its minute.
    """
    alone = beside_server is None
    served = await gateway.serve_left_over(beside_server or asyncio.Event())
    # Follow-ups before conversations are closed: both come after a silence, and the closed ones get none.
    said = await send_follow_ups(context, gateway)
    said += await send_reminders(context, gateway)
    said += await send_outreach(context, gateway)
    closed = await close_silent(context)
    dropped = await drop_old_records(context)
    if alone:
        await gateway.send_what_can_leave_now()
    delivered = await gateway.jobs.messages_due() if alone else 0
    errands = await gateway.jobs.errands_due() if alone else 0
    reviews = await gateway.reviewing.due(_REVIEWS) if alone else None
    return Ticked(
        served=served,
        said=said,
        delivered=delivered,
        errands=errands,
        closed=closed,
        records_dropped=dropped,
        reviewed=0 if reviews is None else reviews.reviewed,
        obstacle="" if reviews is None else reviews.obstacle,
    )
