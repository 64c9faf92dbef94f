"""What people write as they would say it, or as other tools take it: a title, and keys of an agent or of a case."""

from collections.abc import Sequence

__all__ = ["PLAIN_AGENTS", "PLAIN_CASES"]

PLAIN_AGENTS: Sequence[tuple[str, str]] = (
    ("a rule with a colon", "rules:\n  - In an emergency: hand over at once."),
    ("how every agent speaks, as something to use", "playbooks: {p: {uses: [send_message, End_conversation]}}"),
    (
        "a picture that is a mapping, and a key of no card",
        "templates:\n  a: [{card: {title: A, media: {url: https://a.example}}}]\n"
        "  b: [{card: {title: B, subtitel: C}}]\n  c: [{card: {title: B, buttons: [C]}}]",
    ),
    (
        "hours from one day to another",
        "scheduling: {hours: {mon-fri: 09:00-17:00, Sat to Sun: 10:00-11:00, mon-thu: 18:00-19:00, mon-x: closed}}",
    ),
)

PLAIN_CASES: Sequence[tuple[str, str]] = (
    ("a line that begins with a word and a colon", "script: [{Hello: I am Ana}, {sya: Hello}]"),
    ("a declared field beside the others", "person: {insurance: bupa, name: Ana}"),
    ("a brief and a mock by other words", "simulate: {brief: {goal: Leave}}\nworld: {mocks: [{tool: a, answer: 1}]}"),
)
