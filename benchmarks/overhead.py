"""What a case costs beside a bare loop on the same calls: CPU, wall time, memory, start-up.

    python benchmarks/overhead.py                   # 1, 200 and 1,000 cases at 0 ms, 200 at 50 ms
    python benchmarks/overhead.py --stages 5000:0   # N:milliseconds[:rounds], comma-separated
    python benchmarks/overhead.py --simulated       # a model plays the person: five calls a case more

Each run is a process of its own, timed from outside; the bare loop and Greenroom take turns on the same server, so
that the ratios hold whatever else the machine does. Prints Markdown tables.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import workload

HERE = Path(__file__).parent
CONCURRENCY = 32
COLUMNS = (
    "cases",
    "ms a call",
    "calls a case",
    "CPU s",
    "CPU ms a case",
    "floor CPU s",
    "wall s",
    "floor wall s",
    "ratio",
    "MB",
)


@dataclass(frozen=True)
class Measured:
    """One process from outside."""

    wall: float
    cpu: float
    rss_mb: float


def measure(command: list[str], folder: Path) -> Measured:
    """Run a command to its end. Raises when it fails."""
    environment = {**os.environ, "HOME": str(folder), "OPENAI_API_KEY": "bench", "NO_COLOR": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    with (folder / "out.txt").open("wb") as out, (folder / "err.txt").open("wb") as err:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        tail = (folder / "err.txt").read_text()[-2000:] + (folder / "out.txt").read_text()[-2000:]
        raise SystemExit(f"{command} failed:\n{tail}")
    return Measured(wall=wall, cpu=used.ru_utime + used.ru_stime, rss_mb=used.ru_maxrss / 1024)


def ask(url: str, path: str, method: str = "GET") -> dict[str, int]:
    """A control request to the server."""
    with urllib.request.urlopen(urllib.request.Request(url + path, method=method)) as response:
        return json.loads(response.read())


def greenroom(url: str, cases: int, *, simulated: bool) -> tuple[Measured, int]:
    """One `greenroom run`, and how many calls it made."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workload.write_project(folder, url=url, cases=cases, concurrency=CONCURRENCY, simulated=simulated)
        command = [sys.executable, "-m", "greenroom", "run"]
        measured = measure(command, folder)
        return measured, ask(url, "/stats")["calls"]


def bare(url: str, cases: int, *, simulated: bool) -> tuple[Measured, int]:
    """The same calls in a bare loop."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, str(HERE / "bare_loop.py"), url, str(cases), str(CONCURRENCY)]
        command.append("simulated" if simulated else "scripted")
        return measure(command, Path(name)), ask(url, "/stats")["calls"]


def start_up() -> list[str]:
    """Cold starts: median of five."""
    lines = ["| command | wall s | CPU s | MB |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        for words in (["--help"], ["--version"]):
            runs = [measure([sys.executable, "-m", "greenroom", *words], Path(name)) for _ in range(5)]
            wall, cpu = (statistics.median(getattr(run, what) for run in runs) for what in ("wall", "cpu"))
            lines.append(f"| greenroom {' '.join(words)} | {wall:.2f} | {cpu:.2f} | {runs[-1].rss_mb:.0f} |")
    return lines


def stage(url: str, cases: int, latency: int, rounds: int, *, simulated: bool) -> str:
    """One row: medians of `rounds`, the two taking turns."""
    ours: list[Measured] = []
    floor: list[Measured] = []
    calls = 0
    for _ in range(rounds):
        for runner, kept in ((bare, floor), (greenroom, ours)):
            ask(url, f"/latency?ms={latency}", "POST")
            measured, calls = runner(url, cases, simulated=simulated)
            kept.append(measured)
    wall, cpu, rss = (statistics.median(getattr(run, what) for run in ours) for what in ("wall", "cpu", "rss_mb"))
    floor_wall, floor_cpu = (statistics.median(getattr(run, what) for run in floor) for what in ("wall", "cpu"))
    return (
        f"| {cases} | {latency} | {calls / cases:.1f} | {cpu:.2f} | {cpu / cases * 1000:.1f} | {floor_cpu:.2f} | "
        f"{wall:.2f} | {floor_wall:.2f} | {wall / floor_wall:.2f} | {rss:.0f} |"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stages", default="1:0:5,200:0:3,1000:0,200:50:3")
    parser.add_argument("--simulated", action="store_true")
    arguments = parser.parse_args()
    server = subprocess.Popen([sys.executable, str(HERE / "server.py")], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        print("\n".join(start_up()), end="\n\n")
        print(f"| {' | '.join(COLUMNS)} |")
        print("|---" * len(COLUMNS) + "|")
        for one in arguments.stages.split(","):
            cases, latency, *rounds = (int(part) for part in one.split(":"))
            print(stage(url, cases, latency, rounds[0] if rounds else 1, simulated=arguments.simulated), flush=True)
    finally:
        server.kill()


if __name__ == "__main__":
    main()
