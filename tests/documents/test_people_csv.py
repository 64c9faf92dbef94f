"""People in CSV files as exports and spreadsheets write them."""

import pytest

from greenroom.documents.people_csv import PeopleSheet, read_people_csv

DECLARED = ("party_size", "Marina")
PLAIN = "first_name,phone,party_size\nAna,+1555,6\nBén,,2.5\n"


def read(text: str | bytes) -> PeopleSheet:
    return read_people_csv(text if isinstance(text, bytes) else text.encode(), "people.csv", DECLARED)


def faults(text: str | bytes) -> list[str]:
    return [str(finding) for finding in read(text).findings]


@pytest.mark.parametrize(
    "written",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        "sep=;\r\n" + PLAIN.replace(",", ";"),
        "\ufeff" + PLAIN,
        PLAIN.encode("utf-16"),
        PLAIN.replace("\n", ",,\n"),
        "\n,,\n" + PLAIN + "\n,,\n",
        PLAIN.replace("first_name,phone", ' First Name ,"PHONE"'),
        PLAIN.replace("party_size", "fields.Party Size"),
    ],
)
def test_whatever_wrote_it_the_same_is_read(written: str | bytes) -> None:
    sheet = read(written)
    assert sheet.findings == []
    assert [dict(row.cells) for row in sheet.rows] == [
        {"first_name": "Ana", "phone": "+1555", "fields.party_size": "6"},
        {"first_name": "Bén", "phone": "", "fields.party_size": "2.5"},
    ]


def test_each_row_knows_its_line_whatever_stands_in_its_cells() -> None:
    sheet = read('notes,phone\r\n"one\r\ntwo, ""three""",1\r\n\r\nx,2\r\n')
    assert [(row.line, row.cells["notes"]) for row in sheet.rows] == [(2, 'one\r\ntwo, "three"'), (5, "x")]


def test_a_short_row_has_no_more_cells() -> None:
    assert [dict(row.cells) for row in read("first_name,phone\nAna\n").rows] == [{"first_name": "Ana"}]


def test_a_declared_field_is_known_in_its_own_case() -> None:
    assert list(read("marina,consent.Messages,other_fields\n1,2,3").columns) == [
        "fields.Marina",
        "consent.Messages",
        "other_fields",
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "people.csv:1:1: the file is empty; its first line names the columns"),
        ("\n\n", "people.csv:1:1: the file is empty; its first line names the columns"),
        ("\nphone,emial\n", "people.csv:2:2: people have no column 'emial'; did you mean 'email'?"),
        ("phone,partysize", "people.csv:1:2: people have no column 'partysize'; did you mean 'party_size'?"),
        ("phone,Phone", "people.csv:1:2: the column 'Phone' stands there twice"),
        ("party_size,fields.party_size", "people.csv:1:2: the column 'fields.party_size' stands there twice"),
        ("phone,\n1,2\n", "people.csv:2:2: '2' stands in no column that has a name"),
        ("phone\n1,2\n", "people.csv:2:2: '2' stands in no column that has a name"),
        ("x" * 200_000, "people.csv:1:1: from here on it is no CSV: field larger than field limit (131072); a cell"),
        ('phone\n1\n"2\n', "people.csv:3:1: from here on it is no CSV: unexpected end of data; a cell"),
        ('phone\n"2"x\n', "people.csv:2:1: from here on it is no CSV: ',' expected after '\"'; a cell"),
        ("phone\n1\nÄ".encode("latin-1"), "people.csv:3:1: this is no UTF-8; let the spreadsheet"),
    ],
)  # fmt: skip
def test_what_can_not_be_read_is_told_with_its_place(written: str | bytes, said: str) -> None:
    (only,) = faults(written)
    assert only.startswith(said)


def test_columns_that_nothing_is_like_are_told_with_all_there_are() -> None:
    (only,) = faults("phone,zzzz\n")
    assert "'zzzz'; columns are party_size, Marina, id, created_at" in only
