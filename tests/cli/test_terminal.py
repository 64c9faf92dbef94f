"""What only a terminal shows: keys that are signals, what is typed, lines that break."""

import signal
from pathlib import Path

import pytest
from tests.cli.command_line import CommandLine
from tests.cli.terminal import CTRL_C, on_a_terminal


@pytest.mark.parametrize("typed", ["", "R-1"])
@pytest.mark.parametrize("presses", [1, 3])
def test_ctrl_c_leaves_a_chat_at_once(typed: str, presses: int, desk: CommandLine) -> None:
    """The first one does, at the prompt and in the middle of a line; more of them change nothing."""
    with on_a_terminal("chat", "desk", folder=desk.folder) as terminal:
        terminal.until("> ")
        if typed:
            terminal.type(typed)
            terminal.until(typed)
        terminal.type(CTRL_C * presses)
        assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert "Exception" not in terminal.shown


def test_what_is_typed_stands_on_a_terminal_once(desk: CommandLine) -> None:
    with on_a_terminal("chat", "desk", folder=desk.folder) as terminal:
        terminal.until("> ")
        terminal.type("Is R-17 ready?\n")
        terminal.until("> ", times=2)
        terminal.type("\n")
        assert terminal.end() == 0
    assert terminal.shown.count("Is R-17 ready?") == 1
    assert "Agent: " in terminal.shown


def test_a_live_chat_looks_live(desk: CommandLine) -> None:
    with on_a_terminal("chat", "desk", "--live", folder=desk.folder) as terminal:
        terminal.until("LIVE> ")
        terminal.type("\n")
        assert terminal.end() == 0
    assert terminal.shown.startswith("LIVE: this is no sandbox.")


def test_lines_break_between_words_on_a_terminal(lakeside: CommandLine) -> None:
    lakeside("run", "changes/known-bad-promises-a-refund", at=None)
    with on_a_terminal("show", "last/known-bad-promises-a-refund", folder=lakeside.folder, columns=60) as terminal:
        terminal.end()
    lines = terminal.shown.splitlines()
    assert max(map(len, lines)) <= 60
    words = set(lakeside("show", "last/known-bad-promises-a-refund").out.split())
    assert {word for line in lines for word in line.split()} <= words


def slow(folder: Path) -> None:
    """A suite of which one case is answered and one waits for ever."""
    model = folder / "models" / "desk.yaml"
    wait = "  - when: {last: wait}\n    reply: Done.\n    delay: 600\n"
    rules = model.read_text(encoding="utf-8")
    model.write_text(rules.replace("  - when: {last: R-20}", f"{wait}  - when: {{last: R-20}}"), encoding="utf-8")
    case = "{script: [wait], expect: [{not_called: get_repair}]}"
    ready = "{script: [Is R-17 ready?], expect: [{called: get_repair}]}"
    (folder / "suites" / "slow.yaml").write_text(f"suite: slow\ncases:\n  ready: {ready}\n  waits: {case}\n", "utf-8")


def test_a_terminal_that_is_closed_ends_the_run_and_keeps_its_report(desk: CommandLine) -> None:
    slow(desk.folder)
    with on_a_terminal("run", "slow", "--output", "report.xml", folder=desk.folder) as terminal:
        terminal.until("1 passed")
        terminal.close()
        assert terminal.process.wait(timeout=20) == 128 + signal.SIGHUP
    assert (desk.folder / "report.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert desk("show", "last").out.splitlines()[-1].startswith("Exit code 129: the terminal of the run was closed")
