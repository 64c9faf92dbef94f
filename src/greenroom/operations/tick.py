"""One pass over everything that happens by itself; `greenroom serve` makes one each minute."""

from greenroom.conversation.summaries import Ticked
from greenroom.operations.context import Context
from greenroom.operations.conversations import close_silent, drop_old_records
from greenroom.operations.gateway import Gateway

__all__ = ["tick"]


async def tick(context: Context, gateway: Gateway) -> Ticked:
    """Do whatever is due now."""
    served = await gateway.serve_left_over()
    delivered = await gateway.jobs.messages_due()
    errands = await gateway.jobs.errands_due()
    return Ticked(
        served=served,
        delivered=delivered,
        errands=errands,
        closed=await close_silent(context),
        records_dropped=await drop_old_records(context),
    )
