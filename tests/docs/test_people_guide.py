"""docs/guides/people.md: its files are a project, and what it says to type does something, in that order."""

import re
import shlex

from tests.cli.command_line import CommandLine
from tests.docs.guides import files, guide

GUIDE = guide("people")
FILES = files(GUIDE)
COMMANDS = re.findall(r"^    greenroom (people.*?)(?:   .*)?$", GUIDE, re.MULTILINE)


def test_the_documents_of_the_guide_are_sound(project: CommandLine) -> None:
    assert len(FILES) == GUIDE.count("```yaml") + GUIDE.count("```csv")
    assert project("lint").code == 0


def test_the_commands_of_the_guide_do_what_they_say(project: CommandLine) -> None:
    assert len(COMMANDS) == 10
    said = {asked: project(*shlex.split(asked), at=None) for asked in COMMANDS}
    assert [screen for screen in said.values() if screen.code] == []
    found = {asked.partition(" ")[2].partition(" ")[0]: screen.out for asked, screen in said.items()}
    assert "Ana Ruiz" in found["--search"]
    assert "Ana Ruiz" in found["--where"]
    assert found["--count"].startswith("1 ")
    assert "Ana Ruiz" in found["sms:+15550100"]
    assert "customer" in found["email:ben@example.com"]


def test_the_file_of_the_guide_is_imported_once(project: CommandLine) -> None:
    imports = [asked for asked in COMMANDS if "--import" in asked]
    said = [project(*shlex.split(asked), at=None).out.splitlines()[-1] for asked in (*imports, imports[-1])]
    assert said == [
        "Nothing is kept of a dry run; there would be 2 people created, 0 updated, 0 unchanged.",
        "2 people created, 0 updated, 0 unchanged.",
        "0 people created, 0 updated, 2 unchanged.",
    ]
    assert "Ana" in project("people", "--audience", "big-parties").out
