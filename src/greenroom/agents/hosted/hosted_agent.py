"""An agent, compiled once for all its conversations: tools, prompts and digest, put together when first wanted.

Everything in it follows from the document alone, so that any number of conversations share one.
"""

from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from greenroom.agents.hosted.compose import Layout
from greenroom.agents.hosted.digest import digest_of
from greenroom.agents.hosted.flow import Course
from greenroom.agents.hosted.knowledge import KnowledgeIndex
from greenroom.agents.hosted.offer import Offer, OfferBook
from greenroom.agents.hosted.route import Router
from greenroom.agents.sessions import AgentFacts
from greenroom.conversation.appointments import Spelling
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.documents.agent import Agent
from greenroom.documents.zones import zone_named

__all__ = ["HostedAgent"]


class HostedAgent:
    """A hosted agent ready to serve conversations. Make one for each agent and run, not one for each case."""

    def __init__(self, agent: Agent) -> None:
        self.document = agent
        self.offers = OfferBook(agent)
        self.router = Router(agent)
        self._zone = None if agent.time_zone == "UTC" else ZoneInfo(agent.time_zone)
        self._layouts: dict[tuple[str | None, Channel], Layout] = {}
        self._courses: dict[str | None, Course | None] = {}
        self._facts: dict[Channel, AgentFacts] = {}

    @cached_property
    def knowledge(self) -> KnowledgeIndex:
        """What `search_knowledge` searches."""
        return KnowledgeIndex(self.document.knowledge)

    @cached_property
    def digest(self) -> str:
        """What the agent is supposed to do."""
        return digest_of(self.document)

    def local_time(self, now: datetime) -> datetime:
        """The time as the agent reads it: in its own time zone, or as the clock has it when it names none (T30)."""
        return now if self._zone is None else now.astimezone(self._zone)

    def course(self, playbook: str | None) -> Course | None:
        """The flow of a playbook; None when it has none."""
        if playbook not in self._courses:
            book = None if playbook is None else self.document.playbooks.get(playbook)
            self._courses[playbook] = Course(book.flow) if book is not None and book.flow else None
        return self._courses[playbook]

    def offer(self, playbook: str | None, channel: Channel) -> Offer:
        """What a turn may call."""
        return self.offers.offer(playbook, ABILITIES[channel])

    def layout(self, playbook: str | None, channel: Channel) -> Layout:
        """The prompt but for person and time."""
        key = (playbook, channel)
        if key not in self._layouts:
            offered = self.offer(playbook, channel).names
            self._layouts[key] = Layout(self.document, playbook, channel, offered)
        return self._layouts[key]

    def facts(self, channel: Channel) -> AgentFacts:
        """What checks and judge may know."""
        if channel not in self._facts:
            self._facts[channel] = AgentFacts(
                name=self.document.name or self.document.id,
                tools=self.offers.kinds(ABILITIES[channel]),
                forms=self.offers.forms(),
                playbooks={key: book.name or key for key, book in self.document.playbooks.items()},
                digest=self.digest,
                spelling=Spelling(
                    half_days=self.document.scheduling is not None and self.document.scheduling.clock == "12h",
                    representatives={key: one.name for key, one in self.document.representatives.items()},
                    zone=zone_named(self.document.time_zone),
                ),
            )
        return self._facts[channel]
