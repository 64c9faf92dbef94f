"""What can't be seen is shown, wherever people read (P26, X15)."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.conversation.visible import clean, clean_line, escaped_json, one_line, said_line, shown_lines, visible


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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("pay \u202e02$ now", "pay 02$ now"),
        ("\u2066a\u2069", "a"),
        ("\x1b[31mred\x07\x9b2J", "[31mred2J"),
        ("a\r\nb\u2028c\td\x00", "a\nb\nc\td"),
        ("\ud83d half", "� half"),
        ("שלום\u200f 👩\u200d💻 می\u200cخواهم", "שלום\u200f 👩\u200d💻 می\u200cخواهم"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
    ],
)
def test_what_leaves_for_people_has_no_sign_that_steers_a_screen(text: str, left: str) -> None:
    """It is left out there, since nobody looks for it; what scripts, flags and emoji are written with stays."""
    assert clean(text) == left
    assert clean_line(text) == " ".join(left.replace("\t", " ").split("\n"))


@given(st.text(st.characters(exclude_categories=())))
def test_clean_text_stays_as_it_is_and_holds_no_control_character(text: str) -> None:
    left = clean(text)
    assert clean(left) == left
    assert not [sign for sign in left if unicodedata.category(sign) in {"Cc", "Cs"} and sign not in "\n\t"]
    assert visible(left).count("�") == left.count("�")
    assert not set("\n\t") & set(clean_line(text))


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_on_a_terminal_is_the_same_json(value: object) -> None:
    shown = escaped_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(shown) == value
    assert not [sign for sign in shown if unicodedata.category(sign) == "Cc" and sign != "\n"]


def test_json_on_a_terminal_shows_by_number_what_nobody_sees() -> None:
    assert escaped_json('"\u202e\x9b\x7f\U000e0041 🛶 é"') == r'"\u202e\u009b\u007f\udb40\udc41 🛶 é"'
