"""Reviews of closed conversations as text and as JSON (features.md E5)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, tzinfo
from typing import Any

from greenroom.conversation.reviews import Review, ReviewMark, ReviewStatus, ReviewVerdict, WaitingReviews
from greenroom.conversation.visible import shown_lines
from greenroom.reports.inspection import criterion_lines
from greenroom.reports.json import usage_json
from greenroom.reports.lines import Line, Span, Tone, line, span
from greenroom.reports.moments import minute
from greenroom.reports.words import units_words

__all__ = ["review_json", "review_lines", "review_mark", "waiting_lines"]

_TONES = {
    ReviewVerdict.PASSED: Tone.GOOD,
    ReviewVerdict.FAILED: Tone.BAD,
    ReviewVerdict.UNKNOWN: Tone.WARNING,
}
_HOW_IT_STANDS = {
    ReviewStatus.WAITING: "waits for its review",
    ReviewStatus.ERRORED: "could not be reviewed",
}


def review_mark(review: ReviewMark) -> Span:
    """How the review of a conversation came out, in a list."""
    if review.verdict is None:
        return span(
            _HOW_IT_STANDS[review.status], Tone.QUIET if review.status is ReviewStatus.WAITING else Tone.WARNING
        )
    look = ", needs review" if review.needs_review else ""
    return span(f"review {review.verdict}{look}", _TONES[review.verdict])


def review_lines(reviews: Sequence[Review], zone: tzinfo = UTC) -> Iterator[Line]:
    """The review that counts, whole; of those before it only that there were some."""
    if not reviews:
        return
    review, *before = reviews
    yield _title(review, zone)
    if review.error:
        yield from (line("  ", each) for each in shown_lines(review.error))
    judged = review.judged
    if review.verdict is None or judged is None:
        yield from (line("  ", span(f"- {text}", Tone.QUIET)) for text in review.criteria)
    else:
        yield from (each for verdict in judged.verdicts for each in criterion_lines(verdict))
        yield from _remarks(review)
    if before:
        count = "1 earlier review is" if len(before) == 1 else f"{len(before)} earlier reviews are"
        yield line(span(f"  {count} kept; --format json shows all", Tone.QUIET))


def _title(review: Review, zone: tzinfo) -> Line:
    title, judged = span("Review", Tone.TITLE), review.judged
    if review.status is ReviewStatus.WAITING:
        again = f"; the judge is asked again from {minute(review.due_at, zone)} on" if review.error else ""
        return line(title, "  ", span(f"waiting{again}", Tone.WARNING))
    if review.verdict is None or judged is None:
        tries = "1 try" if review.tries == 1 else f"{review.tries} tries"
        return line(title, "  ", span(f"error: the judge gave no answer in {tries}", Tone.WARNING))
    record, look = judged.record, ", needs review" if review.needs_review else ""
    by = (
        ""
        if record is None
        else f"  judged by {record.model}, {record.prompt_version}, "
        + units_words(review.units or 0, judged.usage.unreported)
    )
    return line(title, "  ", span(f"{review.verdict}{look}", _TONES[review.verdict]), span(by, Tone.QUIET))


def _remarks(review: Review) -> Iterator[Line]:
    judged = review.judged
    if judged is not None and judged.turns_left_out:
        yield line(
            span(
                f"  the conversation is too long for the judge: {judged.turns_left_out} turns in its middle were not "
                "shown",
                Tone.WARNING,
            )
        )
    if judged is not None and judged.unanswered:
        yield line(span("  a call of the agent's went unanswered; see the conversation", Tone.WARNING))


def waiting_lines(waiting: WaitingReviews) -> Iterator[Line]:
    """How many were reviewed, and how many still wait."""
    if not waiting.reviewed and not waiting.waiting:
        yield line("No conversation waits for its review.")
        return
    left = f"; {waiting.waiting} still {'waits' if waiting.waiting == 1 else 'wait'}" if waiting.waiting else ""
    yield line(f"{waiting.reviewed} {'conversation' if waiting.reviewed == 1 else 'conversations'} reviewed{left}.")


def review_json(review: Review) -> dict[str, Any]:
    """One review, whole."""
    told = asdict(review)
    judged = told.pop("judged")
    return {
        **told,
        "verdict": review.verdict,
        "verdicts": judged["verdicts"] if judged else [],
        "judge": judged["record"] if judged else None,
        "usage": None if review.judged is None else usage_json(review.judged.usage),
        "revisions": judged["revisions"] if judged else [],
        "turns_left_out": judged["turns_left_out"] if judged else 0,
    }
