"""What a conversation may spend: the agent's time and tokens, turns, tool calls (documents.md: max)."""

from greenroom.documents.checks import Max
from greenroom.grading.checks.calls import called_instead, counts_as_tool
from greenroom.grading.checks.scope import Decision, Scope

__all__ = ["decide_max"]


def decide_max(check: Max, scope: Scope) -> Decision:
    """Nothing is over; everything that is over is named. Undecided when nobody knows what some calls used (M06)."""
    seconds = sum(turn.duration_s for turn in scope.turns)
    tokens = sum(scope.evidence.tokens.get(turn.index, 0) for turn in scope.turns)
    turns = sum(turn.index > 0 for turn in scope.turns)
    calls = sum(counts_as_tool(call) for turn in scope.turns for call in turn.calls)
    reasons: list[str] = []
    if check.seconds is not None and seconds > check.seconds:
        slowest = max(scope.turns, key=lambda turn: turn.duration_s)
        reasons.append(
            f"the agent took {seconds:.3g} s, {check.seconds:g} s are allowed; "
            f"the slowest turn is {slowest.index} with {slowest.duration_s:.3g} s"
        )
    if check.tokens is not None and tokens > check.tokens:
        reasons.append(f"the agent used {tokens} tokens, {check.tokens} are allowed")
    if check.turns is not None and turns > check.turns:
        reasons.append(f"there were {turns} turns, {check.turns} are allowed")
    if check.tool_calls is not None and calls > check.tool_calls:
        reasons.append(f"there were {calls} tool calls, {check.tool_calls} are allowed: {called_instead(scope)}")
    unreported = sum(scope.evidence.unreported.get(turn.index, 0) for turn in scope.turns)
    if check.tokens is not None and unreported and not reasons:
        calls_made = "1 call" if unreported == 1 else f"{unreported} calls"
        why = (
            f"the agent used at least {tokens} tokens, and {calls_made} reported no usage or a part of it, so nobody "
            f"can say whether {check.tokens} were enough; take `tokens` out where the agent's model reports no usage"
        )
        return Decision(passed=False, undecided=True, detail=why)
    return Decision(passed=not reasons, detail="; ".join(reasons))
