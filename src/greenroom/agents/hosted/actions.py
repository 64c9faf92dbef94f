"""What the built-in actions do (documents.md: built-in actions; features.md A5, A8).

The arguments fit the action's parameters when they arrive here; what they name is checked here, and a mistake goes
back to the model as the call's error. Everything that changes something goes through the world.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from greenroom.agents.hosted.booking import do_booking
from greenroom.agents.hosted.emailing import CannotMail, email_of
from greenroom.agents.hosted.filling import filled_part
from greenroom.agents.hosted.render import for_channel
from greenroom.agents.hosted.scene import Done, Scene
from greenroom.conversation.actions import Action
from greenroom.conversation.channels import Abilities
from greenroom.conversation.json_values import Json
from greenroom.conversation.messages import Message, Part, Text
from greenroom.conversation.people import CONSENT
from greenroom.conversation.turns import StopReason
from greenroom.documents.people_values import contact_fault, field_fault
from greenroom.documents.rich import RichSyntaxError, parts_from
from greenroom.documents.templates import fill
from greenroom.documents.uses import ABOUT_APPOINTMENTS
from greenroom.nearest import did_you_mean

__all__ = ["act", "template_message"]


async def act(action: Action, arguments: Mapping[str, Json], scene: Scene) -> Done:
    """Do it."""
    if action in ABOUT_APPOINTMENTS:
        return await do_booking(action, arguments, scene)
    return await _ACTIONS[action](arguments, scene)


def template_message(parts: Sequence[Part], values: Mapping[str, Json], abilities: Abilities) -> Message:
    """A prepared message with its values filled in, as this channel shows it."""
    return for_channel(
        Message(parts=tuple(filled_part(part, lambda text: fill(text, values)) for part in parts)), abilities
    )


async def _update_person(arguments: Mapping[str, Json], scene: Scene) -> Done:
    if scene.person_id is None:
        return Done(error="this person isn't on record and strangers are not put on record; nothing was kept")
    fields = {name: value for name, value in arguments.items() if name != "consent"}
    consent = arguments.get("consent")
    if isinstance(consent, Mapping):
        fields |= {f"{CONSENT}{kind}": given for kind, given in consent.items()}
    faults = [fault for name, value in fields.items() if (fault := field_fault(scene.agent, name, value))]
    if faults:
        return Done(error=f"{'; '.join(faults)}; nothing was kept")
    written = [await scene.world.people.write(scene.person_id, name, value) for name, value in fields.items()]
    return Done(result="kept", entries=tuple(field.effect for field in written))


async def _notify_team(arguments: Mapping[str, Json], scene: Scene) -> Done:
    effect = await scene.world.notify.team(_text(arguments, "text"))
    return Done(result="the team will be told", entries=(effect,))


async def _send_email(arguments: Mapping[str, Json], scene: Scene) -> Done:
    # As it is on record now: an action before this one may have kept the address.
    person = await scene.world.people.find(scene.identity)
    try:
        email = email_of(arguments, scene.agent, person)
    except CannotMail as reason:
        return Done(error=f"{reason}; nothing was sent")
    return Done(result="the mail will be sent", entries=(await scene.world.mail.send(email),))


async def _search_knowledge(arguments: Mapping[str, Json], scene: Scene) -> Done:
    found = scene.knowledge.search(_text(arguments, "query"))
    if not found:
        return Done(result="nothing was found")
    return Done(result=[{"entry": one.entry, "title": one.title, "text": one.text} for one in found])


async def _collect_contact(arguments: Mapping[str, Json], scene: Scene) -> Done:
    details = {name: value for name, value in arguments.items() if isinstance(value, str)}
    faults = [fault for name, value in details.items() if (fault := contact_fault(name, value))]
    if faults:
        return Done(error=f"{'; '.join(faults)}; nothing was kept")
    return Done(result="kept", entries=(await scene.world.intake.contact(scene.person_id, details),))


async def _submit_form(arguments: Mapping[str, Json], scene: Scene) -> Done:
    values = cast("Mapping[str, Json]", arguments["values"])
    return Done(result="submitted", entries=(await scene.world.intake.form(_text(arguments, "form"), values),))


async def _hand_over(arguments: Mapping[str, Json], scene: Scene) -> Done:
    effect = await scene.world.hand_overs.hand_over(_text(arguments, "reason"))
    return Done(result="handed over", entries=(effect,), ended=StopReason.HANDED_OVER)


async def _transfer(arguments: Mapping[str, Json], scene: Scene) -> Done:
    effect = await scene.world.hand_overs.transfer(_text(arguments, "reason"), _text(arguments, "to"))
    return Done(result="transferred", entries=(effect,), ended=StopReason.TRANSFERRED)


async def _send_message(arguments: Mapping[str, Json], scene: Scene) -> Done:
    template, parts = arguments.get("template"), arguments.get("parts")
    if (template is None) == (parts is None):
        return Done(error="send_message takes either `parts` or the name of a `template`; nothing was sent")
    if template is not None:
        return _send_template(str(template), scene)
    try:
        message = Message(parts=parts_from(parts))
    except RichSyntaxError as problem:
        return Done(error=f"parts.{problem}; nothing was sent" if problem.path else f"parts: {problem}")
    return _sent(for_channel(message, scene.abilities))


def _send_template(name: str, scene: Scene) -> Done:
    templates = scene.agent.templates
    if name not in templates:
        there_are = f"; there are {', '.join(templates)}" if templates else "; this agent has none"
        hint = did_you_mean(name, templates) or there_are
        return Done(error=f"there is no template {name!r}{hint}; nothing was sent")
    return _sent(template_message(templates[name], scene.values, scene.abilities))


def _sent(message: Message) -> Done:
    if all(isinstance(part, Text) and not part.text.strip() for part in message.parts):
        return Done(error="nothing of it can be shown on this channel; say it in words; nothing was sent")
    return Done(result="sent", entries=(message,))


async def _end_conversation(arguments: Mapping[str, Json], scene: Scene) -> Done:
    resolved = arguments.get("resolved") is True
    return Done(result="closed", ended=StopReason.RESOLVED if resolved else StopReason.AGENT_ENDED)


_ACTIONS: Mapping[Action, Callable[[Mapping[str, Json], Scene], Awaitable[Done]]] = MappingProxyType({
    Action.UPDATE_PERSON: _update_person,
    Action.NOTIFY_TEAM: _notify_team,
    Action.SEARCH_KNOWLEDGE: _search_knowledge,
    Action.COLLECT_CONTACT: _collect_contact,
    Action.SUBMIT_FORM: _submit_form,
    Action.SEND_EMAIL: _send_email,
    Action.HAND_OVER: _hand_over,
    Action.TRANSFER: _transfer,
    Action.SEND_MESSAGE: _send_message,
    Action.END_CONVERSATION: _end_conversation,
})


def _text(arguments: Mapping[str, Json], name: str) -> str:
    return cast("str", arguments.get(name, ""))
