"""Reviewing closed live conversations: by the judge that grades cases, its question and its evidence (features.md E5).

A few at a time, beside everything else. Each is held while the judge thinks, so that two processes never judge one
twice; one whose process was killed is judged again. A judge that can't answer is asked again after pauses that grow.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from greenroom.agents.hosted.digest import digest_of
from greenroom.clock import Clock
from greenroom.conversation.channels import ABILITIES
from greenroom.conversation.moments import spelled_out
from greenroom.conversation.people import rendered_person
from greenroom.conversation.reviews import Judged, Review, ReviewStatus
from greenroom.conversation.summaries import ClosedBy, ConversationSummary, KeptTurn
from greenroom.conversation.transcript import CallsShown, render_transcript
from greenroom.conversation.turns import StopReason
from greenroom.conversation.usage import Role, Usage
from greenroom.documents import checks
from greenroom.documents.agent import Agent
from greenroom.documents.suite import Case
from greenroom.errors import GreenroomError, StoreError
from greenroom.grading.evidence import Evidence
from greenroom.grading.grade import grade
from greenroom.models.metering import case_units
from greenroom.models.model import Model
from greenroom.store.conversation_lists import ConversationLists
from greenroom.store.people import People
from greenroom.store.reviews import HOLD_S, MOST_TRIES, DueReview, Reviews
from greenroom.store.signs_of_life import signs_of_life
from greenroom.store.times import stamp

__all__ = ["TOGETHER", "TRANSCRIPT_CHARS", "Reviewer", "review_pause"]

TOGETHER = 4
"""Conversations that are judged at a time."""
TRANSCRIPT_CHARS = 120_000
"""The longest transcript that the judge is shown: about three of the longest cases."""
_ENDS = 200
"""Turns that are read from either end of a long conversation."""
_DIGESTS = 3
"""Of an agent that was changed while a conversation went on the judge is told the last ones."""
_LONGEST_PAUSE_S = 6 * 3_600.0
_SILENT = "It was closed after a long silence: the person wrote nothing more."
_CLOSED = {
    StopReason.RESOLVED: "The agent ended it as resolved.",
    StopReason.AGENT_ENDED: "The agent ended it.",
    StopReason.HANDED_OVER: "The agent handed it over to the team.",
    StopReason.TRANSFERRED: "The agent transferred the call.",
}


def review_pause(tries: int, chance: float) -> float:
    """Seconds until the judge is asked again: 1 min, 4, 16 … up to six hours, each half as long to half again."""
    return min(_LONGEST_PAUSE_S, 60.0 * 4.0 ** min(tries - 1, 10)) * (0.5 + chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """Takes reviews that are due and has them judged."""

    reviews: Reviews
    lists: ConversationLists
    people: People
    agent: Callable[[str], Awaitable[Agent]]
    """An agent as it answered, by its content hash."""
    judge: Model
    clock: Clock
    holder: str

    async def review_due(self, most: int) -> int:
        """Judge what is due, `most` at the most; how many those were."""
        done = 0
        while done < most:
            taken = await self.reviews.take(self.holder, limit=min(TOGETHER, most - done))
            if not taken:
                break
            await asyncio.gather(*(self.review(each) for each in taken))
            done += len(taken)
        return done

    async def review(self, due: DueReview) -> None:
        """Judge one that was taken, and keep what came of it.

        Raises:
            StoreError: the database can't be used; somebody will judge it again.
        """
        async with self._held(due):
            judged, why = await self._judged(due)
            judged = replace(judged, usage=due.spent + judged.usage)
            if not why:
                await self.reviews.finish(due, self.holder, judged, units=_units(judged))
            elif due.tries < MOST_TRIES:
                seconds = review_pause(due.tries, self.clock.chance())
                await self.reviews.put_off(due, self.holder, why, judged, seconds=seconds)
            else:
                await self.reviews.give_up(due, self.holder, why, judged)

    async def once(self, conversation: str, *, agent: str, closed_at: str, criteria: tuple[str, ...]) -> Review:
        """Judge a closed conversation by other criteria than its agent's own, and keep nothing of it.

        The review that counts stays as it is. When the judge can't answer it is not asked again.

        Raises:
            StoreError: the database can't be used.
        """
        begun = stamp(self.clock)
        due = DueReview(
            number=0,
            conversation=conversation,
            agent=agent,
            closed_at=closed_at,
            criteria=criteria,
            tries=1,
            spent=Usage(),
        )
        judged, why = await self._judged(due)
        return Review(
            number=due.number,
            conversation=conversation,
            agent=agent,
            closed_at=closed_at,
            criteria=criteria,
            newest=False,
            status=ReviewStatus.ERRORED if why else ReviewStatus.DONE,
            judged=judged,
            needs_review=bool(why) or judged.needs_review,
            units=None if why else _units(judged),
            tries=due.tries,
            error=why or None,
            due_at=begun,
            created_at=begun,
            finished_at=stamp(self.clock),
        )

    @asynccontextmanager
    async def _held(self, due: DueReview) -> AsyncGenerator[None]:
        """Give signs of life until it is over; let go of it when this process is told to stop."""
        try:
            async with signs_of_life(self.clock, lambda: self.reviews.hold(due, self.holder), held_for_s=HOLD_S):
                yield
        except asyncio.CancelledError:
            await asyncio.shield(self.reviews.let_go(due, self.holder))
            raise

    async def _judged(self, due: DueReview) -> tuple[Judged, str]:
        """What the judge said, and why it said nothing; the reason is empty when it answered."""
        try:
            return await self._ask(due)
        except StoreError:
            raise
        except GreenroomError as fault:
            return Judged(), str(fault)
        # A conversation that breaks us must not stand in the way of all others.
        except Exception as fault:  # noqa: BLE001
            return Judged(), f"Greenroom itself failed: {type(fault).__name__}: {fault}"

    async def _ask(self, due: DueReview) -> tuple[Judged, str]:
        summary = await self.lists.get(due.conversation)
        kept = await self.lists.ends(due.conversation, until=due.closed_at, most=_ENDS)
        shown = await asyncio.to_thread(_shown, kept)
        left_out = (kept[-1].number - kept[0].number + 1 if kept else 0) - len(shown)
        person = await self.people.find(summary.identity)
        revisions = tuple(dict.fromkeys(each.revision for each in kept if each.revision))
        evidence = Evidence(
            channel=summary.channel,
            turns=tuple(each.turn for each in shown),
            stopped=summary.ended or StopReason.PERSON_DONE,
            person=person,
            person_seen="" if person is None else rendered_person(person),
            began=await self._began(summary, revisions),
            scenario=_scenario(summary, left_out),
            digest=await self._digest(revisions),
        )
        case = Case(
            id="review",
            suite=due.agent,
            channel=summary.channel,
            expect=tuple(checks.Judged(text=text) for text in due.criteria),
        )
        graded = await grade(case, evidence, judge=self.judge, conversation=due.conversation)
        judged = Judged(
            verdicts=graded.criteria,
            record=graded.record,
            usage=sum(graded.usage.values(), Judged().usage),
            revisions=revisions,
            turns_left_out=left_out,
            unanswered=bool(graded.unanswered),
        )
        return judged, "" if graded.error is None else graded.error.message

    async def _began(self, summary: ConversationSummary, revisions: Sequence[str]) -> str:
        """When it began, by the clock of the agent that answered first."""
        if not revisions:
            return ""
        zone = await asyncio.to_thread(ZoneInfo, (await self.agent(revisions[0])).time_zone)
        return spelled_out(datetime.fromisoformat(summary.started_at).astimezone(zone))

    async def _digest(self, revisions: Sequence[str]) -> str:
        """What the agent was to do; each time anew when it was changed while the conversation went on."""
        told = [digest_of(await self.agent(revision)) for revision in revisions[-_DIGESTS:]]
        if len(told) < 2:
            return "".join(told)
        heads = ["Until it was changed:", *["From then on:"] * (len(told) - 1)]
        return "\n\n".join(f"{head}\n{text}" for head, text in zip(heads, told, strict=True))


def _units(judged: Judged) -> int:
    return case_units({Role.JUDGE: judged.usage}) if judged.usage.calls else 0


def _scenario(summary: ConversationSummary, left_out: int) -> str:
    """What a person would say of the conversation who had not read it."""
    over = summary.closed_by
    closed = _CLOSED.get(summary.ended, "") if summary.ended is not None else _SILENT * (over is ClosedBy.SILENCE)
    cut = (
        f"It is too long to be shown whole: {left_out} turns in its middle are left out, "
        "and what was said in them is unknown."
        if left_out
        else ""
    )
    about = f"A live conversation by {ABILITIES[summary.channel].name}."
    return " ".join(part for part in (about, closed, cut) if part)


def _shown(kept: Sequence[KeptTurn]) -> Sequence[KeptTurn]:
    """The turns that the judge is shown: all, or as many from both ends as its bound has room for."""
    sizes = [len(render_transcript((each.turn,), calls=CallsShown.UNANSWERED)) for each in kept]
    if sum(sizes) <= TRANSCRIPT_CHARS:
        return kept
    first, last, used = 0, len(kept), 0
    while first < last:
        # What was said last counts most, so the end is never without the turn that closed it.
        from_end = (len(kept) - last) <= first
        position = last - 1 if from_end else first
        if used and used + sizes[position] > TRANSCRIPT_CHARS:
            break
        used += sizes[position]
        first, last = (first, last - 1) if from_end else (first + 1, last)
    return [*kept[:first], *kept[last:]]
