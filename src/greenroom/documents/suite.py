"""A suite and its cases (documents.md: suite and case)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import TapKind
from greenroom.documents.checks import Expectations
from greenroom.documents.mocks import Mock, MockStrategy
from greenroom.documents.parts import Doc, Id, JsonValue, Limited, Meant, Name
from greenroom.documents.simulation import Simulation

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
    expect: Expectations = ()
    """Looks at this line's turn only."""


class TapLine(Doc):
    """A scripted tap with its typed fallback (features.md A3)."""

    tapped: TapKind
    target: str = Field(min_length=1)
    """The label; for a slot its start or `first`; for a confirmation its label or `yes`/`no`."""
    card: str | None = None
    otherwise: Annotated[str, Limited("line_chars")] = Field(min_length=1)
    """What is said when the thing to tap is not there."""
    expect: Expectations = ()


ScriptLine: TypeAlias = Say | TapLine


class GivenPerson(Doc):
    """A turn of the person that already happened."""

    person: str = Field(min_length=1)


class GivenAgent(Doc):
    """A turn of the agent that already happened."""

    agent: str = Field(min_length=1)


GivenStep: TypeAlias = GivenPerson | GivenAgent


class PersonStart(Doc):
    """The person a case starts with (features.md A5)."""

    first_name: str = ""
    last_name: str = ""
    email: str = ""
    phone: str = ""
    company: str = ""
    title: str = ""
    product_interest: str = ""
    status: str = ""
    representative: str = ""
    fields: dict[Name, JsonValue] = Field(default_factory=dict[Name, JsonValue])
    consent: dict[Name, bool] = Field(default_factory=dict[Name, bool])
    notes: str = ""
    tags: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()


class Policy(StrEnum):
    """Whether what leaves the world is captured (features.md C13 adds the other one)."""

    SANDBOX = "sandbox"


class CaseWorld(Doc):
    """What the world answers."""

    mock: MockStrategy = MockStrategy.ALL
    real: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    mocks: tuple[Mock, ...] = ()
    no_answer: Literal["fail", "captured"] = "fail"
    now: datetime | None = None
    """The time the whole case sees; it stands still."""
    policy: Policy = Policy.SANDBOX


class Calibration(Doc):
    """Examples that calibrate the judge."""

    success: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = ()
    failure: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = ()


class CaseLimits(Doc):
    """Limits that a case may set for itself; None: the project's."""

    turns_max: int | None = Field(default=None, ge=1)
    reply_seconds: float | None = Field(default=None, gt=0)
    settle_seconds: float | None = Field(default=None, ge=0)
    run_minutes: float | None = Field(default=None, gt=0)
    tool_rounds: int | None = Field(default=None, ge=1)
    case_units: int | None = Field(default=None, ge=1)


class Case(Doc):
    """One case, its suite's defaults merged in; its id is the mapping's key."""

    id: str
    suite: str
    name: Annotated[str, Limited("case_name_chars")] = ""
    description: str = ""
    channel: Channel = Channel.WEB
    person: PersonStart | Literal["visitor"] | None = None
    playbook: Id | None = None
    history: tuple[GivenStep, ...] = ()
    script: tuple[ScriptLine, ...] = ()
    simulate: Simulation | None = None
    world: CaseWorld = CaseWorld()
    expect: Expectations = ()
    examples: Calibration = Calibration()
    samples: int = Field(default=1, ge=1)
    pass_at_least: int | None = Field(default=None, ge=1)
    limits: CaseLimits = CaseLimits()
    tags: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    skip: str | None = Field(default=None, min_length=1)
    """Why it does not run."""
    known_failure: str | None = Field(default=None, min_length=1)
    """Why it is expected to fail."""


class Suite(Doc):
    """A suite of cases."""

    id: Id = Field(alias="suite")
    name: str = ""
    description: str = ""
    agents: Annotated[tuple[Id, ...], Meant.ONE_OR_MORE] = ()
    tags: Annotated[tuple[Name, ...], Meant.ONE_OR_MORE] = ()
    cases: dict[Id, Case] = Field(default_factory=dict[Id, Case])
