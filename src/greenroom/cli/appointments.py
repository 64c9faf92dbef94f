"""`greenroom appointments`."""

from typing import Annotated

import typer

from greenroom.cli.options import AfterMark, InProject, TextOrJson, one_of, whole_number
from greenroom.cli.setting import setting_of

__all__ = ["appointments"]


def appointments(
    context: typer.Context,
    appointment: Annotated[str | None, typer.Argument(metavar="ID", help="Show this one.")] = None,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Take this one back: the calendar and the team learn of it.")
    ] = False,
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Only those that this agent made.")] = None,
    person: Annotated[
        str | None, typer.Option(metavar="PERSON", help="Only those of this person, by id or identity.")
    ] = None,
    representative: Annotated[
        str | None, typer.Option(metavar="ID", help="Only those with this representative.")
    ] = None,
    since: Annotated[
        str, typer.Option(metavar="DAY", help="From this day or time on: today, 2026-06-06, 2026-06-06T14:00.")
    ] = "today",
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Up to this day, or before this time.")] = None,
    status: Annotated[
        str | None, typer.Option(metavar="STATUS", parser=one_of("booked", "cancelled"), help="booked or cancelled.")
    ] = None,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Those of sandboxes, which are never listed else.")
    ] = False,
    limit: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1, 1000), help="How many on a page, at most 1000.")
    ] = 50,
    after: AfterMark = None,
    format_: TextOrJson = "text",
    project: InProject = None,
) -> None:
    """List the live appointments from today on; show one, or take it back.

    The earliest come first.
    """
    from greenroom.cli.agenda import print_appointment, print_appointments, print_cancelled
    from greenroom.cli.loop import run_async
    from greenroom.conversation.appointments import AppointmentStatus
    from greenroom.operations.appointments import AppointmentsRequest

    setting, as_json = setting_of(context), format_ == "json"
    if cancel:
        if appointment is None:
            raise typer.BadParameter("it takes back one appointment; name it", param_hint="--cancel")
        if sandbox:
            raise typer.BadParameter(
                "only live appointments can be taken back; those of a sandbox go with its conversation",
                param_hint="--cancel",
            )
        run_async(print_cancelled(setting, appointment, project=project, as_json=as_json))
        return
    if appointment is not None:
        run_async(print_appointment(setting, appointment, sandbox=sandbox, project=project, as_json=as_json))
        return
    request = AppointmentsRequest(
        agent=agent,
        person=person,
        representative=representative,
        status=None if status is None else AppointmentStatus(status),
        since=since,
        until=until,
        sandbox=sandbox,
    )
    run_async(print_appointments(setting, request, limit=limit, after=after, project=project, as_json=as_json))
