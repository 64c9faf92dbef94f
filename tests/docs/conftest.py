"""The project of a guide."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest
from tests.cli.command_line import CommandLine
from tests.docs.guides import written


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Commands in a folder that holds the `FILES` of the test's module, and nothing else."""
    # pytest says nothing of what its `module` is.
    module: ModuleType = request.module  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    files: Mapping[str, str] = vars(module)["FILES"]
    return CommandLine(folder=written(files, tmp_path), capsys=capsys)
