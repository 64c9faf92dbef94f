"""The address of a mail server, with and without variables."""

import pytest

from greenroom.documents.smtp_urls import SmtpServer, smtp_fault, smtp_server


@pytest.mark.parametrize(
    ("written", "server"),
    [
        ("smtp://mail.example", SmtpServer(host="mail.example", port=587, tls=False)),
        ("SMTPS://mail.example/", SmtpServer(host="mail.example", port=465, tls=True)),
        ("smtp://[::1]:25", SmtpServer(host="::1", port=25, tls=False)),
        (
            "smtp://desk%40lakeside:${SECRET}@${HOST}:${PORT}",
            SmtpServer(host="mail.example", port=2525, tls=False, user="desk@lakeside", password="p@ss:/%41"),
        ),
        ("${URL}", SmtpServer(host="mail.example", port=465, tls=True, user="desk", password="p@ss")),
    ],
)
def test_variables_stand_for_what_they_say_and_signs_are_read_as_in_any_address(
    written: str, server: SmtpServer
) -> None:
    values = {
        "${SECRET}": "p@ss:/%41",
        "${HOST}": "mail.example",
        "${PORT}": "2525",
        "${URL}": "smtps://desk:p%40ss@mail.example",
    }
    assert smtp_fault(written) is None
    assert smtp_server(written, values.__getitem__) == server


@pytest.mark.parametrize(
    "written",
    ["", "mail.example", "http://mail.example", "smtp://a b", "smtp://u:p@ss@h", "smtp://h:0", "smtp://h:70000"],
)
def test_what_is_no_address_of_a_server(written: str) -> None:
    assert smtp_fault(written) is not None


@pytest.mark.parametrize(
    ("written", "value", "why"),
    [
        ("smtp://h:${X}", "many", "the port in `mail.smtp` is none"),
        ("smtp://${X}", "", "the host in `mail.smtp` is empty"),
        ("${X}", "mail.example", "`mail.smtp` is no address of a mail server"),
    ],
)
def test_a_variable_that_makes_it_none_is_told_without_its_value(written: str, value: str, why: str) -> None:
    assert smtp_fault(written) is None
    with pytest.raises(ValueError, match="`mail") as raised:
        smtp_server(written, lambda _: value)
    assert str(raised.value) == why
