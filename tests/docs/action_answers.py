"""The answers of docs/reference/actions.md, as real conversations give them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import cast

from tests.agents.stage import PlayedModel, Stage, calls, says, world_of

from greenroom.agents.hosted.offer import OfferBook
from greenroom.clock import FrozenClock
from greenroom.conversation.actions import Action
from greenroom.conversation.calls import ToolCall
from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.conversation.events import Said
from greenroom.conversation.json_values import Json
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.documents.agent import Agent
from greenroom.documents.suite import PersonStart
from greenroom.models.model import ModelAnswer, ModelRequest

__all__ = ["EXAMPLES", "Example", "answer_of", "arguments_table", "played", "shown"]

_NOW = datetime(2026, 6, 5, 17, 30, tzinfo=UTC)
"""Friday, 12:30 in Chicago."""
_LAST = "There you are."
_ANA = PersonStart(first_name="Ana", email="ana@example.com", status="lead")
_BOOKED = ("book_appointment", {"start": "2026-06-06T10:00", "title": "Powerboat", "representative": "dana"})
_ANOTHER = ("book_appointment", {"start": "2026-06-06T12:00", "title": "Sailing", "representative": "lee"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One call, and what comes before it in its conversation."""

    says: str
    """What the example shows."""
    arguments: Mapping[str, Json]
    before: Sequence[tuple[str, Json]] = ()
    known: bool = True
    """Whether the person is on record; if not, the agent puts nobody on record either."""


def _one(says: str, *before: tuple[str, Json], **arguments: Json) -> Example:
    return Example(says=says, arguments=arguments, before=before)


def _to_nobody(**arguments: Json) -> Example:
    return Example(says="Nobody on record", arguments=arguments, known=False)


EXAMPLES: Mapping[Action, Sequence[Example]] = {
    Action.FIND_TIMES: (
        Example(says="Free times", arguments={"from": "2026-06-06"}),
        Example(says="None then, but later", arguments={"from": "2026-06-08", "to": "2026-06-09"}),
        Example(says="No time", arguments={"from": "Saturday"}),
    ),
    Action.BOOK_APPOINTMENT: (
        _one("Booked", start="2026-06-06T10:00", title="Powerboat", notes="Six people", representative="dana"),
        _one("At no time of the day", start="2026-06-06T10:20", title="Powerboat"),
        _to_nobody(start="2026-06-06T10:00", title="Powerboat"),
    ),
    Action.MOVE_APPOINTMENT: (
        _one("Moved", _BOOKED, start="2026-06-07T11:00"),
        _one("One of two, without its id", _BOOKED, _ANOTHER, start="2026-06-07T11:00"),
    ),
    Action.CANCEL_APPOINTMENT: (
        _one("Cancelled", _BOOKED, appointment="appointment-1"),
        _one("An appointment that isn't there", _BOOKED, appointment="appointment-7"),
    ),
    Action.UPDATE_PERSON: (
        _one("Kept", status="customer", party_size=6),
        _one("Consent that is taken back", consent={"messages": False}),
        _one("Not a number", party_size="six"),
        _to_nobody(status="customer"),
    ),
    Action.COLLECT_CONTACT: (
        _one("Kept", email="ana@example.com", phone="+15550100"),
        _one("What is required is missing", phone="+15550100"),
    ),
    Action.SUBMIT_FORM: (
        _one("Submitted", form="refund", values={"order": "L-1001", "amount": 40}),
        _one("A value that doesn't fit", form="refund", values={"order": "L-1001", "amount": "forty"}),
    ),
    Action.NOTIFY_TEAM: (_one("Told", text="Ana asks for the big boat."),),
    Action.SEND_EMAIL: (
        _one("Sent", subject="Your boat", text="Saturday at ten."),
        _one("To somebody it may not write to", to="boss@example.com", subject="Your boat", text="Saturday at ten."),
    ),
    Action.SEARCH_KNOWLEDGE: (_one("Found", query="When do you open?"), _one("Nothing found", query="zeppelin")),
    Action.HAND_OVER: (_one("Handed over", reason="Ana wants to talk to a person."),),
    Action.TRANSFER: (_one("Transferred", reason="Ana wants to talk to Dana.", to="Dana"),),
    Action.SEND_MESSAGE: (
        _one("Parts", parts=[{"text": "Where?"}, {"options": ["North", "South"]}]),
        _one("A template", template="marinas"),
        _one("A template that isn't there", template="marina"),
    ),
    Action.END_CONVERSATION: (_one("Closed", resolved=True),),
}
"""In the order of the page."""


def _channel(action: Action) -> Channel:
    return Channel.PHONE_INBOUND if action is Action.TRANSFER else Channel.WEB


async def played(action: Action, example: Example, agent: Agent) -> Turn:
    """The turn in which a model makes the calls of an example, one after another."""
    left = [*example.before, (str(action), example.arguments)]

    def answering(_: ModelRequest) -> ModelAnswer:
        return calls(left.pop(0)) if left else says(_LAST)

    if not example.known:
        closed = agent.people.model_copy(update={"auto_create": False})
        agent = agent.model_copy(update={"people": closed})
    world = world_of(agent, person=_ANA if example.known else None, clock=FrozenClock(_NOW))
    session = await Stage(agent, PlayedModel(answering), world=world).opened(_channel(action))
    return await session.send(Said(text="Hello"))


def answer_of(turn: Turn) -> ToolCall:
    """The call that an example is about, with its answer."""
    return [entry for entry in turn.entries if isinstance(entry, ToolCall)][-1]


def shown(action: Action, example: Example, turn: Turn) -> str:
    """An example as the page has it: the call, the answer, and what else of it is to be seen."""
    call = answer_of(turn)
    told = call.result if isinstance(call.result, str) else json.dumps(call.result, ensure_ascii=False, indent=2)
    number = turn.entries.index(call)
    seen = render_transcript([replace(turn, entries=turn.entries[number + 1 :])]).splitlines()
    seen = [line for line in seen if line not in {"", "Person: Hello", f"Agent: {_LAST}"}]
    arguments = json.dumps(example.arguments, ensure_ascii=False)
    return "\n".join([f"{example.says}:", "", "```text", f"{action} {arguments}", "", told, *seen, "```"])


def arguments_table(action: Action, agent: Agent) -> Iterator[str]:
    """The arguments that the model is offered."""
    schema = OfferBook(agent).offer(None, ABILITIES[_channel(action)]).by_name[action].spec.parameters
    required = cast("Sequence[str]", schema.get("required", ()))
    yield "| argument | takes | must be there | meaning |"
    yield "|---|---|---|---|"
    for name, inner in cast("Mapping[str, Mapping[str, Json]]", schema["properties"]).items():
        there = "yes" if name in required else ""
        yield f"| `{name}` | {_takes(inner)} | {there} | {inner.get('description', '')} |"


def _takes(schema: Mapping[str, Json]) -> str:
    listed = schema.get("enum")
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        return ", ".join(f"`{one}`" for one in listed)
    kinds = {
        "string": "text",
        "integer": "whole number",
        "boolean": "true or false",
        "object": "mapping",
        "array": "list",
    }
    words = kinds.get(str(schema.get("type")), str(schema.get("type", "anything")))
    most = f", at most {schema['maxLength']:,} characters" if isinstance(schema.get("maxLength"), int) else ""
    return words + most
