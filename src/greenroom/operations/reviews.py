"""Reviews of closed live conversations: on the tick, beside a server, and by hand (features.md E5, A7)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from greenroom.clock import rest
from greenroom.conversation.reviews import Review, WaitingReviews
from greenroom.documents.agent import Agent
from greenroom.errors import DocumentsInvalid, GreenroomError, ModelSpecInvalid, UsageError
from greenroom.models.opening import Models
from greenroom.operations.context import Context
from greenroom.operations.published import published_agent
from greenroom.running.review import TOGETHER, Reviewer
from greenroom.store.partition import Partition
from greenroom.store.reviews import DueReview

__all__ = ["ReviewRequest", "Reviewing", "review_conversation", "review_waiting"]

_NO_JUDGE = (
    "no judge is configured; write `models: {judge: provider:name}` in greenroom.yaml "
    "(the agent's own model is never used as its judge)"
)
_LOOK_AGAIN_S = 5.0
"""How soon a server sees that a conversation was closed."""
_AGENTS_KEPT = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """A review that a person asks for."""

    conversation: str
    criteria: tuple[str, ...] = ()
    """A question of its own, which is answered and not kept; empty: the agent's standing criteria."""


class Reviewing:
    """Has reviews judged by the project's judge; made once for each process."""

    def __init__(self, context: Context, models: Models) -> None:
        self._context = context
        self._models = models
        self._reviews = context.store.reviews()
        self._holder = context.clock.new_id("reviewer")
        self._agents: dict[str, Agent] = {}
        self._told: set[str] = set()

    async def due(self, most: int) -> WaitingReviews:
        """Judge what is due, `most` at the most."""
        reviewed, obstacle = 0, ""
        if await self._reviews.is_due():
            try:
                reviewed = await (await self.reviewer()).review_due(most)
            except UsageError as reason:
                obstacle = str(reason)
        return WaitingReviews(reviewed=reviewed, waiting=await self._reviews.waiting(), obstacle=obstacle)

    async def until(self, stop: asyncio.Event, wake: asyncio.Event, trouble: Callable[[str], None]) -> None:
        """Judge whatever is due until `stop`, a few at a time; what is under way then is let go of.

        `wake` says that a conversation was closed. `trouble` is told, in a sentence and once, what stands in the way.
        """
        going: set[asyncio.Task[None]] = set()
        try:
            while not stop.is_set():
                wake.clear()
                try:
                    await self._begin(going, trouble)
                # What waits stays where it is; a reviewer that stopped would never be missed.
                except Exception as error:  # noqa: BLE001
                    self._tell(error, trouble)
                await rest(self._context.clock, _LOOK_AGAIN_S, stop, wake, tasks=going)
                going = {each for each in going if not each.done()}
        finally:
            for each in going:
                each.cancel()
            await asyncio.gather(*going, return_exceptions=True)

    async def reviewer(self) -> Reviewer:
        """Who judges. Raises `UsageError` when no judge is configured or it can't be opened here."""
        choice = self._context.project.models.judge
        if choice is None:
            raise UsageError(f"closed conversations wait for their review: {_NO_JUDGE}")
        try:
            judge = await self._models.open(choice)
        except (ModelSpecInvalid, DocumentsInvalid) as reason:
            raise UsageError(
                f"closed conversations wait for their review: the judge can't be asked: {reason}"
            ) from None
        store = self._context.store
        return Reviewer(
            reviews=self._reviews,
            lists=store.conversation_lists(Partition.LIVE),
            people=store.people(Partition.LIVE),
            agent=self._agent,
            judge=judge,
            clock=self._context.clock,
            holder=self._holder,
        )

    async def again(self, request: ReviewRequest) -> Review:
        """Judge a closed conversation now. Raises `NotFound`, `UsageError`."""
        store = self._context.store
        summary = await store.conversation_lists(Partition.LIVE).get(request.conversation)
        criteria = request.criteria or await self._standing(summary.agent)
        self._within_limits(criteria)
        reviewer = await self.reviewer()
        if summary.closed_at is None:
            raise _is_open(request.conversation)
        if request.criteria:
            return await reviewer.once(
                request.conversation, agent=summary.agent, closed_at=summary.closed_at, criteria=criteria
            )
        asked = await self._reviews.ask(request.conversation, summary.agent, criteria, self._holder)
        if asked is None:
            raise _is_open(request.conversation)
        await reviewer.review(asked)
        newest, *_ = await self._reviews.of_conversation(request.conversation)
        return newest

    async def _begin(self, going: set[asyncio.Task[None]], trouble: Callable[[str], None]) -> None:
        if len(going) >= TOGETHER or not await self._reviews.is_due():
            return
        reviewer = await self.reviewer()
        for due in await self._reviews.take(self._holder, limit=TOGETHER - len(going)):
            going.add(asyncio.create_task(self._one(reviewer, due, trouble), name=f"review {due.number}"))

    async def _one(self, reviewer: Reviewer, due: DueReview, trouble: Callable[[str], None]) -> None:
        try:
            await reviewer.review(due)
        # As above: it is judged again.
        except Exception as error:  # noqa: BLE001
            self._tell(error, trouble)

    def _tell(self, error: Exception, trouble: Callable[[str], None]) -> None:
        known = str(error) if isinstance(error, GreenroomError) else f"{type(error).__name__}: {error}"
        if known not in self._told:
            self._told.add(known)
            trouble(known)

    async def _agent(self, revision: str) -> Agent:
        found = self._agents.get(revision)
        if found is None:
            if len(self._agents) >= _AGENTS_KEPT:
                self._agents.clear()
            found = self._agents[revision] = await self._context.store.definitions.agent(revision)
        return found

    async def _standing(self, agent: str) -> tuple[str, ...]:
        live = await published_agent(self._context, agent)
        criteria = () if live is None else live.review
        if not criteria:
            raise UsageError(
                f"agent {agent!r} has no standing criteria: nothing is written under `review` in its published "
                "document; say what has to hold with --criterion TEXT"
            )
        return criteria

    def _within_limits(self, criteria: tuple[str, ...]) -> None:
        limits = self._context.project.limits
        if len(criteria) > limits.criteria:
            raise UsageError(f"there are {len(criteria)} criteria; the limit `criteria` is {limits.criteria}")
        for text in criteria:
            if not text.strip():
                raise UsageError("a criterion says nothing; write in words what has to hold")
            if len(text) > limits.criterion_chars:
                raise UsageError(
                    f"a criterion has {len(text)} characters; the limit `criterion_chars` is {limits.criterion_chars}"
                )


async def review_conversation(context: Context, request: ReviewRequest) -> Review:
    """Have a closed live conversation reviewed now, whether it was before or not.

    By the standing criteria it is the review that counts from now on; when the judge can't answer it is tried again on
    the tick. By criteria of the request's own it is shown and not kept.

    Raises:
        NotFound: there is no such live conversation.
        UsageError: it is open, there is nothing to judge it by, or there is no judge.
    """
    async with _models(context) as models:
        return await Reviewing(context, models).again(request)


async def review_waiting(context: Context, *, most: int) -> WaitingReviews:
    """Have what waits and is due reviewed now, `most` at the most. Raises `UsageError` when no judge can be asked."""
    async with _models(context) as models:
        waiting = await Reviewing(context, models).due(most)
    if waiting.obstacle:
        raise UsageError(waiting.obstacle)
    return waiting


def _is_open(conversation: str) -> UsageError:
    return UsageError(f"the conversation {conversation!r} is open; it can be reviewed once it is closed")


def _models(context: Context) -> Models:
    return Models(context.root, context.environment, context.clock)
