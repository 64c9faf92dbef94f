"""Checking what people wrote, and the schemas of it."""

from collections.abc import Mapping
from pathlib import Path

from greenroom.authoring.lint import lint
from greenroom.authoring.looked_at import findings_about
from greenroom.authoring.model_rules import model_findings
from greenroom.authoring.notification_rules import notification_findings
from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.documents.findings import Finding, sorted_findings
from greenroom.documents.loading import find_project, read_project
from greenroom.documents.schemas import document_schema
from greenroom.reports.schema import report_schema

__all__ = ["SCHEMAS", "lint_documents", "schema_of"]

SCHEMAS = ("agent", "suite", "customer", "project", "report")
"""What `greenroom schema` can print."""


def lint_documents(
    folder: Path, paths: tuple[str, ...], here: Path, environment: Mapping[str, str], clock: Clock
) -> tuple[Finding, ...]:
    """All findings of the project, or those about `paths`, which begin `here`.

    Raises `UsageError` where there is no project, and for a path that names none of its documents.
    """
    project = read_project(find_project(folder), environment=environment)
    of_others = (*model_findings(project), *notification_findings(project))
    findings = sorted_findings((*lint(project, now=clock.now()), *of_others))
    return findings_about(project, findings, paths, here) if paths else findings


def schema_of(kind: str) -> Mapping[str, Json]:
    """The JSON Schema of a document kind, or of the report."""
    return report_schema() if kind == "report" else document_schema(kind)
