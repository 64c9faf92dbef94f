"""What must fit together inside one agent's document: what playbooks use, what templates name, whose names clash."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from greenroom.conversation.actions import COLLECT_DATA, PROCEDURE, SPEAKING, Action, label_of, named_by
from greenroom.conversation.calls import name_key
from greenroom.conversation.people import Person
from greenroom.documents.agent import Agent, Capability, Tool
from greenroom.documents.channel_words import language_fault, unsaid, words_faults
from greenroom.documents.consent_rules import consent_advice
from greenroom.documents.data_templates import mock_templates, unknown_names
from greenroom.documents.flow_rules import flow_faults, flow_warnings
from greenroom.documents.outreach_rules import prepared_messages, proactive_advice, proactive_faults
from greenroom.documents.parts import Doc, as_far_as_read
from greenroom.documents.reading import Reading
from greenroom.documents.scheduling_forms import scheduling_faults
from greenroom.documents.template_rules import is_known, nothing_named, texts_in
from greenroom.documents.templates import PERSON_NAMES, environment_names, template_names
from greenroom.documents.uses import ABOUT_APPOINTMENTS, Uses, use_of
from greenroom.documents.yaml12 import Written, YamlMap
from greenroom.documents.zones import known_zone, unknown_zone
from greenroom.nearest import did_you_mean

__all__ = ["BUILT_IN_ACTIONS", "agent_fits"]

BUILT_IN_ACTIONS = (
    "send_message",
    "end_conversation",
    "update_person",
    "notify_team",
    "search_knowledge",
    "hand_over",
    "transfer",
    "find_times",
    "book_appointment",
    "move_appointment",
    "cancel_appointment",
    "collect_contact",
    "submit_form",
    "send_email",
)
"""The actions that capabilities bring, by name; a tool can't have one of these names."""

_Fault = tuple[int, str]
_Path = tuple[str | int, ...]


def agent_fits(model: Doc, written: Written, reading: Reading) -> bool:
    """Whether the parts of an agent fit together; says where not."""
    if not isinstance(model, Agent):
        return True
    rules = (_names, _form_names, _uses, _zones, scheduling_faults, _channels, _told, _texts, _own_mocks, flow_faults)
    faults = [fault for rule in rules for fault in as_far_as_read(rule(model, written))]
    faults += [(written.walk(path).at, message) for path, message in as_far_as_read(proactive_faults(model))]
    faults += as_far_as_read(_too_many_criteria(model, written, most=reading.limits.criteria))
    for at, message in faults:
        reading.error(at, message)
    for advice in () if faults else (proactive_advice, consent_advice, _english_words):
        for path, message in as_far_as_read(advice(model)):
            reading.warn(written.walk(path).at, message)
    for at, message in () if faults else as_far_as_read(flow_warnings(model, written)):
        reading.warn(at, message)
    return not faults


def _key(written: Written, *path: str) -> int:
    """Where the last key of a path stands."""
    *way, last = path
    around = written.walk(way)
    return around.value.key_at(last) if isinstance(around.value, YamlMap) and last in around.value else around.at


def _names(agent: Agent, written: Written) -> Iterator[_Fault]:
    taken = {*BUILT_IN_ACTIONS, *Capability}
    for name in agent.tools:
        if name.casefold() in taken:
            yield _key(written, "tools", name), f"the tool name {name!r} belongs to a built-in action or capability"
        yield from as_far_as_read(_confirming(agent, name, written))
    core = {field.name for field in fields(Person)} | set(PERSON_NAMES)
    for name in agent.people.fields:
        if name in core:
            yield _key(written, "people", "fields", name), f"every person has the field {name!r}; declare others only"


def _confirming(agent: Agent, name: str, written: Written) -> Iterator[_Fault]:
    confirm = agent.tools[name].confirm_with
    if confirm is None:
        return
    if confirm not in agent.tools or confirm == name:
        hint = did_you_mean(confirm, [other for other in agent.tools if other != name])
        yield (
            written.walk(["tools", name, "confirm_with"]).at,
            f"there is no tool {confirm!r} to confirm with{hint}",
        )
    elif agent.tools[confirm].kind != "integration":
        yield (
            written.walk(["tools", name, "confirm_with"]).at,
            f"{confirm!r} is a {agent.tools[confirm].kind} tool; what confirms a write is an integration tool",
        )
    elif agent.tools[confirm].confirm_with is not None:
        yield (
            written.walk(["tools", confirm, "confirm_with"]).at,
            f"{confirm!r} confirms {name!r}, so it has no `confirm_with` of its own",
        )


def _form_names(agent: Agent, written: Written) -> Iterator[_Fault]:
    """Two forms that go by one name can't be told apart in `Collect data: NAME`."""
    taken: dict[str, str] = {}
    for form_id, form in agent.forms.items():
        for name in dict.fromkeys(name_key(one) for one in (form_id, form_id.replace("-", " "), form.name) if one):
            if taken.setdefault(name, form_id) != form_id:
                yield _key(written, "forms", form_id), f"the forms {taken[name]!r} and {form_id!r} have one name"


def _uses(agent: Agent, written: Written) -> Iterator[_Fault]:
    for playbook_id, playbook in agent.playbooks.items():
        for index, name in enumerate(playbook.uses):
            at = written.walk(["playbooks", playbook_id, "uses", index]).at
            yield from ((at, fault) for fault in as_far_as_read(_use(agent, name)))


def _use(agent: Agent, name: str) -> Iterator[str]:
    use = use_of(agent, name)
    if use is None or (name == Capability.FORMS and not agent.forms) or _lacks_scheduling(agent, use):
        yield _unusable(agent, name)


def _lacks_scheduling(agent: Agent, use: Uses) -> bool:
    return agent.scheduling is None and bool(use.actions & ABOUT_APPOINTMENTS)


def _unusable(agent: Agent, name: str) -> str:
    """Why an entry of `uses` brings nothing."""
    found = use_of(agent, name)
    if found is not None and _lacks_scheduling(agent, found):
        example = '`scheduling: {hours: {weekdays: "09:00-17:00"}}`'
        return f"{name!r} needs the agent's hours; write {example}"
    form = named_by(name, COLLECT_DATA)
    if form is not None or name == Capability.FORMS:
        names = [one for key, each in agent.forms.items() for one in (each.name, key) if one]
        there_are = f"; forms are {', '.join(agent.forms)}" if names else "; the agent has no `forms`"
        return f"there is no form {form!r}{did_you_mean(form, names) or there_are}" if form else there_are[2:]
    if named_by(name, PROCEDURE) is not None:
        return f"{name!r} is a playbook, and a playbook uses tools and capabilities only"
    if name_key(name).startswith("form:"):
        instead = "write `Collect data: NAME` for one form, or `forms`"
        return f"{name!r} is neither a tool of this agent nor a capability; {instead}"
    if name_key(name) in SPEAKING:
        return f"{name!r} is how every agent speaks or stops, and is always there; leave it out"
    known = [
        *agent.tools,
        *Capability,
        *(set(Action) - SPEAKING),
        *(label for one in Action if (label := label_of(one))),
    ]
    hint = did_you_mean(name, known) or f"; capabilities are {', '.join(Capability)}"
    return f"{name!r} is neither a tool of this agent nor a capability{hint}"


def _zones(agent: Agent, written: Written) -> Iterator[_Fault]:
    places: list[tuple[Sequence[str], str]] = [(["time_zone"], agent.time_zone)]
    places += [(["representatives", name, "time_zone"], one.time_zone) for name, one in agent.representatives.items()]
    for path, zone in places:
        if zone and not known_zone(zone):
            yield written.walk(path).at, unknown_zone(zone)


def _too_many_criteria(agent: Agent, written: Written, *, most: int) -> Iterator[_Fault]:
    if len(agent.review) > most:
        at, count = written.walk(["review"]).at, len(agent.review)
        yield at, f"the agent has {count} standing criteria; the limit `criteria` is {most}"


def _channels(agent: Agent, written: Written) -> Iterator[_Fault]:
    """What is sent must be signed, and a secret is never written into a document."""
    for name, channel in agent.channels.items():
        place = ["channels", name]
        if channel.secret and not environment_names(channel.secret):
            at = written.walk([*place, "secret"]).at
            yield at, "write the secret as `${NAME}` and set that environment variable where `greenroom serve` runs"
        if channel.outbound and not channel.secret:
            yield _key(written, *place, "outbound"), "messages that are sent are signed, so `secret` is needed here too"
        if channel.outbound and not channel.outbound.startswith(("http://", "https://", "${")):
            at = written.walk([*place, "outbound"]).at
            yield at, f"an http or https address is wanted here, not {channel.outbound!r}"
        if (fault := language_fault(name, channel.language)) is not None:
            yield written.walk([*place, "language"]).at, fault
        for key, message in words_faults(name, channel.words):
            yield _key(written, *place, "words", key), message


def _english_words(agent: Agent) -> Iterator[tuple[_Path, str]]:
    """Words that a page of another language would have in English."""
    for name, channel in agent.channels.items():
        if missing := unsaid(channel.language, channel.words):
            said = f"the page is in {channel.language!r}, and these of its words are English: {', '.join(missing)}"
            yield ("channels", name, "language"), f"{said}; write them under `words`"


def _told(agent: Agent, written: Written) -> Iterator[_Fault]:
    """Addresses that nobody can be told at."""
    addresses = () if agent.notifications is None else agent.notifications.to
    for index, address in enumerate(addresses):
        if "://" not in address and not environment_names(address):
            there = written.walk(["notifications", "to", index])
            yield (
                there.at,
                f"an Apprise URL is wanted here, such as `mailto://…` or `json://HOST/PATH`, not {address!r}",
            )


def _texts(agent: Agent, written: Written) -> Iterator[_Fault]:
    """Templates that name nothing, and `${NAME}` where it is not filled in."""
    declared = tuple(agent.people.fields)
    for path, text in _templated(agent):
        for name in template_names(text):
            if not is_known(name, declared):
                yield written.walk(path).at, f"{{{{{name}}}}} {nothing_named(name, declared)}"
        for name in environment_names(text):
            message = (
                f"${{{name}}} is filled in in headers, URLs and credentials only, never in what an agent reads or says"
            )
            yield written.walk(path).at, message


def _own_mocks(agent: Agent, written: Written) -> Iterator[_Fault]:
    """The same of what the tools' own mocks answer."""
    for name, tool in agent.tools.items():
        yield from as_far_as_read(_mocks_of(agent, tool, written.walk(["tools", name, "mocks"])))


def _mocks_of(agent: Agent, tool: Tool, written: Written) -> Iterator[_Fault]:
    for index, mock in enumerate(tool.mocks):
        for place, text in mock_templates(mock):
            for fault in unknown_names(text, tuple(agent.people.fields)):
                yield written.walk([index, *place]).at, fault


def _templated(agent: Agent) -> Iterator[tuple[_Path, str]]:
    yield ("greeting",), agent.greeting
    yield ("prompt",), agent.prompt
    yield from ((("rules", index), rule) for index, rule in enumerate(agent.rules))
    for playbook_id, playbook in agent.playbooks.items():
        yield ("playbooks", playbook_id, "prompt"), playbook.prompt
        yield ("playbooks", playbook_id, "when"), playbook.when
    for name, channel in agent.channels.items():
        words = channel.words
        yield ("channels", name, "words", "stopped"), words.stopped or ""
        yield ("channels", name, "words", "started"), words.started or ""
    for name, parts in agent.templates.items():
        for index, part in enumerate(parts):
            yield from ((("templates", name, index), text) for text in texts_in(part))
    for place, message in prepared_messages(agent):
        for index, part in enumerate(message.parts):
            yield from (((*place, index), text) for text in texts_in(part))
