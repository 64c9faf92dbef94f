"""The same conversation by hand and by a case: the same effects, told by the same lines (features.md A9)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.projects import ProjectMaker, written_project
from tests.stores import NOON

from greenroom.clock import FrozenClock
from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import Status
from greenroom.conversation.transcript import render_transcript
from greenroom.conversation.turns import Turn
from greenroom.operations.chat import ChatRequest, open_chat
from greenroom.operations.context import Context, opened
from greenroom.operations.runs import RunRequest, perform, prepare
from greenroom.operations.stopping import Stop
from greenroom.world.wording import as_json

DID: Mapping[str, Sequence[tuple[str, Mapping[str, object]]]] = {
    "book": [("book_appointment", {"title": "Powerboat", "start": "2026-12-05T10:00", "notes": "for six"})],
    "move": [("move_appointment", {"start": "2026-12-05T12:00"})],
    "cancel": [("cancel_appointment", {})],
    "note": [
        ("update_person", {"status": "lead", "party_size": 6}),
        ("collect_contact", {"email": "ana@example.com"}),
        ("submit_form", {"form": "refund-request", "values": {"order": "W100"}}),
        ("notify_team", {"text": "Ana wants her money back"}),
    ],
    "mail": [("send_email", {"to": "person", "subject": "Your order", "text": "It is on its way."})],
    "charge": [("charge", {"amount": 5})],
    "human": [("hand_over", {"reason": "wants a human"})],
    "transfer": [("transfer", {"reason": "billing", "to": "Dana"})],
}
"""What the agent does when it hears a word."""
AGENT: Mapping[str, object] = {
    "scheduling": {"hours": {"daily": "09:00-17:00"}},
    "contact": {},
    "forms": {"refund-request": {"fields": {"order": {}}}},
    "email": {},
    "hand_over": {},
    "representatives": {"dana": {"name": "Dana"}},
    "channels": {"phone": {"number": "+15550100"}},
    "outreach": {"season-opening": {"to": {"consent.messages": True}, "opening": "The season opens on Saturday."}},
    "tools": {
        "charge": {
            "kind": "integration",
            "parameters": {"type": "object", "properties": {"amount": {"type": "number"}}},
        }
    },
}
RULES: Sequence[Mapping[str, object]] = [
    *[
        {"when": {"answered": tool}, "reply": "Done."}
        for tools in DID.values()
        for tool in dict.fromkeys(tool for tool, _ in tools)
    ],
    *[
        {"when": {"last": word}, "calls": [{"tool": tool, "arguments": with_} for tool, with_ in tools]}
        for word, tools in DID.items()
    ],
    {"reply": "Hello."},
]
WEB = ("Please book it", "move it", "cancel it", "note this", "mail me", "charge me", "a human please")
PHONE = ("Please transfer me",)


def maker(root: Path, script: Sequence[str], channel: Channel, outreach: str | None) -> ProjectMaker:
    case: dict[str, object] = {
        "channel": channel.value,
        "person": {"first_name": "Ana"},
        "world": {"no_answer": "captured"},
        "script": list(script),
        "expect": [{"never_says": "never"}],
    }
    cases = {"one": case if outreach is None else {**case, "outreach": outreach}}
    return written_project(root, rules=RULES, cases=cases, agent=AGENT)


def told(turns: Sequence[Turn]) -> list[tuple[object, ...]]:
    """What each turn shows and lists; ids of people and appointments are the world's own."""
    return [
        (
            turn.index,
            render_transcript([turn]),
            [(effect.effect, effect.summary, _without_ids(effect.data), effect.captured) for effect in turn.effects],
        )
        for turn in turns
    ]


def _without_ids(data: Mapping[str, Json]) -> str:
    return as_json({name: bool(value) if name in {"id", "person"} else value for name, value in data.items()})


async def by_hand(context: Context, script: Sequence[str], channel: Channel, outreach: str | None) -> Sequence[Turn]:
    request = ChatRequest(agent="desk", channel=channel, person=("first_name=Ana",), outreach=outreach)
    async with open_chat(context, request) as chat:
        return [chat.opening, *[await chat.say(line) for line in script]]


async def by_a_case(context: Context) -> Sequence[Turn]:
    prepared = await prepare(context, RunRequest())
    async for _ in perform(context, prepared, Stop()):
        pass
    (result,) = [each async for each in context.store.results.of_run(prepared.run.run_id)]
    assert result.status is Status.PASSED, result
    return result.turns


@pytest.mark.requirement("A8", "A9")
@pytest.mark.parametrize(
    ("script", "channel", "outreach", "kinds"),
    [
        (
            WEB,
            Channel.WEB,
            "season-opening",
            set(EffectKind) - {EffectKind.TRANSFERRED},
        ),
        (PHONE, Channel.PHONE_INBOUND, None, {EffectKind.TRANSFERRED}),
    ],
)
async def test_a_chat_and_a_run_list_the_same_effects(
    tmp_path: Path, script: Sequence[str], channel: Channel, outreach: str | None, kinds: set[EffectKind]
) -> None:
    project = maker(tmp_path, script, channel, outreach)
    async with opened(project.root, environment={}, clock=FrozenClock(NOON)) as context:
        chatted = await by_hand(context, script, channel, outreach)
        played = await by_a_case(context)
    assert {effect.effect for turn in played for effect in turn.effects} == kinds
    assert told(chatted) == told(played)
