"""Looking at outreach: who would get it as the files say now, and what became of what was sent (features.md A7)."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass

from greenroom.conversation.channels import Channel
from greenroom.conversation.own_messages import OwnMessageKind
from greenroom.conversation.people import CONSENT_TO_MESSAGES, PersonRecord, full_name
from greenroom.conversation.sent import SentStatus
from greenroom.conversation.timers import OutreachPage, OutreachPreview, Prospect, Timer, TimerStatus
from greenroom.documents.agent import Agent
from greenroom.documents.outreach import Outreach, is_within
from greenroom.documents.outreach_rules import CONSENT
from greenroom.documents.zones import zone_named
from greenroom.operations.context import Context
from greenroom.operations.narrowing import among, known_agent
from greenroom.operations.own_messages import channels_out, whereabouts
from greenroom.operations.published import published_agent
from greenroom.operations.written import written_agent
from greenroom.store.partition import Partition
from greenroom.store.people_lists import PeopleFilter
from greenroom.store.timers import TimerFilter
from greenroom.world.people_matching import is_in_segment

__all__ = ["OutreachRequest", "list_outreach", "preview_outreach"]

_KIND = OwnMessageKind.OUTREACH
_TOGETHER = 400
"""People whose timers are looked up at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutreachRequest:
    """What a person wants to see."""

    agent: str
    name: str | None = None
    """One of the agent's outreaches; left out, all of them."""
    limit: int = 50
    after: str | None = None
    """The `next` of the page before."""


async def list_outreach(context: Context, request: OutreachRequest) -> OutreachPage:
    """What was sent, skipped and cancelled, and why; the newest first.

    Raises:
        NotFound: nobody ever wrote such an agent, or it never had such an outreach.
        UsageError: `after` is no mark of a page.
    """
    await known_agent(context, request.agent)
    document = (await context.documents()).agents.get(request.agent)
    timers = context.store.timers()
    counts = await timers.counts(TimerFilter(kind=_KIND, agent=request.agent))
    if request.name is not None:
        written = {} if document is None else document.outreach
        among("outreach", request.name, {*counts, *written})
        counts = {name: told for name, told in counts.items() if name == request.name}
    wanted = TimerFilter(kind=_KIND, agent=request.agent, names=() if request.name is None else (request.name,))
    page = await timers.page(wanted, limit=request.limit, after=request.after)
    return OutreachPage(
        counts=counts,
        undelivered=await timers.undelivered(wanted),
        page=page,
        names=await context.store.people(Partition.LIVE).called(timer.subject for timer in page.timers),
        writes_any=document is None or bool(document.outreach),
    )


async def preview_outreach(context: Context, request: OutreachRequest) -> Sequence[OutreachPreview]:
    """Who would get what, by the files as they are now; nothing is sent and nothing is kept.

    Raises:
        NotFound: there is no such agent, or it has no such outreach.
    """
    agent = (await written_agent(context, request.agent)).document
    names = agent.outreach if request.name is None else [among("outreach", request.name, agent.outreach)]
    return [await _preview(context, agent, name, limit=request.limit) for name in names]


async def _preview(context: Context, agent: Agent, name: str, *, limit: int) -> OutreachPreview:
    outreach = agent.outreach[name]
    would, would_not = 0, Counter[str]()
    shown: list[Prospect] = []
    async for prospect in _prospects(context, agent, name, outreach):
        would += not prospect.why
        would_not.update([prospect.why] if prospect.why else [])
        if len(shown) < limit:
            shown.append(prospect)
    return OutreachPreview(
        outreach=name,
        would_get_it=would,
        would_not=dict(would_not.most_common()),
        prospects=tuple(shown),
        obstacle=await _obstacle(context, agent, name, outreach),
    )


async def _obstacle(context: Context, agent: Agent, name: str, outreach: Outreach) -> str:
    there = context.clock.now().astimezone(zone_named(agent.time_zone))
    live = await published_agent(context, agent.id)
    if live is None or live.outreach.get(name) != outreach:
        return f"it is not live as it is written; `greenroom publish {agent.id}` makes it so"
    if outreach.until is not None and there.date() > outreach.until:
        return f"its last day was {outreach.until}"
    if outreach.since is not None and there.date() < outreach.since:
        return f"its first day is {outreach.since}"
    return "" if is_within(outreach.hours, there) else "it is not the hour for it"


async def _prospects(context: Context, agent: Agent, name: str, outreach: Outreach) -> AsyncIterator[Prospect]:
    """Everybody whom it is for but for their consent, the newest people first."""
    channels = channels_out(agent, outreach.channel)
    conditions = {path: matcher for path, matcher in outreach.to.items() if path != CONSENT}
    status = outreach.to.get("status")
    wanted = PeopleFilter(
        status=status if isinstance(status, str) and status else None,
        keep=lambda person: is_in_segment(person, conditions),
    )
    batch: list[PersonRecord] = []

    async def settled() -> Sequence[Prospect]:
        subjects = [record.person.person_id for record in batch]
        timers = await context.store.timers().of_subjects(_KIND, agent.id, subjects)
        had = {timer.subject: timer for timer in timers if timer.name == name}
        return [_prospect(agent, record, channels, had.get(record.person.person_id)) for record in batch]

    async for record in context.store.people(Partition.LIVE).each(wanted):
        batch.append(record)
        if len(batch) == _TOGETHER:
            for prospect in await settled():
                yield prospect
            batch.clear()
    for prospect in await settled():
        yield prospect


_BECAME: Mapping[TimerStatus, str] = {TimerStatus.WAITING: "it is on its way", TimerStatus.DONE: "it was sent already"}
"""What is said of those who have a timer, unless it says why itself."""
_UNDELIVERED: Mapping[SentStatus | None, str] = {
    SentStatus.WAITING: "it was said already and waits to leave",
    SentStatus.REFUSED: "it was said already, and its channel refused it",
}


def _prospect(agent: Agent, record: PersonRecord, channels: Sequence[Channel], had: Timer | None) -> Prospect:
    consent = record.person.consent.get(CONSENT_TO_MESSAGES)
    refused = "they refused messages" if consent is False else "they gave no consent to messages"
    at = whereabouts(agent, channels, record.identities)
    # What waits is never said to somebody who has taken their consent back meanwhile.
    if had is not None and (consent is True or had.status is not TimerStatus.WAITING):
        why = had.why or _UNDELIVERED.get(had.delivery) or _BECAME[had.status]
    elif consent is not True:
        why = refused
    else:
        why = "" if at is not None else "they are known on none of its channels"
    channel = None if why or at is None else at.channel
    return Prospect(person_id=record.person.person_id, name=full_name(record.person), channel=channel, why=why)
