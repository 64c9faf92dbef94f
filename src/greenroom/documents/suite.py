"""A suite and its cases (documents.md: suite and case)."""

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import Field

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import TapKind
from greenroom.documents.checks import Expectation
from greenroom.documents.mocks import Mock, MockStrategy
from greenroom.documents.parts import Doc, JsonValue

__all__ = [
    "Calibration",
    "Case",
    "CaseWorld",
    "GivenAgent",
    "GivenPerson",
    "GivenStep",
    "PersonStart",
    "Say",
    "ScriptLine",
    "Suite",
    "TapLine",
]


class Say(Doc):
    """A scripted line, sent as written."""

    say: str
    expect: tuple[Expectation, ...] = ()
    """Looks at this line's turn only."""


class TapLine(Doc):
    """A scripted tap with its typed fallback (features.md A3)."""

    tapped: TapKind
    target: str
    """The label; for a slot its start or `first`; for a confirmation its label or `yes`/`no`."""
    card: str | None = None
    otherwise: str
    """What is said when the thing to tap is not there."""
    expect: tuple[Expectation, ...] = ()


ScriptLine: TypeAlias = Say | TapLine


class GivenPerson(Doc):
    """A turn of the person that already happened."""

    person: str


class GivenAgent(Doc):
    """A turn of the agent that already happened."""

    agent: str


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
    fields: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    consent: dict[str, bool] = Field(default_factory=dict[str, bool])
    notes: str = ""
    tags: tuple[str, ...] = ()


class CaseWorld(Doc):
    """What the world answers."""

    mock: MockStrategy = MockStrategy.ALL
    real: tuple[str, ...] = ()
    mocks: tuple[Mock, ...] = ()
    no_answer: Literal["fail", "captured"] = "fail"
    now: datetime | None = None
    """The time the whole case sees; it stands still."""


class Calibration(Doc):
    """Examples that calibrate the judge."""

    success: tuple[str, ...] = ()
    failure: tuple[str, ...] = ()


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
    name: str = ""
    description: str = ""
    channel: Channel = Channel.WEB
    person: PersonStart | Literal["visitor"] | None = None
    playbook: str | None = None
    history: tuple[GivenStep, ...] = ()
    script: tuple[ScriptLine, ...] = ()
    world: CaseWorld = CaseWorld()
    expect: tuple[Expectation, ...] = ()
    examples: Calibration = Calibration()
    samples: int = Field(default=1, ge=1)
    pass_at_least: int | None = Field(default=None, ge=1)
    limits: CaseLimits = CaseLimits()
    tags: tuple[str, ...] = ()
    skip: str | None = None
    known_failure: str | None = None


class Suite(Doc):
    """A suite of cases."""

    id: str = Field(alias="suite")
    name: str = ""
    description: str = ""
    agents: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    cases: dict[str, Case] = Field(default_factory=dict[str, Case])
