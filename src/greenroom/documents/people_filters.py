"""Conditions on people as somebody writes them in a line: `status: lead, fields.party_size: {at_least: 4}`.

The same form that reads the segments of a project reads them.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import cast

from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CORE_FIELDS
from greenroom.documents.findings import errors_of
from greenroom.documents.forms import JsonForm, MapForm, name_rule
from greenroom.documents.matcher_forms import MatcherForm
from greenroom.documents.people_values import path_fault
from greenroom.documents.reading import REFUSED, Reading
from greenroom.documents.yaml12 import read_yaml
from greenroom.errors import UsageError

__all__ = ["FIELDS", "changes_from", "conditions_from"]

FIELDS = "fields."
"""May stand before the name of a declared field."""

_DATA = JsonForm()
_FORM = MapForm(MatcherForm(), name_rule, least=1)
_EXAMPLE = "status: lead, fields.party_size: {at_least: 4}"


def conditions_from(text: str, declared: Collection[str]) -> Mapping[str, Json]:
    """The conditions that a line of YAML says, with or without its outer braces.

    Args:
        text: What somebody wrote.
        declared: The people fields that there are.

    Raises:
        UsageError: it can't be read, or names what no person has; says what to write.
    """
    written = text.strip()
    document = read_yaml(written if written.startswith("{") else f"{{{written}}}")
    if document.problems or document.root is None:
        why = "; ".join(problem.message for problem in document.problems)
        raise UsageError(f"the condition {text!r} can't be read: {why}; write it like {_EXAMPLE!r}")
    reading = Reading(file="condition")
    read = _FORM.read(document.root, reading)
    faults = [finding.message for finding in errors_of(reading.findings)]
    if read is REFUSED or faults:
        raise UsageError(f"the condition {text!r}: {'; '.join(faults)}; write it like {_EXAMPLE!r}")
    conditions = cast("Mapping[str, Json]", read)
    wrong = [fault for path in conditions if (fault := path_fault(path, declared)) is not None]
    if wrong:
        raise UsageError(f"the condition {text!r}: {'; '.join(wrong)}")
    return conditions


def changes_from(pairs: Iterable[str], texts: Collection[str]) -> Mapping[str, Json]:
    """What `FIELD=VALUE` pairs say; whether a field can hold its value is decided by whoever sets it.

    Args:
        pairs: What somebody wrote. Where a field holds text, its value is the text as it stands, without quotes around
            it in a declared one; else it is read as YAML: `6`, `true`, `[a, b]`. `null`, or nothing, empties a declared
            field.
        texts: The declared fields that hold text.

    Raises:
        UsageError: a pair has no `=`.
    """
    return dict(_change(pair, texts) for pair in pairs)


def _change(pair: str, texts: Collection[str]) -> tuple[str, Json]:
    name, equals, written = pair.partition("=")
    name = name.strip().removeprefix(FIELDS)
    if not equals or not name:
        raise UsageError(f"{pair!r} sets nothing; write FIELD=VALUE, such as status=lead or fields.party_size=6")
    if name in CORE_FIELDS:
        return name, written
    document = read_yaml(written)
    value = _DATA.read(document.root, Reading(file="value")) if document.root is not None else REFUSED
    if value is REFUSED or document.problems:
        # As it stands, it is told to whoever wrote it, with what the field can hold.
        return name, written.strip()
    return name, value if name not in texts or value is None or isinstance(value, str) else written.strip()
