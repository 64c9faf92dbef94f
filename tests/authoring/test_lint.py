"""Cases against the agents they are for: every message at its place (features.md B3; semantics: two levels of lint)."""

from pathlib import Path

import pytest

from greenroom.authoring.lint import lint
from greenroom.documents.loading import load_project

AGENT = """\
agent: desk
model: script:a.yaml
playbooks:
  booking: {name: Book a boat, uses: [people, find_boats, book_boat, show_map, log, hand_over]}
  other: {uses: []}
tools:
  find_boats:
    url: https://boats.example/{day}
    parameters: {type: object, properties: {day: {type: string}}}
    mocks: [{result: [pontoon]}]
  book_boat: {kind: integration, url: "https://boats.example/book", confirm_with: book_boat_confirm}
  book_boat_confirm: {kind: integration, url: "https://boats.example/confirm"}
  show_map: {kind: client}
  log: {kind: client, waits: false}
  unused: {url: "https://boats.example"}
people: {fields: {party_size: {type: number}}}
representatives: {dana: {name: Dana}}
"""


def findings(folder: Path, suite: str, **agents: str) -> list[str]:
    files = {"greenroom.yaml": "", "suites/s.yaml": suite, "agents/desk.yaml": AGENT}
    files |= {f"agents/{name}.yaml": text for name, text in agents.items()}
    for file, text in files.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)
    return [str(finding).removeprefix("suites/s.yaml:") for finding in lint(load_project(folder, environment={}))]


def of_case(folder: Path, text: str) -> list[str]:
    """What is said of one case (its first line is line 6) whose tools are all mocked."""
    mocks = "{tool: book_boat}, {tool: book_boat_confirm}, {tool: show_map}"
    head = f"suite: s\nagents: [desk]\ndefaults: {{world: {{mocks: [{mocks}]}}}}\ncases:\n  one:\n"
    keys = {"script": "script: [Hi]", "expect": "expect: [judge: It is polite.]"}
    lines = [*text.splitlines(), *(line for key, line in keys.items() if f"{key}:" not in text)]
    return findings(folder, head + "".join(f"    {line}\n" for line in lines))


@pytest.mark.requirement("B3")
def test_a_case_that_fits_its_agent_has_no_findings(tmp_path: Path) -> None:
    text = (
        "playbook: booking\n"
        "person: {representative: dana, fields: {party_size: 6}}\n"
        "expect:\n"
        "  - called: {tool: FIND_boats, with: {day: Sat}}\n"
        "  - called: Escalate to a person\n"
        "  - not_called: 'Procedure: book a boat'\n"
        "  - playbook: other\n"
        "  - person: {party_size: 6, consent.messages: true, name: Ana, tags: [vip]}\n"
    )

    assert of_case(tmp_path, text) == []


@pytest.mark.requirement("B3")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("playbook: bookng", "6:15: there is no playbook 'bookng'; did you mean 'booking'?"),
        ("expect: [playbook: nothing]", "6:24: there is no playbook 'nothing'; playbooks are booking, other"),
        ("person: {representative: dan}", "6:30: there is no representative 'dan'; did you mean 'dana'?"),
        (
            "person: {fields: {partysize: 6}}",
            "6:34: the agent declares no people field 'partysize'; did you mean 'party_size'?",
        ),
        (
            "person: {fields: {party_size: six}}",
            "6:35: 'party_size' is declared as a number, not the text 'six'",
        ),
        (
            "person: {email: ana at home}",
            "6:21: 'ana at home' is no email address; one looks like ana@example.com",
        ),
        (
            "person: {phone: mobile}",
            "6:21: 'mobile' is no phone number; one looks like +1 555 0100, or (555) 010-0123 ext. 12",
        ),
        ("expect: [person: {fields.colour: red}]", "6:38: no agent declares the people field 'colour'"),
        ("expect: [person: {colour: red}]", "6:31: a person has no field 'colour'; declared fields are party_size"),
        (
            "world: {mocks: [{tool: log, result: 1}]}",
            "6:28: 'log' is a client tool that waits for nothing, so no mock can answer it",
        ),
        (
            "world: {real: [book_boat]}",
            "6:20: 'book_boat' can't be real: only webhook tools and `read_only` integration tools "
            "reach their endpoint",
        ),
    ],
)
def test_errors_are_what_can_not_run_as_it_is_written(tmp_path: Path, text: str, said: str) -> None:
    assert of_case(tmp_path, text) == [said]


@pytest.mark.requirement("B3", "C7", "C8", "C11")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "expect: [not_called: 'Procedure: bookin']",
            "6:26: warning: there is no playbook 'bookin'; did you mean 'booking'?",
        ),
        (
            "expect: [called: 'Procedure: complaints']",
            "6:22: warning: there is no playbook 'complaints'; playbooks are booking, other",
        ),
        (
            "expect: [not_called: 'Procedur: booking']",
            "6:26: warning: the agent has no tool 'Procedur: booking'; did you mean 'Procedure: booking'?",
        ),
        ("expect: [called: find_boat]", "6:22: warning: the agent has no tool 'find_boat'; did you mean 'find_boats'?"),
        (
            "expect: [not_called: unused]",
            "6:26: warning: no playbook of the agent uses 'unused', so it is never offered",
        ),
        (
            "expect: [not_called: find_baots]",
            "6:26: warning: the agent has no tool 'find_baots'; did you mean 'find_boats'?",
        ),
        (
            "channel: phone_inbound\nexpect: [called: log]",
            "7:22: warning: the agent has no 'log' on the channel phone_inbound, where client tools can't run",
        ),
        (
            "world: {mocks: [{tool: find_boat}]}",
            "6:28: warning: this mock answers nothing: the agent has no tool 'find_boat'; did you mean 'find_boats'?",
        ),
        ("world: {real: [pay]}", "6:20: warning: the agent has no tool 'pay'"),
        (
            "expect: [called: {tool: find_boats, with: {date: Sat}}]",
            "6:54: warning: find_boats has no parameter 'date'; parameters are day",
        ),
        (
            "world: {mocks: [{tool: find_boats, when: {when: Sat}}]}",
            "6:53: warning: find_boats has no parameter 'when'; parameters are day",
        ),
        (
            "world:\n  mocks:\n    - {tool: find_boats}\n    - {tool: find_boats, when: {day: Sat}, result: 2}",
            "9:11: warning: an entry without `when` for 'find_boats' stands before this one; "
            "it is the fallback all the same",
        ),
        (
            "expect: [{no_tool_called: true}, {called: find_boats}]",
            "6:31: warning: this can't hold together with `called: find_boats`",
        ),
        (
            "expect: [{called: find_boats}, {not_called: Find_Boats}]",
            "6:49: warning: this can't hold together with `called: Find_Boats`",
        ),
        (
            "expect: [{called: Escalate to a  person}, {not_called: escalate to a person}]",
            "6:60: warning: this can't hold together with `called: escalate to a person`",
        ),
        (
            "world: {mocks: [{tool: find_boats, result: {note: We open at nine.}}]}\nexpect: [reply: We open at nine]",
            "7:21: warning: the expected words stand in a mock's result, so the agent can repeat them unread",
        ),
    ],
)
def test_warnings_are_worth_a_look_and_never_stop_a_run(tmp_path: Path, text: str, said: str) -> None:
    """J26, T17, T25."""
    found = [line for line in of_case(tmp_path, text) if not line.startswith("1:8: warning: in 1 of 1 cases a tool")]

    assert found == [said]


@pytest.mark.requirement("C8", "C9", "C10")
def test_tools_that_nothing_would_answer_are_told_once_for_a_suite(tmp_path: Path) -> None:
    suite = (
        "suite: s\n"
        "agents: [desk]\n"
        "cases:\n"
        "  all: {script: [Hi], expect: [judge: It is polite.]}\n"
        "  needs: {script: [Hi], expect: [called: show_map]}\n"
        "  none: {script: [Hi], world: {mock: none, real: [find_boats]}, expect: [judge: It is polite.]}\n"
        "  phone: {script: [Hi], channel: phone_inbound, expect: [judge: It is polite.]}\n"
        "  captured: {script: [Hi], world: {no_answer: captured}, expect: [called: show_map]}\n"
    )

    assert findings(tmp_path, suite) == [
        "1:8: warning: in 4 of 5 cases a tool would go unanswered if it were called: book_boat (4), "
        "book_boat_confirm (commits what book_boat asks to confirm; 4), "
        "show_map (a client tool, which answers from mocks only; 3); "
        "add a mock to the tool or an entry to `world.mocks`",
        "5:42: warning: a call to 'show_map' would go unanswered; add a mock to the tool or an entry to `world.mocks`",
    ]


def test_a_suite_of_several_agents_names_the_one_that_a_finding_is_about(tmp_path: Path) -> None:
    case = "one: {script: [Hi], playbook: other, expect: [judge: It is polite.]}"
    suite = f"suite: s\nagents: [desk, night, dsk]\ncases:\n  {case}\n"

    assert findings(tmp_path, suite, night="agent: night\nmodel: script:a.yaml\n")[1:] == [
        "2:23: there is no agent 'dsk'; did you mean 'desk'?",
        "4:33: there is no playbook 'other'; the agent has no playbooks (agent night)",
    ]


def test_a_suite_that_names_no_agent_is_for_the_only_one(tmp_path: Path) -> None:
    suite = "suite: s\ncases:\n  one: {script: [Hi], playbook: nothing, expect: [judge: It is polite.]}\n"

    assert "3:33: there is no playbook 'nothing'; playbooks are booking, other" in findings(tmp_path, suite)
    assert findings(tmp_path, suite, night="agent: night\nmodel: script:a.yaml\n") == []


def test_what_comes_from_the_defaults_is_told_where_they_write_it(tmp_path: Path) -> None:
    suite = (
        "suite: s\ndefaults:\n  expect:\n    - playbook: nothing\n"
        "cases:\n  one: {script: [Hi]}\n  two: {script: [Hi], playbook: nobody}\n"
    )

    assert findings(tmp_path, suite)[1:] == [
        "4:17: there is no playbook 'nothing'; playbooks are booking, other",
        "7:33: there is no playbook 'nobody'; playbooks are booking, other",
    ]


def test_lint_begins_with_what_the_documents_say_themselves(tmp_path: Path) -> None:
    suite = "suite: s\ncases:\n  one: {script: [Hi], expect: [reply: {regex: '.*'}]}\n"

    assert findings(tmp_path, suite, night="agent: night\nmodel: 'openai:x@${URL}'\n") == [
        "agents/night.yaml:2:8: the environment variable URL is not set; set it, or write the value in place of ${URL}",
        "3:47: warning: the regular expression '.*' fits every text, so it proves nothing",
    ]


def test_a_pattern_that_refuses_some_texts_is_no_vacuous_one(tmp_path: Path) -> None:
    """P07: whoever is told to take out a check that works loses it."""
    assert of_case(tmp_path, "expect: [reply: {regex: '^(?!.*02:00)'}, reply: {regex: '^[^0-9]*$'}]") == []


@pytest.mark.requirement("B3", "E1")
@pytest.mark.parametrize(
    ("expect", "said"),
    [
        (
            "person: {party_size: six}",
            "35: warning: no person ever has this: 'party_size' is declared as a number, NOT",
        ),
        (
            "person: {party_size: {equals: six}}",
            "44: warning: no person ever has this: 'party_size' is declared as a number, NOT",
        ),
        (
            "state: {person.party_size: six}",
            "41: warning: no person ever has this: 'party_size' is declared as a number, NOT",
        ),
        ("person: {party_size: {not: six}}", None),
        ("person: {party_size: {at_least: 4}}", None),
        ("person: {party_size: null}", None),
        (
            "reply: {contains: Hi, turn: 2}",
            "42: warning: this never holds: the script has 1 line, so there is no turn after 1",
        ),
        ("reply: {contains: Hi, turn: 1}", None),
        ("reply: {contains: Hi, turn: 0}", None),
    ],
)
def test_a_check_that_never_holds_is_told(tmp_path: Path, expect: str, said: str | None) -> None:
    found = of_case(tmp_path, f"script: [Hi]\nexpect: [{expect}]")
    assert found == ([] if said is None else [f"7:{said}".replace("NOT", "not the text 'six'")])


def test_how_often_a_simulated_person_speaks_is_not_foretold(tmp_path: Path) -> None:
    text = "script: [Hi]\nsimulate: {brief: Ask on.}\nexpect: [reply: {contains: Hi, turn: 9}]"
    assert not [said for said in of_case(tmp_path, text) if "never holds" in said]


def test_an_option_that_a_field_does_not_have_is_told_where_it_is_expected(tmp_path: Path) -> None:
    marina = AGENT.replace("{party_size: {type: number}}", "{marina: {options: [north, south]}}")
    expect = "[person: {marina: {one_of: [north, nort]}}]"
    suite = f"suite: s\nagents: [night]\ncases:\n  one: {{script: [Hi], expect: {expect}}}\n"
    assert findings(tmp_path, suite, night=marina.replace("agent: desk", "agent: night"))[-1] == (
        "4:66: warning: no person ever has this: 'marina' is one of north, south, not the text 'nort'; "
        "did you mean 'north'?"
    )
