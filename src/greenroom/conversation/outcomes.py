"""Results: status, cause, badges, checks, verdicts, samples, runs (features.md H1; semantics: verdicts and reports)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from greenroom.conversation.calls import ToolCall
from greenroom.conversation.errands import ErrandDone
from greenroom.conversation.events import Event
from greenroom.conversation.turns import ENDED_BY, StopReason, Turn
from greenroom.conversation.usage import Role, Usage

__all__ = [
    "Badge",
    "CaseError",
    "CaseRollup",
    "Cause",
    "CheckOutcome",
    "CheckStatus",
    "Counts",
    "CriterionVerdict",
    "FailOn",
    "Given",
    "Interruption",
    "JudgeRecord",
    "PlannedSample",
    "RequestedBy",
    "RunStatus",
    "RunSummary",
    "SampleKey",
    "SampleResult",
    "Status",
    "UnderTest",
    "Verdict",
]


class Status(StrEnum):
    """Where a sample or a case stands."""

    QUEUED = "queued"
    RUNNING = "running"
    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


class Cause(StrEnum):
    """Who caused an error."""

    AGENT = "agent"
    JUDGE = "judge"
    SIMULATOR = "simulator"
    TEST = "test"
    PLATFORM = "platform"
    LIMIT = "limit"


class Badge(StrEnum):
    """Shown beside a status and independent of it."""

    NEEDS_REVIEW = "needs-review"
    NO_MOCK = "no-mock"
    LIVE_TEST = "live-test"
    """What the agent did was real: tools were called, a hand-over told the team, appointments were booked (C13)."""


class CheckStatus(StrEnum):
    """A check that could not be decided is `error`, never a pass (T10, P05)."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


class Verdict(StrEnum):
    """What the judge says of one criterion."""

    PASS = "pass"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseError:
    """Why there is no verdict."""

    cause: Cause
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutcome:
    """One check, decided by code."""

    check: str
    """The check as a person would write it, on one line."""
    status: CheckStatus
    detail: str = ""
    """Expected, got, the nearest call; empty when there is nothing to say."""
    turn: int | None = None
    """The turn it looked at, when it belongs to one script line."""

    @property
    def passed(self) -> bool:
        """Only a decided pass."""
        return self.status is CheckStatus.PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionVerdict:
    """One criterion, decided by the judge."""

    name: str
    text: str
    verdict: Verdict
    reason: str
    line: str = ""
    """The agent's line it rests on; verified to stand in the transcript (features.md H11)."""
    turn: int | None = None
    score: int | None = None
    """0 to 100, for a scored criterion."""
    at_least: int | None = None
    """What the score had to reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRecord:
    """The exact question the verdicts answer, and the raw answer (features.md H11)."""

    model: str
    prompt_version: str
    system: str
    question: str
    answer: str
    answered_as: str
    """`schema`, `tool` or `text`: how the structure was got (J06)."""
    repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleKey:
    """Which sample of which case. `attempt` counts from 1."""

    suite: str
    case: str
    sample: int = 1
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSample:
    """A sample that a run will play, and how its case is gated."""

    key: SampleKey
    case_hash: str
    """Names the case's definition in the store."""
    samples: int = 1
    """How many samples of this case the run plays."""
    need: int = 1
    """How many of them must pass."""
    name: str = ""
    """What people call the case; its id when empty."""
    known_failure: str = ""
    """Why the case is expected to fail; empty when it isn't."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One step of the history a case starts from: the person's event or the agent's words."""

    person: Event | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """Everything one run of one case left behind, but its turn records."""

    key: SampleKey
    status: Status
    badges: tuple[Badge, ...] = ()
    score: int | None = None
    stopped: StopReason | None = None
    error: CaseError | None = None
    duration_s: float = 0.0
    units: int = 0
    usage: Mapping[Role, Usage] = field(default_factory=dict[Role, Usage])
    checks: tuple[CheckOutcome, ...] = ()
    criteria: tuple[CriterionVerdict, ...] = ()
    history: tuple[Given, ...] = ()
    turns: tuple[Turn, ...] = ()
    errands: tuple[ErrandDone, ...] = ()
    """What left for real in a live test, and what came of it: the team told, mail, calendars."""
    forbidden: tuple[ToolCall, ...] = ()
    """Calls that went unanswered to tools which the case forbids: the agent's failure, so not listed as unanswered."""
    judge: JudgeRecord | None = None
    case_hash: str = ""
    note: str = ""
    """For skipped and cancelled samples: the reason."""

    @property
    def undelivered(self) -> int:
        """How much of what was to leave for real did not arrive."""
        return sum(not errand.arrived for errand in self.errands)

    @property
    def missed_taps(self) -> int:
        """How many scripted taps found nothing to tap, so that their fallback was said."""
        return sum(turn.missed is not None for turn in self.turns)

    @property
    def ended_by(self) -> str | None:
        """agent, person, transfer, or nobody."""
        return None if self.stopped is None else ENDED_BY.get(self.stopped)

    @property
    def unanswered(self) -> tuple[ToolCall, ...]:
        """Calls that nothing was prepared to answer, without those to forbidden tools (features.md C10)."""
        return tuple(call for _, call in self.unanswered_in_turns)

    @property
    def unanswered_in_turns(self) -> tuple[tuple[int, ToolCall], ...]:
        """The same, each with the index of its turn."""
        return tuple(
            (turn.index, call)
            for turn in self.turns
            for call in turn.calls
            if call.unanswered and call not in self.forbidden
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRollup:
    """A case with its samples folded."""

    suite: str
    case: str
    status: Status
    samples: int
    passed: int
    failed: int
    errored: int
    need: int
    """How many samples must pass."""
    cancelled: int = 0
    """Samples that never got to an end, those that never began included."""
    needs_review: bool = False
    no_mock: bool = False
    live_test: bool = False
    """What its agent did was real."""
    undelivered: int = 0
    """Of what was to leave for real, so much did not arrive."""
    missed_taps: int = 0
    """So many scripted taps found nothing to tap."""
    name: str = ""
    """What people call the case; its id when empty."""
    known_failure: str = ""
    """Why the case is expected to fail; empty when it isn't."""
    note: str = ""
    """Why it was skipped or cancelled."""
    score: int | None = None
    """The lowest of its samples."""
    units: int = 0
    """Of all samples and attempts."""
    unreported: int = 0
    """Calls that did not tell what they used, or only a part of it; the units then are the least it can be."""
    duration_s: float = 0.0
    """Of all samples and attempts, one after the other."""

    @property
    def decided(self) -> int:
        """Samples with a verdict."""
        return self.passed + self.failed

    @property
    def failed_as_known(self) -> bool:
        """It failed and was expected to: shown, and no reason for a bad exit code."""
        return bool(self.known_failure) and self.status is Status.FAILED

    @property
    def passed_unexpectedly(self) -> bool:
        """It passed although a failure was expected: the word `known_failure` can go."""
        return bool(self.known_failure) and self.status is Status.PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Cases by status; each case counts once, `needs_review` beside the others."""

    passed: int = 0
    failed: int = 0
    """Known failures are not among them."""
    known_failures: int = 0
    """Cases that failed and were expected to."""
    errored: int = 0
    needs_review: int = 0
    skipped: int = 0
    cancelled: int = 0
    waiting: int = 0
    """Cases that have not come to an end in a run that still goes or was broken off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedBy:
    """Who asked for a run, and by which way in."""

    via: str
    who: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderTest:
    """What was under test (features.md F11)."""

    behavior_hash: str = ""
    behavior_edited_at: str = ""
    build: str = ""
    agent_model: str = ""
    judge_model: str = ""
    judge_prompt: str = ""
    simulator_model: str = ""
    simulator_prompt: str = ""


class RunStatus(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    BROKEN_OFF = "broken_off"
    """Nobody is at work on it any more and nobody ended it. Never stored: it is found out when a run is read."""


class Interruption(StrEnum):
    """What ended a run from outside."""

    INTERRUPTED = "interrupted"
    """Ctrl-C."""
    TERMINATED = "terminated"
    """SIGTERM: a container that is stopped, a job that is cancelled."""
    HUNG_UP = "hung_up"
    """SIGHUP: the terminal is gone."""


class FailOn(StrEnum):
    """Where the gate stands (`--fail-on`; X02). Nothing moves exit codes 2, 4 and 130."""

    ANY = "any"
    FAIL = "fail"
    """Errors don't count, but a run in which nothing was decided is still 3."""
    ERROR = "error"
    """Failures don't count."""
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run without its results."""

    run_id: str
    status: RunStatus
    agent: str
    revision: str
    requested_by: RequestedBy
    started_at: str
    finished_at: str = ""
    counts: Counts = Counts()
    pass_rate: float | None = None
    """Passed ÷ (passed + failed) samples; None when nothing was decided."""
    units: int = 0
    tokens: int | None = None
    """All that are known of; None in runs of before they were summed."""
    unreported: int = 0
    """Calls that did not tell what they used, or only a part of it; the units then are the least it can be."""
    estimate_units: int | None = None
    """What it was expected to cost, when that was asked."""
    under_test: UnderTest = UnderTest()
    cases: tuple[CaseRollup, ...] = ()
    interrupted: Interruption | None = None
    """Set when it was ended from outside."""
    fail_on: FailOn = FailOn.ANY
    """Where its gate stands; any too in runs of before it was kept."""
    rate_limited_s: float = 0.0
    """For so long calls were held back by rate limits of providers; those of several at once count once."""
    stopped_why: str = ""
    """Why the rest was not run: a provider's quota is used up, or it wants to be left alone for long."""
