"""`greenroom chat`."""

from typing import Annotated, Literal

import typer

from greenroom.cli.options import AgentModel, InProject
from greenroom.cli.setting import setting_of

__all__ = ["chat"]


def chat(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(help="The agent's id.")],
    channel: Annotated[
        Literal["web", "sms", "rich", "web_voice", "phone_inbound", "phone_outbound"],
        typer.Option(help="Where the conversation takes place."),
    ] = "web",
    turns: Annotated[bool, typer.Option("--turns", help="Show each turn's record under it.")] = False,
    live: Annotated[
        bool, typer.Option("--live", help="In the live world: what the agent does really happens.")
    ] = False,
    model: AgentModel = None,
    project: InProject = None,
) -> None:
    """Talk to an agent in the sandbox and see what it would have done.

    A line is said as it is; `[LABEL]` taps what has that label; an empty line ends the conversation.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.talking import talk
    from greenroom.conversation.channels import Channel
    from greenroom.operations.chat import ChatRequest

    request = ChatRequest(agent=agent, channel=Channel(channel), live=live, model=model)
    run_async(talk(setting_of(context), request, turns=turns, project=project))
