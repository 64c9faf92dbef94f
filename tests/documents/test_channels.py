"""How an agent's channels are written: secrets, addresses, and how long a conversation may be silent."""

import pytest
from tests import builders

from greenroom.documents.agent import ChannelSettings
from greenroom.errors import DocumentsInvalid


def refusal(**written: object) -> str:
    with pytest.raises(DocumentsInvalid) as refused:
        builders.agent(**written)
    return str(refused.value).split(": ", 1)[1]


def test_a_channel_has_a_secret_of_the_environment_and_an_address() -> None:
    written = {"secret": "${SMS_SECRET}", "outbound": "${SMS_URL}/messages"}

    channels = builders.agent(channels={"sms": written, "web": {}}).channels

    assert channels["sms"] == ChannelSettings(secret="${SMS_SECRET}", outbound="${SMS_URL}/messages")
    assert channels["web"] == ChannelSettings()


def test_a_secret_in_a_document_is_refused() -> None:
    assert refusal(channels={"web": {"secret": "s3cret"}}).startswith("write the secret as `${NAME}`")


def test_what_is_sent_has_to_be_signed() -> None:
    said = refusal(channels={"sms": {"outbound": "https://sms.example/in"}})

    assert said == "messages that are sent are signed, so `secret` is needed here too"


def test_an_address_is_an_http_address() -> None:
    said = refusal(channels={"sms": {"outbound": "sms.example", "secret": "${S}"}})

    assert said == "an http or https address is wanted here, not 'sms.example'"


@pytest.mark.parametrize(("written", "seconds"), [("24h", 86_400), ("30m", 1_800), ("90s", 90), ("1.5d", 129_600)])
def test_a_length_of_time_has_a_unit(written: str, seconds: float) -> None:
    assert builders.agent(close_after=written).close_after == seconds


@pytest.mark.parametrize("written", ["24", 24, "0h", "-1h", "1 week", "", "inf"])
def test_any_other_length_of_time_is_refused(written: object) -> None:
    assert refusal(close_after=written).startswith("a length of time is wanted here, such as 24h, 30m, 90s or 2d")


@pytest.mark.parametrize("written", ["36501d", "99999999999h", f"{'9' * 400}s"])
def test_a_length_that_leads_out_of_the_calendar_is_refused(written: str) -> None:
    assert refusal(close_after=written).startswith("a length of time is at most 36500d")


def test_silence_closes_a_conversation_after_a_day_unless_written() -> None:
    assert builders.agent().close_after == 24 * 3_600
