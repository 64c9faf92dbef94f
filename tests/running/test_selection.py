"""Which cases a selection names."""

from pathlib import Path

import pytest

from greenroom.documents.suite import Case, Suite
from greenroom.errors import AgentUnclear, NotFound, NothingSelected
from greenroom.running.selection import Selected, agent_for, select_cases

FOLDER = Path("/project")
SUITES = {
    "booking": Suite(
        suite="booking",
        agents=("lakeside",),
        cases={
            "books-a-boat": Case(id="books-a-boat", suite="booking", tags=("smoke",)),
            "asks-the-price": Case(id="asks-the-price", suite="booking"),
        },
    ),
    "guard": Suite(
        suite="guard",
        agents=("lakeside", "harbour"),
        tags=("smoke",),
        cases={"no-refunds": Case(id="no-refunds", suite="guard")},
    ),
    "empty": Suite(suite="empty"),
}
FILES = {"/project/suites/booking.yaml": "booking", "/project/suites/guard.yaml": "guard"}


def names(*selectors: str, agent: str | None = None) -> list[str]:
    selected = select_cases(SUITES, selectors, files=FILES, folder=FOLDER, agent=agent)
    return [f"{case.suite}/{case.id}" for case in selected.cases]


def refusal(*selectors: str, agent: str | None = None) -> str:
    with pytest.raises(NothingSelected) as refused:
        names(*selectors, agent=agent)
    return str(refused.value)


@pytest.mark.requirement("F1")
def test_a_suite_a_case_a_tag_and_a_file_select_their_cases() -> None:
    assert names("booking") == ["booking/books-a-boat", "booking/asks-the-price"]
    assert names("booking/asks-the-price") == ["booking/asks-the-price"]
    assert names("@smoke") == ["booking/books-a-boat", "guard/no-refunds"]
    assert names("suites/guard.yaml") == ["guard/no-refunds"]


def test_no_selector_is_everything_attached_to_the_agent() -> None:
    assert len(names()) == 3
    assert names(agent="harbour") == ["guard/no-refunds"]


def test_a_case_named_twice_runs_once_and_suites_keep_their_order() -> None:
    assert names("guard", "booking/books-a-boat", "booking") == [
        "booking/books-a-boat",
        "booking/asks-the-price",
        "guard/no-refunds",
    ]


@pytest.mark.requirement("F1")
def test_a_selector_that_matches_nothing_says_so_with_the_nearest_name() -> None:
    """Field lessons X10, X11: never a green run of nothing."""
    assert refusal("bookng") == (
        "'bookng' is no suite, suite/case, @tag or file of this project; did you mean 'booking'?"
    )
    assert refusal("booking/books-a-bot") == "suite 'booking' has no case 'books-a-bot'; did you mean 'books-a-boat'?"
    assert refusal("@smok") == (
        "no case is tagged 'smok'; did you mean 'smoke'? (--allow-empty permits an empty selection)"
    )
    assert refusal("no-refund") == (
        "'no-refund' is no suite, suite/case, @tag or file of this project; did you mean 'guard/no-refunds'?"
    )
    assert refusal("empty") == "suite 'empty' has no cases (--allow-empty permits an empty selection)"
    assert refusal("zzz").endswith("; suites are booking, guard, empty")


@pytest.mark.requirement("F1")
def test_a_suite_runs_only_against_agents_that_it_is_attached_to() -> None:
    said = (
        "suite 'booking' is attached to lakeside and not to agent 'harbour'; "
        "add harbour to `agents` of the suite to run it there too"
    )
    assert refusal("booking", agent="harbour") == said
    assert refusal("guard", "booking/books-a-boat", agent="harbour") == said
    assert refusal("suites/booking.yaml", agent="harbour") == said
    assert names("@smoke", agent="harbour") == ["guard/no-refunds"]
    assert names("booking/books-a-boat", agent="lakeside") == ["booking/books-a-boat"]


def of(*suites: str) -> Selected:
    chosen = [SUITES[suite] for suite in suites]
    return Selected(cases=tuple(case for suite in chosen for case in suite.cases.values()), suites=tuple(chosen))


def test_the_agent_is_the_one_that_the_selection_names() -> None:
    assert agent_for(["lakeside", "harbour"], of("booking"), None) == "lakeside"
    assert agent_for(["lakeside", "harbour"], of("guard"), "harbour") == "harbour"
    assert agent_for(["lakeside"], of("empty"), None) == "lakeside"


def test_an_unclear_agent_is_refused_with_the_names() -> None:
    with pytest.raises(AgentUnclear, match=r"several agents \(lakeside, harbour\); choose one with --agent ID"):
        agent_for(["lakeside", "harbour"], of("guard"), None)
    with pytest.raises(NotFound, match=r"there is no agent 'lakside'; did you mean 'lakeside'\?"):
        agent_for(["lakeside", "harbour"], of("guard"), "lakside")
    with pytest.raises(NotFound, match=r"no agent 'x'; the project has no agents: write one in agents/$"):
        agent_for([], of("guard"), "x")
