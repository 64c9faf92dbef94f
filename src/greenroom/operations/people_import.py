"""People from a CSV file, as an export or a spreadsheet writes it (features.md A5, A7): all of its rows or none.

A row is about whoever its `id` names, else about whoever one of its `identities` finds. Without either, people are told
apart by phone number and email, as the identities `sms:` and `email:`: the phone number or email on somebody's record
finds nobody, since an agent writes there what a stranger says. A cell that says what an export would say is passed
over unread, so that an export changes nothing; an empty one says nothing.
"""

import asyncio
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from greenroom.conversation.addresses import address_fault, phone_fault, plain_number
from greenroom.conversation.json_values import Json
from greenroom.conversation.people import CONSENT, Person, PersonRecord, full_name
from greenroom.conversation.people_import import ImportedPeople, ImportedPerson, ImportOutcome
from greenroom.documents.agent import Agent, PeopleField
from greenroom.documents.csv_cells import answers_only, as_consents, as_items, as_text
from greenroom.documents.findings import Finding, Severity, sorted_findings
from greenroom.documents.people_changes import change_fault, changed_person
from greenroom.documents.people_csv import OTHER_FIELDS, PASSED_OVER, PeopleRow, PeopleSheet, read_people_csv
from greenroom.documents.people_filters import FIELDS
from greenroom.documents.people_values import (
    BY_EMAIL,
    BY_TEXT,
    identity_doubt,
    identity_fault,
    identity_written,
    value_fault,
)
from greenroom.errors import UsageError
from greenroom.operations.context import Context
from greenroom.operations.people import declared_fields
from greenroom.operations.written import written_agents
from greenroom.reports.people import csv_cells
from greenroom.store.partition import Partition
from greenroom.store.people import Wanted
from greenroom.store.times import stamp

__all__ = ["ImportRequest", "import_people"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What is to be imported."""

    data: bytes
    """The file."""
    file: str
    """What messages call it."""
    preview: bool = False
    """Only say what would be done."""


async def import_people(context: Context, request: ImportRequest) -> ImportedPeople:
    """Create and update the live people that a file tells of.

    Raises:
        UsageError: something in it is wrong, each thing with its line and column; nothing was imported.
    """
    agents = await written_agents(context)
    declared = declared_fields(agents)
    sheet = await asyncio.to_thread(read_people_csv, request.data, request.file, declared)
    _refuse(sheet.findings)
    people = context.store.people(Partition.LIVE)
    identities, ids = await asyncio.to_thread(_named, sheet.rows)
    bound = await people.bound(identities)
    records = await people.records({*ids, *bound.values()})
    reading = _Reading(
        file=request.file,
        sheet=sheet,
        declared=declared,
        agents=tuple(agents.values()),
        records=records,
        bound=bound,
        at=stamp(context.clock),
    )
    plans = await asyncio.to_thread(reading.plans)
    _refuse(reading.findings)
    kept = dict[int, str]()
    if not request.preview:
        done = [plan for plan in plans if plan.told.outcome is not ImportOutcome.UNCHANGED]
        ids = await people.keep([plan.wanted for plan in done])
        kept = {plan.told.line: person_id for plan, person_id in zip(done, ids, strict=True)}
    return ImportedPeople(
        people=[_with_id(plan.told, kept.get(plan.told.line)) for plan in plans],
        preview=request.preview,
        warnings=tuple(str(each) for each in reading.warnings),
    )


def _refuse(findings: Collection[Finding]) -> None:
    if findings:
        told = "\n".join(str(finding) for finding in sorted_findings(findings))
        raise UsageError(f"{told}\nnothing was imported")


def _with_id(told: ImportedPerson, person_id: str | None) -> ImportedPerson:
    return told if person_id is None else replace(told, person_id=person_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    """By what a row says whom it is about."""

    person_id: str
    identities: tuple[str, ...]
    phone: str
    """As it is written; empty when it isn't there."""
    email: str
    by_phone: str
    """The identity of the phone number; empty when it is none."""
    by_email: str


def _keys(row: PeopleRow) -> _Keys:
    phone, email = (as_text(row.cells.get(name, "")).strip() for name in ("phone", "email"))
    number = plain_number(phone)
    return _Keys(
        person_id=as_text(row.cells.get("id", "")).strip(),
        identities=as_items(row.cells.get("identities", "")),
        phone=phone,
        email=email,
        by_phone=f"{BY_TEXT}:{number}" if number else "",
        by_email=f"{BY_EMAIL}:{email.casefold()}" if email and address_fault(email) is None else "",
    )


def _named(rows: Sequence[PeopleRow]) -> tuple[set[str], set[str]]:
    """The identities and the ids that may find somebody."""
    keys = [_keys(row) for row in rows]
    written = {identity for key in keys for identity in key.identities}
    contacts = {identity for key in keys for identity in (key.by_phone, key.by_email) if identity}
    return {*written, *map(identity_written, written), *contacts}, {key.person_id for key in keys if key.person_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is to be done for a row."""

    wanted: Wanted
    told: ImportedPerson


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whom:
    """Whom a row is about."""

    record: PersonRecord | None
    """None for somebody new."""
    identities: tuple[str, ...]
    """What finds them from now on and finds nobody yet."""
    mark: str
    """What another row about the same person would have too."""


@dataclass(slots=True, kw_only=True)
class _Reading:
    """Plans what each row does, and gathers what is wrong."""

    file: str
    sheet: PeopleSheet
    declared: Sequence[str]
    agents: Collection[Agent]
    records: Mapping[str, PersonRecord]
    bound: Mapping[str, str]
    at: str
    findings: list[Finding] = field(default_factory=list[Finding])
    warnings: list[Finding] = field(default_factory=list[Finding])
    _lines: dict[str, int] = field(default_factory=dict[str, int])
    """Where what tells people apart stood first."""

    def plans(self) -> Sequence[_Plan]:
        return [plan for row in self.sheet.rows if (plan := self._plan(row)) is not None]

    def _plan(self, row: PeopleRow) -> _Plan | None:
        whom = self._whom(row, _keys(row))
        record = None if whom is None else whom.record
        changes = dict(self._changes(row, record))
        if whom is None:
            return None
        self._doubted(row, whom.identities)
        before = Person(person_id="") if record is None else record.person
        after = changed_person(before, changes, at=self.at)
        changed = [name for name in changes if changed_person(before, {name: changes[name]}, at=self.at) != before]
        if record is None:
            outcome = ImportOutcome.CREATED
        else:
            changed += ["identities"] * bool(whom.identities)
            outcome = ImportOutcome.UPDATED if changed else ImportOutcome.UNCHANGED
        return _Plan(
            wanted=Wanted(
                person_id=None if record is None else before.person_id,
                identities=whom.identities,
                change=lambda person: changed_person(person, changes, at=self.at),
            ),
            told=ImportedPerson(
                line=row.line,
                outcome=outcome,
                name=full_name(after) or next(iter(whom.identities), before.person_id),
                person_id=None if record is None else before.person_id,
                changed=tuple(changed) if outcome is ImportOutcome.UPDATED else (),
            ),
        )

    def _found(self, row: PeopleRow, column: str, message: str) -> None:
        self.findings.append(self._finding(row, column, message, Severity.ERROR))

    def _doubted(self, row: PeopleRow, identities: Sequence[str]) -> None:
        """What was bound anew, and may find nobody."""
        column = "identities" if row.cells.get("identities", "").strip() else "phone"
        doubts = [doubt for identity in identities if (doubt := identity_doubt(identity)) is not None]
        self.warnings += [self._finding(row, column, doubt, Severity.WARNING) for doubt in doubts]

    def _finding(self, row: PeopleRow, column: str, message: str, severity: Severity) -> Finding:
        place = self.sheet.columns.get(column, 1)
        return Finding(file=self.file, line=row.line, column=place, message=message, severity=severity)

    def _whom(self, row: PeopleRow, keys: _Keys) -> _Whom | None:
        before = len(self.findings)
        record = self.records.get(keys.person_id)
        if keys.identities:
            whom = self._by_identities(row, keys.identities, record)
        elif record is not None:
            whom = _Whom(record=record, identities=(), mark=record.person.person_id)
        else:
            whom = self._by_contact(row, keys)
        marks = [mark for mark in (whom.mark, *whom.identities) if mark]
        earlier = [self._lines[mark] for mark in marks if mark in self._lines]
        if earlier:
            column = next((name for name in ("id", "identities", "phone", "email") if row.cells.get(name)), "id")
            self._found(row, column, f"this is the same person as on line {earlier[0]}")
        self._lines.update(dict.fromkeys(marks, row.line))
        return whom if len(self.findings) == before else None

    def _by_identities(self, row: PeopleRow, written: Sequence[str], record: PersonRecord | None) -> _Whom:
        # What finds somebody already is what a channel sent, in whatever spelling.
        spelled = [one if one in self.bound else identity_written(one) for one in written]
        identities = tuple(dict.fromkeys(spelled))
        for identity in identities:
            owner = self.bound.get(identity)
            if owner is None and (fault := identity_fault(identity)) is not None:
                self._found(row, "identities", fault)
            if owner is not None and record is not None and owner != record.person.person_id:
                others = f"the person {owner!r}, and this row is about {record.person.person_id!r}"
                self._found(row, "identities", f"the identity {identity!r} finds {others}")
            record = self.records[owner] if owner is not None and record is None else record
        fresh = tuple(identity for identity in identities if identity not in self.bound)
        return _Whom(record=record, identities=fresh, mark=identities[0] if record is None else record.person.person_id)

    def _by_contact(self, row: PeopleRow, keys: _Keys) -> _Whom:
        if keys.phone and not keys.by_phone:
            no_identity = f"{keys.phone!r} tells nobody apart; write a number such as +15550100"
            self._found(row, "phone", phone_fault(keys.phone) or no_identity)
        if keys.email and not keys.by_email:
            self._found(row, "email", str(address_fault(keys.email)))
        if not keys.phone and not keys.email:
            self._found(row, "id", "nobody is found by this row; give it identities, a phone number or an email")
        record = self._called(keys)
        fresh = [
            identity
            for identity in (keys.by_phone, keys.by_email)
            # An email that several people share is the first one's alone, as long as each has a phone number.
            if identity and identity not in self.bound and (identity == keys.by_phone or identity not in self._lines)
        ]
        if record is None and not keys.by_phone:
            fresh = [keys.by_email]
        mark = record.person.person_id if record is not None else keys.by_phone or keys.by_email
        return _Whom(record=record, identities=tuple(filter(None, fresh)), mark=mark)

    def _called(self, keys: _Keys) -> PersonRecord | None:
        """Who is known by this phone number, or by this email and no other phone number."""
        owner = self.bound.get(keys.by_phone)
        if owner is not None:
            return self.records[owner]
        owner = self.bound.get(keys.by_email)
        if owner is None:
            return None
        record = self.records[owner]
        another = keys.phone and record.person.phone and plain_number(record.person.phone) != plain_number(keys.phone)
        return None if another else record

    def _changes(self, row: PeopleRow, record: PersonRecord | None) -> Iterator[tuple[str, Json]]:
        """What the cells say that isn't known, each name once; what can't be set is found."""
        exported: Mapping[str, str] = {} if record is None else csv_cells(record, self.declared)
        for column, cell in row.cells.items():
            if not cell.strip() or column in {"id", "identities", *PASSED_OVER} or exported.get(column) == cell:
                continue
            for name, value in self._said(row, column, cell, record):
                fault = change_fault(self.agents, name, value)
                if fault is None:
                    yield name, value
                else:
                    self._found(row, column, fault)

    def _said(self, row: PeopleRow, column: str, cell: str, record: PersonRecord | None) -> Iterator[tuple[str, Json]]:
        text = as_text(cell).strip()
        if column == "tags":
            yield column, as_items(cell)
        elif column == "consent" and answers_only(cell):
            instead = "name the column `consent.messages` and write true or false in it"
            self._found(row, column, f"{text!r} is no kind of consent; {instead}")
        elif column == "consent":
            yield from ((f"{CONSENT}{kind}", given) for kind, given in as_consents(cell).items())
        elif column == OTHER_FIELDS:
            self._refuse_undeclared(row, text, record)
        elif column.startswith(CONSENT):
            yield column, _typed(text, "boolean", decimal_comma=False)
        elif column.startswith(FIELDS):
            name = column.removeprefix(FIELDS)
            yield name, self._value(text, [one for agent in self.agents if (one := agent.people.fields.get(name))])
        else:
            yield column, text

    def _value(self, text: str, declared: Sequence[PeopleField]) -> Json:
        """What the text says where it can be held; agents may declare a field each in its own way."""
        values = [(_typed(text, one.type, decimal_comma=self.sheet.decimal_comma), one) for one in declared]
        return next((value for value, one in values if value_fault("", value, one) is None), values[0][0])

    def _refuse_undeclared(self, row: PeopleRow, text: str, record: PersonRecord | None) -> None:
        known: Mapping[str, Json] = {} if record is None else record.person.fields
        if any(name not in known or known[name] != value for name, value in _object(text).items()):
            self._found(
                row, OTHER_FIELDS, "fields that no agent declares can't be set; declare them, or empty the cell"
            )


def _object(text: str) -> Mapping[str, Json]:
    """A JSON object; what is none is one value without a name."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {"": text}


def _typed(text: str, kind: str, *, decimal_comma: bool) -> Json:
    """What a text says of a type; the text itself where it says nothing of it."""
    if kind in {"string", "date"}:
        return text
    written = re.sub(r"^(-?[0-9]+),([0-9]+)$", r"\1.\2", text) if decimal_comma else text
    try:
        value = json.loads(written.lower())
        is_number = isinstance(value, bool | int | float) and math.isfinite(value)
    # A whole number of hundreds of digits is beyond what can be compared with any other.
    except (ValueError, RecursionError, OverflowError):
        return text
    if not is_number:
        return text
    return int(value) if kind == "integer" and isinstance(value, float) and value.is_integer() else value
