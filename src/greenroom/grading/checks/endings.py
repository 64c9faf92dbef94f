"""Checks on how a conversation ended and which playbooks it ran in (features.md D3, E1)."""

from greenroom.conversation.actions import answers_to
from greenroom.conversation.channels import ABILITIES
from greenroom.conversation.turns import ENDED_BY, EndedBy, Turn
from greenroom.documents.checks import EndedByIs, PlaybookUsed, StoppedBy
from greenroom.grading.checks.scope import Decision, Scope, listed
from greenroom.grading.evidence import Evidence
from greenroom.nearest import did_you_mean

__all__ = ["decide_ended_by", "decide_playbook", "decide_stopped", "ran_in"]


def decide_ended_by(check: EndedByIs, scope: Scope) -> Decision:
    """Who ended it; `any` is agent, person or transfer, but never the end of a script or a limit."""
    if not scope.holds_the_end:
        return Decision(passed=False, detail=_went_on(scope))
    stopped = scope.evidence.stopped
    who = ENDED_BY.get(stopped)
    cannot = check.who == EndedBy.TRANSFER and not ABILITIES[scope.evidence.channel].transfers
    if who is not None and check.who in ("any", who) and not cannot:
        return Decision(passed=True)
    wanted = "agent, person or transfer" if check.who == "any" else check.who
    got = f"{who} ({stopped})" if who is not None else f"nobody: it stopped with {stopped}"
    here = ABILITIES[scope.evidence.channel].name
    why = f"; a transfer only happens on a phone channel, this was {here}" if cannot else ""
    return Decision(passed=False, detail=f"expected it to be ended by {wanted}; got {got}{why}")


def decide_stopped(check: StoppedBy, scope: Scope) -> Decision:
    """Why it stopped, by the name of the reason."""
    if not scope.holds_the_end:
        return Decision(passed=False, detail=_went_on(scope))
    stopped = scope.evidence.stopped
    passed = check.reason is stopped
    return Decision(passed=passed, detail="" if passed else f"expected {check.reason}; got {stopped}")


def decide_playbook(check: PlaybookUsed, scope: Scope) -> Decision:
    """At least one turn ran in the playbook."""
    evidence = scope.evidence
    if any(ran_in(check.playbook, turn, evidence) for turn in scope.turns):
        return Decision(passed=True)
    if not any(answers_to(check.playbook, *pair) for pair in evidence.playbooks.items()):
        known = [*evidence.playbooks, *(name for name in evidence.playbooks.values() if name)]
        return Decision(
            passed=False, detail=f"{check.playbook} is not on the agent{did_you_mean(check.playbook, known)}"
        )
    ran = [f"{turn.playbook} (turn {turn.index})" for turn in scope.turns if turn.playbook]
    return Decision(passed=False, detail=f"expected {check.playbook}; got {listed(ran) or 'no playbook at all'}")


def ran_in(playbook: str, turn: Turn, evidence: Evidence) -> bool:
    """Whether a turn ran in this playbook."""
    if turn.playbook is None:
        return False
    return answers_to(playbook, turn.playbook, evidence.playbooks.get(turn.playbook, ""))


def _went_on(scope: Scope) -> str:
    return f"the conversation went on after line {scope.line}"
