"""What `greenroom run` does once its options are read: run, show progress, report, and say the exit code.

Loaded only by that command, for it loads everything a run needs.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from greenroom import __version__
from greenroom.cli.files import ReportFile
from greenroom.cli.loop import stopped_by_signals
from greenroom.cli.opening import open_project
from greenroom.cli.progress import progress_view
from greenroom.cli.screen import errors, output, print_lines, say, width
from greenroom.cli.setting import Setting
from greenroom.conversation.progress import RunFinished
from greenroom.conversation.rollup import ExitVerdict, run_verdict
from greenroom.conversation.visible import escaped_json
from greenroom.errors import OutputFault
from greenroom.operations.context import Context
from greenroom.operations.results import results_of
from greenroom.operations.runs import Prepared, RunRequest, perform, prepare
from greenroom.reports.json import JsonReport
from greenroom.reports.junit import JunitReport
from greenroom.reports.streams import streamed
from greenroom.reports.text import OPENED, TextReport, exit_line

__all__ = ["Format", "ReportAsked", "report_asked", "report_pieces", "run_and_report", "show_report"]

Format = Literal["text", "json", "junit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAsked:
    """How a run is to be reported."""

    format: Format
    file: Path | None
    project: Path | None


def report_asked(format_: Format | None, output: str | None, *, folder: Path, project: Path | None) -> ReportAsked:
    """What the options say; a format that is left out is the one that the file's name says."""
    file = None if output in {None, "", "-"} else folder / str(output)
    guessed = _FORMATS.get(file.suffix.lower(), "text") if file is not None else "text"
    return ReportAsked(format=format_ or guessed, file=file, project=project)


_FORMATS: Mapping[str, Format] = MappingProxyType({".json": "json", ".xml": "junit"})


async def run_and_report(setting: Setting, request: RunRequest, asked: ReportAsked) -> int:
    """Run what was asked for and report it; the exit code. Raises what `prepare` raises, before anything is spent."""
    # The file is opened first: a report that can't be written must not cost a run (W01).
    file = await asyncio.to_thread(ReportFile, asked.file) if asked.file else None
    try:
        async with open_project(setting, asked.project) as context:
            prepared = await prepare(context, request)
            _print_warnings(prepared)
            ended = await _played(context, prepared)
            verdict = run_verdict(ended.run, broken=ended.fault)
            if file is None:
                await show_report(context, ended, verdict, asked.format)
            else:
                unwritten = await _write(file, report_pieces(context, ended, verdict, asked.format))
                await show_report(context, ended, verdict, "text")
                if unwritten is not None:
                    raise unwritten
            return verdict.code
    finally:
        if file is not None:
            await asyncio.to_thread(file.close)


async def _write(file: ReportFile, pieces: AsyncIterator[bytes]) -> OutputFault | None:
    """Write it whole; what went wrong is handed back, since the screen can still tell the report."""
    try:
        async for piece in pieces:
            await asyncio.to_thread(file.write, piece)
        await asyncio.to_thread(file.keep)
    except OutputFault as fault:
        return fault
    return None


def _print_warnings(prepared: Prepared) -> None:
    """What is worth a look in the documents, one line each."""
    for warning in prepared.warnings:
        say(warning)


async def _played(context: Context, prepared: Prepared) -> RunFinished:
    """How it ended."""
    view, ended = progress_view(), RunFinished(run=prepared.run)
    with stopped_by_signals() as stop:
        try:
            async for event in perform(context, prepared, stop):
                view.tell(event)
                if isinstance(event, RunFinished):
                    ended = event
        finally:
            view.close()
    if stop.is_set():
        say("Stopped; what had finished is kept. `greenroom run --failed` runs what did not pass.")
    if ended.fault:
        say(ended.fault)
    return ended


async def show_report(context: Context, ended: RunFinished, verdict: ExitVerdict, format_: Format) -> None:
    """The report on standard output; what is no text says the exit code on standard error."""
    if format_ == "text":
        screen = output()
        report = TextReport(run=ended.run, version=__version__, verdict=verdict, columns=width(), zone=context.zone)
        async for each in streamed(report, results_of(context, ended.run, OPENED, ended.unsaved)):
            print_lines([each], screen)
        return
    async for piece in report_pieces(context, ended, verdict, format_):
        output().file.write(escaped_json(piece.decode()))
    print_lines([exit_line(verdict)], errors())


async def report_pieces(
    context: Context, ended: RunFinished, verdict: ExitVerdict, format_: Format
) -> AsyncIterator[bytes]:
    """The report in UTF-8, piece by piece."""
    run = ended.run
    results = results_of(context, run, OPENED if format_ == "text" else None, ended.unsaved)
    if format_ == "json":
        async for piece in streamed(JsonReport(run, version=__version__), results):
            yield piece
    elif format_ == "junit":
        async for text in streamed(JunitReport(run, version=__version__), results):
            yield text.encode()
    else:
        report = TextReport(run=run, version=__version__, verdict=verdict, zone=context.zone)
        async for each in streamed(report, results):
            yield f"{each.text.rstrip()}\n".encode()
