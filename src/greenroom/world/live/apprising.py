"""One notification by Apprise, and what came of it. Loaded at the first one, as Apprise knows a hundred services."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import cast
from urllib.parse import quote, urlsplit

import apprise

from greenroom.conversation.visible import clean, clean_line
from greenroom.nearest import did_you_mean
from greenroom.world.live.sending import Sending, SendingResult

__all__ = ["apprise_team", "notify_address_fault"]

_PLAIN = apprise.NotifyFormat.TEXT
_WEBHOOKS = frozenset({"json", "jsons", "xml", "xmls", "form", "forms"})
"""Services that are plain webhooks: what they are sent can carry a header."""
_REFERENCE_CHARS = 8


async def apprise_team(address: str, title: str, text: str, *, key: str) -> Sending:
    """Send it to one Apprise URL.

    The key is the same at every try: a webhook gets it as `Idempotency-Key`, and everybody reads its first signs under
    the text, so that a notification which came twice is known for one.
    """
    # Apprise speaks to its services with blocking calls, each bounded by its own time limit. They get a thread of their
    # own: a few services that don't answer would use up the loop's threads, by which everybody reads the database.
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="greenroom-notify")
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, _send, address, title, text, key)
    finally:
        thread.shutdown(wait=False)


def notify_address_fault(address: str) -> str | None:
    """Why nobody can be told at this address, without the address itself; None when Apprise can read it."""
    sender = apprise.Apprise()
    if _is_added(sender, address):
        return None
    service, colon, _ = address.partition("://")
    if not colon:
        return "it is no URL such as json://HOST/PATH"
    known = [
        name
        for each in cast("Sequence[Mapping[str, Sequence[str] | None]]", sender.details()["schemas"])
        for kind in ("protocols", "secure_protocols")
        for name in each[kind] or ()
    ]
    if service.lower() in known:
        return f"something of it is missing or wrong; Apprise says at its service {service!r} how it is written"
    return f"Apprise has no service {service!r}{did_you_mean(service, known)}"


def _is_added(sender: apprise.Apprise, address: str, key: str = "") -> bool:
    try:
        return bool(sender.add(_with_key(address, key)))  # pyright: ignore[reportUnknownMemberType]  # its `dict` has no parameters
    except ValueError:
        return False


def _send(address: str, title: str, text: str, key: str) -> Sending:
    sender = apprise.Apprise()
    if not _is_added(sender, address, key):
        return Sending(result=SendingResult.FAILED, why="its address in `notifications.to` can't be read by Apprise")
    reference = key.rpartition("-")[2][:_REFERENCE_CHARS]
    body = f"{clean(text)}\n\nReference: {reference}"
    if not sender.notify(title=clean_line(title), body=body, body_format=_PLAIN):  # pyright: ignore[reportUnknownMemberType]  # as above
        return Sending(result=SendingResult.FAILED, why="its address in `notifications.to` did not take it")
    return Sending(result=SendingResult.SENT)


def _with_key(address: str, key: str) -> str:
    if not key or urlsplit(address).scheme.lower() not in _WEBHOOKS:
        return address
    return f"{address}{'&' if '?' in address else '?'}{quote('+')}Idempotency-Key={quote(key)}"
