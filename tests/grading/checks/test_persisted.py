"""Checks on the person, on effects, on playbooks and on how a conversation ended."""

import pytest
from tests.grading.makers import effect, evidence, make_case, said, turn

from greenroom.conversation.channels import Channel
from greenroom.conversation.effects import EffectKind
from greenroom.conversation.json_values import Json
from greenroom.conversation.outcomes import CheckOutcome
from greenroom.conversation.people import Person
from greenroom.conversation.turns import ENDED_BY, StopReason
from greenroom.documents.checks import Check, EffectIs, EndedByIs, PersonIs, PlaybookUsed, StoppedBy
from greenroom.grading.checks.registry import decide_checks
from greenroom.grading.evidence import Evidence

ANA = Person(
    person_id="p1",
    first_name="Ana",
    last_name="Ruiz",
    status="lead",
    fields={"party_size": 6, "boat": None},
    consent={"messages": True},
    tags=("vip",),
)


def decided(check: Check, seen: Evidence) -> CheckOutcome:
    (outcome,) = decide_checks(make_case(check), seen)
    return outcome


@pytest.mark.requirement("A5", "E1", "H7")
@pytest.mark.parametrize(
    ("field", "matcher", "passes"),
    [
        ("first_name", "Ana", True),
        ("first_name", "An", False),
        ("name", "Ana Ruiz", True),
        ("party_size", 6.0, True),
        ("party_size", {"number": 5, "within": 1}, True),
        ("party_size", "6", False),
        ("consent.messages", True, True),
        ("tags", {"contains": "vip"}, True),
        ("email", {"absent": True}, True),
        ("email", {"present": True}, False),
        ("email", "", True),
        ("boat", {"present": True}, True),
        ("marina", {"absent": True}, True),
    ],
)
def test_a_person_is_checked_as_persisted(field: str, matcher: Json, passes: bool) -> None:
    assert decided(PersonIs(fields={field: matcher}), evidence(*said("Hi"), person=ANA)).passed is passes


@pytest.mark.requirement("E1")
def test_every_field_that_differs_is_named() -> None:
    outcome = decided(PersonIs(fields={"status": "customer", "party_name": "Ruiz"}), evidence(*said("Hi"), person=ANA))
    assert outcome.detail == (
        'status: expected exactly "customer", got "lead"; party_name: expected exactly "Ruiz", but there is no value'
    )
    assert decided(PersonIs(fields={"status": "lead"}), evidence(*said("Hi"))).detail == "no person was persisted"


BOOKED = (
    turn(1, "Two", effect(EffectKind.BOOKED, "Powerboat, Saturday 14:00", marina="north"), "Booked."),
    turn(2, "Thanks", effect(EffectKind.NOTIFY, "New booking for Saturday"), "Bye."),
)


@pytest.mark.requirement("A8", "E1")
@pytest.mark.parametrize(
    ("written", "passes"),
    [
        ({"kind": "booked"}, True),
        ({"kind": "booked", "summary": "Saturday"}, True),
        ({"kind": "booked", "summary": "Sunday"}, False),
        ({"kind": "booked", "data": {"marina": "north"}}, True),
        ({"kind": "booked", "data": {"marina": "south"}}, False),
        ({"kind": "booked", "exactly": 0}, False),
        ({"kind": "email", "exactly": 0}, True),
        ({"kind": "notify", "summary": {"regex": "^New"}, "at_most": 1}, True),
        ({"kind": "booked", "at_least": 2}, False),
        ({"kind": "handed_over"}, False),
    ],
)
def test_effects_are_counted_by_kind_summary_and_data(written: dict[str, Json], passes: bool) -> None:
    assert decided(EffectIs.model_validate(written), evidence(*BOOKED)).passed is passes


@pytest.mark.requirement("E1")
def test_a_path_that_an_effect_lacks_is_told_with_the_paths_there_are() -> None:
    form = effect(EffectKind.FORM, "room = 12", form="complaint", values={"room": "12", "what": "noise"})
    check = EffectIs(kind=EffectKind.FORM, data={"what": "noise", "form": "complaint"})
    assert decided(check, evidence(turn(1, "Hi", form, "Noted."))).detail.endswith(
        'what: expected exactly "noise", but there is no value; its data has form, values.room, values.what'
    )


@pytest.mark.requirement("E1")
def test_an_effect_that_is_missing_says_what_left_instead_or_the_nearest() -> None:
    assert decided(EffectIs(kind=EffectKind.EMAIL), evidence(*BOOKED)).detail == (
        "expected at least once; got booked (turn 1), notify (turn 2)"
    )
    assert decided(EffectIs(kind=EffectKind.EMAIL), evidence(*said("Hi"))).detail == (
        "expected at least once; got no effect at all"
    )
    assert decided(EffectIs(kind=EffectKind.BOOKED, summary="Sunday"), evidence(*BOOKED)).detail == (
        "expected at least once; got no such effect; nearest in turn 1: booked: Powerboat, Saturday 14:00: "
        'summary: expected something that contains "Sunday", got "Powerboat, Saturday 14:00"'
    )


@pytest.mark.requirement("D3")
@pytest.mark.parametrize("stopped", list(StopReason))
def test_ended_by_follows_the_one_table_and_any_matches_none_but_those(stopped: StopReason) -> None:
    seen = evidence(*said("Bye"), stopped=stopped, channel=Channel.PHONE_INBOUND)
    ended = ENDED_BY.get(stopped)
    assert decided(EndedByIs(who="any"), seen).passed is (ended is not None)
    assert decided(EndedByIs(who="agent"), seen).passed is (ended == "agent")
    assert decided(EndedByIs(who="person"), seen).passed is (ended == "person")
    assert decided(EndedByIs(who="transfer"), seen).passed is (ended == "transfer")
    assert decided(StoppedBy(reason=stopped), seen).passed


@pytest.mark.requirement("D3", "D2")
def test_a_transfer_away_from_the_phone_says_why_it_can_never_be() -> None:
    seen = evidence(*said("Bye"), stopped=StopReason.RESOLVED, channel=Channel.WEB_VOICE)
    assert decided(EndedByIs(who="transfer"), seen).detail == (
        "expected it to be ended by transfer; got agent (resolved); "
        "a transfer only happens on a phone channel, this was web voice"
    )
    reported = evidence(*said("Bye"), stopped=StopReason.TRANSFERRED, channel=Channel.WEB_VOICE)
    assert not decided(EndedByIs(who="transfer"), reported).passed
    assert decided(EndedByIs(who="any"), evidence(*said("Bye"))).detail == (
        "expected it to be ended by agent, person or transfer; got nobody: it stopped with script_end"
    )


@pytest.mark.requirement("E1")
def test_a_wrong_reason_names_the_right_one() -> None:
    outcome = decided(StoppedBy(reason=StopReason.HANDED_OVER), evidence(*said("Bye")))
    assert outcome.detail == "expected handed_over; got script_end"


@pytest.mark.requirement("E1")
def test_a_playbook_is_known_by_id_or_name() -> None:
    seen = evidence(
        turn(1, "Cancel it", "Sure.", playbook="cancelling"),
        playbooks={"cancelling": "Cancel a subscription", "booking": ""},
    )
    assert decided(PlaybookUsed(playbook="cancelling"), seen).passed
    assert decided(PlaybookUsed(playbook="cancel a Subscription"), seen).passed
    assert decided(PlaybookUsed(playbook="booking"), seen).detail == "expected booking; got cancelling (turn 1)"
    assert decided(PlaybookUsed(playbook="canceling"), seen).detail == (
        "canceling is not on the agent; did you mean 'cancelling'?"
    )
