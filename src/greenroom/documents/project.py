"""The project document `greenroom.yaml` (documents.md: project; semantics: limits)."""

from typing import Literal

from pydantic import Field

from greenroom.documents.agent import ModelChoice
from greenroom.documents.mail import MailSettings
from greenroom.documents.parts import Doc, FilledFromEnvironment, Id, Segment

__all__ = ["Limits", "ModelRoles", "Project"]


class ModelRoles(Doc):
    """Which model plays which part; an agent names its own."""

    judge: ModelChoice | None = None
    """Decides criteria. Without it a run of cases with criteria is refused."""
    router: ModelChoice | None = None
    """Chooses the playbook of a turn. Left out: the agent's own model."""
    simulator: ModelChoice | None = None
    """Plays simulated people. Without it a run of cases with `simulate` is refused."""
    author: ModelChoice | None = None
    """Writes tests; no command asks it yet."""


class Limits(Doc):
    """Every limit by name, with its default (features.md B11, D4, F6)."""

    case_name_chars: int = Field(default=60, ge=1)
    """Characters of a case's name."""
    line_chars: int = Field(default=1000, ge=1)
    """Characters of one line of the person."""
    criterion_chars: int = Field(default=1000, ge=1)
    """Characters of one criterion."""
    criteria: int = Field(default=10, ge=1)
    """Criteria of one case."""
    required_actions: int = Field(default=10, ge=1)
    """Required calls of one case."""
    turns: int = Field(default=20, ge=1)
    """Turns that a case should have at most; more are a warning.

    Also where a simulated person stops unless it says otherwise.
    """
    turns_max: int = Field(default=40, ge=1)
    """Turns that a case may have at most."""
    samples_max: int = Field(default=20, ge=1)
    """Samples of one case."""
    reply_seconds: float = Field(default=75.0, gt=0)
    """Seconds that one reply may take, without what a run waits for a provider's rate limit."""
    settle_seconds: float = Field(default=30.0, ge=0)
    """Seconds to wait for further messages of a turn."""
    run_minutes: float = Field(default=13.0, gt=0)
    """Minutes that one sample may take, without the same."""
    tool_rounds: int = Field(default=12, ge=1)
    """How often in a row the agent may call tools in one turn."""
    case_units: int = Field(default=8, ge=1)
    """Units that one sample may cost."""
    script_lines: int | None = Field(default=None, ge=1)
    """Lines of one script. Left out: only `turns_max` holds."""
    tests: int | None = Field(default=None, ge=1)
    """Cases of the whole project. Left out: as many as there are."""
    run_all_tests: int | None = Field(default=None, ge=1)
    """Cases that a run without a selection may play. Left out: all."""
    runs_per_hour: int | None = Field(default=None, ge=1)
    """Conversations that may be begun in an hour, whatever runs they belong to. Left out: as many as you like."""
    own_messages: int = Field(default=100, ge=1)
    """Messages that agents send by themselves in one minute: so many of outreach, of follow-ups and of reminders."""
    profile: Literal["visitor"] | None = None
    """`visitor`: small limits for tests that anybody may write; what is written beside it goes first.

    8 script lines, 50 tests, 20 in a run of all, 60 conversations an hour.
    """

    def settled(self) -> "Limits":
        """These limits with those of their profile where nothing else is written."""
        if self.profile is None:
            return self
        return self.model_copy(update={k: v for k, v in _VISITOR.items() if k not in self.model_fields_set})


_VISITOR = {"script_lines": 8, "tests": 50, "run_all_tests": 20, "runs_per_hour": 60}


class Project(Doc):
    """A project: where its documents stand and what they share."""

    workspace: str = "default"
    """Whose results these are; projects that share a database keep theirs apart by it."""
    database: FilledFromEnvironment = "sqlite:///.greenroom/greenroom.db"
    """Where results are kept: SQLite or PostgreSQL. May hold `${NAME}`; the variable GREENROOM_DATABASE goes first."""
    models: ModelRoles = ModelRoles()
    """Which model plays which part."""
    limits: Limits = Limits()
    """Limits of all cases."""
    mail: MailSettings | None = None
    """How mail leaves. Without it mail waits; in a test none is sent."""
    time_zone: str = "UTC"
    """The time zone of agents that name none, such as `America/Chicago`."""
    concurrency: int = Field(default=8, ge=1, le=1000)
    """Conversations at a time."""
    segments: dict[Id, Segment] = Field(default_factory=dict[Id, Segment])
    """Groups of people by name; whoever fits now is in one."""
