"""Which models of a run answered from a file; every report says so in its header."""

from collections.abc import Mapping, Sequence

from greenroom.conversation.outcomes import UnderTest

__all__ = ["models_of", "replayed_roles", "scripted_roles"]

_SCRIPT, _REPLAY = "script:", "replay:"


def models_of(under_test: UnderTest) -> Mapping[str, str]:
    """The models that took part, by the role they had."""
    named = {
        "agent": under_test.agent_model,
        "judge": under_test.judge_model,
        "simulator": under_test.simulator_model,
    }
    return {role: model for role, model in named.items() if model}


def scripted_roles(under_test: UnderTest) -> Sequence[str]:
    """The roles whose answers were written beforehand."""
    return _roles(under_test, _SCRIPT)


def replayed_roles(under_test: UnderTest) -> Sequence[str]:
    """The roles whose answers were recorded earlier."""
    return _roles(under_test, _REPLAY)


def _roles(under_test: UnderTest, kind: str) -> Sequence[str]:
    return [role for role, model in models_of(under_test).items() if model.startswith(kind)]
