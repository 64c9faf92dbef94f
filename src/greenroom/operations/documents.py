"""Checking what people wrote, and the schemas of it."""

from collections.abc import Mapping
from pathlib import Path

from greenroom.authoring.lint import lint
from greenroom.conversation.json_values import Json
from greenroom.documents.findings import Finding
from greenroom.documents.loading import find_project, load_project
from greenroom.documents.schemas import document_schema
from greenroom.errors import DocumentsInvalid
from greenroom.reports.schema import report_schema

__all__ = ["SCHEMAS", "lint_documents", "schema_of"]

SCHEMAS = ("agent", "suite", "customer", "project", "report")
"""What `greenroom schema` can print."""


def lint_documents(folder: Path, paths: tuple[Path, ...], environment: Mapping[str, str]) -> tuple[Finding, ...]:
    """All findings of the project, or those about `paths`. Raises `UsageError` where there is no project."""
    root = find_project(folder)
    try:
        findings = lint(load_project(root, environment=environment))
    except DocumentsInvalid as invalid:
        findings = tuple(finding for finding in invalid.findings if isinstance(finding, Finding))
    if not paths:
        return tuple(findings)
    wanted = [path.resolve() for path in paths]
    return tuple(f for f in findings if any((root / f.file).resolve().is_relative_to(path) for path in wanted))


def schema_of(kind: str) -> Mapping[str, Json]:
    """The JSON Schema of a document kind, or of the report."""
    return report_schema() if kind == "report" else document_schema(kind)
