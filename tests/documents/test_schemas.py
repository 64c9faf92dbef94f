"""Schemas for editors take what the reader takes (features.md G1)."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import orjson
import pytest
from jsonschema import Draft202012Validator
from tests.documents.refusals import REFUSALS

from greenroom.conversation.json_values import Json
from greenroom.documents.loading import kind_of
from greenroom.documents.schemas import SCHEMA_KINDS, document_schema
from greenroom.documents.yaml12 import read_yaml

EXAMPLES = sorted(
    path for path in (Path(__file__).parent.parent.parent / "examples").glob("*/**/*.yaml") if kind_of(path) is not None
)
WHOLE: Mapping[str, str] = {
    "project": "workspace: a\nmodels: {judge: a, router: {name: b, temperature: 0}}\nlimits: {turns_max: 12}\n",
    "customer": "customer: gold\nshopify: {orders: []}\nhttp: {points: {method: get, url_contains: /p, body: [1]}}\n",
    "agent": (
        "agent: desk\nmodel: script:a.yaml\ngreeting:\nrules: Be kind.\nknowledge: {a: Nine to five, b: {file: b.md}}\n"
        "playbooks: {booking: {uses: [people], examples: [{person: Hi, reply: {text: A, chips: [B]}}]}}\n"
        "templates: {a: Hello, b: [{text: Two.}, {options: [C]}]}\n"
        "tools: {find: {url: 'https://a.example', confirm_with: null, headers: {n: 5}, mocks: [{result: 0}]}}\n"
        "things: {boat: {name: Boat, seats: 8}}\nnotifications: {to: 'json://localhost'}\n"
    ),
    "suite": (
        "suite: booking\nagents: desk\ndefaults: {channel: sms}\ncases:\n"
        "  one:\n    person: visitor\n"
        "    script: [Hi, 5, {say: Hi, expect: [reply: x]}, {tap: {slot: first, otherwise: Now}}]\n"
        "    history: [{person: Hi}, {agent: Hello}]\n"
        "    world: {mock: none, mocks: [{tool: find, when: {a: {regex: x}, b: [1], c: {x: 1, regex: 5}}}]}\n"
        "    expect:\n      - called: find\n"
        "      - called: {tool: find, with: {a: null, b: {number: 1, within: 0.1}}}\n"
        "      - reply: {shape: {not: card}, turn: 1}\n      - never_says: [a]\n      - person: {a: b}\n"
        "      - state: {person: {a: {b: 1}}, person.a.b: 1, people.person: {a: 1}, appointments: {1.title: a}}\n"
        "      - state: {people.person.a: 1, appointments.12.end: 2026-06-06, appointments: {1: {title: a}}}\n"
        "      - mentions: 5\n      - no_tool_called: true\n      - judge: a\n      - score: {text: a, at_least: 5}\n"
        "  two:\n    person:\n"
    ),
}


def faults(kind: str, data: bytes | str) -> list[str]:
    root = read_yaml(data).root
    assert root is not None
    schema = document_schema(kind)
    errors = Draft202012Validator(schema).iter_errors(orjson.loads(orjson.dumps(root.value)))  # pyright: ignore[reportUnknownMemberType]: untyped package
    return [f"{error.json_path}: {error.message}" for error in errors]


@pytest.mark.requirement("G1")
@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_each_schema_is_one_and_takes_the_short_forms(kind: str) -> None:
    Draft202012Validator.check_schema(document_schema(kind))  # pyright: ignore[reportUnknownMemberType]: untyped package

    assert faults(kind, WHOLE[kind]) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=[f"{path.parent.name}/{path.name}" for path in EXAMPLES])
def test_every_example_fits_its_schema(path: Path) -> None:
    kind = kind_of(path)
    assert kind is not None

    assert faults(kind, path.read_bytes()) == []


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("project", "concurrency: 0"),
        ("project", "databse: x"),
        ("agent", "agent: desk"),
        ("agent", "agent: desk\nmodel: [a]"),
        ("agent", "agent: desk\nmodel: a\ntools: {find: {knd: webhook}}"),
        ("agent", "agent: desk\nmodel: a\nplaybooks: {Booking: {when: a}}"),
        ("agent", "agent: desk\nmodel: a\nknowledge: {a: {title: b}}"),
        ("agent", "agent: desk\nmodel: a\ntemplates: {a: [{txt: b}]}"),
        ("suite", "suite: a\ncases: {}"),
        ("suite", "suite: a\ncases: {one: {script: [{tap: {chip: North}}]}}"),
        ("suite", "suite: a\ncases: {one: {script: [{tap: {chip: North, slot: first, otherwise: a}}]}}"),
        ("suite", "suite: a\ncases: {one: {expect: [{jugde: a}]}}"),
        ("suite", "suite: a\ncases: {one: {expect: [{judge: a, says: b}]}}"),
        ("suite", "suite: a\ncases: {one: {expect: [{reply: {shape: carrousel}}]}}"),
        ("suite", "suite: a\ncases: {one: {expect: [{called: {tool: a, with: {b: {one_of: 5}}}}]}}"),
        ("suite", "suite: a\ncases: {one: {person: stranger}}"),
        ("suite", "suite: a\ncases: {one: {channel: fax}}"),
        ("customer", "customer: a\nhttp: {b: {method: fetch}}"),
    ],
)
def test_what_is_wrong_does_not_fit(kind: str, data: str) -> None:
    assert faults(kind, data) != []


def test_no_schema_refuses_what_the_reader_takes() -> None:
    """Documents with nothing but warnings are fine for an editor."""
    fine = [wrong for wrong in REFUSALS if wrong.title.startswith("warning")]

    assert {wrong.title: faults(wrong.kind, wrong.data) for wrong in fine} == {wrong.title: [] for wrong in fine}


_NAMED = ("properties", "$defs")
_INNER = ("items", "additionalProperties", "if", "then")


def described(where: str, schema: Json) -> Iterator[tuple[str, str]]:
    """Each property of a schema with its description, all the way down."""
    if isinstance(schema, list):
        for item in schema:
            yield from described(where, item)
    if not isinstance(schema, Mapping):
        return
    for word in _NAMED:
        for name, inner in cast("Mapping[str, Mapping[str, Json]]", schema.get(word, {})).items():
            if word == "properties":
                yield f"{where}.{name}", str(inner.get("description", ""))
            yield from described(f"{where}.{name}", inner)
    for word in (*_INNER, "anyOf", "oneOf"):
        yield from described(where, schema.get(word))


@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_every_property_says_what_it_means(kind: str) -> None:
    found = list(described(kind, document_schema(kind)))

    assert len(found) > len(WHOLE[kind].split("\n"))
    assert [name for name, meaning in found if not meaning.endswith(".")] == []


@pytest.mark.parametrize("kind", SCHEMA_KINDS)
def test_no_schema_cites_what_its_reader_does_not_have(kind: str) -> None:
    cited = re.compile(r"features\.md|documents\.md|semantics|\([A-Z]\d+")

    assert cited.search(json.dumps(document_schema(kind))) is None


def test_schemas_are_small_enough_for_an_editor() -> None:
    assert len(json.dumps(document_schema("suite"))) < 50_000
