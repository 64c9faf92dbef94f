"""What Greenroom must do, row by row, and how far it is.

Tests cite rows with `@pytest.mark.requirement("A4")`; `test_requirements.py` holds the two together: a row that is
built, wholly or partly, has a test that cites it, and a row that isn't has none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["REQUIREMENTS", "Built", "Requirement"]


class Built(StrEnum):
    """How far a row is."""

    WHOLE = "whole"
    PARTLY = "partly"
    LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One row: what a person gets, and what of it is missing."""

    row: str
    sentence: str
    built: Built
    gap: str | None
    """What is missing; None only when the row is whole."""


def whole(row: str, sentence: str) -> Requirement:
    """A row that is built."""
    return Requirement(row=row, sentence=sentence, built=Built.WHOLE, gap=None)


def partly(row: str, sentence: str, *, missing: str) -> Requirement:
    """A row of which something works and something is missing."""
    return Requirement(row=row, sentence=sentence, built=Built.PARTLY, gap=missing)


def later(row: str, sentence: str, *, because: str) -> Requirement:
    """A row of which nothing works."""
    return Requirement(row=row, sentence=sentence, built=Built.LATER, gap=because)


AUTHORING = "comes with the authoring package"
CUSTOMERS = "comes with test customers and HTTP fixtures"
DURABLE = "comes with durable runs and quotas"
COMPARING = "comes with comparisons"

_ROWS = (
    # A. The agent as deployed, in a sandboxed world
    whole("A1", "A case reaches the agent through the very function that serves verified webhooks."),
    whole("A2", "Each turn composes, routes, offers, asks the model, renders for the channel and keeps a record."),
    whole("A3", "Taps arrive typed, flows go on by them as live, and every scripted tap has a typed fallback."),
    whole("A4", "One renderer lays out conversations, one bracketed line a rich element, and no text can forge one."),
    whole(
        "A5",
        "Each case has a fresh person, found by conversation identity, read into the turn and read back by checks.",
    ),
    whole("A6", "A case without a person runs the cold-inbound path with the agent's auto-create setting."),
    whole("A7", "What the sandbox makes never counts anywhere, and its phone numbers identify no one."),
    whole("A8", "Reads are real and writes are captured, each kind by its rule."),
    whole("A9", "Captured effects come back with the reply, and chat and run list the same ones."),
    whole("A10", "Timers stand still in the sandbox."),
    whole("A11", "What a case made is removed when it ends."),
    whole("A12", "Turn records can be looked at from a result."),
    # B. Writing tests
    later("B1", "A case described in English is compiled into what the runner executes.", because=AUTHORING),
    later("B2", "A whole suite is generated from a description.", because=AUTHORING),
    partly(
        "B3",
        "Documents are checked against the agent before anything runs, all findings at once.",
        missing="the repair round for drafts; " + AUTHORING,
    ),
    partly("B4", "What authoring spends is metered apart from case units.", missing="what spends it; " + AUTHORING),
    later("B5", "A playbook's examples are tests without anybody writing them.", because=AUTHORING),
    later("B6", "Any conversation becomes a case with a stand-in person.", because=AUTHORING),
    later("B7", "A draft from a conversation brings scenario and criteria.", because=AUTHORING),
    later("B8", "Tests live in a library, attached to agents from either side.", because="comes with the console"),
    whole("B9", "A test is scripted, simulated, a next reply or a tool call, all compositions of one case."),
    whole("B10", "Script lines are sent as written, after the greeting, until the agent ends the conversation."),
    partly(
        "B11",
        "Limits are settings with defaults, and refusals name them.",
        missing="`runs_kept`; " + DURABLE,
    ),
    # C. The world around the agent
    later("C1", "A test customer is what a case's agent sees when it looks things up.", because=CUSTOMERS),
    later("C2", "Connectors answer with read-after-write.", because=CUSTOMERS),
    later("C3", "HTTP fixtures answer by method and URL.", because=CUSTOMERS),
    later("C4", "A write fixture changes what later reads answer.", because=CUSTOMERS),
    later("C5", "A request without a fixture fails and names the one to add.", because=CUSTOMERS),
    whole("C6", "A mock answers by tool and parameters; conditioned entries first, the fallback last."),
    whole("C7", "Three strategies say which tools may reach their endpoint, and `real:` lists exceptions."),
    whole("C8", "Client tools answer from mocks; fire-and-forget is acknowledged; hidden errors stay hidden."),
    whole("C9", "A write that asks for confirmation commits through its confirm tool, both mocked."),
    whole("C10", "A call that nothing could answer fails the run with its badges and is told to the judge."),
    whole("C11", "A tool the agent lacks is never mocked and counts as never called."),
    whole("C12", "Regular expressions are JavaScript's, and foreign forms are refused with what to write instead."),
    whole("C13", "A live-test policy runs custom actions for real."),
    # D. The person's side and the channel
    whole("D1", "A model plays the person from a brief: opens, reacts, ends itself, within its most turns."),
    whole("D2", "Register and abilities follow the channel, and `auto` follows the agent's number."),
    whole("D3", "It is known who ended a conversation: agent, person or transfer."),
    whole("D4", "Time limits end in an error that names the line or the limit; a slow turn is marked unfinished."),
    # E. Grading
    partly(
        "E1",
        "Checks are decided by code from the wire and from what was persisted.",
        missing="HTTP calls",
    ),
    whole("E2", "The judge decides each criterion literally, with a reason and the agent's line it rests on."),
    whole("E3", "A scored criterion passes at its mark, and a missing required action caps it."),
    whole("E4", "The judge sees behavior, scenario, transcript and criteria, and never turn records or prompts."),
    whole("E5", "One judge with a versioned prompt grades cases and reviews closed live conversations."),
    whole("E6", "A conversation that broke off is shown but not judged, and it is said who caused it."),
    whole("E7", "Passed needs every check, every criterion and no unanswered call."),
    # F. Runs, cost and time
    partly(
        "F1",
        "One test, a selection, a suite or all run in parallel.",
        missing="`--failed`, and runs that outlive the client; " + DURABLE,
    ),
    partly(
        "F2",
        "A case's samples run and are counted apart.",
        missing="the lines that tell of samples still running, in the console",
    ),
    partly(
        "F3",
        "The report's head shows counts and pass rate; errors stand beside it.",
        missing="the console's colours",
    ),
    whole("F4", "Case units are measured from the tokens of agent, judge and simulator by one formula."),
    later("F5", "Decided results are metered.", because=DURABLE),
    partly("F6", "Quotas bound a day, a run and a case.", missing="all but the bound on one case; " + DURABLE),
    later("F7", "A run's cost is estimated before it starts.", because=DURABLE),
    later("F8", "A run pauses when the day is used up.", because=DURABLE),
    partly("F9", "A run survives a crash of the process.", missing="`resume`; the rest of a run " + DURABLE),
    later("F10", "Schedules start runs.", because=DURABLE),
    whole("F11", "What was under test is recorded on every run."),
    later("F12", "A run is compared with a baseline.", because=COMPARING),
    later("F13", "Results are kept for a stated time.", because=DURABLE),
    whole("F14", "A result can be inspected: conversation, checks, calls, effects, usage, turn records."),
    # G. Faces
    partly("G1", "Command line, HTTP API, console and pytest plugin.", missing="all but the command line"),
    partly("G2", "Results carry badges.", missing="those of tests that are running or have not run; in the console"),
    partly("G3", "Agents of any make can be tested.", missing="all but hosted agents and recorded conversations"),
    # H. What users of every bench ask for
    whole("H1", "Every outcome survives to the exit code, and errors stand beside the pass rate, never in it."),
    partly("H2", "Repeats have a gate, pass^k and an interval.", missing="`judge_votes`"),
    later("H3", "A comparison knows noise.", because=COMPARING),
    whole("H4", "A simulated person at fault is errored, tried once more, and counted in the open."),
    later("H5", "The same mocks answer agents in any framework.", because="comes with foreign agents"),
    whole("H6", "Mocks answer in sequences with a stated end, and break on purpose."),
    whole("H7", "One matcher language serves everywhere."),
    partly("H8", "A turn is a list of messages.", missing="messages that arrive late"),
    whole("H9", "Order rules hold over messages, calls and effects."),
    partly("H10", "A run can't overspend.", missing="reservation and the cap on a whole run; " + DURABLE),
    whole("H11", "The line a verdict rests on is verified, and the judge's exact input is kept."),
    later("H12", "Stored transcripts can be graded again.", because=COMPARING),
    later("H13", "Mutated behavior shows what a suite would not notice.", because="comes with suite strength"),
    later("H14", "Coverage of the behavior is shown.", because="comes with suite strength"),
    later("H15", "The shortest failing script is found.", because="comes with suite strength"),
    later("H16", "Drafts from conversations hold no personal data.", because=AUTHORING),
    later("H17", "Runs pay only for what changed.", because="comes with caching"),
    later("H18", "Other tools' formats come in and go out.", because=AUTHORING),
    later("H19", "Traces go out, and coding agents have a server to talk to.", because="comes with the API"),
)

REQUIREMENTS: Mapping[str, Requirement] = {requirement.row: requirement for requirement in _ROWS}
"""Every row, by its id."""
