"""The wheel in an environment of its own: `init` and `run` work from what is installed alone."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def done(*arguments: str | Path, folder: Path) -> str:
    ran = subprocess.run(
        [str(each) for each in arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=110
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_the_wheel_holds_everything_that_a_new_project_needs(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    done(*build, "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", tmp_path, ROOT, folder=tmp_path)
    (wheel,) = tmp_path.glob("greenroom-*.whl")
    done(sys.executable, "-m", "venv", "--without-pip", "--symlinks", "empty", folder=tmp_path)
    python = tmp_path / "empty" / "bin" / "python"
    (packages,) = (tmp_path / "empty" / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(packages)
    # The dependencies come from here, but not the sources: a path in a .pth file doesn't read that folder's own ones.
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")

    where = done(python, "-E", "-c", "import greenroom; print(greenroom.__file__)", folder=tmp_path).strip()
    assert Path(where).is_relative_to(packages)
    done(python, "-E", "-m", "greenroom", "init", "desk", folder=tmp_path)
    assert "Exit code 0: all 3 cases passed." in done(python, "-E", "-m", "greenroom", "run", folder=tmp_path / "desk")
    assert (tmp_path / "desk" / ".gitignore").exists()
