"""Documents that hold more than any business has: the title, and the keys of an agent or of a case."""

from collections.abc import Sequence

__all__ = ["BIG_AGENTS", "BIG_CASES"]


def _many(count: int, entry: str) -> str:
    return ", ".join(entry.replace("#", str(number)) for number in range(count))


_HOURS = 'scheduling: {hours: {daily: "09:00-17:00"}, '
_LONG = "a" * 10_001

BIG_AGENTS: Sequence[tuple[str, str]] = (
    ("reminders without end", f"{_HOURS}remind: [{_many(200, '#m')}]}}".replace("[0m, ", "[1m, ")),
    ("days closed without end", f"{_HOURS}closed: [{_many(1001, '2026-12-25')}]}}"),
    ("a day in a hundred pieces", f"scheduling: {{hours: {{mon: [{_many(100, '09:00-09:05')}]}}}}"),
    (
        "the hours of a representative in a hundred pieces",
        f"{_HOURS}}}\nrepresentatives: {{dana: {{name: Dana, hours: {{mon: [{_many(100, '09:00-09:05')}]}}}}}}",
    ),
    ("representatives without end", f"representatives: {{{_many(501, 'r#: {name: R}')}}}"),
    ("a representative with a book for a name", f"representatives: {{dana: {{name: {'a' * 201}}}}}"),
    ("follow-ups without end", f"follow_ups: {{{_many(51, 'f#: {after: 1h, message: Hm?}')}}}"),
    ("outreach without end", f"outreach: {{{_many(201, 'o#: {to: {status: x}, opening: Hi you.}')}}}"),
    ("an outreach with a book in it", f"outreach: {{o: {{to: {{status: x}}, opening: [{{text: {_LONG}}}]}}}}"),
    ("a follow-up with a book in it", f"follow_ups: {{f: {{after: 1h, message: 'a {_LONG}'}}}}"),
    ("a template with chips without end", f"templates: {{t: [{{chips: [{_many(101, 'c#')}]}}]}}"),
    ("a greeting that is a book", f"greeting: {_LONG}"),
    ("a flow without steps", "playbooks: {p: {flow: []}}"),
    ("a branch without steps", "playbooks: {p: {flow: [{say: Hi}, {http: {tool: t}, otherwise: []}]}}"),
    (
        "a question with choices without end",
        f"playbooks: {{p: {{flow: [{{ask: {{text: Hm?, options: [{_many(501, 'o#')}]}}}}]}}}}",
    ),
    (
        "a confirmation of a dozen labels",
        f"playbooks: {{p: {{flow: [{{ask: {{text: Hm?, confirm: [{_many(12, 'o#')}]}}}}]}}}}",
    ),
    ("a people field with options without end", f"people: {{fields: {{f: {{options: [{_many(501, 'o#')}]}}}}}}"),
)
_BOAT = "start: 2026-06-06T14:00"
BIG_CASES: Sequence[tuple[str, str]] = (
    (
        "an appointment with books in it",
        f"person: visitor\nappointments: [{{title: {'a' * 300_000}, notes: {_LONG}, {_BOAT}}}]",
    ),
    (
        "an appointment that takes years",
        f"person: visitor\nappointments: [{{title: A, {_BOAT}, minutes: 99999999999}}]",
    ),
    ("appointments without end", f"person: visitor\nappointments: [{_many(201, f'{{title: A, {_BOAT}}}')}]"),
    ("a person with a book for a name", f"person: {{first_name: {'a' * 201}}}"),
)
