"""A desk whose agent tells the team, sends mail and hands over, for tests of what leaves beside messages."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.projects import ProjectMaker
from tests.servers.gateway import desk_project
from tests.servers.webhooks import Endpoint

__all__ = ["MAILS", "PERSON_ADDRESS", "RULES", "office", "told"]

PERSON_ADDRESS = "ana@example.com"

MAILS: Mapping[str, object] = {
    "email": {"to": ["sales@lakeside.example"]},
    "hand_over": {"email": ["team@lakeside.example", "boss@lakeside.example"]},
}
"""What an agent has that sends mail."""
_MAIL = {"subject": "Ihr Boot für Samstag 🛶", "text": "Liebe Ana,\n\ndas Boot ist gebucht.\n"}
RULES: Sequence[object] = (
    {
        "when": {"last": "my address", "turn": 1},
        "calls": [{"tool": "update_person", "arguments": {"email": PERSON_ADDRESS}}],
    },
    {"when": {"last": "tell"}, "calls": [{"tool": "notify_team", "arguments": {"text": "New call: {{last}}"}}]},
    {"when": {"last": "mail me"}, "calls": [{"tool": "send_email", "arguments": _MAIL}]},
    {"when": {"last": "mail Dana"}, "calls": [{"tool": "send_email", "arguments": {**_MAIL, "to": "dana"}}]},
    {
        "when": {"last": "human"},
        "reply": "One moment.",
        "calls": [{"tool": "hand_over", "arguments": {"reason": "wants a person"}}],
    },
    {"when": {"last": "break"}, "fault": "rejected"},
)
"""Each is answered by the first of these, and by an echo once it was done."""


def office(
    root: Path,
    *,
    database: str | None = None,
    mail_port: int | None = None,
    team: Endpoint | None = None,
    agent: Mapping[str, object] | None = None,
    mail: Mapping[str, object] | None = None,
    rules: Sequence[object] = RULES,
) -> ProjectMaker:
    """The desk; mail goes to the server at this port, notifications to this endpoint."""
    done = [
        {"when": {"answered": tool}, "reply": f"Done: {tool}."}
        for tool in ("update_person", "notify_team", "send_email")
    ]
    settings = {
        "smtp": f"smtp://127.0.0.1:{mail_port}",
        "from": "Lakeside <desk@lakeside.example>",
        "starttls": "never",
    }
    maker = desk_project(
        root,
        rules=[*done, *rules, {"reply": "You said: {{last}}"}],
        project={
            **({} if database is None else {"database": database}),
            **({} if mail_port is None else {"mail": {**settings, **(mail or {})}}),
        },
        agent={
            "representatives": {"dana": {"name": "Dana", "email": "dana@lakeside.example"}, "eve": {"name": "Eve"}},
            **({} if mail_port is None else MAILS),
            "notifications": None if team is None else {"to": ["${TEAM}"]},
            **(agent or {}),
        },
    )
    if team is not None:
        maker.environment["TEAM"] = team.url.replace("http://", "json://")
    return maker


def told(team: Endpoint) -> list[str]:
    """The keys under which the team was told, in order."""
    return [one.headers["Idempotency-Key"] for one in team.received]
