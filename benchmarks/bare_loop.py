"""The same calls as the benchmark's project with nothing around them: aiohttp, json, one line a case on disk.

The floor that Greenroom's own cost is told against.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp

sys.path.insert(0, str(Path(__file__).parent))
import workload

Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


async def conversation(number: int, ask: Ask, *, simulated: bool) -> dict[str, Any]:
    """One case: five lines, each with a router call, one tool call, one judge call; simulated, one more call a line."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": workload.PROMPT}]
    heard: list[dict[str, Any]] = [{"role": "system", "content": json.dumps(workload.brief(number))}]
    for written in workload.lines(number):
        line = written
        if simulated:
            said = await ask({"model": "bench-simulator", "messages": heard})
            line = json.loads(said["content"])["say"]
            heard.append({"role": "assistant", "content": said["content"]})
        router = [{"role": "system", "content": workload.PROMPT}, {"role": "user", "content": line}]
        await ask({"model": "bench-router", "messages": router})
        messages.append({"role": "user", "content": line})
        while True:
            message = await ask({"model": "bench-agent", "messages": messages, "tools": workload.TOOLS})
            calls = message.get("tool_calls")
            entry = {"role": "assistant", "content": message.get("content")}
            if calls:
                entry["tool_calls"] = calls
            messages.append(entry)
            if not calls:
                break
            for call in calls:
                json.loads(call["function"]["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": workload.RESULT})
        heard.append({"role": "user", "content": messages[-1]["content"]})
    transcript = "\n".join(f"{message['role']}: {message.get('content')}" for message in messages[1:])
    question = "\n".join([*workload.CRITERIA, transcript])
    verdict = json.loads(
        (await ask({"model": "bench-judge", "messages": [{"role": "user", "content": question}]}))["content"]
    )
    passed = all(one["verdict"] == "pass" for one in verdict["verdicts"])
    return {"case": number, "messages": messages, "verdict": verdict, "passed": passed}


async def main(url: str, cases: int, concurrency: int, *, simulated: bool) -> None:
    """Run `cases` conversations, `concurrency` at a time, each result a line of `results.jsonl`."""
    numbers = iter(range(cases))
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector, headers={"content-type": "application/json"}) as session:

        async def ask(body: dict[str, Any]) -> dict[str, Any]:
            async with session.post(f"{url}/v1/chat/completions", data=json.dumps(body)) as response:
                return json.loads(await response.read())["choices"][0]["message"]

        # The floor writes as a plain script would: on the loop, a line a case.
        with Path("results.jsonl").open("w", encoding="utf-8") as file:  # noqa: ASYNC230

            async def lane() -> None:
                for number in numbers:
                    result = await conversation(number, ask, simulated=simulated)
                    assert result["passed"]
                    file.write(json.dumps(result) + "\n")
                    file.flush()

            await asyncio.gather(*[lane() for _ in range(min(concurrency, cases))])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), simulated=sys.argv[4] == "simulated"))
