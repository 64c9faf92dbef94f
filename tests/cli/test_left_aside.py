"""A project that many people write: a file that is half written stops those who need it and nobody else."""

from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.golden import assert_golden

SCREENS = Path(__file__).parent / "screens"
BROKEN = {
    "agents/night.yaml": "agent: night\nmodel: script:models/desk.yaml\ngreeing: Good night.\n",
    "agents/unnamed.yaml": "agent: [\n",
    "suites/half.yaml": "suite: half\nagents: [night]\ncases:\n  a: {script: [Hi\n",
    "suites/other.yaml": "suite: other\nagents: [night]\ncases:\n  a: {scrip: [Hi]}\n",
    "customers/gold.yaml": "custmer: gold\n",
}
ASIDE = (
    "warning: agents/night.yaml, agents/unnamed.yaml, customers/gold.yaml, suites/half.yaml, suites/other.yaml have "
    "errors and are left aside; `greenroom lint` tells what is wrong"
)


@pytest.fixture
def shared(desk: CommandLine) -> CommandLine:
    (desk.folder / "customers").mkdir()
    for name, text in BROKEN.items():
        (desk.folder / name).write_text(text, "utf-8")
    return desk


@pytest.mark.requirement("A1", "F1", "A9")
def test_what_needs_nothing_of_a_broken_file_is_done_and_names_it(shared: CommandLine) -> None:
    """X07 holds for what is played: of the rest a line says that it was left aside."""
    for asked in (("run", "first"), ("run", "suites/first.yaml"), ("chat", "desk"), ("publish", "desk")):
        screen = shared(*asked, at=None)
        assert (screen.code, ASIDE in f"{screen.out}{screen.err}") == (0, True), screen
    played = shared("run", "first/hands-over-when-asked", "--revision", "live", at=None)
    assert (played.code, ASIDE in played.err) == (0, True), played
    assert [shared(*asked).code for asked in (("revisions", "desk"), ("stats", "--agent", "night"))] == [0, 0]
    # Which fields people have is said by all agents, and by agents alone.
    assert "agents/night.yaml:3:1: unknown key" in shared("people", "--where", "status: lead").err
    for name in ("night", "unnamed"):
        (shared.folder / "agents" / f"{name}.yaml").unlink()
    assert shared("people", "--where", "status: lead").code == 0


@pytest.mark.requirement("F1", "B3")
def test_what_may_need_a_broken_file_is_refused_with_what_is_wrong_there(shared: CommandLine) -> None:
    """A case that can't be read and is meant must never be missed unseen."""
    asked = [
        ("run",),
        ("run", "@smoke"),
        ("run", "suites"),
        ("run", "half"),
        ("run", "other/a"),
        ("run", "suites/other.yaml"),
        ("run", "--agent", "desk"),
        ("run", "first", "--agent", "night"),
        ("run", "frist"),
        ("run", "--agent", "day"),
        ("publish", "night"),
        ("publish", "day"),
        ("chat", "night"),
    ]
    assert_golden("\n\n".join(str(shared(*each)) for each in asked), SCREENS / "needs-what-is-broken.txt")


def test_a_suite_among_the_agents_is_no_agent(desk: CommandLine) -> None:
    (desk.folder / "agents" / "visits.yaml").write_text("suite: visits\ncases: {}\n", "utf-8")
    refused = desk("publish", "nobody").err
    assert "there is no agent 'nobody'; there is desk\n" in refused
    assert "agents/visits.yaml:1:1: this is a suite" in refused


def test_two_files_with_one_id_are_neither(desk: CommandLine) -> None:
    for kind in ("suites/first.yaml", "agents/desk.yaml"):
        text = (desk.folder / kind).read_text("utf-8")
        (desk.folder / kind.replace(".yaml", "-too.yaml")).write_text(text, "utf-8")
    asked = [desk("run", "first"), desk("publish", "desk")]
    assert_golden("\n\n".join(map(str, asked)), SCREENS / "two-of-one-id.txt")


TWO_AGENTS = """\
suite: two
agents: [desk, night]
cases:
  a: {script: [I'd like to talk to a person], playbook: sleeping, expect: [ended_by: agent]}
  b: {script: [I'd like to talk to a person], expect: [ended_by: agent]}
"""


@pytest.mark.requirement("F1", "B3")
def test_only_who_plays_may_stop_a_run(desk: CommandLine) -> None:
    """P20: a variable that nobody needs now is for lint to miss."""
    night = 'agent: night\nmodel: script:models/desk.yaml\ntools: {t: {url: "https://boats.example/${NIGHT_KEY}"}}\n'
    (desk.folder / "agents" / "night.yaml").write_text(night, "utf-8")
    suite = desk.folder / "suites" / "two.yaml"
    suite.write_text(TWO_AGENTS.replace(", playbook: sleeping", ""), "utf-8")
    assert "NIGHT_KEY is not set" in desk("lint").out
    assert "NIGHT_KEY" not in desk("run", "two", "--agent", "desk").err
    refused = desk("run", "two/b", "--agent", "night")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "agents/night.yaml:3:18: the environment variable NIGHT_KEY is not set" in refused.err
    # What is wrong in a case that is not selected stops nobody's file but its own.
    suite.write_text(TWO_AGENTS, "utf-8")
    assert "there is no playbook 'sleeping'" in desk("run", "two/b", "--agent", "desk").err
    assert desk("run", "first", at=None).code == 0
