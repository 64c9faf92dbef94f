"""What a person sees of a run while it goes: a live bar on a terminal, one line a case elsewhere.

Both take the same stream of events. Either may fail, on a closed pipe for instance, without hurting the run.
"""

from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from greenroom.cli.screen import STYLES, errors, print_lines, watched
from greenroom.conversation.outcomes import SampleKey, SampleResult, Status
from greenroom.conversation.progress import Progress, RunFinished, RunStarted, SampleFinished, SampleStarted
from greenroom.conversation.usage import total_usage
from greenroom.reports.lines import Line, Tone, line, span
from greenroom.reports.words import seconds_words, units_words

__all__ = ["LinesView", "LiveView", "ProgressView", "progress_view"]

_SHOWN_RUNNING = 6
"""How many running cases a live view lists."""

_TONES: Mapping[Status, Tone] = MappingProxyType({
    Status.PASSED: Tone.GOOD,
    Status.FAILED: Tone.BAD,
    Status.ERRORED: Tone.WARNING,
    Status.CANCELLED: Tone.WARNING,
    Status.SKIPPED: Tone.QUIET,
})


class ProgressView(Protocol):
    """Shows a run while it goes."""

    def tell(self, event: Progress) -> None:
        """Show what happened."""
        ...

    def close(self) -> None:
        """Leave the screen as the report wants it."""
        ...


def progress_view() -> ProgressView:
    """The view that fits standard error."""
    return LiveView(errors()) if watched() else LinesView(errors())


def _sample_name(key: SampleKey, samples: int = 1) -> str:
    """`suite/case`, with the sample's number where there are several, and which attempt it is after the first."""
    number = f" #{key.sample}" if samples > 1 or key.sample > 1 else ""
    return f"{key.suite}/{key.case}{number}" + (f" (attempt {key.attempt})" if key.attempt > 1 else "")


def _line(result: SampleResult) -> Line:
    error = result.error
    return line(
        span(f"{result.status:<9}", _TONES.get(result.status, Tone.PLAIN)),
        f" {_sample_name(result.key)}",
        span(f"  {seconds_words(result.duration_s)}, {units_words(result.units, _unreported(result))}", Tone.QUIET),
        span(f"  {', '.join(result.badges)}" if result.badges else "", Tone.WARNING),
        "" if error is None else f"  {error.cause}: {error.message.splitlines()[0]}",
    )


def _unreported(result: SampleResult) -> int:
    return total_usage(result.usage).unreported


class LinesView:
    """One line for each sample as it ends."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def tell(self, event: Progress) -> None:
        """Print a line."""
        with suppress(OSError):
            if isinstance(event, RunStarted):
                noun = "conversation" if event.samples == 1 else "conversations"
                begun = f"{event.run.run_id}: {event.samples} {noun} with {event.run.agent}"
                print_lines([line(begun)], self._console)
            elif isinstance(event, SampleFinished):
                print_lines([_line(event.result)], self._console)

    def close(self) -> None:
        """Nothing to tidy."""


class LiveView:
    """A bar with counts and units, and the conversations that are going on."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._samples = 0
        self._counts: dict[Status, int] = {}
        self._units = 0
        self._unreported = 0
        self._running: dict[SampleKey, None] = {}
        self._live = Live(
            console=console, get_renderable=self.renderable, refresh_per_second=8, transient=True, redirect_stdout=False
        )

    def tell(self, event: Progress) -> None:
        """Take the event in; the screen is drawn a few times a second."""
        with suppress(OSError):
            match event:
                case RunStarted():
                    self._samples = event.samples
                    self._live.start()
                case SampleStarted():
                    self._running[event.key] = None
                    if event.key.attempt > 1:
                        # The earlier attempt ended in an error and is out of the count; this one takes its place.
                        self._counts[Status.ERRORED] -= 1
                case SampleFinished(result=result):
                    self._running.pop(result.key, None)
                    self._counts[result.status] = self._counts.get(result.status, 0) + 1
                    self._units += result.units
                    self._unreported += _unreported(result)
                    if result.status is not Status.PASSED:
                        print_lines([_line(result)], self._console)
                case RunFinished():
                    self._live.stop()

    def close(self) -> None:
        """Take the bar away, also when the run broke off."""
        with suppress(OSError):
            self._live.stop()

    def renderable(self) -> RenderableType:
        """What is drawn now."""
        done = sum(self._counts.values())
        counts = Text(", ").join(
            Text(f"{count} {status}", style=STYLES[_TONES.get(status, Tone.PLAIN)])
            for status, count in self._counts.items()
            if count
        )
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(total=max(1, self._samples), completed=done, width=30),
            f"{done}/{self._samples}",
            counts,
            Text(units_words(self._units, self._unreported), style="dim"),
        )
        names = [span(f"  … {_sample_name(key)}").text for key in list(self._running)[:_SHOWN_RUNNING]]
        running = [Text(name, style="dim") for name in names]
        more = len(self._running) - len(running)
        return Group(bar, *running, *([Text(f"  … and {more} more", style="dim")] if more > 0 else []))
