"""Mail of an agent and mail to the team; sent by `smtp` once the turn is kept."""

from collections.abc import Sequence

from greenroom.conversation.effects import Effect
from greenroom.conversation.json_values import Json
from greenroom.conversation.visible import one_line
from greenroom.world.live.sending import EMAIL, UnderWay
from greenroom.world.ports import Email
from greenroom.world.written import effect_of_email

__all__ = ["LiveMail", "mail_body", "post"]


class LiveMail:
    """Really sends mail."""

    def __init__(self, turn: UnderWay) -> None:
        self._turn = turn

    async def send(self, email: Email) -> Effect:
        """One mail, which leaves with the turn."""
        post(self._turn, email.to, subject=email.subject, text=email.text)
        return effect_of_email(email, captured=False)


def post(turn: UnderWay, to: Sequence[str], *, subject: str, text: str, transcript: bool = False) -> None:
    """Have a mail sent, with the transcript of the conversation under it where that is wanted.

    Each recipient gets it by an errand of its own, so that nobody gets it twice because another one's server failed.
    """
    for recipient in to:
        body = mail_body(recipient, to, subject=subject, text=text, transcript=transcript)
        summary = f"to {recipient}: {one_line(subject)}"
        turn.add(kind=EMAIL, lane=recipient.casefold(), summary=summary, body=body)


def mail_body(
    recipient: str, to: Sequence[str], *, subject: str, text: str, transcript: bool = False
) -> dict[str, Json]:
    """What an errand of the kind `EMAIL` holds: one recipient's copy of a mail to all of these."""
    return {
        "recipient": recipient,
        "to": tuple(to),
        "subject": subject,
        "text": text,
        "transcript": transcript,
    }
