"""`greenroom chat`."""

from typing import Annotated

import typer

from greenroom.cli.options import AgentModel, InProject, one_of
from greenroom.cli.setting import setting_of

__all__ = ["chat"]

_CHANNELS = ("web", "sms", "rich", "web_voice", "phone_inbound", "phone_outbound", "auto")


def chat(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    channel: Annotated[
        str,
        typer.Option(
            metavar="CHANNEL",
            parser=one_of(*_CHANNELS),
            help=f"Where the conversation takes place: {', '.join(_CHANNELS)} "
            "(a phone call to an agent with a number, else web voice).",
        ),
    ] = "web",
    turns: Annotated[bool, typer.Option("--turns", help="Show each turn's record under it.")] = False,
    live: Annotated[
        bool, typer.Option("--live", help="In the live world: what the agent does really happens.")
    ] = False,
    person: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VALUE",
            help="Something that is known of whoever speaks, such as first_name=Ana; may be repeated. "
            "Left out, they are a stranger.",
        ),
    ] = None,
    outreach: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Open with this outreach of the agent, captured, in place of the greeting."),
    ] = None,
    model: AgentModel = None,
    project: InProject = None,
) -> None:
    r"""Talk to an agent in the sandbox and see what it would have done.

    A line is said as it is; `[LABEL]` taps what has that label, and `\[` begins a line that only looks like one; an
    empty line ends the conversation. A conversation that breaks off ends in exit code 3.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.talking import talk
    from greenroom.conversation.channels import Channel
    from greenroom.operations.chat import ChatRequest

    request = ChatRequest(
        agent=agent,
        channel=Channel(channel),
        live=live,
        model=model,
        person=tuple(person or ()),
        outreach=outreach,
    )
    raise typer.Exit(run_async(talk(setting_of(context), request, turns=turns, project=project)))
