"""What a provider's error answer means: may it pass, is it about the request's form, and how to say it to a person.

Takes status, headers and body apart; the same reading serves our client and the scripted faults. No secret leaves it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Final

from greenroom.models.json_text import NotJson, as_object, read_json

__all__ = ["Refusal", "asked_wait", "read_refusal", "without_secrets"]

_PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_ABOUT_FORM: Final = frozenset({400, 404, 415, 422, 501})
_OVERFLOW: Final = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens|exceed_context"
    r"|request too large",
    re.IGNORECASE,
)
_QUOTA: Final = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance|out of credits", re.IGNORECASE
)
_GONE: Final = re.compile(r"insufficient_quota|billing_hard_limit|credit balance|out of credits", re.IGNORECASE)
"""Words that only a quota has that is used up; the others Google also says of what may be asked in a minute."""
_LIMITS: Final = frozenset({429, 529})
_OVERLOADED: Final = re.compile(r"overloaded|at capacity|too many requests|rate.?limit", re.IGNORECASE)
_WAIT_IN_WORDS: Final = re.compile(
    r"""(?:\bagain|\bretry) (?:in|after) (?:(\d+)m(?!s)\s?)?(?:(\d+(?:\.\d+)?)\s?(ms|s))?"""
    r"""|"retryDelay":\s*"(\d+(?:\.\d+)?)s\"""",
    re.IGNORECASE,
)
_SEARCHED: Final = 10_000
"""So many characters of a body are searched for a time to wait."""
_NO_MODEL: Final = re.compile(
    r"model_not_found|model[^.]{0,80}(?:does not exist|not found)|unknown model", re.IGNORECASE
)
_KEY_LIKE: Final = re.compile(r"\b(?:sk|pk|key|gsk|xai)-[\w*.-]{6,}|Bearer\s+\S+")
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A provider's error answer, read."""

    status: int
    said: str
    """The provider's own words, shortened, without anything secret."""
    why: str
    """What to tell a person."""
    passing: bool
    """The same request may succeed later."""
    limits: bool
    """It is asked too much: any other request would be refused as well now."""
    quota: bool
    """What was paid for is used up."""
    about_form: bool
    """It may be about a parameter that this server doesn't know."""
    retry_after: float | None = None
    """Seconds the provider asks to wait."""


def read_refusal(
    status: int, headers: Mapping[str, str], body: bytes, *, where: str, key_variable: str, now: datetime, key: str = ""
) -> Refusal:
    """An error answer from `where` with headers in lower case; `key_variable` is named when the key was refused.

    A quota that is used up, and a request that is longer than the model's context, are final whatever their status
    (C02, T22); so is an answer that says itself not to try again. A quota that names a time to wait is used up for now
    only, unless its words leave no doubt.
    """
    said = without_secrets(_words(body), key)
    wait = asked_wait(headers, now)
    if wait is None:
        wait = _wait_in_words(body)
    overflow = _OVERFLOW.search(said) is not None
    gone = _GONE.search(said) is not None or (wait is None and _QUOTA.search(said) is not None)
    quota = status == 402 or (status in {403, 429} and gone)
    told_not_to = headers.get("x-should-retry", "").lower() == "false"
    passing = status in _PASSING and not overflow and not quota and not told_not_to
    about_model = status == 404 or _NO_MODEL.search(said) is not None
    return Refusal(
        status=status,
        said=said,
        why=_why(status, said, where, key_variable, overflow=overflow, quota=quota),
        passing=passing,
        limits=passing and (status in _LIMITS or (status == 503 and (wait is not None or _overloaded(said)))),
        quota=quota and not overflow,
        about_form=status in _ABOUT_FORM and not (passing or overflow or quota or about_model),
        retry_after=wait if passing else None,
    )


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or a date; None when it doesn't."""
    milliseconds = headers.get("retry-after-ms")
    written = headers.get("retry-after")
    try:
        if milliseconds is not None:
            return _seconds(float(milliseconds) / 1000)
        return None if written is None else _seconds(float(written))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(written or "")
    except ValueError:
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _seconds(written: float) -> float | None:
    return max(0.0, written) if isfinite(written) else None


def _wait_in_words(body: bytes) -> float | None:
    """Seconds that the body asks for: `try again in 1.2s`, or Google's `retryDelay`."""
    found = _WAIT_IN_WORDS.search(body[:_SEARCHED].decode("utf-8", "replace"))
    if found is None:
        return None
    minutes, amount, unit, delay = found.groups()
    if delay is not None:
        return float(delay)
    if minutes is None and amount is None:
        return None
    return 60 * int(minutes or 0) + float(amount or 0) / (1000 if unit == "ms" else 1)


def _overloaded(said: str) -> bool:
    return _OVERLOADED.search(said) is not None


def without_secrets(text: str, key: str = "") -> str:
    """The text with the key, and whatever looks like one, taken out."""
    if key:
        text = text.replace(key, "…")
    return _KEY_LIKE.sub("…", text)


def _words(body: bytes) -> str:
    """What an error body says, whichever shape it has."""
    text = body.decode("utf-8", "replace").strip()
    try:
        value = as_object(read_json(text)) or {}
    except NotJson:
        return _shortened(text)
    error = value.get("error", value)
    details = as_object(error)
    if details is None:
        return _shortened(str(error))
    parts = [str(details[key]) for key in ("code", "type", "param", "message", "detail") if details.get(key)]
    return _shortened(" · ".join(parts) or text)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _why(status: int, said: str, where: str, key_variable: str, *, overflow: bool, quota: bool) -> str:
    words = f": {said}" if said else ""
    if overflow:
        return f"the request is longer than the model's context ({status}{words})"
    if quota:
        return f"the quota at {where} is used up ({status}{words})"
    if status == 401:
        return f"{where} refused the key (401); check the variable {key_variable}"
    if status == 403:
        return f"{where} doesn't allow this (403{words}); check the variable {key_variable} and what it may use"
    if status == 404:
        return f"{where} knows no such model or address (404{words}); check the model's name and the URL"
    if 300 <= status < 400:
        return f"{where} answers with a redirect ({status}), which is not followed; write the address it leads to"
    return f"{where} answered {status}{words}"
