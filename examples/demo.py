"""`make demo`: runs the example desk as a person would, then holds each verdict against `lakeside/expected.json`.

Ends with 0 exactly when every verdict is the expected one, failures included.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

HERE = Path(__file__).parent
LAKESIDE = HERE / "lakeside"
REPORT = LAKESIDE / ".greenroom" / "demo.json"


def greenroom(*arguments: str) -> int:
    """Run the command line as it is, and say so."""
    print(f"\n$ cd examples/lakeside && greenroom {' '.join(arguments)}\n", flush=True)
    return subprocess.run([sys.executable, "-m", "greenroom", *arguments], cwd=LAKESIDE, check=False).returncode


def verdicts(report: dict[str, object]) -> dict[str, str]:
    """Each case's status, with its badges."""
    badges: dict[str, set[str]] = {}
    for result in cast("list[dict[str, str | list[str]]]", report["results"]):
        badges.setdefault(f"{result['suite']}/{result['case']}", set()).update(result["badges"])
    return {
        name: " + ".join([case["status"], *sorted(badges.get(name, ()))])
        for case in cast("list[dict[str, str]]", report["cases"])
        for name in [f"{case['suite']}/{case['case']}"]
    }


def main() -> int:
    """Run, show, compare."""
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.unlink(missing_ok=True)
    code = greenroom("run", "--format", "json", "--output", str(REPORT.relative_to(LAKESIDE)))
    if not REPORT.exists():
        print(f"\ngreenroom run ended with {code} and wrote no report.")
        return 1
    greenroom("show", "last/known-bad-promises-a-refund")
    expected = cast("dict[str, dict[str, str]]", json.loads((LAKESIDE / "expected.json").read_text(encoding="utf-8")))
    got = verdicts(json.loads(REPORT.read_text(encoding="utf-8")))
    print(f"\ngreenroom run ended with exit code {code}, since the example holds cases that are bad on purpose:\n")
    wrong = 0
    for name in sorted({*expected, *got}):
        wanted, came = expected.get(name, {}).get("verdict", "not expected"), got.get(name, "not run")
        wrong += wanted != came
        mark = "as expected" if wanted == came else f"EXPECTED {wanted}"
        why = expected.get(name, {}).get("because", "")
        print(f"  {name:<42} {came:<34} {mark}{'  (' + why + ')' if why else ''}")
    if wrong or code != 1:
        print(f"\n{wrong} verdicts and exit code {code} are not the expected ones (0 and 1).")
        return 1
    print(f"\nAll {len(got)} verdicts and the exit code are the expected ones.")
    return 0


if __name__ == "__main__":
    os.environ.pop("GREENROOM_DATABASE", None)
    sys.exit(main())
