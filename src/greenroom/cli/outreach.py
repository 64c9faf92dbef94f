"""`greenroom outreach`."""

from typing import Annotated

import typer

from greenroom.cli.options import AfterMark, InProject, TextOrJson, whole_number
from greenroom.cli.setting import setting_of

__all__ = ["outreach"]


def outreach(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One of its outreaches; left out, all.")] = None,
    preview: Annotated[
        bool, typer.Option("--dry-run", help="Who would get it as the files say now; nothing is sent.")
    ] = False,
    limit: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1, 1000), help="How many people on a page, at most 1000.")
    ] = 50,
    after: AfterMark = None,
    format_: TextOrJson = "text",
    project: InProject = None,
) -> None:
    """Show what became of an agent's outreach, the newest first; or who would get it.

    It is sent by `greenroom serve` and `greenroom tick`, to people who consented and on channels with `outbound`.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.outreaching import print_outreach
    from greenroom.operations.outreach_lists import OutreachRequest

    request = OutreachRequest(agent=agent, name=name, limit=limit, after=after)
    run_async(print_outreach(setting_of(context), request, preview=preview, project=project, as_json=format_ == "json"))
