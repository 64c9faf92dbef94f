"""Names in data that is a template, looked at before anything runs (semantics: two levels of lint)."""

from collections.abc import Sequence

import pytest
from tests import builders

from greenroom.authoring.notes import Target
from greenroom.authoring.template_rules import template_notes
from greenroom.documents.project import Limits

pytestmark = pytest.mark.requirement("B3")

LIMITS = Limits(line_chars=40)
TARGET = Target(builders.agent(people={"fields": {"party_size": {"type": "number"}}}), limits=LIMITS)


def notes(**written: object) -> Sequence[str]:
    found = template_notes(builders.case(**written), TARGET)
    return [f"{'.'.join(map(str, note.path))} {note.severity}: {note.message}" for note in found]


def test_nothing_is_said_of_names_that_are_known_and_of_data_that_is_no_template() -> None:
    known = "{{person.name}} {{person.party_size}} {{person.fields.party_size}} {{system.now}} {{ {%"
    assert notes(script=[{"template": known}], world={"mocks": [{"tool": "x", "result": {"template": known}}]}) == []
    assert notes(script=["{{person.nmae}}"], world={"mocks": [{"tool": "x", "result": ["{{x.y}}"]}]}) == []


def test_a_name_that_means_nothing_is_an_error_wherever_it_stands() -> None:
    """S20."""
    wrong = {"template": "Hi {{person.first_nam}}"}
    told = "error: {{person.first_nam}} names nothing; did you mean {{person.first_name}}?"
    assert notes(
        script=[wrong, {"say": wrong}, {"tap": {"chip": "North", "otherwise": wrong}}],
        history=[{"person": wrong}, {"agent": wrong}],
    ) == [
        f"script.0.say {told}",
        f"script.1.say {told}",
        f"script.2.tap.otherwise {told}",
        f"history.0.person {told}",
        f"history.1.agent {told}",
    ]
    deep = {"template": {"a": [wrong, {"b": "{{person.first_nam}}"}]}}
    mocks = [{"tool": "x", "result": "fine"}, {"tool": "x", "results": ["fine", deep]}]
    assert notes(world={"mocks": mocks}) == [
        f"world.mocks.1.results.1.template.a.0.template {told}",
        f"world.mocks.1.results.1.template.a.1.b {told}",
    ]


def test_a_root_that_nothing_has_is_told_with_those_that_there_are() -> None:
    (said,) = notes(script=[{"template": "{{appointment.zzz}}"}])
    assert "{{appointment.zzz}} names nothing; names begin with person or system" in said


@pytest.mark.requirement("B11", "B9")
def test_a_line_is_measured_as_it_is_said() -> None:
    """A short template may come to a long line, and one of names alone to nothing."""
    long, name = "I'm {{person.first_name}}, it is {{system.now}}", {"first_name": "Anastasia"}
    over = "error: this line has 43 characters once it is filled in; the limit `line_chars` is 40"
    nothing = "warning: nothing is left of this line once it is filled in, so the person says nothing"
    tap = {"tap": {"chip": "North", "otherwise": {"template": long}}}
    script = [{"template": long}, tap, {"template": "{{person.last_name}}"}, {"template": "I'm {{person.last_name}}"}]
    assert notes(person=name, script=script, history=[{"person": {"template": long}}]) == [
        f"script.0.say {over}",
        f"script.1.tap.otherwise {over}",
        f"script.2.say {nothing}",
    ]
    assert notes(person={"first_name": "Ana", "last_name": "Diaz"}, script=script) == []
    assert notes(script=script[:1]) == []
