"""What is wrong in a file that people wrote, and where: `file:line:column: message`."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Finding", "Severity", "errors_of", "sorted_findings", "warnings_of"]


class Severity(StrEnum):
    """Whether a finding stops a run (semantics: two levels of lint)."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong (error) or that is worth a look (warning)."""

    file: str
    """Relative to the project, with forward slashes."""
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    message: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """One line, as it is printed."""
        mark = "warning: " if self.severity is Severity.WARNING else ""
        return f"{self.file}:{self.line}:{self.column}: {mark}{self.message}"


def sorted_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, in the order of the files and of the lines in them."""
    return tuple(sorted(dict.fromkeys(findings), key=lambda found: (found.file, found.line, found.column)))


def errors_of(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that stop a run."""
    return tuple(finding for finding in findings if finding.severity is Severity.ERROR)


def warnings_of(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those that never do."""
    return tuple(finding for finding in findings if finding.severity is Severity.WARNING)
