"""How a listing goes on."""

import shlex

import pytest

from greenroom.reports.pages import more_line


@pytest.mark.parametrize("mark", ["12", "2026-11-30T06:30:00.000+00:00~appointment-3", "2026~desk:web:Ana's $HOME; ls"])
def test_what_asks_for_the_next_page_can_be_copied_into_a_shell(mark: str) -> None:
    """The id of a conversation is a channel's own, and may hold anything."""
    assert shlex.split(more_line(mark).text.partition(": ")[2]) == ["--after", mark]
