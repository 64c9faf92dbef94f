"""`greenroom stats`."""

from typing import Annotated

import typer

from greenroom.cli.options import InProject, TextOrJson, a_day, whole_number
from greenroom.cli.setting import setting_of

__all__ = ["stats"]


def stats(
    context: typer.Context,
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Only this agent, in its time zone.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DAY", parser=a_day, help="The first day, as 2026-11-30.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="DAY", parser=a_day, help="The last day; left out, today.")
    ] = None,
    days: Annotated[
        int | None, typer.Option(metavar="N", parser=whole_number(1, 1_100), help="How many days; left out, 7.")
    ] = None,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox", help="Of the sandbox's conversations that are there now, in place of live ones."),
    ] = False,
    format_: TextOrJson = "text",
    project: InProject = None,
) -> None:
    """Live conversations by day: begun, what came of them, messages, turn times, reviews, appointments booked.

    What came of a conversation is counted on the day on which it began, its review on the day on which it was closed.
    Messages out are what agents said, also what still waits to leave. The sandbox never counts among them.
    """
    from datetime import date

    from greenroom.cli.looking import print_statistics
    from greenroom.cli.loop import run_async
    from greenroom.operations.statistics import StatisticsRequest

    request = StatisticsRequest(
        agent=agent,
        since=None if since is None else date.fromisoformat(since),
        until=None if until is None else date.fromisoformat(until),
        days=days,
        sandbox=sandbox,
    )
    run_async(print_statistics(setting_of(context), request, project=project, as_json=format_ == "json"))
