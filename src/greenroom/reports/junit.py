"""JUnit XML: one testsuite a suite, one testcase a case with its samples folded (interfaces: JSON report).

Valid XML for any text (X15–X17): what XML can't hold is replaced visibly before it is escaped. A case whose samples
are undecided or cancelled is an `error`, a known failure that failed is `skipped` with its reason.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from greenroom.conversation.outcomes import CaseRollup, RunSummary, SampleResult, Status
from greenroom.conversation.statistics import mean_pass_all
from greenroom.conversation.visible import visible
from greenroom.reports.lines import plain
from greenroom.reports.models import models_of, replayed_roles, scripted_roles
from greenroom.reports.reasons import reasons, summary_of, transcript_of
from greenroom.reports.words import badge_words, interval_words, pass_all_words, samples_words

__all__ = ["JunitReport"]

_WITHOUT_VERDICT = frozenset({Status.ERRORED, Status.CANCELLED, Status.RUNNING, Status.QUEUED})


class JunitReport:
    """A whole run, once, as text to be written in UTF-8."""

    def __init__(self, run: RunSummary, *, version: str) -> None:
        self._run = run
        self._version = version
        self._suite: str | None = None

    @property
    def run(self) -> RunSummary:
        """What is reported."""
        return self._run

    def begin(self) -> Iterable[str]:
        """The head, with the figures of the whole run."""
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f"<testsuites{_attributes({'name': f'greenroom {self._run.run_id}', **_figures(self._run.cases)})}>\n"

    def case(self, case: CaseRollup, samples: Sequence[SampleResult]) -> Iterable[str]:
        """One testcase, in the suite it belongs to."""
        if case.suite != self._suite:
            yield from self._suite_end()
            self._suite = case.suite
            yield from self._suite_begin(case.suite)
        yield from _testcase(case, samples)

    def end(self) -> Iterable[str]:
        """The closing tags."""
        yield from self._suite_end()
        yield "</testsuites>\n"

    def _suite_begin(self, suite: str) -> Iterator[str]:
        figures = _figures([case for case in self._run.cases if case.suite == suite])
        yield f"  <testsuite{_attributes({'name': suite, 'timestamp': self._run.started_at, **figures})}>\n"
        under_test = self._run.under_test
        yield from _properties(
            {
                "greenroom": self._version,
                "run": self._run.run_id,
                "agent": self._run.agent,
                "revision": self._run.revision,
                "behavior_hash": under_test.behavior_hash,
                **{f"{role}_model": model for role, model in models_of(under_test).items()},
                "scripted_models": ", ".join(scripted_roles(under_test)),
                "replayed_models": ", ".join(replayed_roles(under_test)),
                **_repetition([case for case in self._run.cases if case.suite == suite]),
            },
            indent="    ",
        )

    def _suite_end(self) -> Iterator[str]:
        if self._suite is not None:
            yield "  </testsuite>\n"


def _figures(cases: Sequence[CaseRollup]) -> Mapping[str, str]:
    skipped = sum(case.status is Status.SKIPPED or case.failed_as_known for case in cases)
    failures = sum(case.status is Status.FAILED and not case.failed_as_known for case in cases)
    errors = sum(case.status in _WITHOUT_VERDICT for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": str(skipped),
        "time": _time(sum(case.duration_s for case in cases)),
    }


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


def _testcase(case: CaseRollup, samples: Sequence[SampleResult]) -> Iterator[str]:
    yield f"    <testcase{_attributes({'classname': case.suite, 'name': case.case, 'time': _time(case.duration_s)})}>\n"
    yield from _properties(
        {
            "title": case.name,
            "known_failure": case.known_failure,
            "units": str(case.units),
            "unreported_calls": str(case.unreported) if case.unreported else "",
            "samples": samples_words(case),
            **_repetition([case]),
            "badges": badge_words(case),
            "policy": "live-test" if case.live_test else "",
            "undelivered": str(case.undelivered) if case.undelivered else "",
            "score": "" if case.score is None else str(case.score),
        },
        indent="      ",
    )
    yield from _verdict(case, samples)
    yield "    </testcase>\n"


def _repetition(cases: Sequence[CaseRollup]) -> Mapping[str, str]:
    """How sure the pass rate is and how often several samples in a row pass; empty without repetition (H2)."""
    if all(case.samples < 2 for case in cases):
        return {}
    chances = mean_pass_all((case.passed, case.decided) for case in cases)
    return {
        "pass_rate_interval": interval_words(sum(case.passed for case in cases), sum(case.decided for case in cases)),
        "pass_all": pass_all_words(chances),
    }


def _verdict(case: CaseRollup, samples: Sequence[SampleResult]) -> Iterator[str]:
    if case.status is Status.SKIPPED:
        yield f"      <skipped{_attributes({'message': case.note or 'skipped'})}/>\n"
    elif case.failed_as_known:
        message = {"message": f"known failure: {case.known_failure}"}
        yield f"      <skipped{_attributes(message)}/>\n"
        yield from _transcript(samples)
    elif case.status is Status.FAILED:
        yield from _problem("failure", "failed", case, samples)
    elif case.status in _WITHOUT_VERDICT:
        yield from _problem("error", _cause(case, samples), case, samples)


def _cause(case: CaseRollup, samples: Sequence[SampleResult]) -> str:
    return next((sample.error.cause.value for sample in samples if sample.error is not None), case.status.value)


def _problem(tag: str, kind: str, case: CaseRollup, samples: Sequence[SampleResult]) -> Iterator[str]:
    bad = _bad(samples)
    note = next((sample.note for sample in samples if sample.note), "")
    message = summary_of(bad[0]) if bad else note or "no sample of this case was run to its end"
    yield f"      <{tag}{_attributes({'message': message, 'type': kind})}>"
    yield escape("\n\n".join(_said(sample, case.samples) for sample in bad))
    yield f"</{tag}>\n"
    yield from _transcript(samples)


def _bad(samples: Sequence[SampleResult]) -> Sequence[SampleResult]:
    """The failed samples, then those with an error: the first is the one to open (features.md F2)."""
    return [sample for status in (Status.FAILED, Status.ERRORED) for sample in samples if sample.status is status]


def _said(result: SampleResult, samples: int) -> str:
    head = [f"sample {result.key.sample} of {samples}: {result.status}"] if samples > 1 else []
    return visible("\n".join([*head, *plain(reasons(result))]))


def _transcript(samples: Sequence[SampleResult]) -> Iterator[str]:
    bad = _bad(samples)
    if bad:
        yield f"      <system-out>{escape(transcript_of(bad[0]))}</system-out>\n"


def _properties(values: Mapping[str, str], *, indent: str) -> Iterator[str]:
    yield f"{indent}<properties>\n"
    for name, value in values.items():
        if value:
            yield f"{indent}  <property{_attributes({'name': name, 'value': value})}/>\n"
    yield f"{indent}</properties>\n"


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(visible(value))}" for name, value in values.items())
