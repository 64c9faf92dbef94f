"""A suite: its defaults merged into its cases, and the rules and limits of a case (semantics: documents)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from greenroom.conversation.json_values import Json
from greenroom.documents.checks import Called, Judged, Says, Scored
from greenroom.documents.descriptions import described_field
from greenroom.documents.forms import Definitions, Form, MapForm, id_rule
from greenroom.documents.mocks import MockStrategy
from greenroom.documents.model_forms import ModelForm, Partly, value_of
from greenroom.documents.parts import Doc, as_far_as_read
from greenroom.documents.reading import REFUSED, Reading, Refused, key_at, shown
from greenroom.documents.suite import Case, GivenPerson, Suite
from greenroom.documents.yaml12 import Written, YamlList, YamlMap

__all__ = ["CaseTaker", "SuiteForm", "case_fits", "merged"]

_APPENDED = ("world", "mocks")
"""The one list that does not replace the defaults' list: a case's own mocks come first, so that they win."""


def merged(defaults: Written, own: Written, path: tuple[str, ...] = ()) -> Written:
    """A case's tree with the suite's defaults below it: mappings merge deep, lists replace, mocks append."""
    if not isinstance(defaults.value, YamlMap) or not isinstance(own.value, YamlMap):
        return own
    result = YamlMap()
    for key, at, value in defaults.value.entries():
        if key not in own.value:
            result.add(key, at, value)
            continue
        ours = own.value.entry(key)
        if (*path, key) == _APPENDED and isinstance(value.value, YamlList) and isinstance(ours.value, YamlList):
            both = YamlList()
            for item in (*ours.value.entries(), *value.value.entries()):
                both.add(item)
            result.add(key, own.value.key_at(key), Written(both, ours.at))
        else:
            result.add(key, own.value.key_at(key), merged(value, ours, (*path, key)))
    for key, at, value in own.value.entries():
        if key not in result:
            result.add(key, at, value)
    return Written(result, own.at)


@dataclass(frozen=True, slots=True)
class SuiteForm(Form):
    """A suite's document."""

    suite: ModelForm
    """Without defaults and cases."""
    case: ModelForm
    """Without id and suite."""

    def read(self, written: Written, reading: Reading) -> Doc | Refused:
        """The suite with its cases."""
        suite, fine = self.read_partly(written, reading)
        return REFUSED if suite is None or not fine else suite

    def read_partly(self, written: Written, reading: Reading) -> Partly:
        """The same, as far as it can be read: a case of which nothing can be isn't in it."""
        if not isinstance(written.value, YamlMap):
            reading.error(written.at, f"a suite is a mapping with `suite` and `cases`, not {shown(written)}")
            return Partly(None, False)
        head = YamlMap()
        for key, at, value in written.value.entries():
            if key not in {"defaults", "cases"}:
                head.add(key, at, value)
        suite_id = value_of(written, "suite").text or ""
        cases, all_fine = self._cases(written, suite_id, reading)
        suite, fine = self.suite.read_partly(Written(head, written.at), reading, {"cases": cases})
        return Partly(suite, fine and all_fine)

    def _cases(self, written: Written, suite_id: str, reading: Reading) -> tuple[dict[str, Doc], bool]:
        """The cases as far as they can be read, and whether nothing is wrong with any."""
        defaults, cases = value_of(written, "defaults"), value_of(written, "cases")
        if defaults.value is not None and not isinstance(defaults.value, YamlMap):
            reading.error(defaults.at, f"`defaults` is a mapping of a case's keys, not {shown(defaults)}")
            return {}, False
        if not isinstance(cases.value, YamlMap) or not cases.value:
            if cases.value is None or isinstance(cases.value, YamlMap):
                reading.error(cases.at, "a suite has at least one case: `cases: {ID: {script: […], expect: […]}}`")
            else:
                reading.error(cases.at, f"`cases` is a mapping of ids to cases, not {shown(cases)}")
            return {}, False
        all_fine = MapForm(self.case, id_rule).keys_fit(cases.value, reading)
        read: dict[str, Doc] = {}
        for case_id, at, own in cases.value.entries():
            given = {"id": case_id, "suite": suite_id}
            taken = reading.taken.get(case_id)
            case, fine = taken if isinstance(taken, Partly) else self.read_case(defaults, own, at, given, reading)
            all_fine = all_fine and fine
            if case is not None:
                read[case_id] = case
        return read, all_fine

    def read_case(self, defaults: Written, own: Written, at: int, given: Mapping[str, str], reading: Reading) -> Partly:
        """One case, the defaults merged in; `at` is where its id stands."""
        if (slipped := self._slipped(own, given["id"])) is not None:
            reading.error(at, slipped)
            return Partly(None, False)
        whole = merged(defaults, own)._replace(at=at) if isinstance(own.value, YamlMap) else own
        return self.case.read_partly(whole, reading, given)

    def _slipped(self, own: Written, case_id: str) -> str | None:
        """What to say where a case's keys stand beside its id in place of under it; None where they don't."""
        keys = self.case.fields
        if case_id in keys and not (isinstance(own.value, YamlMap) and any(key in keys for key in own.value)):
            return f"`{case_id}` is a key of a case; indent it under the id of its case"
        if own.value is None and not own.text:
            return (
                f"the case {case_id!r} has nothing in it; indent its keys, such as `script` and `expect`, under its id"
            )
        return None

    def schema(self, definitions: Definitions) -> dict[str, Json]:
        """An object; a case is complete only together with the defaults, so nothing is required of it here."""
        case = self.case.schema(definitions)
        self.suite.schema(definitions)
        suite = definitions["Suite"]
        properties = suite["properties"]
        cases: dict[str, Json] = {"type": "object", "minProperties": 1, "additionalProperties": case}
        if isinstance(properties, dict):
            defaults = "Keys of a case that all cases have unless they say otherwise."
            suite["properties"] = {
                **properties,
                "defaults": case | {"description": defaults},
                "cases": cases | {"description": described_field(Suite, "cases")},
            }
        suite["required"] = ["suite", "cases"]
        return {"$ref": "#/$defs/Suite"}


@dataclass(frozen=True, slots=True)
class CaseTaker:
    """Reads each case of a suite as soon as the parser has it: a thousand cases need the memory of their values only.

    It can be done for a case that comes after the suite's id and its defaults.
    """

    form: SuiteForm
    reading: Reading
    has_defaults: bool
    """Whether the file may have defaults at all."""
    mapping = "cases"

    def take(self, root: YamlMap, key: str, key_at: int, written: Written) -> bool:
        """Read one case now, if that is possible."""
        suite_id = root.entry("suite").text if "suite" in root else None
        if suite_id is None or (self.has_defaults and "defaults" not in root):
            return False
        defaults = value_of(Written(root, 0), "defaults")
        given = {"id": key, "suite": suite_id}
        self.reading.taken[key] = self.form.read_case(defaults, written, key_at, given, self.reading)
        return True


def case_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """The rules between a case's keys, and the project's limits."""
    if not isinstance(model, Case):
        return True
    fine = True
    rules = (_faults(model, written), _over_limit(model, written, reading))
    for at, message in (fault for rule in rules for fault in as_far_as_read(rule)):
        reading.error(at, message)
        fine = False
    if fine:
        for at, message in as_far_as_read(_many_turns(model, written, reading.limits.turns)):
            reading.warn(at, message)
    return fine


def _many_turns(case: Case, written: Written, guideline: int) -> Iterator[tuple[int, str]]:
    if len(case.script) > guideline:
        yield (
            key_at(written, "script"),
            f"{len(case.script)} lines are many; `turns` suggests at most {guideline}",
        )
    if case.simulate is not None and (case.simulate.max_turns or 0) > guideline:
        yield (
            written.walk(["simulate", "max_turns"]).at,
            f"{case.simulate.max_turns} turns are many; `turns` suggests at most {guideline}",
        )


def _faults(case: Case, written: Written) -> Iterator[tuple[int, str]]:
    goes_on = case.script or case.simulate is not None or case.outreach is not None
    if not goes_on and not case.history:
        yield written.at, "a case has a `script`, a `history`, a person to `simulate` or an `outreach` that opens it"
    if case.history and not goes_on and not any(isinstance(step, GivenPerson) for step in case.history):
        yield key_at(written, "history"), "a `history` that stands alone has at least one message of the person"
    if case.appointments and case.person is None:
        yield key_at(written, "appointments"), "appointments are the person's, and the case has none; write `person`"
    if not case.expect and not any(line.expect for line in case.script):
        yield written.at, "`expect` has at least one entry"
    if case.pass_at_least is not None and case.pass_at_least > case.samples:
        yield (
            value_of(written, "pass_at_least").at,
            (f"`pass_at_least` {case.pass_at_least} is more than `samples` {case.samples}"),
        )
    if "\n" in case.name.strip():
        yield value_of(written, "name").at, "a name is one line"
    if case.world.live_test:
        yield from _live_test_faults(case, written)


def _live_test_faults(case: Case, written: Written) -> Iterator[tuple[int, str]]:
    """What can't stand beside `policy: live-test`."""
    if "mock" in case.world.model_fields_set and case.world.mock is MockStrategy.ALL:
        yield (
            written.walk(["world", "mock"]).at,
            "`policy: live-test` calls tools for real, so `mock: all` can't stand beside it; leave `mock` out, and "
            "write an entry in `mocks` for a tool that must not be called",
        )
    if case.appointments:
        yield (
            key_at(written, "appointments"),
            "appointments of a `live-test` are real, so a case can't begin with some; have the agent book one first",
        )


def _over_limit(case: Case, written: Written, reading: Reading) -> Iterator[tuple[int, str]]:
    """What is more than the project allows, each with the limit's name."""
    limits = reading.limits
    expected = [*case.expect, *(entry for line in case.script for entry in line.expect)]
    criteria = sum(isinstance(entry, (Judged, Scored, Says)) for entry in expected)
    required = sum(isinstance(entry, Called) and entry.least > 0 for entry in expected)
    turns_max = case.limits.turns_max
    simulated = case.simulate.max_turns if case.simulate is not None else None
    most_turns = min(limits.turns_max, turns_max or limits.turns_max)
    script, expect = key_at(written, "script"), key_at(written, "expect")
    figures: tuple[tuple[int, str, int, str, int | None], ...] = (
        (expect, "the case has {} criteria", criteria, "criteria", limits.criteria),
        (expect, "the case requires {} actions", required, "required_actions", limits.required_actions),
        (script, "the script has {} lines", len(case.script), "turns_max", most_turns),
        (script, "the script has {} lines", len(case.script), "max_turns", simulated),
        (written.walk(["simulate", "max_turns"]).at, "`max_turns` is {}", simulated or 0, "turns_max", most_turns),
        (script, "the script has {} lines", len(case.script), "script_lines", limits.script_lines),
        (value_of(written, "samples").at, "`samples` is {}", case.samples, "samples_max", limits.samples_max),
        (value_of(written, "limits").at, "`limits.turns_max` is {}", turns_max or 0, "turns_max", limits.turns_max),
    )
    for at, what, figure, limit, most in figures:
        if most is not None and figure > most:
            yield at, f"{what.format(figure)}; the limit `{limit}` is {most}"
