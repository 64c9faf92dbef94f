"""What a process ends with, by every way in (interfaces: exit codes; X01, X05, X06, X11, X12)."""

import json
import signal
import subprocess
import sys

import pytest
from tests.cli.command_line import SOURCES, CommandLine, as_process

SLOW = "  - when: {last: wait}\n    reply: Done.\n    delay: 600\n"


def test_one_failing_case_is_not_0(lakeside: CommandLine) -> None:
    failed = as_process("run", "changes/known-bad-promises-a-refund", folder=lakeside.folder)
    assert failed.returncode == 1
    assert failed.stdout.splitlines()[-1].startswith("Exit code 1: 1 case failed")


def test_all_passed_is_0(desk: CommandLine) -> None:
    assert as_process("run", folder=desk.folder).returncode == 0


def test_errors_alone_are_3(lakeside: CommandLine) -> None:
    screen = lakeside("run", "changes/known-bad-quota-used-up")
    assert screen.code == 3


@pytest.mark.parametrize(("gate", "code"), [("any", 1), ("fail", 1), ("error", 3), ("never", 0)])
def test_the_gate_can_be_moved(gate: str, code: int, lakeside: CommandLine) -> None:
    """X02: expected failures need not break a job."""
    assert lakeside("run", "--fail-on", gate).code == code


def test_an_empty_selection_is_2_unless_it_is_allowed(desk: CommandLine) -> None:
    """X11: an empty folder is no success by accident."""
    (desk.folder / "suites" / "later").mkdir()
    assert desk("run", "suites/later").code == 2
    allowed = desk("run", "suites/later", "--allow-empty")
    assert (allowed.code, allowed.out.splitlines()[-1]) == (0, "Exit code 0: no case ran.")


def test_wrong_usage_is_2(command: CommandLine) -> None:
    assert command("run", "--no-such-option").code == 2
    assert command("frobnicate").code == 2


def test_ctrl_c_keeps_what_has_finished(desk: CommandLine) -> None:
    """The first Ctrl-C stops at once; the finished case is stored and reported; the code is 130."""
    model = desk.folder / "models" / "desk.yaml"
    rules = model.read_text(encoding="utf-8")
    model.write_text(rules.replace("  - when: {last: R-20}", f"{SLOW}  - when: {{last: R-20}}"), encoding="utf-8")
    suite = desk.folder / "suites" / "first.yaml"
    cases = suite.read_text(encoding="utf-8")
    suite.write_text(
        f"{cases}\n  waits-for-ever:\n    script: [wait]\n    expect: [{{not_called: get_repair}}]\n", "utf-8"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "greenroom", "run", "first/tells-when-a-repair-is-ready", "first/waits-for-ever"],
        cwd=desk.folder,
        env={"PYTHONPATH": str(SOURCES), "PATH": "", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "tells-when-a-repair-is-ready" in line:
                running.send_signal(signal.SIGINT)
                break
        out, _ = running.communicate(timeout=20)
    assert running.returncode == 130
    assert out.splitlines()[-1].startswith("Exit code 130")
    kept = json.loads(desk("show", "last", "--format", "json").out)
    assert [(case["case"], case["status"]) for case in kept["cases"]] == [
        ("tells-when-a-repair-is-ready", "passed"),
        ("waits-for-ever", "cancelled"),
    ]
    again = json.loads(desk("run", "--failed", "--model", "script:models/judge.yaml", "--format", "json").out)
    assert [case["case"] for case in again["cases"]] == ["waits-for-ever"]


def test_no_traceback_reaches_a_person_without_debug(desk: CommandLine) -> None:
    wrong = as_process("run", "nothing", folder=desk.folder)
    assert "Traceback" not in wrong.stderr
    assert "Traceback" in as_process("run", "nothing", "--debug", folder=desk.folder).stderr


def test_a_broken_installation_is_told_in_a_line(desk: CommandLine) -> None:
    """A fault of our own: the database is a folder."""
    (desk.folder / ".greenroom" / "greenroom.db").mkdir(parents=True)
    broken = as_process("runs", folder=desk.folder)
    assert broken.returncode == 3
    assert "Traceback" not in broken.stderr
    assert broken.stderr.strip()


@pytest.mark.requirement("H1")
def test_a_report_can_go_to_a_file_beside_the_screen(lakeside: CommandLine) -> None:
    screen = lakeside("run", "changes", "--format", "junit", "--output", "report.xml")
    assert (lakeside.folder / "report.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert screen.out.splitlines()[-1].startswith("Exit code 1")


def test_a_report_that_cannot_be_written_costs_no_run(lakeside: CommandLine) -> None:
    """W01: it is found out before anything is spent."""
    screen = lakeside("run", "--format", "json", "--output", "no/such/folder/report.json")
    assert (screen.code, screen.out) == (2, "")
    assert "no/such/folder/report.json" in screen.err
    assert "no runs yet" in lakeside("runs").out


def test_json_on_standard_output_is_one_document(lakeside: CommandLine) -> None:
    screen = lakeside("run", "booking", "--format", "json")
    assert json.loads(screen.out)["run"]["counts"]["failed"] == 1
    assert screen.err.splitlines()[-1].startswith("Exit code 1")


def test_colour_is_for_terminals_only(desk: CommandLine) -> None:
    assert "\x1b[" not in as_process("run", folder=desk.folder).stdout
    coloured = as_process("run", folder=desk.folder, environment={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" in coloured
    plain = as_process("run", folder=desk.folder, environment={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout
    assert "\x1b[3" not in plain


def test_a_locale_without_unicode_loses_no_report(desk: CommandLine) -> None:
    """W01: the C locale and no UTF-8 mode; files and screens are UTF-8 all the same."""
    suite = desk.folder / "suites" / "first.yaml"
    suite.write_text(suite.read_text("utf-8").replace("Looks a repair up", "Fahrräder 🚲"), "utf-8")
    settings = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    ran = as_process("run", "--format", "json", "--output", "report.json", folder=desk.folder, environment=settings)
    assert ran.returncode == 0, ran.stderr
    json.loads((desk.folder / "report.json").read_text(encoding="utf-8"))


def test_a_folder_is_a_selector_too(lakeside: CommandLine) -> None:
    assert lakeside("run", "suites").code == 1


def test_a_database_with_a_variable_that_is_not_set_is_refused_by_every_command(desk: CommandLine) -> None:
    """P20, R1 B7: never taken literally."""
    settings = desk.folder / "greenroom.yaml"
    settings.write_text(settings.read_text("utf-8") + 'database: "sqlite:///${KEPT}/runs.db"\n', "utf-8")
    for arguments in (["runs"], ["show", "last"], ["chat", "desk"], ["run"], ["lint"]):
        screen = desk(*arguments)
        assert screen.code == 2, arguments
        assert "greenroom.yaml:" in screen.out + screen.err
        assert "the environment variable KEPT is not set" in screen.out + screen.err
    assert not (desk.folder / "${KEPT}").exists()

    desk.environment["KEPT"] = "kept"
    assert desk("run").code == 0
    assert (desk.folder / "kept" / "runs.db").is_file()
    assert "finished 100 %" in desk("runs").out

    del desk.environment["KEPT"]
    desk.environment["GREENROOM_DATABASE"] = "sqlite:///kept/runs.db"
    assert "finished 100 %" in desk("runs").out
