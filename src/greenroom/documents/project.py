"""The project document `greenroom.yaml` (documents.md: project; semantics: limits)."""

from typing import Annotated, TypeAlias

from annotated_types import MinLen
from pydantic import Field

from greenroom.documents.agent import ModelChoice
from greenroom.documents.parts import Doc, FilledFromEnvironment, Id, Matcher, Name

__all__ = ["Limits", "ModelRoles", "Project", "Segment"]


class ModelRoles(Doc):
    """Which model plays which part; an agent names its own."""

    judge: ModelChoice | None = None
    router: ModelChoice | None = None
    simulator: ModelChoice | None = None
    author: ModelChoice | None = None


class Limits(Doc):
    """Every limit by name, with its default (features.md B11, D4, F6)."""

    case_name_chars: int = Field(default=60, ge=1)
    line_chars: int = Field(default=1000, ge=1)
    criterion_chars: int = Field(default=1000, ge=1)
    criteria: int = Field(default=10, ge=1)
    required_actions: int = Field(default=10, ge=1)
    turns: int = Field(default=20, ge=1)
    turns_max: int = Field(default=40, ge=1)
    samples_max: int = Field(default=20, ge=1)
    reply_seconds: float = Field(default=75.0, gt=0)
    settle_seconds: float = Field(default=30.0, ge=0)
    run_minutes: float = Field(default=13.0, gt=0)
    tool_rounds: int = Field(default=12, ge=1)
    case_units: int = Field(default=8, ge=1)
    script_lines: int | None = Field(default=None, ge=1)


Segment: TypeAlias = Annotated[dict[Name, Matcher], MinLen(1)]
"""Conditions that must all hold: paths of a person, such as `status` or `fields.party_size`, with matchers."""


class Project(Doc):
    """A project: where its documents stand and what they share."""

    workspace: str = "default"
    database: FilledFromEnvironment = "sqlite:///.greenroom/greenroom.db"
    models: ModelRoles = ModelRoles()
    limits: Limits = Limits()
    time_zone: str = "UTC"
    concurrency: int = Field(default=8, ge=1, le=1000)
    segments: dict[Id, Segment] = Field(default_factory=dict[Id, Segment])
    """Groups of people by name; whoever fits now is in one."""
