"""What an event of a channel costs: `greenroom serve` with a scripted agent, signed events over loopback.

`python benchmarks/gateway.py [--database URL] [--conversations N] [--at-once N] [--idle SECONDS]`; without a URL it is
a fresh SQLite file.
"""

import argparse
import asyncio
import hashlib
import hmac
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import aiohttp

SECRET = "bench"
LINES = 5
RULES = {"rules": [{"reply": "You said: {{last}}"}]}
AGENT = {
    "agent": "desk",
    "model": "script:models/agent.yaml",
    "greeting": "Hello.",
    "prompt": "You are the desk of a boat rental.",
    "people": {"auto_create": True},
    "channels": {"web": {"secret": "${SECRET}"}},
}


def project(folder: Path, database: str | None) -> None:
    """A desk that says what it hears; JSON is YAML."""
    settings = {"workspace": "bench", **({} if database is None else {"database": database})}
    for name, document in {"greenroom.yaml": settings, "models/agent.yaml": RULES, "agents/desk.yaml": AGENT}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(document))


async def said(session: aiohttp.ClientSession, url: str, event: Mapping[str, object]) -> float:
    """Seconds until the answer to one signed event."""
    body = json.dumps(event).encode()
    at = str(int(time.time()))
    mark = hmac.new(SECRET.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()
    headers = {"Greenroom-Signature": f"t={at},v1={mark}", "Content-Type": "application/json"}
    began = time.perf_counter()
    async with session.post(f"{url}/gateway/web/desk", data=body, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
        await answer.read()
    return time.perf_counter() - began


async def conversations(url: str, count: int, at_once: int) -> list[float]:
    """Every event's seconds; one person's events come one after the other, people beside each other."""
    free = asyncio.Semaphore(at_once)

    async def one(number: int) -> list[float]:
        async with free:
            took: list[float] = []
            for line in range(LINES):
                event = {"kind": "said", "text": f"Line {line} of {number}"}
                told = {"message_id": f"{number}-{line}", "identity": f"p{number}", "event": event}
                took.append(await said(session, url, told))
            return took

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        return [seconds for took in await asyncio.gather(*map(one, range(count))) for seconds in took]


def cpu_seconds(pid: int) -> float:
    """What a process has used of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> int:
    """What a process holds in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


def main() -> None:
    """Serve, ask, tell."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--database")
    options.add_argument("--conversations", type=int, default=400)
    options.add_argument("--at-once", type=int, default=32)
    options.add_argument("--idle", type=float, default=30.0, help="seconds to watch a server that has nothing to do")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project(Path(folder), asked.database)
        environment = {**os.environ, "SECRET": SECRET}
        greenroom = [sys.executable, "-m", "greenroom"]
        subprocess.run([*greenroom, "publish", "desk"], cwd=folder, env=environment, check=True)
        server = subprocess.Popen(
            [*greenroom, "serve", "--port", "0"], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
        )
        try:
            assert server.stderr is not None
            url = server.stderr.readline().split()[-1]
            began, used = time.perf_counter(), cpu_seconds(server.pid)
            time.sleep(asked.idle)
            idle = (cpu_seconds(server.pid) - used) / (time.perf_counter() - began)
            print(f"idle: {idle:.2%} of a core, {megabytes(server.pid)} MB")
            began, used = time.perf_counter(), cpu_seconds(server.pid)
            took = asyncio.run(conversations(url, asked.conversations, asked.at_once))
            wall, cpu = time.perf_counter() - began, cpu_seconds(server.pid) - used
            p50, p95 = statistics.median(took), statistics.quantiles(took, n=20)[-1]
            print(
                f"{len(took)} events, {asked.at_once} at once: {len(took) / wall:.0f} a second, "
                f"p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, {cpu / len(took) * 1000:.1f} CPU ms "
                f"an event, {megabytes(server.pid)} MB"
            )
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


if __name__ == "__main__":
    main()
