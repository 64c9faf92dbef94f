"""All that can be told of a project at once, although documents are broken, and nothing that only follows from that."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from greenroom.authoring.lint import lint
from greenroom.authoring.model_rules import model_findings
from greenroom.documents.findings import sorted_findings
from greenroom.documents.loading import read_project

pytestmark = pytest.mark.requirement("B3")

AGENT = """\
agent: desk
model: script:models/a.yaml
playbooks:
  booking: {uses: [find_boats]}
tools:
  find_boats: {url: "https://boats.example", mocks: [{result: []}]}
people: {fields: {party_size: {type: number}}}
representatives: {dana: {name: Dana}}
"""
SUITE = """\
suite: s
agents: [desk]
cases:
  broken:
    persn: {status: lead}
    script: [Hi]
    expect: [playbook: buying, called: find_boats]
  fine:
    script: [Hi]
    expect: [playbook: buying]
"""
NO_PLAYBOOK = "there is no playbook 'buying'; did you mean 'booking'?"


def told(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Errors alone, as `greenroom lint` tells them."""
    return [finding for finding in told_all(folder, files) if ": warning: " not in finding]


def told_all(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Warnings too."""
    everything = {"greenroom.yaml": "", "models/a.yaml": "rules: [{reply: Hi.}]\n", "agents/desk.yaml": AGENT, **files}
    for file, text in everything.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text, "utf-8")
    project = read_project(folder, environment={})
    found = sorted_findings((*lint(project), *model_findings(project)))
    return [str(finding) for finding in found]


def test_a_broken_case_hides_nothing_of_its_suite_and_little_of_itself(tmp_path: Path) -> None:
    broken = SUITE.replace("expect: [playbook: buying, called: find_boats]", "expect: [playbook: buying]")

    assert told(tmp_path, {"suites/s.yaml": broken}) == [
        "suites/s.yaml:5:5: unknown key 'persn'; did you mean 'person'?",
        f"suites/s.yaml:7:24: {NO_PLAYBOOK}",
        f"suites/s.yaml:10:24: {NO_PLAYBOOK}",
    ]


def test_of_what_could_not_be_read_nothing_is_said(tmp_path: Path) -> None:
    suite = (
        "suite: s\nagents: [desk]\ncases:\n"
        "  one: {script: [Hi], expect: [{called: {tol: find_boats}}, {playbook: buying}], playbook: buying}\n"
        "  two: {scrpt: [Hi], expect: [{playbook: buying}], appointments: []}\n"
        "  three: nothing\n"
        "  four: {script: [Hi], wrld: {}, person: {representative: dan}, expect: [judge: It is polite.]}\n"
    )

    found = told(tmp_path, {"suites/s.yaml": suite})
    assert [line.split(", channel")[0] for line in found] == [
        "suites/s.yaml:4:41: `tool` is missing",
        "suites/s.yaml:4:42: unknown key 'tol'; did you mean 'tool'?",
        f"suites/s.yaml:4:92: {NO_PLAYBOOK}",
        "suites/s.yaml:5:9: unknown key 'scrpt'; did you mean 'script'?",
        f"suites/s.yaml:5:42: {NO_PLAYBOOK}",
        "suites/s.yaml:6:10: a mapping is wanted here, not the text 'nothing'; keys are name, description",
        "suites/s.yaml:7:24: unknown key 'wrld'; did you mean 'world'?",
        "suites/s.yaml:7:59: there is no representative 'dan'; did you mean 'dana'?",
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("greting: Hello\n", "agents/desk.yaml:9:1: unknown key 'greting'; did you mean 'greeting'?"),
        (
            "close_after: soon\n",
            "agents/desk.yaml:9:14: a length of time is wanted here, such as 24h, 30m, 90s or 2d, not the text 'soon'",
        ),
        (
            "contact: {required: [emial]}\n",
            "agents/desk.yaml:9:22: one of first_name, last_name, email, phone, company is "
            "wanted here, not the text 'emial'; did you mean 'email'?",
        ),
    ],
)
def test_a_broken_agent_hides_nothing_of_the_suites_that_are_for_it(tmp_path: Path, wrong: str, said: str) -> None:
    suite = SUITE.replace("    persn: {status: lead}\n", "").replace("[desk]", "[desk, dsk]")

    assert told(tmp_path, {"agents/desk.yaml": AGENT + wrong, "suites/s.yaml": suite}) == [
        said,
        "suites/s.yaml:2:16: there is no agent 'dsk'; did you mean 'desk'?",
        f"suites/s.yaml:6:24: {NO_PLAYBOOK} (agent desk)",
        f"suites/s.yaml:9:24: {NO_PLAYBOOK} (agent desk)",
    ]


def test_the_rest_of_a_broken_agent_is_held_against_itself(tmp_path: Path) -> None:
    agent = AGENT.replace("[find_boats]", "[find_boat]") + "greeting: Hi {{person.frist_name}}\nclose_after: soon\n"

    assert told(tmp_path, {"agents/desk.yaml": agent}) == [
        "agents/desk.yaml:4:20: 'find_boat' is neither a tool of this agent nor a capability; "
        "did you mean 'find_boats'?",
        "agents/desk.yaml:9:11: {{person.frist_name}} names nothing; did you mean {{person.first_name}}?",
        "agents/desk.yaml:10:14: a length of time is wanted here, such as 24h, 30m, 90s or 2d, not the text 'soon'",
    ]


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ("{find_boats: {ulr: x}}", "6:22: unknown key 'ulr'; did you mean 'url'?"),
        ("[find_boats]", "6:8: a mapping is wanted here, not a list"),
    ],
)
def test_what_can_not_be_read_of_an_agent_is_taken_for_nothing(tmp_path: Path, tools: str, said: str) -> None:
    """Its tools are not known, so nothing lacks one; its playbooks are."""
    agent = AGENT.replace('\n  find_boats: {url: "https://boats.example", mocks: [{result: []}]}', f" {tools}")
    agent = agent.replace("uses: [find_boats]", "when: Any.").replace("tools:", "greeting: Hi\ntools:")
    suite = SUITE.replace("    persn: {status: lead}\n", "")

    found = told(tmp_path, {"agents/desk.yaml": agent, "suites/s.yaml": suite})
    assert found == [
        f"agents/desk.yaml:{said}",
        f"suites/s.yaml:6:24: {NO_PLAYBOOK}",
        f"suites/s.yaml:9:24: {NO_PLAYBOOK}",
    ]


BROKEN_TOOLS = """\
agent: desk
model: script:models/a.yaml
playbooks:
  booking: {uses: [find_boats, hold_boat, nothing_like_it]}
tools:
  find_boats: {kind: integration, parametrs: {}}
  hold_boat: {kind: integration, confirm_with: holdboat}
  hold_boats: {kind: integration, mocks: [{result: {}}]}
  show_map: nothing
  find_slips: {url: "https://slips.example", parameters: {type: object, properties: {day: {type: string}}}}
"""
OF_TOOLS = """\
suite: s
agents: [desk]
cases:
  one:
    script: [Hi]
    world:
      real: [find_boats, show_map, hold_boat]
      mocks: [{tool: show_map, result: 1, status: 200}, {tool: hold_boat, when: {boat: 1}, result: 1}]
    expect:
      - called: {tool: find_boats, with: {dya: x}}
      - called: show_map
      - not_called: {tool: hold_boat, with: {boat: 1}}
      - called: find_boat
      - not_called: hold_boats
      - not_called: find_slips
"""


def test_of_an_agent_with_a_broken_tool_all_the_others_are_known(tmp_path: Path) -> None:
    """Nothing is said of what the broken one may take, answer, or be confirmed with."""
    found = told_all(tmp_path, {"agents/desk.yaml": BROKEN_TOOLS, "suites/s.yaml": OF_TOOLS})
    assert [line.split("; capabilities")[0].split("; keys")[0] for line in found] == [
        "agents/desk.yaml:4:43: 'nothing_like_it' is neither a tool of this agent nor a capability",
        "agents/desk.yaml:6:35: unknown key 'parametrs'; did you mean 'parameters'?",
        "agents/desk.yaml:7:48: there is no tool 'holdboat' to confirm with; did you mean 'hold_boats'?",
        "agents/desk.yaml:9:13: a mapping is wanted here, not the text 'nothing'",
        "suites/s.yaml:7:36: 'hold_boat' can't be real: only webhook tools and `read_only` integration tools reach "
        "their endpoint",
        "suites/s.yaml:8:88: warning: hold_boat has no parameter 'boat'; it takes none",
        "suites/s.yaml:12:52: warning: hold_boat has no parameter 'boat'; it takes none",
        "suites/s.yaml:13:17: warning: the agent has no tool 'find_boat'; did you mean 'find_boats'?",
    ]


@pytest.mark.parametrize("rest", ["model: [\n", "model: a\nmodel: b\n", "- x\n"])
def test_an_agent_of_which_only_the_id_can_be_read_is_there(tmp_path: Path, rest: str) -> None:
    suite = SUITE.replace("    persn: {status: lead}\n", "").replace("[desk]", "[desk, dsk]")

    (first, second) = told(tmp_path, {"agents/desk.yaml": f"agent: desk\n{rest}", "suites/s.yaml": suite})
    assert first.startswith("agents/desk.yaml:")
    assert second == "suites/s.yaml:2:16: there is no agent 'dsk'; did you mean 'desk'?"


def test_an_agent_of_which_nothing_can_be_read_may_be_any(tmp_path: Path) -> None:
    suite = SUITE.replace("    persn: {status: lead}\n", "").replace("[desk]", "[dsk]")

    (only,) = told(tmp_path, {"agents/dsk.yaml": "{", "suites/s.yaml": suite})
    assert only.startswith("agents/dsk.yaml:")


def test_a_broken_project_says_what_it_can(tmp_path: Path) -> None:
    """Its limits hold where they can be read; where they can't, no other document is measured by the defaults."""
    long = f"suite: s\nagents: [desk]\ncases:\n  one: {{script: [{'a' * 1500}], expect: [judge: Fine.]}}\n"
    project = "limits: {line_chars: 2000}\nconcurency: 8\nsegments: {ours: {statsu: lead}}\n"

    assert told(tmp_path, {"greenroom.yaml": project, "suites/s.yaml": long}) == [
        "greenroom.yaml:2:1: unknown key 'concurency'; did you mean 'concurrency'?",
        "greenroom.yaml:3:27: a person has no field 'statsu'; did you mean 'status'?",
    ]
    assert told(tmp_path, {"greenroom.yaml": "limits: {line_chars: 2000, turn: 5}\n"}) == [
        "greenroom.yaml:1:28: unknown key 'turn'; did you mean 'turns'?",
    ]
    (only,) = told(tmp_path, {"greenroom.yaml": "limits: ["})
    assert only.startswith("greenroom.yaml:")
