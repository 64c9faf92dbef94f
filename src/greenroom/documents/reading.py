"""What goes along while one document is read: its file, its limits, and what was found wrong so far."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from greenroom.documents.findings import Finding, Severity
from greenroom.documents.parts import Doc
from greenroom.documents.project import Limits
from greenroom.documents.vacuous_patterns import matches_anything
from greenroom.documents.yaml12 import Written, YamlList, YamlMap
from greenroom.errors import PatternRefused, PatternTimeout
from greenroom.patterns import check_pattern

__all__ = ["REFUSED", "Reading", "Refused", "colon_hint", "key_at", "shown"]


class Refused(Enum):
    """What a form gives back when it could not read a value; the findings say why."""

    REFUSED = "refused"


REFUSED: Final = Refused.REFUSED

_SHOWN_CHARS = 40


def shown(written: Written) -> str:
    """A value in a message: `the text 'x'`, `the number 5`, `a list`."""
    value, text = written.value, written.text
    if isinstance(value, YamlMap):
        return "a mapping"
    if isinstance(value, YamlList):
        return "a list"
    if value is None and not text:
        return "nothing"
    cut = (text or "") if len(text or "") <= _SHOWN_CHARS else (text or "")[:_SHOWN_CHARS] + "…"
    if isinstance(value, str):
        return f"the text {cut!r}"
    return f"the number {cut}" if isinstance(value, (int, float)) and not isinstance(value, bool) else cut


def colon_hint(written: Written) -> str:
    """How to write a text that is a mapping to YAML since it has a colon and a space in it; empty for anything else."""
    mapping = written.value
    if not isinstance(mapping, YamlMap) or len(mapping) != 1:
        return ""
    ((key, _, value),) = mapping.entries()
    return "" if value.text is None else f"; quote a text with a colon in it: '{key}: …'"


def key_at(mapping: Written, key: str) -> int:
    """Where a key of a mapping stands; without that key, where the mapping stands."""
    if isinstance(mapping.value, YamlMap) and key in mapping.value:
        return mapping.value.key_at(key)
    return mapping.at


_ENVIRONMENT_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(slots=True)
class Reading:
    """The reading of one document. Collects findings; nothing is raised for what is written."""

    file: str
    """Relative to the project, as findings name it."""
    limits: Limits = field(default_factory=Limits)
    time_zone: str = "UTC"
    """The project's, which an agent has that names none."""
    root: Path | None = None
    """The project's folder; None: this document stands alone and names no files."""
    folder: Path | None = None
    """The folder that paths in this document are relative to."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    findings: list[Finding] = field(default_factory=list[Finding])
    unfilled: list[Finding] = field(default_factory=list[Finding])
    """`${NAME}` without a value: an error of lint, but a document can be read without it."""

    partly: Doc | None = None
    """A document with errors, as far as it could be read."""
    taken: dict[str, object] = field(default_factory=dict[str, object])
    """Cases that were read while the file was, by id; their text is not in memory any more."""
    _texts: dict[str, str] = field(default_factory=dict[str, str])
    _names: dict[frozenset[str], set[str]] = field(default_factory=dict[frozenset[str], set[str]])
    _refusals: dict[tuple[str, bool], str | None] = field(default_factory=dict[tuple[str, bool], str | None])
    """A suite writes few patterns many times, and each look costs the engine some."""
    _vacuous: dict[str, bool] = field(default_factory=dict[str, bool])

    def error(self, at: int, message: str) -> Refused:
        """Note an error; gives back `REFUSED`, for forms to return."""
        self.findings.append(self._finding(at, message, Severity.ERROR))
        return REFUSED

    def warn(self, at: int, message: str) -> None:
        """Note something that is worth a look."""
        self.findings.append(self._finding(at, message, Severity.WARNING))

    def wants_environment(self, at: int, text: str, *, secret: bool = False) -> None:
        """Note each `${NAME}` of a text that has no value (P20); a secret's can't be written out in its place."""
        for name in _ENVIRONMENT_NAME.findall(text):
            if name not in self.environment:
                instead = " where Greenroom runs" if secret else f", or write the value in place of ${{{name}}}"
                message = f"the environment variable {name} is not set; set it{instead}"
                self.unfilled.append(self._finding(at, message, Severity.ERROR))

    def text_once(self, text: str) -> str:
        """The same text, kept once for the whole document: criteria repeat from case to case."""
        return self._texts.setdefault(text, text)

    def names_once(self, names: Iterable[str]) -> set[str]:
        """The names of the keys that were written, one set for all models that have the same; nobody changes it."""
        key = frozenset(names)
        found = self._names.get(key)
        if found is None:
            found = self._names[key] = set(key)
        return found

    def pattern_refusal(self, source: str, *, parameters: bool = False) -> str | None:
        """Why a regular expression is refused (features.md C12); None when it is fine."""
        known = (source, parameters)
        if known not in self._refusals:
            try:
                check_pattern(source, parameters=parameters)
                self._refusals[known] = None
            except (PatternRefused, PatternTimeout) as refused:
                self._refusals[known] = str(refused)
        return self._refusals[known]

    def fits_everything(self, source: str) -> bool:
        """Whether a regular expression that is fine proves nothing (P07)."""
        if source not in self._vacuous:
            self._vacuous[source] = matches_anything(source)
        return self._vacuous[source]

    def _finding(self, at: int, message: str, severity: Severity) -> Finding:
        place = Written(None, at)
        return Finding(file=self.file, line=place.line, column=place.column, message=message, severity=severity)
