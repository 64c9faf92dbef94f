"""A script of rules from its file, with every problem as `file:line:column: message`."""

from pathlib import Path
from typing import Final, cast

from greenroom.documents.findings import Finding, errors_of
from greenroom.documents.matcher_forms import MatcherForm
from greenroom.documents.model_forms import Forms, value_of
from greenroom.documents.parts import Doc, Meant
from greenroom.documents.reading import Reading
from greenroom.documents.yaml12 import Written, YamlList, YamlMap, read_yaml
from greenroom.errors import DocumentsInvalid, ModelSpecInvalid
from greenroom.models.script_answers import template_problem
from greenroom.models.script_document import FaultKind, Rule, Script

__all__ = ["ScriptFile", "read_script"]

_NEVER_PASSES: Final = frozenset({
    FaultKind.QUOTA,
    FaultKind.REJECTED,
    FaultKind.CONTEXT_OVERFLOW,
    FaultKind.REFUSAL,
    FaultKind.EMPTY,
})


class ScriptFile:
    """A file of rules that people edit while somebody answers by it; each method blocks while it reads."""

    def __init__(self, path: Path, shown: str) -> None:
        self._path = path
        self._shown = shown
        self._stamp: tuple[int, int] | None = None

    def read(self) -> Script:
        """What it says. Raises as `read_script`."""
        # Before it is read: an edit meanwhile is then seen the next time.
        stamp = self._stamped()
        script = read_script(self._path, self._shown)
        self._stamp = stamp
        return script

    def edited(self) -> Script | None:
        """What it says now when it isn't as it was read last; an edit is told by the file's time and size."""
        return None if self._stamp is not None and self._stamped() == self._stamp else self.read()

    def _stamped(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


def read_script(path: Path, shown: str) -> Script:
    """The script in a file that messages call `shown`; blocks while it reads.

    Raises:
        ModelSpecInvalid: there is no such file.
        DocumentsInvalid: something in it is wrong; all of it at once.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelSpecInvalid(f"model 'script:{shown}': can't read {path}: {error.strerror or error}") from error
    document = read_yaml(data)
    reading = Reading(file=shown)
    for problem in document.problems:
        reading.findings.append(Finding(file=shown, line=problem.line, column=problem.column, message=problem.message))
    script: object = None
    if not document.problems:
        script = _FORM.read(document.root or Written(None, 0), reading)
    if errors_of(reading.findings):
        raise DocumentsInvalid(errors_of(reading.findings))
    return cast("Script", script)


def _rule_answers(model: Doc, written: Written, reading: Reading) -> bool:
    """A rule answers one thing, and its templates can be filled."""
    rule = cast("Rule", model)
    before = len(reading.findings)
    words = rule.reply is not None or bool(rule.calls)
    played = rule.say is not None or rule.tap is not None or rule.end is not None
    kinds = sum((words, rule.output is not None, bool(rule.verdicts), played))
    if not kinds and rule.fault is None:
        reading.error(
            written.at, "this rule answers nothing; give it reply, calls, say, tap, end, output, verdicts or fault"
        )
    if kinds > 1:
        reading.error(
            written.at,
            "a rule answers with reply and calls, or say, tap and end, or output, or verdicts, never with two of them",
        )
    if rule.fault is not None:
        _fault_makes_sense(rule, written, reading, answers=kinds > 0)
    for key in ("reply", "calls", "say", "tap", "output"):
        _look_for_templates(value_of(written, key), reading)
    return len(reading.findings) == before


def _fault_makes_sense(rule: Rule, written: Written, reading: Reading, *, answers: bool) -> None:
    fault = rule.fault
    at = value_of(written, "fault").at
    if fault is None:
        return
    if fault.times is not None and fault.kind in _NEVER_PASSES:
        reading.error(at, f"{fault.kind} is never tried again, so `times` means nothing; leave it out")
    elif fault.times is not None and not answers:
        reading.error(at, "after so many tries the call succeeds: say what is answered then, for instance with `reply`")


def _look_for_templates(written: Written, reading: Reading) -> None:
    value = written.value
    if isinstance(value, YamlMap):
        for _, _, item in value.entries():
            _look_for_templates(item, reading)
    elif isinstance(value, YamlList):
        for item in value.entries():
            _look_for_templates(item, reading)
    elif isinstance(value, str) and (problem := template_problem(value)) is not None:
        reading.error(written.at, problem)


_FORM: Final = Forms(
    special={Meant.TEXT_MATCHER: MatcherForm(text=True)}, checks={Rule: _rule_answers}, given={}
).of_model(Script)
