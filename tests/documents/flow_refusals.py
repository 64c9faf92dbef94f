"""Flows that are wrong, each in one way: a title, and what stands in an agent's document; told by `refusals.txt`."""

from collections.abc import Sequence
from textwrap import indent

__all__ = ["FLOWS"]


def _flow(title: str, steps: str) -> tuple[str, str]:
    """An agent whose one flow has these steps, a line each."""
    schema = "parameters: {properties: {id: {type: string}}, required: [id]}"
    head = f"tools:\n  cancel:\n    url: 'https://a.example'\n    {schema}\n"
    fields = "people: {fields: {party_size: {type: number}, marina: {options: [north, south]}}}\n"
    listed = indent("\n".join(f"- {step}" for step in steps.strip().split("\n")), "      ")
    return title, (f"{head}{fields}playbooks:\n  cancelling:\n    flow:\n{listed}")


FLOWS: Sequence[tuple[str, str]] = (
    ("a flow that is no list", "playbooks: {p: {flow: {say: Hi}}}"),
    _flow("a step that is text", "Say hello"),
    _flow("a step that does not exist", "sya: Hi"),
    _flow(
        "times of no day",
        "ask: {text: When?, slots: true}\nask: {text: When?, slots: {day: tomorrow}}\n"
        "ask: {text: When?, slots: {from: soon, to: 2026-06-06T14:00}}\nask: {text: When?, slots: 2026-06-06}",
    ),
    _flow("a branch by another word", "branch: {sure: 'No'}\n{if: {sure: 'No'}, do: [leave]}"),
    _flow("a step with two words", "{say: Hi, ask: {text: Well?}}"),
    _flow("a key that a step does not have", "{say: Hi, otherwise: [leave]}"),
    _flow("a message that is a template and more", "say: {template: hello, text: Hi}"),
    _flow("a template that does not exist", "say: {template: hello}"),
    _flow("a question without words", "ask: {options: [North, South]}"),
    _flow("a question with two kinds of choices", "ask: {text: Well?, options: [A, B], confirm: [Yes, No]}"),
    _flow("a confirmation with one label", "ask: {text: Well?, confirm: [Yes]}"),
    _flow("choices that differ in case only", "ask: {text: Well?, options: [North, north]}"),
    _flow("a field that nobody declares", "ask: {text: How many?, field: party_sise}"),
    _flow("a choice that the field can't hold", "ask: {text: Where?, options: [North, west], field: marina}"),
    _flow("a field and a type", "ask: {text: How many?, field: party_size, type: number}"),
    _flow("a type beside choices", "ask: {text: How many?, options: ['1'], type: number}"),
    _flow("other words for a question that is asked once", "ask: {text: Well?, again: So?, tries: 1}"),
    _flow("never asked", "ask: {text: Well?, tries: 0}"),
    _flow("a name that is taken", "ask: {text: Well?, as: person}"),
    _flow("a name that is no name", "ask: {text: Well?, as: the answer}"),
    _flow("nothing to find choices in", "ask: {text: Which?, options: {from: answer.orders}, as: order}"),
    _flow("choices in a person", "ask: {text: Which?, options: {from: person.status}, as: order}"),
    _flow("a branch for no choices beside choices", "{ask: {text: Which?, options: [A]}, if_none: [leave]}"),
    _flow("a name that no step gives", "ask: {text: Which?, options: [A, B], as: booking}\nsay: 'It is {{bokking}}.'"),
    _flow("a name that a later step gives", "say: 'It is {{booking}}.'\nask: {text: Which?, as: booking}"),
    _flow("something under an answer that is one value", "ask: {text: Which?, as: booking}\nsay: '{{booking.id}}'"),
    _flow("a person's field that does not exist", "say: 'Hi {{person.frist_name}}'"),
    _flow("an environment variable in a flow", "say: 'Hi ${USER}'"),
    _flow("a tool that does not exist", "http: {tool: cancle, with: {id: '1'}}"),
    _flow("a parameter that does not exist", "http: {tool: cancel, with: {id: '1', idd: '2'}}"),
    _flow("a parameter that is missing", "http: {tool: cancel}"),
    _flow("a value that a field can't hold", "set: {party_size: six}"),
    _flow(
        "what only the team sets", "set: {consent: {messages: true}}\nset: {consent.messages: true}\nset: {notes: Hi}"
    ),
    _flow("consent to look at that there isn't", "{when: {person.consent.mesages: true}, do: [leave]}"),
    _flow("consent that is neither given nor refused", "{when: {person.consent.messages: 'Yes'}, do: [leave]}"),
    _flow("consent that is said", "say: 'You said {{person.consent.messages}}'"),
    _flow("a question for what only the team sets", "ask: {text: Well?, field: notes}"),
    _flow("what a branch does, by other words", "{when: {person.status: lead}, then: [leave], else: [leave]}"),
    _flow("a value that is kept nowhere", "set: {party_sise: '6'}"),
    _flow("times of an agent without hours", "ask: {text: When?, slots: {}, as: slot}"),
    _flow("a day beside the days from which on", "ask: {text: When?, slots: {day: 2026-06-06, from: 2026-06-05}}"),
    _flow("an appointment with somebody unknown", "book: {title: Boat, start: 2026-06-06T14:00, representative: dana}"),
    _flow("an appointment without a time", "book: {title: Boat}"),
    _flow("a condition on a name that no step gives", "{when: {sure: 'No'}, do: [leave]}"),
    _flow(
        "a condition that never holds",
        "ask: {text: Sure?, confirm: [Yes, No], as: sure}\n{when: {sure: 'no'}, do: [leave]}",
    ),
    _flow(
        "a condition with a number for a label",
        "ask: {text: How many?, options: ['2', '4'], as: n}\n{when: {n: 4}, do: [leave]}",
    ),
    _flow("a condition without steps", "when: {system.channel: sms}"),
    _flow("an end that does not exist", "end: resolvd"),
    _flow("steps after the end", "end: resolved\nsay: Bye"),
    _flow("too many steps", "\n".join(["say: Hi"] * 201)),
    _flow("branches that lie too deep", "{when: {system.channel: sms}, do: [" * 9 + "leave" + "]}" * 9),
)
