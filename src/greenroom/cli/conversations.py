"""`greenroom conversations`."""

from typing import Annotated

import typer

from greenroom.cli.options import AfterMark, InProject, TextOrJson, one_of
from greenroom.cli.setting import setting_of

__all__ = ["conversations"]

_REVIEWS = ("passed", "failed", "needs-review", "waiting", "errored")


def conversations(
    context: typer.Context,
    conversation: Annotated[str | None, typer.Argument(metavar="ID", help="Show this one.")] = None,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Those of sandboxes, which are never listed else.")
    ] = False,
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Only those with this agent.")] = None,
    person: Annotated[
        str | None, typer.Option(metavar="PERSON", help="Only those with this person, by id or identity.")
    ] = None,
    review: Annotated[
        str | None,
        typer.Option(
            metavar="RESULT",
            parser=one_of(*_REVIEWS),
            help="Only those whose review is so: passed, failed, needs-review, waiting or errored.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="How many at a time.")] = 20,
    after: AfterMark = None,
    turns: Annotated[bool, typer.Option("--turns", help="Show each turn's record too.")] = False,
    format_: TextOrJson = "text",
    project: InProject = None,
) -> None:
    """List the live conversations, those in which something happened last first, or show one."""
    from greenroom.cli.looking import print_conversation, print_page
    from greenroom.cli.loop import run_async
    from greenroom.conversation.reviews import ReviewFilter
    from greenroom.operations.conversations import ConversationsRequest

    setting, as_json = setting_of(context), format_ == "json"
    if conversation is None:
        wanted = None if review is None else ReviewFilter(review)
        request = ConversationsRequest(
            sandbox=sandbox, agent=agent, person=person, review=wanted, limit=limit, after=after
        )
        run_async(print_page(setting, request, project=project, as_json=as_json))
    else:
        run_async(
            print_conversation(setting, conversation, sandbox=sandbox, turns=turns, project=project, as_json=as_json)
        )
