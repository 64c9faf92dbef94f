"""What `greenroom review` does once its options are read."""

from pathlib import Path

from greenroom.cli.opening import open_project
from greenroom.cli.screen import output, print_json, print_lines
from greenroom.cli.setting import Setting
from greenroom.conversation.reviews import ReviewStatus, ReviewVerdict
from greenroom.operations.reviews import ReviewRequest, review_conversation, review_waiting
from greenroom.reports.lines import Tone, line, span
from greenroom.reports.reviews import review_json, review_lines, waiting_lines

__all__ = ["print_review", "print_waiting"]


async def print_review(
    setting: Setting, conversation: str, criteria: tuple[str, ...], *, project: Path | None, as_json: bool
) -> int:
    """Review one, and give back the exit code. Raises `NotFound`, `UsageError`."""
    async with open_project(setting, project) as context:
        review = await review_conversation(context, ReviewRequest(conversation=conversation, criteria=criteria))
    if as_json:
        print_json(review_json(review))
    else:
        print_lines(review_lines([review], context.zone), output())
        if criteria:
            print_lines(
                [line(span("Asked this once; it is not kept, and the review that counts stays.", Tone.QUIET))], output()
            )
    if review.status is not ReviewStatus.DONE:
        return 3
    return 0 if review.verdict is ReviewVerdict.PASSED else 1


async def print_waiting(setting: Setting, *, most: int, project: Path | None, as_json: bool) -> None:
    """Review those that wait."""
    async with open_project(setting, project) as context:
        waiting = await review_waiting(context, most=most)
    if as_json:
        print_json(waiting)
    else:
        print_lines(waiting_lines(waiting), output())
