"""The whole exception tree. Nothing stands below it; every package raises from here.

    GreenroomError
    ├── UsageError                 a person asked for something that can't be done: exit 2
    │   ├── DocumentsInvalid       findings in what people wrote, all at once
    │   ├── NothingSelected        a selector that matches nothing
    │   │   └── SelectionEmpty     one that is written rightly and holds no case
    │   ├── AgentUnclear           no agent, or several, for this selection
    │   ├── JudgeMissing           criteria without a judge
    │   ├── SimulatorMissing       a simulated person without a model that plays it
    │   ├── ModelSpecInvalid       a model that can't be opened as it is written
    │   ├── NothingToTap           a tap on what the agent doesn't show
    │   ├── PatternRefused         a regular expression we won't run
    │   ├── NotFound               an id that the store doesn't have
    │   ├── TimeTaken              somebody else has this time
    │   └── EventRefused           a channel's event that is not taken; nothing of it is kept
    │       ├── NotSigned          no signature, a wrong or an old one
    │       ├── EventMalformed     it is no JSON, or never came to its end
    │       ├── EventUnreadable    it is no event as the schema has it
    │       ├── EventTooLarge      longer than an event may be
    │       ├── EventNotJson       it says itself that it is something else, or packed
    │       ├── MessageIdTaken     another event has its message id
    │       ├── ConversationTaken  the conversation that it names is somebody else's
    │       ├── SessionOver        the widget's token is no token of ours, or old
    │       └── TooManyWaiting     so many events of this conversation wait that no more are taken
    ├── OutputFault                standard output or a report's file can't be written
    ├── LimitReached               more than a limit lets run: exit 4
    ├── StoreError                 the database can't be used now
    │   ├── StoreLocked            another process holds it
    │   ├── StoreFull              the disk is full
    │   └── HoldLost               a conversation that was served too slowly is somebody else's by now
    ├── CalendarUnreachable        a calendar of the business that can't be read or written now
    ├── NotLive                    an agent that answers no event now: nothing is published, or it can't be served
    ├── NotServed                  an event that is kept, but serving it broke off
    ├── ModelFault                 a model call ended without a usable answer
    │   ├── ModelUnreachable       connection, time limit or 5xx, after the retries
    │   ├── ModelRejected          the provider refused the request (4xx): never retried
    │   ├── ScriptAtFault          a script has no answer prepared: whoever wrote it has to mend it
    │   └── ModelMalformed         an answer that is no answer, after one repair
    ├── PatternTimeout             a regular expression that ran over its bound
    └── CaseFault                  a conversation broke off; carries its cause

Classes carry fields and build their own message; exit code and HTTP status come from the class. Two stand where the
words are that they carry: `store.timers.NotSaid`, and `operations.live_agents.ChannelNotReady`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

__all__ = [
    "AgentUnclear",
    "CalendarUnreachable",
    "CaseFault",
    "ConversationTaken",
    "DocumentsInvalid",
    "EventMalformed",
    "EventNotJson",
    "EventRefused",
    "EventTooLarge",
    "EventUnreadable",
    "GreenroomError",
    "HoldLost",
    "JudgeMissing",
    "LimitReached",
    "MessageIdTaken",
    "ModelFault",
    "ModelMalformed",
    "ModelRejected",
    "ModelSpecInvalid",
    "ModelUnreachable",
    "NotFound",
    "NotLive",
    "NotServed",
    "NotSigned",
    "NothingSelected",
    "NothingToTap",
    "OutputFault",
    "PatternRefused",
    "PatternTimeout",
    "ScriptAtFault",
    "SelectionEmpty",
    "SessionOver",
    "SimulatorMissing",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "TimeTaken",
    "TooManyWaiting",
    "UsageError",
]


class GreenroomError(Exception):
    """Anything that Greenroom tells a person about itself. Its text is the message, ready to print."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 500


class UsageError(GreenroomError):
    """What was asked for can't be done as it was asked; the message says what to do instead."""

    http_status: ClassVar[int] = 400


class DocumentsInvalid(UsageError):
    """Errors in what people wrote. Every finding prints as one line `file:line:column: message`."""

    http_status: ClassVar[int] = 422

    def __init__(self, findings: Sequence[object]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


class NothingSelected(UsageError):
    """A selection that matches no case (field lessons X10, X11)."""


class SelectionEmpty(NothingSelected):
    """A selection that is written rightly and holds no case; a person may permit it."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{message} (--allow-empty permits an empty selection)")


class AgentUnclear(UsageError):
    """The selection names no agent or several; the message lists them."""

    def __init__(self, agents: Sequence[str]) -> None:
        self.agents = tuple(agents)
        several = f"belongs to several agents ({', '.join(self.agents)});"
        none = "names no agent; write `agents: [ID]` in the suite or"
        super().__init__(f"the selection {several if self.agents else none} choose one with --agent ID")


class JudgeMissing(UsageError):
    """Criteria were selected and no judge is configured; the agent's model is never taken (J21, S22)."""

    def __init__(self, case: str) -> None:
        self.case = case
        super().__init__(
            f"{case} has criteria and no judge is configured; write `models: {{judge: provider:name}}` "
            "in greenroom.yaml or pass --judge MODEL (the agent's own model is never used as its judge)"
        )


class SimulatorMissing(UsageError):
    """A person is to be simulated and no simulator is configured; no other role's model is ever taken (S22)."""

    def __init__(self, case: str) -> None:
        self.case = case
        super().__init__(
            f"{case} simulates a person and no simulator is configured; write `models: {{simulator: provider:name}}` "
            "in greenroom.yaml or pass --simulator MODEL (neither the agent's model nor the judge's plays the person)"
        )


class ModelSpecInvalid(UsageError):
    """A model that can't be opened: unknown provider, missing key, missing extra, missing file."""


class NothingToTap(UsageError):
    """A tap on something that the agent doesn't show; nothing was sent."""

    def __init__(self, label: str, there: Sequence[str]) -> None:
        self.label = label
        self.there = tuple(there)
        offered = f"there are: {', '.join(there)}" if there else "the agent shows nothing to tap now"
        super().__init__(f"nothing to tap is called {label!r}; {offered} (begin with `\\[` to say it in these words)")


def _beginning(pattern: str) -> str:
    return pattern if len(pattern) <= 120 else f"{pattern[:117]}..."


class PatternRefused(UsageError):
    """A regular expression that isn't JavaScript's without Unicode mode (features.md C12)."""

    def __init__(self, pattern: str, why: str) -> None:
        self.pattern = pattern
        self.why = why
        super().__init__(f"regular expression {_beginning(pattern)!r}: {why}")


class NotFound(UsageError):
    """An id that names nothing stored."""

    http_status: ClassVar[int] = 404

    def __init__(self, what: str, name: str, near: str | None = None, *, within: str = "", hint: str = "") -> None:
        self.what = what
        self.name = name
        hint = hint if near is None else f"; did you mean {near!r}?"
        begin = f"{within} has no" if within else "there is no"
        super().__init__(f"{begin} {what} {name!r}{hint}")


class TimeTaken(UsageError):
    """An appointment at a time that isn't free any more."""

    http_status: ClassVar[int] = 409

    def __init__(self, start: str) -> None:
        super().__init__(f"{start} is taken")


class CalendarUnreachable(GreenroomError):
    """A calendar of the business that can't be read or written now; the reason holds no address and no password."""

    http_status: ClassVar[int] = 503

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"the calendar can't be reached: {why}")


class OutputFault(GreenroomError):
    """What was to be shown can't be written: a full disk, a terminal that is gone."""

    exit_code: ClassVar[int] = 3

    def __init__(self, what: str, why: str, advice: str = "") -> None:
        super().__init__(f"{what}: {why}" + (f"; {advice}" if advice else ""))


class LimitReached(GreenroomError):
    """A limit on how much may be run; nothing was begun. The message names the limit and what fits."""

    exit_code: ClassVar[int] = 4
    http_status: ClassVar[int] = 429


class EventRefused(UsageError):
    """An event that is not taken; nothing of it is kept."""


class NotSigned(EventRefused):
    """No signature, a wrong one, or one of another time. The message never says what the right one would be."""

    http_status: ClassVar[int] = 401

    def __init__(self, why: str) -> None:
        super().__init__(f"the signature is not accepted: {why}")


class EventMalformed(EventRefused):
    """It is no JSON, or never came to its end."""


class EventUnreadable(EventRefused):
    """It is no event as the published schema has it; with everything that is wrong, and where."""

    http_status: ClassVar[int] = 422

    def __init__(self, faults: Mapping[str, str]) -> None:
        """`faults`: what is wrong, in words, by where: a JSON pointer."""
        self.faults = faults
        super().__init__(f"this is no event: {'; '.join(faults.values())}")


class EventTooLarge(EventRefused):
    """More bytes than an event may have."""

    http_status: ClassVar[int] = 413

    def __init__(self, most: int) -> None:
        self.most = most
        super().__init__(f"the body is longer than the {most} bytes that an event may have")


class EventNotJson(EventRefused):
    """A body that says itself that it is no JSON, or that it is packed."""

    http_status: ClassVar[int] = 415

    def __init__(self, found: str) -> None:
        super().__init__(f"the body is {found}; an event is JSON, unpacked (Content-Type: application/json)")


class MessageIdTaken(EventRefused):
    """A message id that came with another event before: one of the two would be lost."""

    http_status: ClassVar[int] = 409

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        super().__init__(
            f"the message id {message_id!r} came with another event before; give each event an id of its own"
        )


class ConversationTaken(EventRefused):
    """A conversation with somebody else."""

    http_status: ClassVar[int] = 409

    def __init__(self, conversation: str) -> None:
        self.conversation = conversation
        super().__init__(
            f"the conversation {conversation!r} is with another identity; leave `conversation` out, or name another"
        )


class SessionOver(EventRefused):
    """A widget's token that is no token of ours, or an old one."""

    http_status: ClassVar[int] = 401

    def __init__(self) -> None:
        super().__init__("this session is over; load the page again to begin a new one")


class TooManyWaiting(EventRefused):
    """A conversation whose person writes faster than the agent answers."""

    http_status: ClassVar[int] = 429

    def __init__(self, most: int) -> None:
        self.most = most
        super().__init__(f"{most} events of this conversation are waiting to be answered; send it again in a moment")


class NotServed(GreenroomError):
    """Serving an event broke off. It is kept, and may be delivered again."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 502

    def __init__(self, message_id: str, why: str) -> None:
        self.message_id = message_id
        super().__init__(f"the event {message_id!r} was not answered: {why}")


class NotLive(GreenroomError):
    """An agent that answers no event now."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503

    def __init__(self, agent: str, why: str) -> None:
        self.agent = agent
        super().__init__(f"agent {agent!r} is not live: {why}")


class StoreError(GreenroomError):
    """The database can't be used; nothing that was saved is lost."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503


class StoreLocked(StoreError):
    """Another process held the database for longer than we wait."""


class StoreFull(StoreError):
    """The disk that holds the database is full."""


class HoldLost(StoreError):
    """A turn took so long without a sign of life that somebody else has what it held: its conversation, or a time."""

    def __init__(self, conversation: str, why: str = "is served by another process by now") -> None:
        self.conversation = conversation
        super().__init__(f"the conversation {conversation!r} {why}; nothing was kept")


class ModelFault(GreenroomError):
    """A model call that ended without a usable answer. The caller knows whose fault that is."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 502

    def __init__(self, model: str, why: str, *, attempts: int = 1) -> None:
        self.model = model
        self.why = why
        self.attempts = attempts
        tries = f" (after {attempts} tries)" if attempts > 1 else ""
        super().__init__(f"{model}: {why}{tries}")


class ModelUnreachable(ModelFault):
    """No answer: connection refused, time limit, 429 or 5xx until the retries were used up."""


class ModelRejected(ModelFault):
    """The provider answered that it won't do this: bad key, unknown model, quota gone, context too long."""


class ScriptAtFault(ModelFault):
    """A `script:` model whose rules have no answer; the message says what to write. A fault on purpose is none."""


class ModelMalformed(ModelFault):
    """The provider answered, but not with something that can be read as what was asked for."""


class PatternTimeout(GreenroomError):
    """A regular expression ran over its bound; the process stays usable (features.md C12)."""

    exit_code: ClassVar[int] = 3

    def __init__(self, pattern: str, seconds: float) -> None:
        self.pattern = pattern
        self.seconds = seconds
        super().__init__(f"regular expression {_beginning(pattern)!r} took longer than {seconds:g} s; make it simpler")


class CaseFault(GreenroomError):
    """A conversation broke off. `cause` and `stopped` are values of `conversation.outcomes` and `.turns`."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 502

    def __init__(self, cause: str, message: str, *, stopped: str) -> None:
        self.cause = cause
        self.message = message
        self.stopped = stopped
        super().__init__(message)
