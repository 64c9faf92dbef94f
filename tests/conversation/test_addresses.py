"""What an email address is: nothing that is one can end a header or name a second recipient."""

from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.addresses import (
    Mailbox,
    address_fault,
    mailbox_fault,
    mailbox_of,
    phone_fault,
    same_address,
)
from greenroom.world.live.letters import Letter, as_bytes, wire_address

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ADDRESSES = ("ana@example.com", "a.b+tag@sub.example.co", "o'neill@example.com", "ana@bücher.example", "x@localhost")


def letter(**more: object) -> EmailMessage:
    """As a mail program reads it."""
    values: dict[str, object] = {
        "key": "errand-1",
        "sender": Mailbox(address="desk@lakeside.example", name="Lakeside"),
        "to": ("ana@example.com",),
        "subject": "Hi",
        "text": "Hello",
        "at": AT,
    }
    made: Letter = Letter(**{**values, **more})  # pyright: ignore[reportArgumentType]  # by name, as each test says
    return message_from_bytes(as_bytes(made), policy=default)


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_of_people(address: str) -> None:
    assert address_fault(address) is None
    assert mailbox_fault(f"Ana Ruiz <{address}>") is None
    assert wire_address(address).isascii()


@pytest.mark.parametrize(
    "text",
    [
        *("", "ana", "@example.com", "ana@", "a b@example.com", "ana@example.com, bob@example.com", "a@b@c.example"),
        *(
            "ana@example.com\nBcc: bob@example.com",
            "ana@exa mple.com",
            "ana@-x.example",
            "ana@example..com",
            ".a@b.example",
        ),
        *(
            "ána@example.com",
            '"a b"@example.com',
            f"{'a' * 65}@example.com",
            f"a@{'b' * 64}.example",
            "a@b.example\x00",
        ),
    ],
)
def test_what_is_no_address(text: str) -> None:
    assert address_fault(text) is not None
    assert mailbox_fault(f"Ana <{text}>") is not None


@given(st.text())
def test_whatever_is_taken_for_an_address_is_one_to_a_mail_program(text: str) -> None:
    if address_fault(text) is None:
        mail = letter(to=(text,))
        assert [one.addr_spec for one in mail["To"].addresses] == [wire_address(text)]


@given(st.text(), st.text(max_size=300))
def test_no_subject_and_no_name_adds_a_header(subject: str, name: str) -> None:
    sender = Mailbox(address="desk@lakeside.example", name=name)
    mail = letter(subject=subject, sender=sender)
    assert sorted(mail.keys()) == sorted(letter().keys())
    assert [one.addr_spec for one in mail["From"].addresses] == ["desk@lakeside.example"]
    assert mail["Message-ID"] == "<errand-1@lakeside.example>"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
def test_any_text_arrives_as_it_was_said(text: str) -> None:
    written = f"Dear Ana,\n\n{text}\n"
    assert as_bytes(_plain(written)) == as_bytes(_plain(written))
    if not any(len(line.splitlines()) > 1 for line in written.split("\n")):
        shown = letter(text=written).get_content().replace("\r\n", "\n")
        assert shown.startswith("Dear Ana,\n\n")


def _plain(text: str) -> Letter:
    sender = Mailbox(address="desk@lakeside.example")
    return Letter(key="errand-1", sender=sender, to=("ana@example.com",), subject="Hi", text=text, at=AT)


def test_an_address_with_a_name() -> None:
    assert mailbox_of(' "Boats & Co" <desk@lakeside.example> ') == Mailbox(
        address="desk@lakeside.example", name="Boats & Co"
    )
    assert mailbox_of("desk@lakeside.example") == Mailbox(address="desk@lakeside.example")
    assert mailbox_fault("Boats\nBcc: x <desk@lakeside.example>") is not None


def test_the_case_of_an_address_does_not_count() -> None:
    assert same_address("Ana@Example.com ", "ana@example.com")
    assert not same_address("", "")


@pytest.mark.parametrize(
    "number",
    [
        *("+15550100", "+1 (555) 010-0123", "(0)30/1234-56", "112", "030 1234\u20135", "+1 555 0100 ext. 12"),
        *("555.0100x7", "+49\u00a0151\u00a01234567"),
    ],
)
def test_phone_numbers_as_people_write_them(number: str) -> None:
    assert phone_fault(number) is None


@pytest.mark.parametrize(
    "text", ["", "call me maybe", "12", "+1 555 0100\nBcc: 1", "1" * 21, "x12", "+", "555 0100 or 555 0101", "٠١٢٣"]
)
def test_what_is_no_phone_number(text: str) -> None:
    assert phone_fault(text) == f"{text!r} is no phone number; one looks like +1 555 0100, or (555) 010-0123 ext. 12"
