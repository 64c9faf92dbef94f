"""What a process ends with, by every way in (interfaces: exit codes; X01, X05, X06, X11, X12)."""

import json
import signal
import subprocess
import sys
from pathlib import Path

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
    """X02: expected failures need not break a job. Whoever looks at the run later is told the same."""
    ran, shown = lakeside("run", "--fail-on", gate), lakeside("show", "last")
    assert (ran.code, shown.code) == (code, 0)
    last = ran.out.splitlines()[-1]
    assert last.startswith(f"Exit code {code}: ")
    assert shown.out.splitlines()[-1] == last
    assert json.loads(lakeside("show", "last", "--format", "json").out)["run"]["fail_on"] == gate


def test_an_empty_selection_is_2_unless_it_is_allowed(desk: CommandLine) -> None:
    """X11: an empty folder is no success by accident, and where it is allowed, nothing becomes the last run."""
    (desk.folder / "suites" / "later").mkdir()
    refused = desk("run", "suites/later")
    assert refused.code == 2
    assert "--allow-empty" in refused.err
    allowed = desk("run", "suites/later", "--allow-empty")
    assert (allowed.code, allowed.out.splitlines()[-1]) == (0, "Exit code 0: no case ran.")
    assert "no runs yet" in desk("runs").out


@pytest.mark.parametrize("name", ["nothere", "first/nothere", "suites/nothere.yaml", ""])
def test_a_name_that_does_not_exist_is_never_an_empty_selection(name: str, desk: CommandLine) -> None:
    """X10: `run "$SUITE"` with an unset variable must not run everything either."""
    assert desk("run", name, "--allow-empty").code == 2
    assert "no runs yet" in desk("runs").out


def test_nothing_to_run_again_is_an_empty_selection(desk: CommandLine) -> None:
    assert desk("run", "--failed", "--allow-empty").code == 0
    desk("run")
    assert desk("run", "--failed").code == 2
    assert desk("run", "--failed", "--allow-empty").code == 0
    assert desk("runs").out.count("run-") == 1


@pytest.mark.parametrize(("option", "most"), [("--concurrency", 1000), ("--samples", 20)])
def test_options_have_the_bounds_that_documents_have(option: str, most: int, desk: CommandLine) -> None:
    assert desk("run", option, str(most + 1)).code == 2
    assert desk("run", "first/tells-when-a-repair-is-ready", option, str(most)).code == 0


def test_wrong_usage_is_2(command: CommandLine) -> None:
    assert command("run", "--no-such-option").code == 2
    assert command("frobnicate").code == 2


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (signal.SIGINT, "the run was interrupted"),
        (signal.SIGTERM, "the run was terminated"),
        (signal.SIGHUP, "the terminal of the run was closed"),
    ],
)
def test_a_signal_keeps_what_has_finished(sent: signal.Signals, reason: str, desk: CommandLine) -> None:
    """The first one stops at once; what finished is stored and reported; the code is 128 and the signal's number."""
    model = desk.folder / "models" / "desk.yaml"
    rules = model.read_text(encoding="utf-8")
    model.write_text(rules.replace("  - when: {last: R-20}", f"{SLOW}  - when: {{last: R-20}}"), encoding="utf-8")
    suite = desk.folder / "suites" / "first.yaml"
    cases = suite.read_text(encoding="utf-8")
    suite.write_text(
        f"{cases}\n  waits-for-ever:\n    script: [wait]\n    expect: [{{not_called: get_repair}}]\n", "utf-8"
    )
    selected = ("first/tells-when-a-repair-is-ready", "first/waits-for-ever")
    with subprocess.Popen(
        [sys.executable, "-m", "greenroom", "run", *selected, "--output", "report.json"],
        cwd=desk.folder,
        env={"PYTHONPATH": str(SOURCES), "PATH": "", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "tells-when-a-repair-is-ready" in line:
                running.send_signal(sent)
                break
        out, _ = running.communicate(timeout=20)
    last = f"Exit code {128 + sent}: {reason}; what had finished is kept."
    assert (running.returncode, out.splitlines()[-1]) == (128 + sent, last)
    assert desk("show", "last").out.splitlines()[-1] == last
    kept = json.loads((desk.folder / "report.json").read_text(encoding="utf-8"))
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


def test_debug_keeps_the_exit_code(command: CommandLine) -> None:
    shown = command("run", "--debug")
    assert shown.code == command("run").code == 2
    assert "Traceback" in shown.err


def test_no_run_at_all_is_wrong_usage(desk: CommandLine) -> None:
    shown = desk("show", "/")
    assert (shown.code, shown.err) == (2, "'/' names no run; write a run's id, or `last` for the newest\n")


def test_what_show_cannot_do_is_refused(desk: CommandLine) -> None:
    desk("run")
    assert desk("show", "last", "--turns").code == 2
    assert desk("show", "last/tells-when-a-repair-is-ready", "--format", "junit").code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("asked", [("run",), ("schema", "suite"), ("--help",)])
def test_a_full_standard_output_is_said_plainly(asked: tuple[str, ...], desk: CommandLine) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "greenroom", *asked],
            cwd=desk.folder,
            env={"PYTHONPATH": str(SOURCES), "PATH": ""},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == "standard output can't be written: No space left on device"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_report_file_costs_only_the_file(desk: CommandLine) -> None:
    screen = desk("run", "--format", "json", "--output", "/dev/full")
    assert screen.code == 3
    assert screen.out.splitlines()[-1].startswith("Exit code 0")
    assert "the report can't be written to /dev/full: No space left on device; the run is kept" in screen.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_recording_is_named_with_what_to_do(desk: CommandLine) -> None:
    screen = desk("run", "--record", "/dev/full")
    assert screen.code == 3
    assert "can't record to /dev/full: No space left on device; make room for it, or run without" in screen.out


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


@pytest.mark.parametrize(("name", "begins"), [("new.xml", "<?xml"), ("new.json", "{"), ("new.txt", "Greenroom")])
def test_a_report_has_the_format_that_its_name_says(name: str, begins: str, desk: CommandLine) -> None:
    desk("run", "--output", name)
    assert (desk.folder / name).read_text(encoding="utf-8").startswith(begins)


def test_a_dash_is_standard_output(desk: CommandLine) -> None:
    screen = desk("run", "--format", "json", "--output", "-")
    assert json.loads(screen.out)["run"]["counts"]["failed"] == 0
    assert not (desk.folder / "-").exists()


def test_an_earlier_report_stays_until_the_new_one_is_whole(desk: CommandLine) -> None:
    earlier = desk.folder / "report.json"
    earlier.write_text("yesterday", encoding="utf-8")
    before = set(desk.folder.iterdir())
    assert desk("run", "first/nothing", "--output", "report.json").code == 2
    assert earlier.read_text(encoding="utf-8") == "yesterday"
    assert desk("run", "--output", "report.json").code == 0
    assert earlier.read_text(encoding="utf-8").startswith("{")
    assert {path.name for path in set(desk.folder.iterdir()) - before} <= {".greenroom"}


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
    assert "  100 %  " in desk("runs").out

    del desk.environment["KEPT"]
    desk.environment["GREENROOM_DATABASE"] = "sqlite:///kept/runs.db"
    assert "  100 %  " in desk("runs").out
