"""Whether the models that a project names can be opened, and whether each part that is needed has one.

Offline: no key is looked for and nobody is asked. Of a scripted model its file is read.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path as FilePath

from greenroom.authoring.notes import Path, expectations
from greenroom.documents.agent import ModelChoice
from greenroom.documents.checks import Judged, Says, Scored
from greenroom.documents.findings import Finding, Severity
from greenroom.documents.loaded import DocumentKind, LoadedProject, Source
from greenroom.documents.parts import as_far_as_read
from greenroom.documents.suite import Case
from greenroom.errors import DocumentsInvalid, JudgeMissing, ModelSpecInvalid, SimulatorMissing
from greenroom.models.script_reading import read_script
from greenroom.models.specs import ModelKind, parse_spec

__all__ = ["has_criteria", "model_findings", "script_files"]


def has_criteria(case: Case) -> bool:
    """Whether a judge is needed for this case."""
    return any(isinstance(entry, Judged | Scored | Says) for _, entry in expectations(case))


def model_findings(project: LoadedProject) -> Iterator[Finding]:
    """Models that can't be opened as they are written, what is wrong in scripts, and parts that nobody plays."""
    for source, path, choice in _choices(project):
        yield from _opened(project, source, path, choice)
    if (DocumentKind.PROJECT, "") in project.sources:
        yield from as_far_as_read(_unplayed(project))


def script_files(project: LoadedProject) -> Iterator[FilePath]:
    """The files of the scripted models that a project names and that are there."""
    for _, _, choice in _choices(project):
        with suppress(ModelSpecInvalid):
            spec = parse_spec(choice.name, project.root)
            if spec.kind is ModelKind.SCRIPT and spec.path is not None and spec.path.is_file():
                yield spec.path


def _choices(project: LoadedProject) -> Iterator[tuple[Source, Path, ModelChoice]]:
    """Every model that is named, each with its place."""
    for name, agent in project.agents_seen.items():
        source = project.sources[DocumentKind.AGENT, name]
        yield from as_far_as_read((source, ("model",), each.model) for each in (agent,))
    yield from as_far_as_read(_parts(project))


def _parts(project: LoadedProject) -> Iterator[tuple[Source, Path, ModelChoice]]:
    for role, choice in project.project.models:
        if isinstance(choice, ModelChoice):
            yield project.sources[DocumentKind.PROJECT, ""], ("models", role), choice


def _opened(project: LoadedProject, source: Source, path: Path, choice: ModelChoice) -> Iterator[Finding]:
    try:
        spec = parse_spec(choice.name, project.root)
        if spec.kind is ModelKind.SCRIPT and spec.path is not None:
            read_script(spec.path, spec.model.replace("\\", "/"))
    except DocumentsInvalid as invalid:
        yield from (finding for finding in invalid.findings if isinstance(finding, Finding))
    except ModelSpecInvalid as fault:
        yield source.finding(source.tree(), path, str(fault), Severity.ERROR)


def _unplayed(project: LoadedProject) -> Iterator[Finding]:
    """Warnings, for a run may still be handed a model by its options."""
    cases = [case for suite in project.suites_seen.values() for case in suite.cases.values()]
    played = [case for case in cases if case.is_whole and case.skip is None]
    judged = next((case for case in played if has_criteria(case)), None)
    simulated = next((case for case in played if case.simulate is not None), None)
    reviewed = next((agent.id for agent in project.agents.values() if agent.review), None)
    models, source = project.project.models, project.sources[DocumentKind.PROJECT, ""]
    if judged is not None and models.judge is None:
        message = str(JudgeMissing(f"{judged.suite}/{judged.id}"))
        yield source.finding(source.tree(), ("models",), message, Severity.WARNING)
    elif reviewed is not None and models.judge is None:
        message = (
            f"the closed conversations of agent {reviewed!r} are to be reviewed and no judge is configured, so that "
            "they wait; write `models: {judge: provider:name}` in greenroom.yaml"
        )
        yield source.finding(source.tree(), ("models",), message, Severity.WARNING)
    if simulated is not None and models.simulator is None:
        message = str(SimulatorMissing(f"{simulated.suite}/{simulated.id}"))
        yield source.finding(source.tree(), ("models",), message, Severity.WARNING)
