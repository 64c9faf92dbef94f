"""The command line `greenroom`: reads what is asked for, calls one operation, shows what came of it.

Nothing heavy is imported here, so that `--help` is instant; each command loads what it needs when it is called.
"""

import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated, NoReturn

import typer

from greenroom import __version__
from greenroom.cli.appointments import appointments
from greenroom.cli.arguments import fault_of_arguments
from greenroom.cli.chat import chat
from greenroom.cli.cleanup import cleanup
from greenroom.cli.command import Command
from greenroom.cli.conversations import conversations
from greenroom.cli.init import init
from greenroom.cli.lint import lint
from greenroom.cli.outreach import outreach
from greenroom.cli.people import people
from greenroom.cli.publish import publish
from greenroom.cli.review import review
from greenroom.cli.revisions import revisions
from greenroom.cli.run import run
from greenroom.cli.runs import runs
from greenroom.cli.schema import schema
from greenroom.cli.serve import serve
from greenroom.cli.setting import Setting
from greenroom.cli.show import show
from greenroom.cli.stats import stats
from greenroom.cli.tick import tick

__all__ = ["app", "main"]

_EXIT_CODES = """\
\b
Exit codes, the first that holds:
130  interrupted with Ctrl-C (143 terminated, 129 hung up); what had finished is kept
  2  wrong usage, invalid documents, or a selection that matches nothing
  1  at least one case failed
  4  a quota or budget refused or stopped the run
  3  no failure, but a case ended in an error without a verdict
  0  everything passed
"""

app = typer.Typer(
    name="greenroom",
    help="A test bench for customer-facing agents: the agent as deployed, in a world whose effects are captured.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    init,
    run,
    lint,
    show,
    runs,
    chat,
    publish,
    revisions,
    serve,
    tick,
    conversations,
    review,
    stats,
    people,
    outreach,
    appointments,
    cleanup,
    schema,
):
    app.command(cls=Command, epilog=_EXIT_CODES if command is run else None)(command)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"greenroom {__version__}")
        raise typer.Exit


@app.callback()
def _greenroom(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; stands anywhere.")] = False,
) -> None:
    """A test bench for customer-facing agents: the agent as deployed, in a world whose effects are captured."""


def main(arguments: Sequence[str] | None = None, setting: Setting | None = None) -> NoReturn:
    """Run one command and leave with its exit code. An error is a message; its traceback is shown with `--debug`."""
    from greenroom.errors import GreenroomError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")  # whatever the locale says (W01)
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    if (fault := fault_of_arguments(given)) is not None:
        _leave(fault, 2, debug=False)
    try:
        try:
            app(args=[argument for argument in given if argument != "--debug"], prog_name="greenroom", obj=setting)
        finally:
            sys.stdout.flush()
    except GreenroomError as error:
        _leave(str(error), error.exit_code, debug=debug)
    # The edge of the process: a fault of our own is told in a line, since a person can do nothing with its trace.
    except Exception as error:  # noqa: BLE001
        if isinstance(error, OSError) and error.filename is None and (why := _unwritable()):
            _leave(f"standard output can't be written: {why}", 3, debug=debug)
        _leave(f"Greenroom itself failed: {type(error).__name__}: {error} (--debug shows where)", 3, debug=debug)
    sys.exit(0)


def _unwritable() -> str:
    """Why standard output takes nothing any more, and from now on nothing more is sent there; empty while it does."""
    from greenroom.cli.screen import silence

    try:
        # What couldn't be written may be forgotten by now, so a flush alone would not tell.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError as fault:
        silence(sys.stdout)
        return fault.strerror or str(fault)
    return ""


def _leave(message: str, code: int, *, debug: bool) -> NoReturn:
    from greenroom.cli.screen import say

    if debug:
        traceback.print_exc()
    say(message)
    sys.exit(code)
