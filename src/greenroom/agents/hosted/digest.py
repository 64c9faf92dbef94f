"""What an agent is supposed to do, in one text for the judge (features.md E4; semantics: the judge).

The same text for the same document: prompt, rules, playbooks, tools, forms, appointments, knowledge, in this order, cut
at `DIGEST_CHARS` characters, and it says so when it is cut.
"""

from collections.abc import Iterator

from greenroom.agents.hosted.booking import appointment_words
from greenroom.agents.hosted.flow_words import flow_words
from greenroom.documents.agent import Agent, DataForm
from greenroom.documents.uses import uses_in

__all__ = ["DIGEST_CHARS", "digest_of"]

DIGEST_CHARS = 12_000


def digest_of(agent: Agent) -> str:
    """The digest; at most `DIGEST_CHARS` characters and one sentence."""
    text = "\n\n".join(_sections(agent))
    if len(text) <= DIGEST_CHARS:
        return text
    return f"{text[:DIGEST_CHARS]}…\n(Cut: {DIGEST_CHARS} of {len(text)} characters are shown.)"


def _sections(agent: Agent) -> Iterator[str]:
    yield f"Agent: {agent.name or agent.id}"
    if agent.greeting:
        yield f"Greeting: {agent.greeting}"
    if agent.prompt:
        yield f"Instructions:\n{agent.prompt.strip()}"
    if agent.rules:
        yield "Rules:\n" + "\n".join(f"- {rule}" for rule in agent.rules)
    for key, book in agent.playbooks.items():
        lines = (f"Playbook {book.name or key}: {book.when}", book.prompt.strip())
        used = uses_in(agent, book)
        uses = f"Uses: {', '.join(used)}" if used else ""
        steps = ("Prepared steps, which are followed word for word:", *flow_words(book.flow)) if book.flow else ()
        yield "\n".join(line for line in (*lines, uses, *steps) if line)
    if agent.tools:
        yield "Tools:\n" + "\n".join(f"- {name}: {tool.description}" for name, tool in agent.tools.items())
    if agent.forms:
        yield "Forms:\n" + "\n".join(_form(form.name or key, form) for key, form in agent.forms.items())
    if agent.things:
        yield "Offers:\n" + "\n".join(
            f"- {thing.name}" + "".join(f"; {name}: {value}" for name, value in thing.details.items())
            for thing in agent.things.values()
        )
    if (hours := appointment_words(agent)) is not None:
        yield f"Appointments:\n{hours}"
    for key, entry in agent.knowledge.items():
        yield f"Knowledge, {entry.title or key}:\n{entry.text.strip()}"


def _form(name: str, form: DataForm) -> str:
    fields = ", ".join(f"{key} (required)" if one.required else key for key, one in form.fields.items())
    return f"- {name}: {form.description}{' ' if form.description else ''}Fields: {fields}"
