"""Mail of agents as it can't be written: a title, and what is wrong."""

from collections.abc import Sequence

__all__ = ["MAIL_OF_AGENTS"]

MAIL_OF_AGENTS: Sequence[tuple[str, str]] = (
    ("an address that is none", "hand_over: {email: 'team@lakeside.example, boss@lakeside.example'}"),
    ("a representative without a mailbox", "representatives: {dana: {name: Dana, email: dana at lakeside}}"),
    ("a sender in two lines", 'email: {from: "Desk\\nBcc: a <desk@lakeside.example>"}'),
    (
        "somebody to tell without an address",
        "notifications: {to: [nonsense, 'json://team.example', '${TEAM}']}",
    ),
)
