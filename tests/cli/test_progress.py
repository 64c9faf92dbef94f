"""What is seen of a run while it goes; both views take the same events (features.md G1)."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console
from tests.builders import run_summary, sample_result

from greenroom.cli.progress import LinesView, LiveView, ProgressView, progress_view
from greenroom.cli.screen import Screen
from greenroom.conversation.outcomes import CaseError, Cause, SampleKey, Status
from greenroom.conversation.progress import RunFinished, RunStarted, SampleFinished, SampleStarted


def told(view: ProgressView, *, finish: bool = True) -> None:
    view.tell(RunStarted(run=run_summary(), samples=3))
    for case in ("saturday", "sunday", "monday"):
        view.tell(SampleStarted(key=SampleKey(suite="booking", case=case)))
    view.tell(SampleFinished(result=sample_result("saturday")))
    view.tell(SampleFinished(result=sample_result("sunday", status=Status.FAILED)))
    if finish:
        view.tell(SampleFinished(result=sample_result("monday")))
        view.tell(RunFinished(run=run_summary()))


def test_without_a_terminal_each_case_has_a_line() -> None:
    screen = io.StringIO()
    told(LinesView(Console(file=screen, width=100, soft_wrap=True)))
    assert screen.getvalue().splitlines() == [
        "run-1: 3 conversations with desk",
        "passed    booking/saturday  1.2 s, 2 units",
        "failed    booking/sunday  1.2 s, 2 units",
        "passed    booking/monday  1.2 s, 2 units",
    ]


def test_on_a_terminal_a_bar_tells_counts_units_and_what_is_running() -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None, legacy_windows=False)
    view = LiveView(console)
    told(view, finish=False)
    try:
        drawn = Console(file=io.StringIO(), width=80)
        with drawn.capture() as seen:
            drawn.print(view.renderable())
    finally:
        view.close()
    bar, running = seen.get().rstrip().splitlines()
    assert bar.split()[1:] == ["2/3", "1", "passed,", "1", "failed", "4", "units"]
    assert running == "  … booking/monday"


def test_an_error_is_told_with_its_cause() -> None:
    screen = io.StringIO()
    error = CaseError(cause=Cause.PLATFORM, message="The provider answered 500.\nThree times.")
    result = sample_result("saturday", status=Status.ERRORED)
    LinesView(Console(file=screen, width=100, soft_wrap=True)).tell(SampleFinished(result=replace(result, error=error)))
    assert screen.getvalue() == "errored   booking/saturday  1.2 s, 2 units  platform: The provider answered 500.\n"


def test_above_the_bar_a_long_line_breaks_between_words() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    error = CaseError(cause=Cause.PLATFORM, message="The provider answered 500 three times, then not at all.")
    result = replace(sample_result("saturday", status=Status.ERRORED), error=error)
    console = Console(file=screen, width=40, force_terminal=True, color_system=None, soft_wrap=True)
    view = LiveView(console)
    view.tell(RunStarted(run=run_summary(), samples=1))
    view.tell(SampleFinished(result=result))
    view.close()
    shown = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", screen.getvalue())
    assert [row for row in re.split(r"[\r\n]", shown) if row and not row.endswith("units")] == [
        "errored   booking/saturday  1.2 s, 2",
        "  units  platform: The provider answered",
        "  500 three times, then not at all.",
    ]


def test_a_screen_that_is_gone_does_not_hurt_the_run() -> None:
    class Gone(io.StringIO):
        def write(self, s: str, /) -> int:
            raise BrokenPipeError

    told(LinesView(Screen(Gone())))


@pytest.mark.parametrize(("environment", "view"), [({}, LiveView), ({"CI": "true"}, LinesView)])
def test_only_somebody_who_watches_gets_the_bar(
    environment: dict[str, str], view: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", Terminal())
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert type(progress_view()) is view


@pytest.mark.requirement("H4")
def test_a_second_attempt_takes_the_place_of_the_first() -> None:
    """R12: both have a line, and the bar counts the sample once."""
    first, second = (
        replace(sample_result("saturday", attempt=attempt, status=status), error=error)
        for attempt, status, error in (
            (1, Status.ERRORED, CaseError(cause=Cause.SIMULATOR, message="It spoke as the agent.")),
            (2, Status.PASSED, None),
        )
    )
    screen, drawn = io.StringIO(), Console(file=io.StringIO(), width=80)
    lines = LinesView(Console(file=screen, width=100, soft_wrap=True))
    bar = LiveView(Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None, legacy_windows=False))
    for view in (lines, bar):
        view.tell(RunStarted(run=run_summary(), samples=1))
        for result in (first, second):
            view.tell(SampleStarted(key=result.key))
            view.tell(SampleFinished(result=result))
    with drawn.capture() as seen:
        drawn.print(bar.renderable())
    bar.close()
    assert screen.getvalue().splitlines()[1:] == [
        "errored   booking/saturday  1.2 s, 2 units  simulator: It spoke as the agent.",
        "passed    booking/saturday (attempt 2)  1.2 s, 2 units",
    ]
    assert seen.get().split()[1:] == ["1/1", "1", "passed", "4", "units"]
