"""Greenroom as a peer of a bench that measures frameworks on the same work against a mock of a model server.

    python benchmarks/peer.py toml                  # prints the bench's table for Greenroom, to be given to its --add
    python benchmarks/peer.py prepare URL CASES LANES   # what that table calls: writes the project into this folder

A case: five turns between a simulated person and an agent with two tools, one of them called once, and one judge call
with three criteria. That is 12 calls: with one playbook nothing is routed.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import workload

PERSON, AGENT, JUDGE = "gpt-4.1-mini", "gpt-4.1", "gpt-4o"
"""The names by which the mock knows who is speaking."""
TURNS = 5


def toml() -> str:
    """Greenroom with the interpreter that runs this, which has it installed."""
    python, here = json.dumps(sys.executable), json.dumps(str(Path(__file__).resolve()))
    return f"""[greenroom]
about = "simulated person, hosted agent, mocked tools, judge with three criteria, SQLite"
prepare = [{python}, {here}, "prepare", "{{url}}", "{{n}}", "{{c}}"]
run = [{python}, "-m", "greenroom", "run"]
passed = 'Cases +[\\d,]+: ([\\d,]+) passed'
import = [{python}, "-c", "import greenroom.cli.running"]
help = [{python}, "-m", "greenroom", "--help"]
env = {{ OPENAI_API_KEY = "bench-dummy" }}
"""


def prepare(folder: Path, *, url: str, cases: int, lanes: int) -> None:
    """The bench's work as a project, with the bench's names for the models."""
    workload.write_project(folder, url=url.removesuffix("/v1"), cases=cases, concurrency=lanes, simulated=True)
    models = {"judge": f"openai:{JUDGE}@{url}", "simulator": f"openai:{PERSON}@{url}"}
    _change(folder / "greenroom.yaml", {"models": models})
    playbooks = {"orders": {"when": "Always.", "uses": list(workload.PARAMETERS)}}
    _change(folder / "agents/shop.yaml", {"model": f"openai:{AGENT}@{url}", "playbooks": playbooks})
    _change(folder / "suites/bench.yaml", {"defaults": {"simulate": {"max_turns": TURNS}}})


def _change(path: Path, values: dict[str, object]) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, **values}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["toml"]:
            print(toml())
        case ["prepare", url, cases, lanes]:
            prepare(Path.cwd(), url=url, cases=int(cases), lanes=int(lanes))
        case _:
            sys.exit(__doc__)
