"""Why there was no answer, in words of our own: a library's may quote an address or a header with a secret in it."""

import os
import socket

__all__ = ["network_words"]


def network_words(cause: BaseException | None) -> str:
    """What the machine said of a connection; empty where it said nothing of it."""
    if isinstance(cause, socket.gaierror):
        return "there is no host of that name"
    if isinstance(cause, OSError) and cause.errno:
        return os.strerror(cause.errno).lower()
    return ""
