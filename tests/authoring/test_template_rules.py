"""Names in data that is a template, looked at before anything runs (semantics: two levels of lint)."""

from collections.abc import Sequence

import pytest
from tests import builders

from greenroom.authoring.notes import Target
from greenroom.authoring.template_rules import template_notes

pytestmark = pytest.mark.requirement("B3")

TARGET = Target(builders.agent(people={"fields": {"party_size": {"type": "number"}}}))


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
