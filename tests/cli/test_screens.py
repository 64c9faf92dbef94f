"""Whole screens with their exit codes (interfaces: command line)."""

import io
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.cli.command_line import CommandLine, Screen
from tests.golden import assert_golden

from greenroom.reports.schema import sample_schema

SCREENS = Path(__file__).parent / "screens"


def shows(name: str, screen: Screen) -> None:
    assert_golden(str(screen), SCREENS / f"{name}.txt")


@pytest.mark.requirement("G1")
@pytest.mark.parametrize("name", ["", "run", "init", "lint", "show", "runs", "chat", "people", "cleanup", "schema"])
def test_help_tells_what_there_is_and_what_exit_codes_mean(name: str, command: CommandLine) -> None:
    """X01: the codes are documented where one looks first."""
    shows(f"help-{name or 'greenroom'}", command(*filter(None, [name, "--help"])))


def test_the_version_is_printed(command: CommandLine) -> None:
    assert command("--version").out == "greenroom 0.1.0\n"


def test_a_new_project_runs_at_once_and_passes(command: CommandLine) -> None:
    shows("init", command("init", "desk"))
    there = CommandLine(folder=command.folder / "desk", capsys=command.capsys)
    shows("init-lint", there("lint"))
    shows("init-run", there("run", "--concurrency", "1"))
    assert (there.folder / ".gitignore").read_text(encoding="utf-8").splitlines()[-1] == ".greenroom/"


def test_a_folder_with_a_blank_is_quoted_for_the_shell(command: CommandLine) -> None:
    assert "cd 'we ird' && greenroom run" in command("init", "we ird").out


@pytest.mark.parametrize(
    "asked",
    [("run", "--format", "xml"), ("schema", "suit"), ("run", "--concurrency", "abc"), ("runs", "--limit", "0")],
)
def test_wrong_values_are_told_in_plain_words(asked: tuple[str, ...], command: CommandLine) -> None:
    shows(f"wrong-{asked[0]}-{asked[-1]}", command(*asked))


def test_init_never_overwrites(desk: CommandLine) -> None:
    shows("init-again", desk("init"))


@pytest.mark.requirement("A12", "F14", "F11")
def test_a_result_can_be_looked_at(lakeside: CommandLine) -> None:
    lakeside("run", "changes")
    shows("runs", lakeside("runs"))
    shows("show-promise", lakeside("show", "last/known-bad-promises-a-refund"))
    shows("show-turns", lakeside("show", "last/changes/transfers-a-call/1", "--turns"))
    shows("show-unprepared", lakeside("show", "last/known-bad-unprepared-call"))
    shows("show-nothing", lakeside("show", "last/known-bad-promises-a-refnd"))
    shows("show-a-suite", lakeside("show", "last/changes"))
    shows("show-no-such-run", lakeside("show", "nope"))


@pytest.mark.requirement("A12", "F14")
@pytest.mark.parametrize("turns", [False, True])
def test_a_result_can_be_read_by_a_machine(turns: bool, lakeside: CommandLine) -> None:
    """R1 B2: usage by role, calls, effects and turn records, each as the schema says."""
    lakeside("run", "changes")
    options = ["--turns"] if turns else []
    for case in ("transfers-a-call", "known-bad-unprepared-call", "known-bad-promises-a-refund"):
        screen = lakeside("show", f"last/{case}", "--format", "json", *options)
        assert screen.code == 0, screen.err
        told = json.loads(screen.out)
        Draft202012Validator(dict(sample_schema(turns=turns))).validate(told)  # pyright: ignore[reportUnknownMemberType]
        assert told["usage"]["by_role"]["agent"]["calls"] > 0
        assert ("turn_records" in told) is turns


def test_a_project_without_runs_says_so(desk: CommandLine) -> None:
    shows("runs-none", desk("runs"))
    shows("show-none", desk("show", "last"))


@pytest.mark.requirement("F3", "H1", "E7")
def test_failures_come_with_their_reasons_and_transcripts(lakeside: CommandLine) -> None:
    shows("run-lakeside", lakeside("run", "--concurrency", "1"))


@pytest.mark.parametrize(
    ("name", "selector"),
    [("suite", "bookng"), ("case", "booking/books-a-pwerboat"), ("tag", "@smok"), ("file", "suites/none.yaml")],
)
def test_a_selection_of_nothing_is_refused_with_the_nearest_name(
    name: str, selector: str, lakeside: CommandLine
) -> None:
    """X10: a typo never passes."""
    shows(f"selects-nothing-{name}", lakeside("run", selector))


def test_an_unknown_agent_is_refused(lakeside: CommandLine) -> None:
    shows("unknown-agent", lakeside("run", "--agent", "lakside"))


def test_invalid_documents_are_listed_and_nothing_runs(desk: CommandLine) -> None:
    """X07: a file that can't be read stops everything."""
    suite = desk.folder / "suites" / "first.yaml"
    text = suite.read_text(encoding="utf-8")
    suite.write_text(
        text.replace("get_repair, with", "get_repairs, with").replace("expect:", "expct:", 1), encoding="utf-8"
    )
    shows("invalid-run", desk("run"))
    shows("invalid-lint", desk("lint"))
    suite.write_text(text, encoding="utf-8")
    assert "no runs yet" in desk("runs").out


def test_outside_of_a_project_one_is_told_how_to_begin(command: CommandLine) -> None:
    shows("no-project", command("run"))


def test_an_unknown_model_is_refused_before_anything_is_spent(desk: CommandLine) -> None:
    shows("no-model", desk("run", "--model", "openai"))
    shows("unknown-provider", desk("run", "--model", "antropic:claude"))
    shows("missing-key", desk("run", "--model", "anthropic:claude-sonnet-5"))


def test_criteria_without_a_judge_are_refused(desk: CommandLine) -> None:
    (desk.folder / "greenroom.yaml").write_text("workspace: desk\n", encoding="utf-8")
    shows("no-judge", desk("run"))


def test_simulated_people_without_a_simulator_are_refused(desk: CommandLine) -> None:
    """S22."""
    suite = 'suite: people\ncases: {ana: {simulate: {brief: "Until it is booked"}, expect: [{reply: Hi}]}}\n'
    (desk.folder / "suites" / "people.yaml").write_text(suite, encoding="utf-8")
    shows("no-simulator", desk("run", "people"))


@pytest.mark.requirement("A9")
def test_a_chat_shows_what_the_agent_would_have_done(lakeside: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["I'd like to rent a boat on Saturday", "[Book at North]", "[6]", "Can I talk to a human?", "not sent"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    shows("chat", lakeside("chat", "lakeside"))


def test_a_tap_on_nothing_is_answered_with_what_there_is(
    lakeside: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a transcript writes a tap it is one too, and what only looks like a tap can be said all the same."""
    lines = ["[Nope]", "I'd like to rent a boat on Saturday", "[Book at Nrth]", "[tap: Book at North]", "\\[Nope]"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    shows("chat-taps", lakeside("chat", "lakeside"))


def test_a_chat_that_breaks_off_shows_the_calls_of_its_turn(desk: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    model = desk.folder / "models" / "loops.yaml"
    model.write_text("rules:\n  - calls: [{tool: get_repair, arguments: {ticket: R-17}}]\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("Is R-17 ready?\n"))
    screen = desk("chat", "desk", "--model", "script:models/loops.yaml")
    assert screen.code == 3
    assert "[call: get_repair" in screen.out
    assert screen.err.startswith("The conversation broke off (agent): ")


@pytest.mark.parametrize("kind", ["agent", "suite", "customer", "project", "report"])
def test_every_document_has_a_schema(kind: str, command: CommandLine) -> None:
    Draft202012Validator.check_schema(json.loads(command("schema", kind).out))


STAND = "documents are greenroom.yaml and what stands in agents/*.yaml, suites/*.yaml, customers/*.yaml"
AGAINST_THE_AGENT = """
suite: against
agents: [desk]
cases:
  asks-for-what-is-not-there:
    playbook: repars
    script: [Good morning]
    expect:
      - playbook: question
      - called: get_repairs
      - person: {shoe_size: 44}
"""


@pytest.mark.requirement("B3")
def test_a_suite_is_held_against_its_agent(desk: CommandLine) -> None:
    (desk.folder / "suites" / "against.yaml").write_text(AGAINST_THE_AGENT, encoding="utf-8")
    shows("lint-against-the-agent", desk("lint"))
    shows("lint-one-file", desk("lint", "suites/first.yaml"))


@pytest.mark.requirement("B3")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("suites/frist.yaml", "there is no file 'suites/frist.yaml'; did you mean 'suites/first.yaml'?"),
        ("first", "there is no file 'first'; did you mean 'suites/first.yaml'?"),
        ("nothing-like-it", f"there is no file 'nothing-like-it'; {STAND}"),
        ("stray.yaml", f"'stray.yaml' is no document of this project; {STAND}"),
        ("suites/more/stray.yaml", f"'suites/more/stray.yaml' is no document of this project; {STAND}"),
        ("suites/more", f"'suites/more' holds no document of this project; {STAND}"),
    ],
)
def test_lint_is_not_silent_about_what_it_does_not_read(desk: CommandLine, path: str, said: str) -> None:
    """A slip of the pen in a line of CI would be green for ever."""
    (desk.folder / "suites" / "more").mkdir()
    for stray in ("stray.yaml", "suites/more/stray.yaml"):
        (desk.folder / stray).write_text("suite: stray\ncases: {}\n", encoding="utf-8")
    screen = desk("lint", path)
    assert (screen.code, screen.out, screen.err) == (2, "", f"{said}\n")


def test_lint_takes_every_file_that_it_reads(desk: CommandLine) -> None:
    for path in ("greenroom.yaml", "agents", "suites/first.yaml", str(desk.folder), "models"):
        assert desk("lint", path).code == 0


def test_a_suite_in_a_subfolder_is_said_not_to_be_read(desk: CommandLine) -> None:
    (desk.folder / "suites" / "smoke").mkdir()
    (desk.folder / "suites" / "first.yaml").rename(desk.folder / "suites" / "smoke" / "first.yaml")
    (desk.folder / "agents" / "models").mkdir()
    (desk.folder / "agents" / "models" / "script.yaml").write_text("turns: []\n", encoding="utf-8")
    shows("misplaced-lint", desk("lint"))
    shows("misplaced-run", desk("run"))
    second = "suite: second\ncases:\n  one: {script: [Hello], expect: [{no_tool_called: true}]}\n"
    (desk.folder / "suites" / "second.yaml").write_text(second, encoding="utf-8")
    assert "suites/smoke/first.yaml:1:1: warning: this file is not read" in desk("run").err


@pytest.mark.requirement("B11")
def test_a_limit_is_named_where_it_is_passed(desk: CommandLine) -> None:
    suite = "suite: long\ncases:\n  one: {name: NAME, script: [Hello], expect: [{no_tool_called: true}]}\n"
    long = suite.replace("NAME", "very " * 13 + "long")
    (desk.folder / "suites" / "long.yaml").write_text(long, encoding="utf-8")
    shows("lint-limit", desk("lint"))


NIGHT = "agent: night\nmodel: script:models/desk.yaml\nplaybooks: {p: {flow: [{set: {kept: nowhere}}]}}\n"
TWO = """\
suite: two
agents: [desk, night]
cases:
  a: {script: [Hi], expect: [called: nothing, reply: {regex: "a*"}]}
  b: {script: [Hi], expect: [called: nobody, reply: {regex: "b*"}]}
"""


@pytest.mark.requirement("F1", "B3")
def test_a_run_tells_what_is_worth_a_look_in_what_it_plays_alone(desk: CommandLine) -> None:
    (desk.folder / "agents" / "night.yaml").write_text(NIGHT, encoding="utf-8")
    (desk.folder / "suites" / "two.yaml").write_text(TWO, encoding="utf-8")

    def warned(*arguments: str) -> list[str]:
        return [line for line in desk(*arguments).err.splitlines() if "warning: " in line]

    assert warned("run", "first") == []
    assert warned("run", "two/b", "--agent", "desk") == [
        "suites/two.yaml:5:38: warning: the agent has no tool 'nobody'",
        "suites/two.yaml:5:61: warning: the regular expression 'b*' fits every text, so it proves nothing",
    ]
    assert len(warned("run", "two", "--agent", "night")) == 5
