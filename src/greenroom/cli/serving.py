"""What `greenroom serve` and `greenroom tick` do once their options are read."""

from pathlib import Path

from greenroom.cli.loop import stopped_by_signals
from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_lines, say
from greenroom.cli.setting import Setting
from greenroom.operations.gateway import open_gateway
from greenroom.operations.published import published_agents
from greenroom.operations.tick import tick
from greenroom.reports.live import serve_lines, tick_lines
from greenroom.server import ServeOptions, serve

__all__ = ["serve_project", "tick_project"]


async def serve_project(setting: Setting, options: ServeOptions, *, project: Path | None) -> None:
    """Serve until Ctrl-C or a signal to end. Raises `UsageError` when it can't listen there."""
    async with open_project(setting, project) as context:
        live = await published_agents(context)

        def listens(address: str) -> None:
            say(f"Listening on {address}")
            for each in serve_lines(live, address):
                say(each)

        with stopped_by_signals() as stop:
            await serve(context, options, stop=stop, ready=listens, trouble=say)
    say("Stopped.")


async def tick_project(setting: Setting, *, project: Path | None) -> None:
    """One pass over everything that happens by itself."""
    async with open_project(setting, project) as context, open_gateway(context) as gateway:
        done = await tick(context, gateway)
    print_lines(tick_lines(done), output())
