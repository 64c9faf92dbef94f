"""What `greenroom appointments` does once its options are read."""

from dataclasses import asdict
from pathlib import Path

from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_json, print_lines
from greenroom.cli.setting import Setting
from greenroom.operations.appointments import AppointmentsRequest, list_appointments, show_appointment
from greenroom.operations.cancelling import cancel_appointment
from greenroom.reports.appointments import appointment_json, appointment_lines, page_json, page_lines
from greenroom.reports.live import errand_lines
from greenroom.reports.outreach import timer_json

__all__ = ["print_appointment", "print_appointments", "print_cancelled"]


async def print_appointments(
    setting: Setting,
    request: AppointmentsRequest,
    *,
    limit: int,
    after: str | None,
    project: Path | None,
    as_json: bool,
) -> None:
    """A page of appointments. Raises `UsageError` for a moment or a mark that can't be read."""
    async with open_project(setting, project) as context:
        listed = await list_appointments(context, request, limit=limit, after=after)
    if as_json:
        print_json(page_json(listed.page, listed.names))
    else:
        where = " in the sandbox" if request.sandbox else ""
        from_today = " from today on; `--since` shows earlier ones" if request.since == "today" else ""
        print_lines(page_lines(listed.page, listed.names, where=f"{where}{from_today}"), output())


async def print_appointment(
    setting: Setting, appointment: str, *, sandbox: bool, project: Path | None, as_json: bool
) -> None:
    """One appointment. Raises `NotFound`."""
    async with open_project(setting, project) as context:
        shown = await show_appointment(context, appointment, sandbox=sandbox)
    (record,), zone = shown.page.appointments, context.zone
    if as_json:
        reminders = [timer_json(timer) for timer in shown.reminders]
        print_json({**appointment_json(record, shown.names), "reminders": reminders})
    else:
        print_lines(appointment_lines(record, shown.names, shown.reminders, zone), output())


async def print_cancelled(setting: Setting, appointment: str, *, project: Path | None, as_json: bool) -> None:
    """Take one back, and say what came of it. Raises `NotFound`, `UsageError`."""
    async with open_project(setting, project) as context:
        cancelled = await cancel_appointment(context, appointment)
    (record,), zone = cancelled.shown.page.appointments, context.zone
    if as_json:
        errands = [asdict(errand) for errand in cancelled.errands]
        print_json({**appointment_json(record, cancelled.shown.names), "errands": errands})
    else:
        print_lines(appointment_lines(record, cancelled.shown.names, cancelled.shown.reminders, zone), output())
        print_lines(errand_lines(cancelled.errands, zone), output())
