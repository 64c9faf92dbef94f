"""`greenroom people`."""

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AfterMark, InProject, TextOrJson, whole_number
from greenroom.cli.setting import setting_of

__all__ = ["people"]


def people(
    context: typer.Context,
    person: Annotated[
        str | None, typer.Argument(metavar="PERSON", help="A person's id or identity; left out, people are listed.")
    ] = None,
    search: Annotated[
        str, typer.Option(metavar="WORDS", help="Words in name, contact details, company, title or interest.")
    ] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Such as 'status: lead, fields.party_size: {at_least: 4}'."),
    ] = None,
    segment: Annotated[str | None, typer.Option(metavar="NAME", help="A segment of the project.")] = None,
    audience: Annotated[
        str | None, typer.Option(metavar="NAME", help="A segment, without those who gave no consent to messages.")
    ] = None,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="The sandbox, in place of the live people.")] = False,
    limit: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(1, 1000), help="How many on a page, at most 1000.")
    ] = 50,
    after: AfterMark = None,
    count: Annotated[bool, typer.Option("--count", help="Only how many, by status.")] = False,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write them all as CSV; `-` is standard output.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Change a person: text as it stands, 6, true, or a list for tags; nothing empties a field.",
        ),
    ] = None,
    bind: Annotated[
        list[str] | None, typer.Option(metavar="CHANNEL:ADDRESS", help="Let a person be found by this too.")
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(metavar="CHANNEL:ADDRESS", help="Put somebody on record who is known by this; --set tells more."),
    ] = None,
    import_: Annotated[
        Path | None,
        typer.Option(
            "--import", metavar="FILE", help="Create and update people as a CSV file says, all or none; `-` is input."
        ),
    ] = None,
    preview: Annotated[bool, typer.Option("--dry-run", help="Only say what --import would do.")] = False,
    format_: TextOrJson = "text",
    project: InProject = None,
) -> None:
    """List, count, export, import, add, show and change people.

    The newest come first.
    """
    from greenroom.cli.loop import run_async
    from greenroom.cli.peopling import Asked, answer
    from greenroom.operations.people import PeopleRequest

    asked = Asked(
        person=person,
        which=PeopleRequest(
            search=search, where=tuple(where or ()), segment=segment, audience=audience, sandbox=sandbox
        ),
        limit=limit,
        after=after,
        count=count,
        export=export,
        changes=tuple(set_ or ()),
        identities=tuple(bind or ()),
        added=tuple(add or ()),
        imported=import_,
        preview=preview,
        as_json=format_ == "json",
    )
    run_async(answer(setting_of(context), asked, project=project))
