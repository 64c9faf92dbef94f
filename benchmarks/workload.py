"""What is measured: N cases of five lines against an agent with two playbooks and two tools, one of them called once.

A router call a line, six agent calls and one judge call with three criteria: twelve calls a case.
"""

import json
from pathlib import Path
from typing import Any

PROMPT = (
    "You are the support agent of a small web shop. Be brief and polite. Look an order up before you promise anything "
    "about it, and never refund more than was paid."
)
CRITERIA = (
    "The agent looked the order up before it promised anything",
    "The agent stayed polite for the whole conversation",
    "The agent offered a refund or a replacement",
)
RESULT = '{"order_id": "A-1042", "status": "in transit", "carrier": "ACME"}'
_ORDER = {"order_id": {"type": "string"}}
PARAMETERS: dict[str, dict[str, Any]] = {
    "lookup_order": {"type": "object", "required": ["order_id"], "properties": _ORDER},
    "refund_order": {
        "type": "object",
        "required": ["order_id", "amount"],
        "properties": {**_ORDER, "amount": {"type": "number"}},
    },
}
DESCRIPTIONS = {
    "lookup_order": "Look up the status of an order.",
    "refund_order": "Refund an order, wholly or in part.",
}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": DESCRIPTIONS[name], "parameters": parameters}}
    for name, parameters in PARAMETERS.items()
]


def lines(number: int) -> list[str]:
    """The person's five lines of one case."""
    return [
        f"Hello, it is turn {turn} of case-{number:05d}: my order A-1042 has still not arrived and I would like to "
        "know what you can do about it."
        for turn in range(1, 6)
    ]


def brief(number: int) -> dict[str, str]:
    """The simulated person of one case."""
    return {
        "who": f"A customer of a web shop, number {number:05d}. Impatient but fair.",
        "wants": "To know where order A-1042 is, and then a refund or a replacement.",
        "ends_when": "The agent has said what happens next.",
    }


def write_project(folder: Path, *, url: str, cases: int, concurrency: int, simulated: bool) -> None:
    """The same as a Greenroom project. JSON is YAML, so it is written as JSON."""
    model = f"@{url}/v1"
    documents: dict[str, Any] = {
        "greenroom.yaml": {
            "workspace": "bench",
            "concurrency": concurrency,
            "models": {role: f"openai:bench-{role}{model}" for role in ("judge", "router", "simulator")},
        },
        "agents/shop.yaml": {
            "agent": "shop",
            "model": f"openai:bench-agent{model}",
            "prompt": PROMPT,
            "playbooks": {
                "orders": {"when": "The person asks about an order.", "uses": list(PARAMETERS)},
                "other": {"when": "Anything else.", "uses": list(PARAMETERS)},
            },
            "tools": {
                name: {
                    "kind": "webhook",
                    "description": DESCRIPTIONS[name],
                    "parameters": PARAMETERS[name],
                    "url": "https://shop.example/orders",
                    "mocks": [{"result": json.loads(RESULT)}],
                }
                for name in PARAMETERS
            },
        },
        "suites/bench.yaml": {
            "suite": "bench",
            "agents": ["shop"],
            "cases": {
                f"case-{number:05d}": {
                    **({"simulate": {"brief": brief(number)}} if simulated else {"script": lines(number)}),
                    "expect": [{"called": {"tool": "lookup_order", "exactly": 1}}, *({"judge": c} for c in CRITERIA)],
                }
                for number in range(cases)
            },
        },
    }
    for name, document in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
