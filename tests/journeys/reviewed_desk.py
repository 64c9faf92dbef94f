"""A live desk with standing criteria, and judges that say what a test wants."""

from pathlib import Path

from tests.journeys.live_desk import LiveDesk, live_desk
from tests.servers.openai_compatible import ChatServer, Reply, said

from greenroom.conversation.reviews import Review

__all__ = [
    "ALL_PASS",
    "CRITERIA",
    "DOWN",
    "FAILS",
    "GOODBYE",
    "NO_REFUND",
    "PASSES",
    "judged_over_http",
    "only_review",
    "passing",
    "question_of",
]

NO_REFUND = "The agent never promised a refund."
GOODBYE = "The agent says goodbye."
CRITERIA = (NO_REFUND, GOODBYE)

PASSES = {
    "verdicts": [
        {"criterion": "refund", "verdict": "pass", "reason": "It promises nothing."},
        {"criterion": "goodbye", "verdict": "pass", "reason": "It does.", "line": "Goodbye."},
    ]
}
FAILS = {
    "verdicts": [
        {"criterion": "refund", "verdict": "fail", "reason": "It promises one.", "line": "Goodbye."},
        {"criterion": "goodbye", "verdict": "unknown", "reason": "Who knows."},
    ]
}
ALL_PASS = {"verdicts": "pass"}
DOWN = {"fault": "rejected"}


async def only_review(desk: LiveDesk, conversation: str = "c") -> Review:
    (review,) = await desk.reviews(conversation)
    return review


def question_of(review: Review) -> str:
    assert review.judged is not None
    assert review.judged.record is not None
    return review.judged.record.question


async def judged_over_http(root: Path, judge: ChatServer, database: str | None = None) -> LiveDesk:
    desk = await live_desk(root, database=database, review=CRITERIA)
    desk.judged_by(model=f"openai:judge@{judge.url}")
    return desk


def passing(many: int) -> Reply:
    """What a judge answers to so many criteria."""
    one = '{"reason": "It holds.", "verdict": "pass", "line": ""}'
    return said(f'{{"verdicts": [{", ".join([one] * many)}]}}')
