"""What can't be seen is shown, wherever people read (P26, X15)."""

import pytest

from greenroom.conversation.visible import one_line, said_line, shown_lines, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pay \u202e02$ now", "pay ⟨U+202E⟩02$ now"),
        ("\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"),
        ("a\u200bb\ufeff", "a⟨U+200B⟩b⟨U+FEFF⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("\x1b[31m", "␛[31m"),
        ("👩\u200d💻 می\u200cخواهم", "👩\u200d💻 می\u200cخواهم"),
        ("שלום, 漢字", "שלום, 漢字"),
    ],
)
def test_signs_that_nobody_sees_are_shown(text: str, shown: str) -> None:
    """R1 P9: a direction override moves no screen; emoji and scripts keep their joiners."""
    assert (visible(text), one_line(text), shown_lines(text)) == (shown, shown, (shown,))


def test_checks_look_for_words_as_they_were_said() -> None:
    assert said_line("20\u200e $\n") == "20\u200e $ ⏎ "
