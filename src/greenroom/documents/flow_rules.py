"""What must hold within a playbook's flow: names that are known, tools and fields that exist, answers that can be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from greenroom.conversation.calls import name_key
from greenroom.conversation.json_values import Json
from greenroom.documents.agent import Agent
from greenroom.documents.answers import FieldAnswers
from greenroom.documents.flow import (
    Booked,
    CallAsked,
    FlowAsk,
    FlowBook,
    FlowCancel,
    FlowEnd,
    FlowHandOver,
    FlowHttp,
    FlowLeave,
    FlowMove,
    FlowOption,
    FlowSay,
    FlowSet,
    FlowStep,
    FlowWhen,
    Moved,
    OptionsFrom,
    Question,
    TakenBack,
    TimesAsked,
    branches_of,
    every_step,
    word_of,
)
from greenroom.documents.flow_names import (
    APPOINTMENTS,
    ITEM,
    OF_CONSENT,
    OF_PERSON,
    Names,
    Path,
    given_by,
    is_person_field,
    name_fault,
    texts_of,
)
from greenroom.documents.matchers import is_matcher
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.people_values import agents_fault, consent_fault, field_fault, writable_by
from greenroom.documents.sizes import FLOW_DEPTH, FLOW_STEPS
from greenroom.documents.templates import environment_names, named_templates
from greenroom.documents.yaml12 import Written, YamlMap
from greenroom.nearest import did_you_mean

__all__ = ["flow_faults", "flow_warnings"]

_Fault = tuple[int, str]
_NO_HOURS = 'this needs the agent\'s hours; write `scheduling: {hours: {weekdays: "09:00-17:00"}}`'
_LISTED = 20
"""So many answers are told of a question that has more."""
_LAST = (FlowEnd, FlowHandOver, FlowLeave)
"""Steps after which nothing of a flow happens."""


def flow_faults(agent: Agent, written: Written) -> Iterator[_Fault]:
    """What is wrong with the flows of an agent's playbooks, each with its place."""
    for key, playbook in agent.playbooks.items():
        if playbook.flow:
            yield from _faults(agent, playbook.flow, written.walk(["playbooks", key, "flow"]))


def flow_warnings(agent: Agent, written: Written) -> Iterator[_Fault]:
    """Steps that are never reached, and values that no step reads and no person keeps."""
    for key, playbook in agent.playbooks.items():
        flow = written.walk(["playbooks", key, "flow"])
        yield from _unread(agent, playbook.flow, flow)
        for path, steps in _lists(playbook.flow):
            ends = next((index for index, step in enumerate(steps[:-1]) if isinstance(step, _LAST)), None)
            if ends is not None:
                message = f"nothing is done after `{word_of(steps[ends])}`, so this is never reached"
                yield flow.walk([*path, ends + 1]).at, message


def _unread(agent: Agent, flow: Sequence[FlowStep], written: Written) -> Iterator[_Fault]:
    steps = list(every_step(flow))
    read = frozenset(_read(step for _, step in steps))
    for path, step in steps:
        for name in step.set if isinstance(step, FlowSet) else ():
            if not is_person_field(name, agent) and name not in read and agents_fault(agent, name) is None:
                hint = did_you_mean(name, writable_by(agent))
                nothing = f"{name!r} is no field of a person, and no step reads it"
                yield (
                    _key_at(written.walk(path), "set", name),
                    nothing + (hint or "; declare it under `people: {fields: …}` to keep it"),
                )


def _lists(flow: Sequence[FlowStep]) -> Iterator[tuple[Path, Sequence[FlowStep]]]:
    yield (), flow
    for path, step in every_step(flow):
        yield from (((*path, key), steps) for key, steps in branches_of(step).items())


def _faults(agent: Agent, flow: Sequence[FlowStep], written: Written) -> Iterator[_Fault]:
    steps = list(every_step(flow))
    if len(steps) > FLOW_STEPS:
        at = written.walk(steps[FLOW_STEPS][0]).at
        yield at, f"the flow has {len(steps)} steps, those in branches included; {FLOW_STEPS} are the most"
    deep = next((path for path, _ in steps if len(path) // 2 > FLOW_DEPTH), None)
    if deep is not None:
        yield written.walk(deep).at, f"branches lie {len(deep) // 2} deep here; {FLOW_DEPTH} are the most"
    names = Names(agent=agent, ever={name: shape for _, step in steps for name, shape in given_by(step, agent).items()})
    read = frozenset(_read(step for _, step in steps))
    for path, step in steps:
        here = written.walk(path)
        yield from _texts(names, step, here)
        yield from _Rules(agent=agent, names=names, read=read).faults(step, here)
        names = names.after(step)


def _read(steps: Iterator[FlowStep]) -> Iterator[str]:
    """The roots of all names that something reads."""
    for step in steps:
        for _, text in texts_of(step):
            yield from (name.partition(".")[0] for name in named_templates(text))
        if isinstance(step, FlowWhen):
            yield from (name.partition(".")[0] for name in step.when)
        if isinstance(step, FlowAsk) and isinstance(step.ask.options, OptionsFrom):
            yield step.ask.options.from_.partition(".")[0]


def _texts(names: Names, step: FlowStep, here: Written) -> Iterator[_Fault]:
    """Templates that name nothing here, and `${NAME}`, which is filled in nowhere in a flow."""
    for path, text in texts_of(step):
        at = here.walk(path).at
        of_item = path[-2:] == ("options", "label")
        for name in named_templates(text):
            if not (of_item and name.partition(".")[0] == ITEM) and (fault := names.fault(name)) is not None:
                yield at, fault
        for name in environment_names(text):
            where = "in headers, URLs and credentials only, never in what an agent reads or says"
            yield at, f"${{{name}}} is filled in {where}"


def _key_at(here: Written, *path: str) -> int:
    """Where the last key of a path stands."""
    *way, last = path
    around = here.walk(way)
    return around.value.key_at(last) if isinstance(around.value, YamlMap) and last in around.value else around.at


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """The rules of single steps."""

    agent: Agent
    names: Names
    read: frozenset[str]
    """The roots of the names that some step of the flow reads."""

    def faults(self, step: FlowStep, here: Written) -> Iterator[_Fault]:
        match step:
            case FlowSay():
                yield from self._template(step.say.template, here.walk(["say", "template"]).at)
            case FlowAsk():
                yield from self._asked(step, here)
            case FlowSet():
                yield from self._kept(step, here)
            case FlowHttp():
                yield from self._called(step.http, here)
            case FlowWhen():
                yield from self._conditions(step, here)
            case FlowBook():
                yield from self._appointed("book", step.book, here)
            case FlowMove():
                yield from self._appointed("move", step.move, here)
            case FlowCancel():
                yield from self._appointed("cancel", step.cancel, here)
            case _:
                pass

    def _template(self, name: str | None, at: int) -> Iterator[_Fault]:
        templates = self.agent.templates
        if name is not None and name not in templates:
            there_are = f"; templates are {', '.join(templates)}" if templates else "; the agent has no `templates`"
            yield at, f"there is no template {name!r}{did_you_mean(name, templates) or there_are}"

    def _asked(self, step: FlowAsk, here: Written) -> Iterator[_Fault]:
        asked, question = step.ask, here.walk(["ask"])
        if not asked.text.strip() and asked.template is None:
            yield _key_at(here, "ask"), "a question has a `text` or a `template` to ask with"
        yield from self._template(asked.template, question.walk(["template"]).at)
        ways = [key for key in ("options", "confirm", "slots") if getattr(asked, key) is not None]
        if len(ways) > 1:
            yield _key_at(question, ways[1]), f"a question has `{ways[0]}` or `{ways[1]}`, not both"
        if asked.field is not None and asked.type is not None:
            yield _key_at(question, "type"), "the field says what kind of answer fits; leave `type` out"
        if asked.type is not None and ways:
            yield _key_at(question, "type"), f"one of the `{ways[0]}` is the answer; leave `type` out"
        if asked.field is not None and not is_person_field(asked.field, self.agent):
            yield question.walk(["field"]).at, self._no_field(asked.field)
        if asked.as_ is not None and (fault := name_fault(asked.as_)) is not None:
            yield question.walk(["as"]).at, fault
        if asked.again and asked.tries == 1:
            yield _key_at(question, "again"), "it is asked once only (`tries: 1`), never `again`"
        finds = isinstance(asked.options, OptionsFrom) or asked.slots is not None
        if step.if_none and not finds:
            found = "`options: {from: …}` or `slots`"
            yield _key_at(here, "if_none"), f"`if_none` stands beside choices that are found: {found}"
        if asked.slots is not None:
            yield from self._times(asked.slots, question)
        yield from self._choices(asked, question)

    def _times(self, asked: TimesAsked, question: Written) -> Iterator[_Fault]:
        if self.agent.scheduling is None:
            yield _key_at(question, "slots"), _NO_HOURS
        if asked.day and (asked.from_ or asked.to):
            yield question.walk(["slots"]).at, "`slots` has a `day`, or `from` and `to`"
        for key, text in (("day", asked.day), ("from", asked.from_), ("to", asked.to)):
            if text and not named_templates(text) and not _is_day(text) and (key == "day" or not _is_time(text)):
                wanted = "a day such as 2026-06-06" + (" or a time such as 2026-06-06T14:00" if key != "day" else "")
                at = question.walk(["slots", key]).at
                yield at, f"{wanted} is wanted here, or `{{{{NAME}}}}` of an earlier answer, not {text!r}"
        yield from self._representative(asked.representative, question.walk(["slots", "representative"]).at)

    def _appointed(self, word: str, asked: Booked | Moved | TakenBack, here: Written) -> Iterator[_Fault]:
        if self.agent.scheduling is None:
            yield _key_at(here, word), _NO_HOURS
        if asked.as_ is not None and (fault := name_fault(asked.as_)) is not None:
            yield here.walk([word, "as"]).at, fault
        if not isinstance(asked, TakenBack):
            yield from self._representative(asked.representative, here.walk([word, "representative"]).at)

    def _representative(self, name: str, at: int) -> Iterator[_Fault]:
        if (
            name
            and not named_templates(name)
            and (fault := field_fault(self.agent, "representative", name)) is not None
        ):
            yield at, fault

    def _no_field(self, name: str) -> str:
        if (fault := agents_fault(self.agent, name)) is not None:
            return fault
        known = writable_by(self.agent)
        hint = did_you_mean(name, known) or f"; fields are {', '.join(known)}"
        return f"a person has no field {name!r} that a flow may write{hint}"

    def _choices(self, asked: Question, question: Written) -> Iterator[_Fault]:
        if isinstance(asked.options, OptionsFrom):
            at = question.walk(["options", "from"]).at
            if asked.options.from_ == APPOINTMENTS:
                return
            root = asked.options.from_.partition(".")[0]
            if (fault := self.names.fault(asked.options.from_, braces=False)) is not None:
                yield at, fault
            elif root not in self.names.known:
                yield at, f"choices are found in an earlier answer such as `answer.orders`, not in {root!r}"
            return
        key = "confirm" if asked.confirm is not None else "options"
        labels = asked.confirm or tuple(option.label for option in asked.options or ())
        if asked.confirm is not None and len(labels) == 1:
            yield question.walk([key]).at, "a confirmation has two labels or more, such as [Yes, No]"
        seen: set[str] = set()
        for index, label in enumerate(labels):
            if name_key(label) in seen:
                yield question.walk([key, index]).at, f"{label!r} is there already; labels differ in more than case"
            seen.add(name_key(label))
        if asked.field is not None and is_person_field(asked.field, self.agent):
            yield from self._choices_of_field(asked, asked.field, question)

    def _choices_of_field(self, asked: Question, name: str, question: Written) -> Iterator[_Fault]:
        """Each choice is something that the field can hold."""
        field = FieldAnswers.of(name, self.agent)
        labels = asked.confirm or ()
        options = asked.options if isinstance(asked.options, tuple) else ()
        means = {0: True, len(labels) - 1: False}
        choices = [("confirm", index, label, means.get(index)) for index, label in enumerate(labels)]
        choices += [("options", index, _value(option), None) for index, option in enumerate(options)]
        for key, index, value, meaning in choices:
            if isinstance(value, str) and named_templates(value):
                continue
            if field.of_choice(value, means=meaning) is None:
                hint = did_you_mean(str(value), field.choices.values())
                yield question.walk([key, index]).at, f"the field {name!r} can't hold {value!r}{hint}"

    def _kept(self, step: FlowSet, here: Written) -> Iterator[_Fault]:
        for name, value in step.set.items():
            if is_person_field(name, self.agent):
                fixed = not (isinstance(value, str) and named_templates(value))
                if fixed and (fault := field_fault(self.agent, name, value)) is not None:
                    yield here.walk(["set", name]).at, fault
                continue
            fault = None if name in self.read else agents_fault(self.agent, name)
            if (fault := fault or name_fault(name)) is not None:
                yield _key_at(here, "set", name), fault

    def _called(self, asked: CallAsked, here: Written) -> Iterator[_Fault]:
        tools = self.agent.tools
        if asked.as_ is not None and (fault := name_fault(asked.as_)) is not None:
            yield here.walk(["http", "as"]).at, fault
        if asked.tool not in tools:
            there_are = f"; tools are {', '.join(tools)}" if tools else "; the agent has no `tools`"
            yield (
                here.walk(["http", "tool"]).at,
                f"there is no tool {asked.tool!r}{did_you_mean(asked.tool, tools) or there_are}",
            )
            return
        yield from as_far_as_read(self._arguments(asked, here))

    def _arguments(self, asked: CallAsked, here: Written) -> Iterator[_Fault]:
        schema = self.agent.tools[asked.tool].parameters
        properties, required = schema.get("properties"), schema.get("required")
        known = list(properties) if isinstance(properties, Mapping) else []
        for name in asked.with_:
            if known and name not in known:
                hint = did_you_mean(name, known) or f"; it has {', '.join(known)}"
                yield _key_at(here, "http", "with", name), f"{asked.tool} has no parameter {name!r}{hint}"
        needed = [name for name in required if isinstance(name, str)] if isinstance(required, Sequence) else []
        missing = [name for name in needed if name not in asked.with_]
        if missing:
            yield _key_at(here, "http"), f"{asked.tool} needs {', '.join(map(repr, missing))} under `with`"

    def _conditions(self, step: FlowWhen, here: Written) -> Iterator[_Fault]:
        if not step.do and not step.otherwise:
            yield here.at, "`when` has steps under `do` or `otherwise`"
        for name, matcher in step.when.items():
            if name.startswith(OF_CONSENT):
                yield from self._consent(name, matcher, here)
                continue
            if (fault := self.names.fault(name, braces=False)) is not None:
                yield _key_at(here, "when", name), fault
                continue
            shape = self.names.known.get(name)
            wanted = matcher["equals"] if isinstance(matcher, Mapping) and set(matcher) == {"equals"} else matcher
            if shape is None or shape.values is None or (isinstance(wanted, Mapping) and is_matcher(wanted)):
                continue
            if wanted not in shape.values:
                listed = ", ".join(repr(value) for value in shape.values[:_LISTED])
                listed += f" and {len(shape.values) - _LISTED} more" if len(shape.values) > _LISTED else ""
                quoted = (
                    "; quote it" if str(wanted) in shape.values else did_you_mean(str(wanted), map(str, shape.values))
                )
                yield here.walk(["when", name]).at, f"{name!r} is never {wanted!r}: the answers are {listed}{quoted}"

    def _consent(self, name: str, matcher: Json, here: Written) -> Iterator[_Fault]:
        """Consent is looked at and never said: no text may name it."""
        if (fault := consent_fault(self.agent, name.removeprefix(OF_PERSON))) is not None:
            yield _key_at(here, "when", name), fault
        elif not isinstance(matcher, bool) and not (isinstance(matcher, Mapping) and is_matcher(matcher)):
            yield here.walk(["when", name]).at, f"{name!r} is never {matcher!r}: it is true, false, or {{absent: true}}"


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return True


def _value(option: FlowOption) -> Json:
    return option.label if option.value is None else option.value
