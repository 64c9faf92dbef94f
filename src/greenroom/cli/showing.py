"""What `greenroom show` does once its options are read."""

from pathlib import Path

from greenroom.cli.opening import open_project
from greenroom.cli.running import Format, show_report
from greenroom.cli.screen import output, print_json, print_lines
from greenroom.cli.setting import Setting
from greenroom.conversation.progress import RunFinished
from greenroom.conversation.rollup import run_verdict
from greenroom.operations.results import Target, find_run, show_result
from greenroom.reports.inspection import inspection_lines
from greenroom.reports.json import sample_json

__all__ = ["show_run", "show_sample"]


async def show_run(setting: Setting, name: str, *, project: Path | None, format_: Format) -> None:
    """A whole run, as it was reported. Raises `NotFound`."""
    async with open_project(setting, project) as context:
        run = await find_run(context, name)
        await show_report(context, RunFinished(run=run), run_verdict(run), format_)


async def show_sample(setting: Setting, target: Target, *, project: Path | None, turns: bool, as_json: bool) -> None:
    """One result. Raises `NotFound`."""
    async with open_project(setting, project) as context:
        shown = await show_result(context, target)
    if as_json:
        print_json(sample_json(shown.result, shown.records if turns else None))
    else:
        print_lines(inspection_lines(shown.result, shown.records if turns else ()), output())
