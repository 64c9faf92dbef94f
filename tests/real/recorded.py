"""Recorded conversations of an agent nobody here wrote, as a Greenroom project.

The person's lines become the script, the recorded agent plays by `replay:`, the recorded tool answers become mocks,
and the recorded tool calls become the checks.
"""

import json
from pathlib import Path
from typing import Any

__all__ = ["RECORDED", "write_project"]

RECORDED = Path(__file__).parents[2].parent / "shared" / "data" / "openai-chat" / "conversations.jsonl"
"""Beside the checkout, where real data is kept; not part of the project."""

Chat = list[dict[str, Any]]


def write_project(folder: Path, source: Path) -> list[str]:
    """Write the project; gives the ids of its cases."""
    chats: list[Chat] = [json.loads(line)["messages"] for line in source.read_text("utf-8").splitlines()]
    tools = sorted({call["function"]["name"] for chat in chats for call in _calls(chat)})
    cases = {f"recorded-{number}": _case(chat) for number, chat in enumerate(chats, 1)}
    documents: dict[str, Any] = {
        "greenroom.yaml": {"workspace": "recorded", "limits": {"required_actions": 20}},
        "agents/airline.yaml": {
            "agent": "airline",
            "name": "Airline",
            "model": f"replay:{source.name}",
            "prompt": chats[0][0]["content"],
            "tools": {
                name: {
                    "kind": "webhook",
                    "description": f"{name.replace('_', ' ')}.",
                    "parameters": {"type": "object"},
                    "url": f"https://airline.example/{name}",
                    "method": "POST",
                }
                for name in tools
            },
        },
        "suites/recorded.yaml": {"suite": "recorded", "agents": ["airline"], "cases": cases},
    }
    for name, document in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    (folder / source.name).write_bytes(source.read_bytes())
    return list(cases)


def _calls(chat: Chat) -> list[dict[str, Any]]:
    return [call for message in chat for call in message.get("tool_calls") or ()]


def _case(chat: Chat) -> dict[str, Any]:
    answered = max(index for index, message in enumerate(chat) if message["role"] == "assistant")
    lines = [message["content"] for message in chat[:answered] if message["role"] == "user"]
    return {
        "script": lines,
        "world": {"mocks": _mocks(chat)},
        "expect": _checks(chat),
    }


def _answers(chat: Chat) -> list[tuple[str, dict[str, Any], str]]:
    """Tool, arguments and answer in order; ids repeat in recordings, so each call takes the next answer."""
    answers = iter(message["content"] for message in chat if message["role"] == "tool")
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]), next(answers)) for call in _calls(chat)
    ]


def _mocks(chat: Chat) -> list[dict[str, Any]]:
    grouped: dict[tuple[str, str], list[str]] = {}
    for tool, arguments, answer in _answers(chat):
        grouped.setdefault((tool, json.dumps(arguments)), []).append(answer)
    return [
        {
            "tool": tool,
            "when": {key: {"equals": value} for key, value in json.loads(arguments).items()},
            "results": answers,
            "then": "unanswered",
        }
        for (tool, arguments), answers in grouped.items()
    ]


def _checks(chat: Chat) -> list[dict[str, Any]]:
    calls = _answers(chat)
    if not calls:
        return [{"no_tool_called": True}]
    counts: dict[str, int] = {}
    for tool, _, _ in calls:
        counts[tool] = counts.get(tool, 0) + 1
    exact = [{"called": {"tool": tool, "exactly": count}} for tool, count in counts.items()]
    with_arguments = [
        {"called": {"tool": tool, "with": {key: {"equals": value} for key, value in arguments.items()}}}
        for tool, arguments, _ in calls
    ]
    return [*exact, *with_arguments]
