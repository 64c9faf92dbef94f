"""`channel: auto` (features.md D2)."""

import pytest
from tests import builders

from greenroom.conversation.channels import ABILITIES, Channel
from greenroom.documents.channels import on_channel, settled_channel

pytestmark = pytest.mark.requirement("D2")


@pytest.mark.parametrize(
    ("channels", "settled"),
    [
        ({}, Channel.WEB_VOICE),
        ({"web": {}}, Channel.WEB_VOICE),
        ({"phone": {}}, Channel.WEB_VOICE),
        ({"phone": {"number": "+15550100"}}, Channel.PHONE_INBOUND),
    ],
)
def test_auto_is_a_phone_call_to_an_agent_with_a_number_and_web_voice_to_any_other(
    channels: object, settled: Channel
) -> None:
    agent = builders.agent(channels=channels)
    assert on_channel(builders.case(channel="auto"), agent).channel is settled


def test_auto_is_meant_only_where_it_is_written() -> None:
    phone = builders.agent(channels={"phone": {"number": "+15550100"}})
    assert on_channel(builders.case(), phone).channel is Channel.WEB
    assert all(settled_channel(channel, phone) is channel for channel in ABILITIES)


def test_no_conversation_runs_on_auto_itself() -> None:
    assert set(Channel) - set(ABILITIES) == {Channel.AUTO}
