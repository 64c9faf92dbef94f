"""Whether what a case starts from and expects exists on the agent (features.md B3, C11)."""

from collections.abc import Iterator, Mapping

from greenroom.authoring.never_rules import value_notes
from greenroom.authoring.notes import Note, Path, Target, error, expectations, representative_notes, warning
from greenroom.authoring.state_rules import state_notes
from greenroom.conversation.actions import COLLECT_DATA, LABELS, PROCEDURE, answers_to, label_of, named_by
from greenroom.conversation.calls import name_key
from greenroom.conversation.channels import ABILITIES
from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import EndedBy
from greenroom.documents.checks import (
    Before,
    Called,
    EndedByIs,
    Expectation,
    Judged,
    NeverAfter,
    NotCalled,
    NoToolCalled,
    Order,
    PersonIs,
    PlaybookUsed,
    Reply,
    Says,
    Scored,
    StateIs,
)
from greenroom.documents.matchers import is_matcher
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.people_values import contact_fault, path_fault, value_fault
from greenroom.documents.steps import CalledStep, Step, StepCall
from greenroom.documents.suite import Case, PersonStart, Say
from greenroom.nearest import did_you_mean

__all__ = ["case_notes", "parameter_notes"]


def case_notes(case: Case, target: Target) -> Iterator[Note]:
    """What is to be said of a case's start and of its checks."""
    yield from as_far_as_read(_start(case, target))
    for path, entry in expectations(case):
        yield from as_far_as_read(_expected(path, entry, case, target))
    yield from as_far_as_read(_contradictions(case))
    yield from as_far_as_read(_repeated_criteria(case))
    yield from _leaks(case)


def _expected(path: Path, entry: Expectation, case: Case, target: Target) -> Iterator[Note]:
    for place, call in _calls_meant(path, entry):
        yield from _tool_check(place, call, case, target)
    if isinstance(entry, EndedByIs):
        yield from _ended_check(path, entry, case, target)
    elif isinstance(entry, PlaybookUsed):
        yield from _playbook(path, entry.playbook, target)
    elif isinstance(entry, PersonIs):
        yield from _person_check(path, entry, target)
    elif isinstance(entry, StateIs):
        yield from state_notes(path, entry, case, target)


def _playbook(path: Path, name: str, target: Target) -> Iterator[Note]:
    known = target.agent.playbooks
    if name not in known:
        yield error(
            path, f"there is no playbook {name!r}{did_you_mean(name, known) or _listed('playbooks', list(known))}"
        )


def _listed(what: str, names: list[str]) -> str:
    return f"; {what} are {', '.join(names)}" if names else f"; the agent has no {what}"


def _start(case: Case, target: Target) -> Iterator[Note]:
    if case.playbook is not None:
        yield from _playbook(("playbook",), case.playbook, target)
    if not isinstance(case.person, PersonStart):
        return
    yield from representative_notes(("person", "representative"), case.person.representative, target)
    for name, value in (("email", case.person.email), ("phone", case.person.phone)):
        if (fault := contact_fault(name, value)) is not None:
            yield error(("person", name), fault)
    declared = target.agent.people.fields
    for name, value in case.person.fields.items():
        path = ("person", "fields", name)
        if name not in declared:
            near = did_you_mean(name, declared) or _listed("declared fields", list(declared))
            yield error(path, f"the agent declares no people field {name!r}{near}")
        elif (fault := value_fault(name, value, declared[name])) is not None:
            yield error(path, fault)


def _person_check(path: Path, check: PersonIs, target: Target) -> Iterator[Note]:
    for name, matcher in check.fields.items():
        if (fault := path_fault(name, target.agent.people.fields)) is not None:
            yield error((*path, name), fault)
        elif name == "representative":
            yield from representative_notes((*path, name), matcher, target)
        else:
            yield from value_notes((*path, name), name, matcher, target)


def _calls_meant(path: Path, entry: Expectation) -> Iterator[tuple[Path, Called | NotCalled | StepCall]]:
    """The calls that an expectation is about, each with its place."""
    if isinstance(entry, (Called, NotCalled)):
        yield path, entry
    for place, step in _steps(path, entry):
        if isinstance(step, CalledStep):
            yield (*place, "called"), step.called


def _steps(path: Path, entry: Expectation) -> Iterator[tuple[Path, Step]]:
    match entry:
        case Order():
            yield from (((*path, index), step) for index, step in enumerate(entry.steps))
        case Before():
            yield from (((*path, "first"), entry.first), ((*path, "then"), entry.then))
        case NeverAfter():
            yield from (((*path, "after"), entry.after), ((*path, "never"), entry.never))
        case _:
            return


def _tool_check(path: Path, check: Called | NotCalled | StepCall, case: Case, target: Target) -> Iterator[Note]:
    here = (*path, "tool")
    playbook, form = named_by(check.tool, PROCEDURE), named_by(check.tool, COLLECT_DATA)
    if playbook is not None:
        books = target.agent.playbooks
        if not any(answers_to(playbook, key, book.name) for key, book in books.items()):
            names = [name for key, book in books.items() for name in (key, book.name) if name]
            near = did_you_mean(playbook, names) or _listed("playbooks", list(books))
            yield warning(here, f"there is no playbook {playbook!r}{near}")
        return
    if form is not None:
        yield from _form_check(path, form, check, target)
        return
    labelled = LABELS.get(name_key(check.tool), frozenset({check.tool}))
    if not any(target.has(name, case.channel) for name in labelled):
        yield warning(here, _lacks(check.tool, case, target))
        return
    yield from parameter_notes((*path, "with"), check.with_, check.tool, target)


def _form_check(path: Path, form: str, check: Called | NotCalled | StepCall, target: Target) -> Iterator[Note]:
    """`Collect data: NAME`; what `with` names there are the form's fields."""
    found = next((key for key, name in target.forms.items() if answers_to(form, key, name)), None)
    if found is None:
        names = [one for pair in target.forms.items() for one in pair]
        near = did_you_mean(form, names) or _listed("forms that it may submit", list(target.forms))
        yield warning((*path, "tool"), f"the agent has no form {form!r}{near}")
        return
    fields = target.agent.forms[found].fields
    for written in check.with_:
        if written not in fields and written.split(".")[0] not in fields:
            near = did_you_mean(written, fields) or _listed("fields", list(fields))
            yield warning((*path, "with", written), f"the form {found!r} has no field {written!r}{near}")


def _ended_check(path: Path, check: EndedByIs, case: Case, target: Target) -> Iterator[Note]:
    channel = ABILITIES[case.channel]
    if check.who == EndedBy.TRANSFER and not channel.transfers:
        hint = "; write `channel: auto`, which is the phone for an agent with a number" if target.has_number else ""
        message = f"a transfer only happens on a phone channel, so this always fails on {channel.name}{hint}"
        yield warning(path, message)


def _lacks(name: str, case: Case, target: Target) -> str:
    label = label_of(name_key(name))
    instead = next((one for one in LABELS.get(name_key(label or ""), ()) if target.has(one, case.channel)), None)
    if instead is not None:
        return (
            f"the agent has no {name!r} on the channel {case.channel}: there {str(instead)!r} takes its place, and "
            f"the label {label!r} stands for both"
        )
    if target.tool(name) is None:
        return f"the agent has no tool {name!r}{did_you_mean(name, _callable(case, target))}"
    if not target.uses(target.tools[name_key(name)][0]):
        return f"no playbook of the agent uses {name!r}, so it is never offered"
    return f"the agent has no {name!r} on the channel {case.channel}, where client tools can't run"


def _callable(case: Case, target: Target) -> list[str]:
    """Every name and label that a check may call something of this agent by."""
    names = target.names_on(case.channel)
    labels = {label for name in names if (label := label_of(name)) is not None}
    forms = [f"{COLLECT_DATA} {name}" for pair in target.forms.items() for name in pair]
    books = target.agent.playbooks.items()
    playbooks = [f"{PROCEDURE} {name}" for key, book in books for name in (key, book.name) if name]
    return [*names, *sorted(labels), *forms, *playbooks]


def parameter_notes(path: Path, conditions: Mapping[str, Json], name: str, target: Target) -> Iterator[Note]:
    """Warnings of conditions on parameters that the tool doesn't have."""
    properties = target.parameters(name)
    if properties is None:
        return
    for written in conditions:
        if written not in properties and written.split(".")[0] not in properties:
            known = f"; parameters are {', '.join(properties)}" if properties else "; it takes none"
            near = did_you_mean(written, properties) or known
            yield warning((*path, written), f"{name} has no parameter {written!r}{near}")


def _contradictions(case: Case) -> Iterator[Note]:
    """Two checks of the whole conversation that can't both hold (J26)."""
    required = {
        name_key(entry.tool): entry.tool for entry in case.expect if isinstance(entry, Called) and entry.least > 0
    }
    for index, entry in enumerate(case.expect):
        path = ("expect", index, entry.word)
        if isinstance(entry, NoToolCalled) and required:
            yield warning(path, f"this can't hold together with `called: {next(iter(required.values()))}`")
        if isinstance(entry, NotCalled) and not entry.with_ and name_key(entry.tool) in required:
            yield warning(path, f"this can't hold together with `called: {entry.tool}`")


def _repeated_criteria(case: Case) -> Iterator[Note]:
    """The same words for the judge twice: the verdicts can only agree or contradict each other (J26)."""
    seen: set[tuple[str, int | None, str]] = set()
    for path, entry in expectations(case):
        if not isinstance(entry, (Judged, Scored, Says)):
            continue
        line = path[1] if path[0] == "script" and isinstance(path[1], int) else None
        criterion = ("says" if isinstance(entry, Says) else "", line, " ".join(entry.text.split()).casefold())
        if criterion in seen:
            yield warning(path, "these words are a criterion of this case already; two verdicts on them can contradict")
        seen.add(criterion)


_LEAK_WORDS = 3
"""Shorter texts stand in a fixture by right: a price, a name, a status."""


def _leaks(case: Case) -> Iterator[Note]:
    """Expected words that stand in what the case itself hands to the agent (T17)."""
    sources = [("a mock's result", text) for mock in case.world.mocks for text in _texts([mock.result, mock.results])]
    sources += [("a script line", line.say if isinstance(line, Say) else line.otherwise) for line in case.script]
    if case.simulate is not None:
        sources += [("the brief of the simulated person", told.text) for told in case.simulate.brief.texts()]
    if isinstance(case.person, PersonStart):
        sources += [("the person's notes", case.person.notes)]
        sources += [("the person's fields", text) for text in _texts(case.person.fields)]
    if not sources:
        return
    for path, entry in expectations(case):
        for expected in _expected_words(entry):
            where = next((where for where, text in sources if expected in text), None)
            if where is not None and len(expected.split()) >= _LEAK_WORDS:
                yield warning(path, f"the expected words stand in {where}, so the agent can repeat them unread")


def _expected_words(entry: Expectation) -> tuple[str, ...]:
    if isinstance(entry, (Judged, Scored, Says)):
        return (entry.text,)
    if isinstance(entry, Reply):
        found = entry.text
        if isinstance(found, Mapping) and is_matcher(found):
            return tuple(text for word in ("contains", "equals") if isinstance(text := found.get(word), str))
        return (found,) if isinstance(found, str) else ()
    return ()


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():  # pyright: ignore[reportUnknownVariableType]: JSON below
            yield from _texts(item)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, (list, tuple)):
        for item in value:  # pyright: ignore[reportUnknownVariableType]: JSON below
            yield from _texts(item)  # pyright: ignore[reportUnknownArgumentType]
