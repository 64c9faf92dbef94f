"""A message that stands ready in a document: what an agent says by itself, at a time."""

from greenroom.conversation.messages import Part
from greenroom.documents.parts import Doc

__all__ = ["PreparedMessage"]


class PreparedMessage(Doc):
    """A message that stands ready: a template's name, text, or message parts."""

    template: str = ""
    """The name of one of the agent's `templates`. Left out: `parts` are the message."""
    parts: tuple[Part, ...] = ()
    """The message itself."""
