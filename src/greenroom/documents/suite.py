"""A suite and its cases (documents.md: suite and case)."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import TapKind
from greenroom.documents.checks import Expectations
from greenroom.documents.mocks import Mock, MockStrategy
from greenroom.documents.parts import Doc, Id, JsonValue, Limited, Meant, Name
from greenroom.documents.scheduling import CaseAppointment, CaseCalendar, LocalMoment
from greenroom.documents.simulation import Simulation
from greenroom.documents.sizes import CASE_APPOINTMENTS, NAME_CHARS

__all__ = [
    "Calibration",
    "Case",
    "CaseLimits",
    "CaseWorld",
    "GivenAgent",
    "GivenPerson",
    "GivenStep",
    "PersonStart",
    "Policy",
    "Say",
    "ScriptLine",
    "Suite",
    "TapLine",
]


class Say(Doc):
    """A scripted line, sent as written."""

    short: ClassVar[str | None] = "say"
    say: Annotated[str, Limited("line_chars")] = Field(min_length=1)
    """What the person says: text, or `{template: text}` with `{{person.first_name}}` and the like in it."""
    expect: Expectations = ()
    """Checks and criteria that look at this line's turn only."""
    is_template: bool = False
    """Whether what is said was written as a template, and is to be filled in."""


class TapLine(Doc):
    """A scripted tap with its typed fallback (features.md A3)."""

    tapped: TapKind
    """What is tapped."""
    target: str = Field(min_length=1)
    """The label; for a slot its start or `first`; for a confirmation its label or `yes`/`no`."""
    card: str | None = None
    """The title of the card that the chip is on, when several cards have such a chip."""
    otherwise: Annotated[str, Limited("line_chars")] = Field(min_length=1)
    """What is said when the thing to tap is not there: text, or `{template: text}`."""
    expect: Expectations = ()
    """Checks and criteria that look at this line's turn only."""
    is_template: bool = False
    """Whether `otherwise` was written as a template."""


ScriptLine: TypeAlias = Say | TapLine


class GivenPerson(Doc):
    """A turn of the person that already happened."""

    person: str = Field(min_length=1)
    """What the person said: text, or `{template: text}`."""
    is_template: bool = False
    """Whether it was written as a template."""


class GivenAgent(Doc):
    """A turn of the agent that already happened."""

    agent: str = Field(min_length=1)
    """What the agent said: text, or `{template: text}`."""
    is_template: bool = False
    """Whether it was written as a template."""


GivenStep: TypeAlias = GivenPerson | GivenAgent


class PersonStart(Doc):
    """The person a case starts with (features.md A5)."""

    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({"name": "first_name"})
    others_under: ClassVar[str | None] = "fields"

    first_name: str = Field(default="", max_length=NAME_CHARS)
    """First name."""
    last_name: str = Field(default="", max_length=NAME_CHARS)
    """Last name."""
    email: str = Field(default="", max_length=NAME_CHARS)
    """Email address."""
    phone: str = Field(default="", max_length=NAME_CHARS)
    """Phone number."""
    company: str = Field(default="", max_length=NAME_CHARS)
    """Company."""
    title: str = Field(default="", max_length=NAME_CHARS)
    """What they do there."""
    product_interest: str = Field(default="", max_length=NAME_CHARS)
    """What they are interested in."""
    status: str = Field(default="", max_length=NAME_CHARS)
    """Where they stand with the business, such as `lead` or `customer`."""
    representative: str = ""
    """Who looks after them: an id of the agent's `representatives`."""
    fields: dict[Name, JsonValue] = Field(default_factory=dict[Name, JsonValue])
    """Values of the fields that the agent declares under `people`."""
    consent: dict[Name, bool] = Field(default_factory=dict[Name, bool])
    """What they agreed to, such as `{messages: true}`."""
    notes: str = ""
    """Notes of the team. Neither the judge nor the simulated person sees them."""
    tags: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    """Tags, one or several."""


class Policy(StrEnum):
    """What of a case is real (features.md C13)."""

    SANDBOX = "sandbox"
    LIVE_TEST = "live-test"


class CaseWorld(Doc):
    """What the world answers."""

    mock: MockStrategy = MockStrategy.ALL
    """Which tools are kept from their endpoint: `all`, those that are `selected` by an entry in `mocks`, or `none`."""
    real: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    """Tools that may reach their endpoint all the same, one or several."""
    mocks: tuple[Mock, ...] = ()
    """What calls are answered with."""
    no_answer: Literal["fail", "captured"] = "fail"
    """What to do when nothing answers a call: `fail` the case, or tell the agent to go on (`captured`)."""
    now: LocalMoment | None = None
    """The date and time that the whole case sees; it stands still.

    Without an offset it is the agent's time. Left out: the real time.
    """
    calendar: CaseCalendar | None = None
    """What is taken in the calendars, in place of what really is: `{busy: [{start: …, end: …}]}`."""
    policy: Policy = Policy.SANDBOX
    """What is real: with `sandbox` nothing that would leave the platform does.

    With `live-test` tools are really called, a hand-over reaches the team, and appointments are really booked.
    """

    @property
    def live_test(self) -> bool:
        """Whether tools, hand-overs and bookings are real."""
        return self.policy is Policy.LIVE_TEST


class Calibration(Doc):
    """Examples that calibrate the judge."""

    success: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = ()
    """Replies that hold, one or several."""
    failure: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = ()
    """Replies that don't hold, one or several."""


class CaseLimits(Doc):
    """Limits that a case may set for itself; None: the project's."""

    turns_max: int | None = Field(default=None, ge=1)
    """The most turns the person takes. Left out: the project's."""
    reply_seconds: float | None = Field(default=None, gt=0)
    """How long one reply may take. Left out: the project's."""
    settle_seconds: float | None = Field(default=None, ge=0)
    """How long to wait for further messages of a turn. Left out: the project's."""
    run_minutes: float | None = Field(default=None, gt=0)
    """How long one sample may take. Left out: the project's."""
    tool_rounds: int | None = Field(default=None, ge=1)
    """How often in a row the agent may call tools in one turn. Left out: the project's."""
    case_units: int | None = Field(default=None, ge=1)
    """How much one sample may cost, in units. Left out: the project's."""


class Case(Doc):
    """One case, its suite's defaults merged in; its id is the mapping's key."""

    id: str
    """The case's id; the key under `cases`."""
    suite: str
    """The suite's id."""
    name: Annotated[str, Limited("case_name_chars")] = ""
    """One line that says what is tested. Left out: the id."""
    description: str = ""
    """More about it, for people."""
    channel: Channel = Channel.WEB
    """Where the conversation takes place; `auto` is a phone call when the agent has a number, else web voice."""
    person: PersonStart | Literal["visitor"] | None = None
    """Whom the agent talks to: what is known of them, or `visitor`. Left out: somebody unknown."""
    appointments: tuple[CaseAppointment, ...] = Field(default=(), max_length=CASE_APPOINTMENTS)
    """Appointments that the person has when the conversation begins."""
    playbook: Id | None = None
    """The playbook that the conversation starts in. Left out: none yet."""
    outreach: Id | None = None
    """The agent begins with the opening of this outreach of its own, after the `history` when there is one."""
    history: tuple[GivenStep, ...] = ()
    """What was said before; it is given and not graded. Alone, the agent is asked for its next reply."""
    script: tuple[ScriptLine, ...] = ()
    """The person's lines, in order, sent as written."""
    simulate: Simulation | None = None
    """A model plays the person, after the script when there is one."""
    world: CaseWorld = CaseWorld()
    """What tools answer, and what time it is."""
    expect: Expectations = ()
    """Checks and criteria that must all hold; they look at the whole conversation."""
    examples: Calibration = Calibration()
    """Replies that calibrate the judge."""
    samples: int = Field(default=1, ge=1)
    """How often the case is played."""
    pass_at_least: int | None = Field(default=None, ge=1)
    """How many samples must pass for the case to pass. Left out: all of them."""
    limits: CaseLimits = CaseLimits()
    """Limits of this case, in place of the project's."""
    tags: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    """Tags to select cases by, one or several: `greenroom run @TAG`."""
    skip: str | None = Field(default=None, min_length=1)
    """Why the case is not played now."""
    known_failure: str | None = Field(default=None, min_length=1)
    """Why the case is expected to fail. When it passes, the report says so."""


class Suite(Doc):
    """A suite of cases."""

    id: Id = Field(alias="suite")
    """The suite's id: lower-case words joined by hyphens."""
    name: str = ""
    """What people call it. Left out: the id."""
    description: str = ""
    """More about it, for people."""
    agents: Annotated[tuple[Id, ...], Meant.ONE_OR_MORE] = ()
    """The agents it is for, one or several. Left out: the project's only agent, or the one named by `--agent`."""
    tags: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    """Tags of all its cases, one or several."""
    cases: dict[Id, Case] = Field(default_factory=dict[Id, Case])
    """The cases, by id."""
