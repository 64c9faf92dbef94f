"""A hash is of what a document means (features.md F11)."""

from pathlib import Path

import pytest
from tests import builders

from greenroom.documents.agent import Agent
from greenroom.documents.loading import load_document, load_project
from greenroom.documents.suite import Case
from greenroom.store.encoding import content_hash, document_json

AGENT_HASH = "9f79753173a3f677347db9895efc08b42578d0338e7cbbbe8f1e4f34de16fc94"
CASE_HASH = "31fd04ba3f1a76ee8cff7b7bd57cd6dfb48b3a67ac6eb7627f82c326446d34ba"


def agent(text: str) -> Agent:
    read = load_document(text)
    assert isinstance(read, Agent)
    return read


@pytest.mark.requirement("F11")
def test_spelling_makes_no_difference() -> None:
    long = agent(
        "model: {name: 'script:a.yaml'}\nname: Desk # the front one\nagent: desk\ntools:\n"
        "  find: {headers: {}, method: get, url: 'https://${HOST}/', mocks: [{then: repeat-last, results: [1]}]}\n"
    )
    short = agent(
        "agent: desk\nname: 'Desk'\nmodel: script:a.yaml\n"
        "tools: {find: {mocks: [{results: [1]}], url: 'https://${HOST}/'}}\n"
    )

    assert content_hash(long) == content_hash(short)
    assert b"${HOST}" in document_json(long)


def test_a_hash_is_the_same_in_every_version() -> None:
    """K11: no salted hash, no order of sets; a new field of the documents changes nothing either."""
    assert content_hash(agent("agent: desk\nmodel: script:a.yaml\n")) == AGENT_HASH
    assert content_hash(builders.case()) == CASE_HASH


def test_a_knowledge_file_counts_by_its_text(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "greenroom.yaml").write_text("")
    (tmp_path / "agents" / "desk.yaml").write_text("agent: desk\nmodel: script:a.yaml\nknowledge: {h: {file: h.md}}\n")
    hashes: list[str] = []
    for text in ("Nine to five", "Ten to five", "Nine to five"):
        (tmp_path / "agents" / "h.md").write_text(text)
        hashes.append(content_hash(load_project(tmp_path, environment={}).agents["desk"]))

    assert hashes[0] == hashes[2] != hashes[1]


EDITS: list[dict[str, object]] = [
    {"script": ["A boat for Sunday", "Thanks"]},
    {"expect": [{"called": {"tool": "list_boats", "with": {"date": "2026-06-06"}}}]},
    {"world": {"mocks": [{"tool": "list_boats", "result": []}]}},
    {"description": "Another scenario."},
    {"person": "visitor"},
    {"channel": "sms"},
]


@pytest.mark.parametrize("edited", EDITS)
def test_another_line_check_world_or_person_is_another_case(edited: dict[str, object]) -> None:
    assert content_hash(builders.case(**edited)) != content_hash(builders.case())


def test_documents_survive_a_stay_in_the_store() -> None:
    """What a revision holds is what was written, as JSON; read back, it is the same document."""
    chips = [{"title": "North", "chips": [{"label": "Go", "link": "https://x"}]}]
    agent = builders.agent(
        templates={"marinas": [{"text": "Two."}, {"carousel": chips}]},
        playbooks={"booking": {"examples": [{"person": "Hi", "reply": {"text": "A?", "chips": ["B"]}}]}},
        knowledge={"hours": "Nine to five"},
    )
    case = builders.case(
        person={"first_name": "Ana", "fields": {"size": 6}},
        script=["Hi", {"tap": {"chip": "North", "otherwise": "north"}, "expect": [{"reply": "Which?"}]}],
        world={"now": "2026-06-06T14:00", "mocks": [{"tool": "list_boats", "results": [1, None]}]},
        expect=[{word: written} for word, written in EVERY_CHECK.items()],
    )

    assert Agent.model_validate_json(document_json(agent)) == agent
    assert Case.model_validate_json(document_json(case)) == case


EVERY_CHECK: dict[str, object] = {
    "called": "list_boats",
    "not_called": "list_boats",
    "no_tool_called": True,
    "reply": {"shape": {"not": "card"}, "turn": 1},
    "never_says": "Which?",
    "mentions": ["Which?"],
    "playbook": "booking",
    "ended_by": "agent",
    "stopped": "resolved",
    "person": {"status": {"any": True}},
    "effect": "notify",
    "judge": "Which?",
    "score": "Which?",
    "says": "Which?",
}


@pytest.mark.parametrize(("one", "other"), [("called", "not_called"), ("judge", "says"), ("says", "never_says")])
def test_two_checks_with_the_same_keys_are_not_the_same_case(one: str, other: str) -> None:
    cases = [builders.case(expect=[{word: EVERY_CHECK[word]}]) for word in (one, other)]

    assert content_hash(cases[0]) != content_hash(cases[1])
