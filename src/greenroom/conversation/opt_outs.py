"""The words of text messages by which somebody takes back their consent to messages, or gives it again.

They are those that carriers and the FCC (47 CFR 64.1200(a)(10)) have everybody heed.
docs/decisions/opt-out-words.md says why they are heeded before any agent is asked.
"""

import re
import unicodedata

from greenroom.conversation.channels import Channel
from greenroom.conversation.events import Event, Said

__all__ = ["consent_in", "means_stop"]

_STOP = ("stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "revoke", "optout", "opt out")
_START = ("start", "unstop")
_AROUND = re.compile(r"^[^\w?]+|[^\w?]+$")
"""What people and telephones put around a word without meaning anything by it; a question is another word."""
_BETWEEN = re.compile(r"[\s\-\u2010-\u2013_]+")
_SPACES = {"\t", "\n", "\r"}


def consent_in(channel: Channel, event: Event | None) -> bool | None:
    """Whether an SMS is nothing but a word that takes consent back (False) or gives it again (True)."""
    if channel is not Channel.SMS or not isinstance(event, Said):
        return None
    return False if means_stop(event.text) else True if _word(event.text) in _START else None


def means_stop(text: str) -> bool:
    """Whether this, as a message of its own by SMS, takes consent back.

    Case, blanks, hyphens, quotes and emoji around it don't matter, nor does what nobody sees, such as the marks of a
    direction that telephones put before a word.
    """
    return _word(text) in _STOP


def _word(text: str) -> str:
    seen = "".join(
        sign
        for sign in unicodedata.normalize("NFKC", text)
        if sign in _SPACES or unicodedata.category(sign) not in {"Cc", "Cf"}
    )
    return _BETWEEN.sub(" ", _AROUND.sub("", seen)).casefold()
