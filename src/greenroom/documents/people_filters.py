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

__all__ = ["changes_from", "conditions_from"]

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


def changes_from(pairs: Iterable[str]) -> Mapping[str, Json]:
    """What `FIELD=VALUE` pairs say; a value is read as YAML: `6`, `true`, `null`, `[a, b]`, or text as it stands.

    Raises:
        UsageError: a pair has no `=`, or its value can't be read.
    """
    return dict(_change(pair) for pair in pairs)


def _change(pair: str) -> tuple[str, Json]:
    name, equals, written = pair.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{pair!r} sets nothing; write FIELD=VALUE, such as status=lead or fields.party_size=6")
    if name.strip() in CORE_FIELDS:
        return name.strip(), written
    document = read_yaml(written)
    reading = Reading(file="value")
    value = _DATA.read(document.root, reading) if document.root is not None and not document.problems else REFUSED
    if value is REFUSED:
        raise UsageError(f"the value in {pair!r} can't be read as YAML; put text with signs in it between quotes")
    return name.strip(), value
