"""People as CSV: whatever they are called, a reader gets back what is kept, and no spreadsheet runs it."""

import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.people import Person, PersonRecord
from greenroom.reports.people import csv_header, csv_row

AT = "2026-11-30T12:00:00.000+00:00"


def record(**known: object) -> PersonRecord:
    person = Person(person_id="person-1", **known)  # pyright: ignore[reportArgumentType]
    return PersonRecord(person=person, identities=("sms:+15550100", "web:7"), created_at=AT, updated_at=AT)


def read_back(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text, newline=""), strict=True))


def cell(person: PersonRecord, name: str, declared: tuple[str, ...] = ()) -> str:
    ((*header,), (*row,)) = read_back(csv_header(declared) + csv_row(person, declared))
    return row[header.index(name)]


def test_the_columns_are_what_everybody_has_then_the_declared_fields() -> None:
    assert csv_header(("party_size",)) == (
        "id,created_at,updated_at,first_name,last_name,email,phone,company,title,product_interest,status,"
        "representative,notes,identities,tags,consent,fields.party_size,other_fields\r\n"
    )


def test_a_record_is_one_of_rfc_4180() -> None:
    known = record(
        first_name='Ana "A"',
        company="Ruiz, Söhne",
        notes="one\r\ntwo",
        tags=("vip", "north"),
        fields={"party_size": 6, "old": [1, None], "windy": True},
        consent={"messages": True, "calls": False},
    )
    assert csv_row(known, ("party_size", "marina")) == (
        f'person-1,{AT},{AT},"Ana ""A""",,,,"Ruiz, Söhne",,,,,"one\r\ntwo",sms:+15550100; web:7,'
        'vip; north,messages; not calls,6,,"{""old"": [1, null], ""windy"": true}"\r\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+15550100",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =cmd|' /C calc'!A0",
        "＝1",
        "＋1",
        "－1",
        "＠x",
    ],
)
def test_no_text_is_a_formula(text: str) -> None:
    assert cell(record(first_name=text), "first_name") == f"'{text}"
    assert cell(record(fields={"x": text}), "fields.x", ("x",)) == f"'{text}"


def test_numbers_stay_numbers() -> None:
    assert cell(record(fields={"x": -4.5}), "fields.x", ("x",)) == "-4.5"


@given(text=st.text(), other=st.text())
def test_whatever_is_written_is_read_back(text: str, other: str) -> None:
    known = record(first_name=text, notes=other, fields={"x": other})
    assert len(read_back(csv_row(known, ("x",)))) == 1
    for name, value in (("first_name", text), ("notes", other), ("fields.x", other)):
        back = cell(known, name, ("x",))
        assert back in {value, f"'{value}"}
        assert not back.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
