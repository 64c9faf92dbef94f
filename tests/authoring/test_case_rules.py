"""What lint says of checks that name what the agent lacks, and of criteria that contradict (features.md B3; J26)."""

import pytest
from tests.builders import agent, case

from greenroom.authoring.case_rules import case_notes
from greenroom.authoring.notes import Target
from greenroom.documents.findings import Severity

DESK = Target(agent())


def notes(*expect: object, **more: object) -> list[tuple[tuple[str | int, ...], str]]:
    """Place and message of each warning; there are no errors."""
    found = list(case_notes(case(expect=list(expect), **more), DESK))
    assert all(note.severity is Severity.WARNING for note in found)
    return [(note.path, note.message) for note in found]


@pytest.mark.requirement("B3", "H9", "C11")
def test_a_step_that_calls_a_tool_the_agent_lacks_is_named_with_its_place() -> None:
    lacks = "the agent has no tool 'list_boat'; did you mean 'list_boats'?"
    assert notes(
        {"order": [{"agent": "Hi"}, {"called": "list_boat"}]},
        {"before": {"first": {"called": "list_boat"}, "then": {"agent": "Hi"}}},
        {"never_after": {"after": {"effect": "notify"}, "never": {"called": "list_boat"}}},
        {"order": [{"called": {"tool": "list_boats", "with": {"day": 1}}}]},
    ) == [
        (("expect", 0, "order", 1, "called", "tool"), lacks),
        (("expect", 1, "before", "first", "called", "tool"), lacks),
        (("expect", 2, "never_after", "never", "called", "tool"), lacks),
        (
            ("expect", 3, "order", 0, "called", "with", "day"),
            "list_boats has no parameter 'day'; parameters are date",
        ),
    ]


@pytest.mark.requirement("B3", "C11")
@pytest.mark.parametrize(
    ("word", "check", "said"),
    [
        ("called", {"tool": "list_boats", "with": {"day": 1}, "exactly": 0}, "parameters are date"),
        ("not_called", {"tool": "list_boats", "with": {"dat.x": 1}}, "did you mean 'date'?"),
        ("called", {"tool": "notify_team", "with": {"txt": "x"}, "exactly": 0}, "did you mean 'text'?"),
        ("not_called", {"tool": "update_person", "with": {"party_sizes": 2}}, "did you mean 'party_size'?"),
        ("not_called", {"tool": "Escalate to a person", "with": {"why": "x"}}, "parameters are reason, to"),
    ],
)
def test_a_condition_on_an_argument_that_there_is_none_of_never_holds(
    word: str, check: dict[str, object], said: str
) -> None:
    """Above all where no call is wanted: a slip of the pen would pass for ever."""
    office = Target(
        agent(
            people={"fields": {"party_size": {"type": "number"}}},
            notifications={"to": ["json://127.0.0.1/team"]},
            hand_over={"email": ["team@example.com"]},
        )
    )
    (note,) = case_notes(case(expect=[{word: check}]), office)
    assert note.path[:4] == ("expect", 0, word, "with")
    assert note.message.endswith(said)


@pytest.mark.requirement("B3")
def test_the_same_words_twice_for_the_judge_are_noticed() -> None:
    """J26: two verdicts on the same words can contradict each other."""
    polite = {"judge": "The agent is polite."}
    again = {"score": {"name": "manners", "text": "the agent  is polite."}}
    (found,) = notes(polite, {"judge": "It names a boat."}, again)
    assert found == (
        ("expect", 2, "score"),
        "these words are a criterion of this case already; two verdicts on them can contradict",
    )
    assert notes(polite, script=[{"say": "Hi", "expect": [polite]}]) == []
    assert notes(polite, {"says": "The agent is polite."}) == []
