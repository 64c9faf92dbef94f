"""What `greenroom outreach` does once its options are read."""

from pathlib import Path

from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_json, print_lines
from greenroom.cli.setting import Setting
from greenroom.operations.outreach_lists import OutreachRequest, list_outreach, preview_outreach
from greenroom.reports.outreach import outreach_json, outreach_lines, preview_json, preview_lines

__all__ = ["print_outreach"]


async def print_outreach(
    setting: Setting, request: OutreachRequest, *, preview: bool, project: Path | None, as_json: bool
) -> None:
    """What became of it, or who would get it. Raises `NotFound`, `UsageError`."""
    async with open_project(setting, project) as context:
        if preview:
            previews = await preview_outreach(context, request)
            lines, told = preview_lines(previews), preview_json(previews)
        else:
            shown = await list_outreach(context, request)
            lines, told = outreach_lines(shown, context.zone), outreach_json(shown)
    if as_json:
        print_json(told)
    else:
        print_lines(lines, output())
