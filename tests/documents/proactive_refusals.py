"""Outreach, follow-ups and reminders that are wrong, each in one way: the title, and the keys of an agent."""

from collections.abc import Sequence

__all__ = ["PROACTIVE"]

PROACTIVE: Sequence[tuple[str, str]] = (
    ("an outreach without an opening", "outreach: {spring: {to: {status: lead}}}"),
    ("an outreach to a segment by its name", "outreach: {spring: {to: leads, segment: leads, opening: Hello you.}}"),
    (
        "warning: a reminder at no time",
        'scheduling: {hours: {daily: "09:00-17:00"}, reminder: [24h, 2h]}',
    ),
    ("reminders by another word", 'scheduling: {hours: {daily: "09:00-17:00"}, reminders: [24h, 2h]}'),
    ("an outreach to nobody in particular", "outreach: {spring: {to: {}, opening: Hello you.}}"),
    (
        "an opening, a playbook, a field and channels that are not there",
        "people: {fields: {boats: {type: number}}}\ntemplates: {marinas: [text: Two.]}\n"
        "channels: {sms: {}, web: {}}\nplaybooks: {booking: {when: Any.}}\n"
        "outreach:\n  spring:\n    to: {fields.boat: 1, statuss: lead}\n    opening: marina\n"
        "    playbook: bookings\n    channel: [sms, rich]\n",
    ),
    ("a template where there is none", "outreach: {spring: {to: {status: lead}, opening: hello}}"),
    (
        "an opening that names nothing (S20)",
        "outreach: {spring: {to: {status: lead}, opening: 'Hello {{person.nam}}'}}",
    ),
    (
        "an outreach that is over before it begins, in no hours",
        "outreach:\n  spring: {to: {status: lead}, opening: Hello you., from: 2026-05-01, until: 2026-04-30}\n"
        "  fall: {to: {status: lead}, opening: Hello you., hours: 20:00-08:00, from: soon}",
    ),
    ("days before others", "outreach: {a: {to: {status: x}, opening: Hi all., from: 2026-05-01, until: 2026-04-30}}"),
    ("a follow-up after nothing, too often", "follow_ups: {nudge: {after: 0h, message: Still there?, at_most: 11}}"),
    (
        "a follow-up in a playbook that is not there",
        "playbooks: {booking: {when: Any.}}\nfollow_ups: {nudge: {after: 1h, message: Hm?, playbooks: bokings}}",
    ),
    (
        "a reminder that names nothing",
        'scheduling: {hours: {daily: "09:00-17:00"}, reminder: "{{appointment.titel}} {{system.dat}} {{boat.name}}"}',
    ),
    ("a reminder by a template", 'scheduling: {hours: {daily: "09:00-17:00"}, reminder: soon}'),
    (
        "warning: an outreach and a follow-up that nobody gets",
        "channels: {sms: {}}\noutreach: {spring: {to: {status: lead}, opening: Hello you., channel: sms}}\n"
        "follow_ups: {nudge: {after: 2d, message: Still there?}}",
    ),
)
