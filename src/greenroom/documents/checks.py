"""How each check and criterion is written (documents.md; semantics: checks and matchers). `grading` decides them.

An entry of `expect` is a mapping with one key, the check's word. Each model here is what stands under that word.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypeAlias, cast

from pydantic import BeforeValidator, Field

from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Shape
from greenroom.conversation.turns import StopReason
from greenroom.documents.parts import Id, Limited, Matcher, Meant, MomentMatcher, Name, ParameterMatcher, TextMatcher
from greenroom.documents.state import StateIs
from greenroom.documents.steps import Step
from greenroom.documents.written_check import WORD, WrittenCheck

__all__ = [
    "CHECKS",
    "AppointmentIs",
    "Before",
    "Called",
    "Check",
    "Criterion",
    "EffectIs",
    "EndedByIs",
    "Expectation",
    "Expectations",
    "Judged",
    "Max",
    "Mentions",
    "NeverAfter",
    "NeverSays",
    "NoToolCalled",
    "NotCalled",
    "Order",
    "PersonIs",
    "PlaybookUsed",
    "Reply",
    "Says",
    "Scored",
    "Sees",
    "StateIs",
    "StoppedBy",
    "WhichTurn",
    "WrittenCheck",
]

WhichTurn: TypeAlias = Literal["last", "any", "all"] | int


class Called(WrittenCheck):
    """A tool was called, so often, with such parameters (features.md E1)."""

    word: ClassVar[str] = "called"
    short: ClassVar[str | None] = "tool"
    tool: Name
    """The tool or built-in action, by name or label."""
    with_: dict[Name, ParameterMatcher] = Field(default_factory=dict[Name, ParameterMatcher], alias="with")
    """Conditions on its parameters, by dotted path; a call counts when all hold."""
    at_least: int | None = Field(default=None, ge=0)
    """How many such calls there must be; 1 when it is left out, also beside `at_most`."""
    at_most: int | None = Field(default=None, ge=0)
    """How many such calls there may be."""
    exactly: int | None = Field(default=None, ge=0)
    """How many such calls there are, in place of `at_least` and `at_most`."""
    strict: bool = False
    """A call counts only when it has no parameters besides those named."""
    every: bool = False
    """Every call to the tool must fit."""

    @property
    def least(self) -> int:
        """How many such calls there must be, whichever of its keys says so."""
        if self.exactly is not None:
            return self.exactly
        return 1 if self.at_least is None else self.at_least

    @property
    def only_limits(self) -> bool:
        """It says how often at most and nothing of a minimum (features.md C11)."""
        return self.at_most is not None and self.at_least is None


class NotCalled(WrittenCheck):
    """A tool was not called (with such parameters)."""

    word: ClassVar[str] = "not_called"
    short: ClassVar[str | None] = "tool"
    tool: Name
    """The tool or built-in action, by name or label."""
    with_: dict[Name, ParameterMatcher] = Field(default_factory=dict[Name, ParameterMatcher], alias="with")
    """Only calls with such parameters are forbidden."""


class NoToolCalled(WrittenCheck):
    """No tool at all was called. `send_message` and `end_conversation` never count."""

    word: ClassVar[str] = "no_tool_called"
    short: ClassVar[str | None] = "value"
    whole: ClassVar[bool] = True
    value: Literal[True] = True
    """Always `true`."""


class Reply(WrittenCheck):
    """A reply contains, matches, equals, or has a shape. A turn's messages are joined as the transcript shows them."""

    word: ClassVar[str] = "reply"
    text: TextMatcher = None
    """What the reply's text must be like. Left out: only the shape is looked at. Plain text means contains."""
    shape: Shape | None = None
    """What the reply must show."""
    not_shape: Shape | None = None
    """What the reply must not show."""
    turn: WhichTurn = "last"
    """Which reply: the last one, any, all, or that of a turn by its number."""


class NeverSays(WrittenCheck):
    """No message of the agent matches. A plain string means contains."""

    word: ClassVar[str] = "never_says"
    short: ClassVar[str | None] = "text"
    whole: ClassVar[bool] = True
    text: TextMatcher
    """What no message may be like. Plain text means contains."""


class Mentions(WrittenCheck):
    """The agent said each of these; numbers and money by value on word borders."""

    word: ClassVar[str] = "mentions"
    short: ClassVar[str | None] = "values"
    whole: ClassVar[bool] = True
    values: Annotated[tuple[str, ...], Meant.ONE_OR_MORE] = Field(min_length=1)
    """What must be said, one thing or several."""


class PlaybookUsed(WrittenCheck):
    """A turn ran in this playbook."""

    word: ClassVar[str] = "playbook"
    short: ClassVar[str | None] = "playbook"
    playbook: Id
    """The playbook, by id."""


class EndedByIs(WrittenCheck):
    """Who ended the conversation (features.md D3)."""

    word: ClassVar[str] = "ended_by"
    short: ClassVar[str | None] = "who"
    who: Literal["agent", "person", "transfer", "any"]
    """Who ended it."""


class StoppedBy(WrittenCheck):
    """Why the conversation stopped."""

    word: ClassVar[str] = "stopped"
    short: ClassVar[str | None] = "reason"
    reason: StopReason
    """The reason, by its name."""


class PersonIs(WrittenCheck):
    """Fields of the person as persisted; core fields and declared ones, by name."""

    word: ClassVar[str] = "person"
    short: ClassVar[str | None] = "fields"
    whole: ClassVar[bool] = True
    fields: dict[Name, Matcher] = Field(min_length=1)
    """Fields of the person and what they must be."""


class AppointmentIs(WrittenCheck):
    """The person has such an appointment, as persisted; so many of them."""

    word: ClassVar[str] = "appointment"
    short: ClassVar[str | None] = "status"
    status: Matcher = None
    """How it stands: `booked` or `cancelled`. Left out: either."""
    title: Matcher = None
    """What it is for."""
    start: MomentMatcher = None
    """When it begins. Without an offset it is the agent's time; a date alone is any time of that day."""
    end: MomentMatcher = None
    """When it ends, written likewise."""
    representative: Matcher = None
    """With whom, by id."""
    notes: Matcher = None
    """Notes on it."""
    at_least: int = Field(default=1, ge=0)
    """How many such appointments there must be."""
    at_most: int | None = Field(default=None, ge=0)
    """How many such appointments there may be."""
    exactly: int | None = Field(default=None, ge=0)
    """How many such appointments there are, in place of `at_least` and `at_most`."""

    @property
    def conditions(self) -> dict[str, Json]:
        """What is wanted of it, by the names of its values."""
        return {name: getattr(self, name) for name in _OF_AN_APPOINTMENT if getattr(self, name) is not None}


_OF_AN_APPOINTMENT = ("status", "title", "start", "end", "representative", "notes")


class EffectIs(WrittenCheck):
    """An effect was captured, so often."""

    word: ClassVar[str] = "effect"
    short: ClassVar[str | None] = "kind"
    kind: EffectKind
    """What kind of effect."""
    summary: TextMatcher = None
    """What its line in the transcript must be like. Left out: anything. Plain text means contains."""
    data: dict[Name, Matcher] = Field(default_factory=dict[Name, Matcher])
    """Conditions on its data, by dotted path."""
    at_least: int = Field(default=1, ge=0)
    """How many such effects there must be."""
    at_most: int | None = Field(default=None, ge=0)
    """How many such effects there may be."""
    exactly: int | None = Field(default=None, ge=0)
    """How many such effects there are, in place of `at_least` and `at_most`."""


class Order(WrittenCheck):
    """Each step happens, and later than the one before it; what happens in between does not matter (features.md H9)."""

    word: ClassVar[str] = "order"
    short: ClassVar[str | None] = "steps"
    whole: ClassVar[bool] = True
    steps: tuple[Step, ...] = Field(min_length=1)
    """The steps, in order."""


class Before(WrittenCheck):
    """`then` never happens without an earlier `first`; it need not happen at all."""

    word: ClassVar[str] = "before"
    first: Step
    """What has to happen earlier."""
    then: Step
    """What must not happen without it."""


class NeverAfter(WrittenCheck):
    """Once `after` has happened, `never` does not."""

    word: ClassVar[str] = "never_after"
    after: Step
    """From when on."""
    never: Step
    """What must not happen from then on."""


class Max(WrittenCheck):
    """No more than so much was spent; what is left out is not looked at."""

    word: ClassVar[str] = "max"
    seconds: float | None = Field(default=None, ge=0)
    """The agent's time over all turns, from each event to the end of its turn."""
    tokens: int | None = Field(default=None, ge=0)
    """The agent's tokens, its router's included: read, written and read from a cache."""
    turns: int | None = Field(default=None, ge=0)
    """The person's turns; the greeting is not one."""
    tool_calls: int | None = Field(default=None, ge=0)
    """Tool calls; `send_message` and `end_conversation` are not counted."""


class Sees(StrEnum):
    """What more a criterion lets the judge see."""

    CALLS = "calls"


class Judged(WrittenCheck):
    """A criterion in plain words, for the judge (features.md E2)."""

    word: ClassVar[str] = "judge"
    short: ClassVar[str | None] = "text"
    name: str = ""
    """A short name for reports."""
    text: Annotated[str, Limited("criterion_chars")] = Field(min_length=1)
    """What must hold, in plain words."""
    sees: Sees | None = None
    """`calls` shows the judge the answers of tools for this criterion."""


class Scored(WrittenCheck):
    """A scored criterion: passes at `at_least` or more (features.md E3)."""

    word: ClassVar[str] = "score"
    short: ClassVar[str | None] = "text"
    name: str = ""
    """A short name for reports."""
    text: Annotated[str, Limited("criterion_chars")] = Field(min_length=1)
    """What is scored, in plain words."""
    at_least: int = Field(default=70, ge=0, le=100)
    """The lowest score that passes, from 0 to 100."""
    sees: Sees | None = None
    """`calls` shows the judge the answers of tools for this criterion."""


class Says(WrittenCheck):
    """The last reply says in substance what this reference reply says; decided by the judge."""

    word: ClassVar[str] = "says"
    short: ClassVar[str | None] = "text"
    text: Annotated[str, Limited("criterion_chars")] = Field(min_length=1)
    """The reference reply."""


Check: TypeAlias = (
    Called
    | NotCalled
    | NoToolCalled
    | Reply
    | NeverSays
    | Mentions
    | PlaybookUsed
    | EndedByIs
    | StoppedBy
    | PersonIs
    | AppointmentIs
    | StateIs
    | EffectIs
    | Order
    | Before
    | NeverAfter
    | Max
)
Criterion: TypeAlias = Judged | Scored | Says
Expectation: TypeAlias = Check | Criterion

CHECKS: tuple[type[WrittenCheck], ...] = (
    Called,
    NotCalled,
    NoToolCalled,
    Reply,
    NeverSays,
    Mentions,
    PlaybookUsed,
    EndedByIs,
    StoppedBy,
    PersonIs,
    AppointmentIs,
    StateIs,
    EffectIs,
    Order,
    Before,
    NeverAfter,
    Max,
    Judged,
    Scored,
    Says,
)
"""Every word that may stand in `expect`."""

_BYWORD: Mapping[object, type[WrittenCheck]] = {check.word: check for check in CHECKS}


def _by_their_words(stored: object) -> object:
    """Stored entries as what their word says, so that nobody tries them as each check there is."""
    if not isinstance(stored, list | tuple):
        return stored
    return [_by_its_word(entry) for entry in cast("Sequence[object]", stored)]


def _by_its_word(stored: object) -> object:
    if not isinstance(stored, dict):
        return stored
    entry = cast("dict[str, object]", stored)
    check = _BYWORD.get(entry.get(WORD))
    return entry if check is None else check.model_validate(entry)


Expectations: TypeAlias = Annotated[tuple[Expectation, ...], BeforeValidator(_by_their_words)]
"""What stands under `expect`."""
