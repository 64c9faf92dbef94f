"""YAML as people write it, with the scalars of YAML 1.2 and the place of everything."""

import json
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from greenroom.documents.yaml12 import Written, Yaml, YamlList, YamlMap, read_yaml, resolved


def value_of(text: str | bytes) -> Yaml:
    document = read_yaml(text)
    assert document.problems == ()
    assert document.root is not None
    return document.root.value


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("on", "on"),
        ("yes", "yes"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("2026-06-06", "2026-06-06"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("+.5x", "+.5x"),
        (".", "."),
        ("+", "+"),
        ("1e", "1e"),
        ("0123", 123),
        ("0o17", 15),
        ("0x1F", 31),
        ("+12", 12),
        ("-0", 0),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("18446744073709551615", 2**64 - 1),
        ("true", True),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("null", None),
        ("~", None),
        ("", None),
        ("'123'", "123"),
        ("! 123", "123"),
        ("!!str 123", "123"),
        ("!!float 3", 3.0),
    ],
)
def test_a_plain_scalar_is_what_its_writer_meant(written: str, meant: Yaml) -> None:
    read = value_of(f"key: {written}\n")

    assert isinstance(read, YamlMap)
    assert (read["key"], type(read["key"])) == (meant, type(meant))


def test_numbers_beyond_64_bits_are_what_json_makes_of_them() -> None:
    read = value_of("[123456789012345678901234567890, .inf, -.INF, .nan]")

    assert isinstance(read, YamlList)
    *numbers, last = read
    assert numbers == [1.2345678901234568e29, math.inf, -math.inf]
    assert isinstance(last, float)
    assert math.isnan(last)


def test_the_text_of_what_was_read_as_something_else_is_kept() -> None:
    read = value_of("{a: 0123, b: yes, c: ~, d: [1e3], 007: x}")

    assert isinstance(read, YamlMap)
    assert [entry.text for _, _, entry in read.entries()] == ["0123", "yes", "~", None, "x"]
    assert list(read) == ["a", "b", "c", "d", "007"]
    inner = read["d"]
    assert isinstance(inner, YamlList)
    assert [item.text for item in inner.entries()] == ["1e3"]


def test_every_key_and_value_knows_its_line_and_column() -> None:
    root = read_yaml("\ufeffa: 1\nb:\n  - x\n  - {ü: é, c: [d]}\n").root
    assert root is not None
    places = {
        path: (root.walk(path).line, root.walk(path).column)
        for path in [("a",), ("b",), ("b", 0), ("b", 1, "ü"), ("b", 1, "c", 0), ("b", 1, "nothing", "below")]
    }

    assert places == {
        ("a",): (1, 4),
        ("b",): (3, 3),
        ("b", 0): (3, 5),
        ("b", 1, "ü"): (4, 9),
        ("b", 1, "c", 0): (4, 16),
        ("b", 1, "nothing", "below"): (4, 5),
    }


def test_line_ends_and_byte_order_marks_make_no_difference() -> None:
    """W02, W05: files as Windows editors save them."""
    text = "a: 1\nb: |\n  “x”\n  Привет\n"

    assert value_of(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()) == value_of(text)


def test_separators_of_unicode_are_characters_and_not_line_ends() -> None:
    """W01: YAML 1.1 would fold them into spaces."""
    assert value_of("a: 'x\u2028y \u2029 z\u0085'\n# \u2028\nb: 1") == {"a": "x\u2028y \u2029 z\u0085", "b": 1}


def test_a_line_of_dashes_in_a_block_of_text_is_text() -> None:
    """P12."""
    assert value_of("a: |\n  one\n  ---\n  {{ two }}\n") == {"a": "one\n---\n{{ two }}\n"}


def test_merges_fill_in_what_is_not_written() -> None:
    read = value_of(
        "x: &x {a: 1, b: 2}\n"
        "y: &y\n  b: 3\n  <<: *x\n"
        "z: {<<: [*y, {a: 9, c: 4}], d: 5}\n"
        "quoted: {'<<': *x}\n"
        "k: &k name\nkeys: {*k : 1}\n"
    )

    assert read == {
        "x": {"a": 1, "b": 2},
        "y": {"b": 3, "a": 1},
        "z": {"d": 5, "b": 3, "a": 1, "c": 4},
        "quoted": {"<<": {"a": 1, "b": 2}},
        "k": "name",
        "keys": {"name": 1},
    }


def test_what_a_merge_brings_stands_where_it_is_written() -> None:
    root = read_yaml("x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n").root

    assert root is not None
    assert (root.walk(["y", "a"]).line, root.walk(["y", "b"]).line) == (1, 4)


def test_large_mappings_find_their_places_too() -> None:
    root = read_yaml("".join(f"k{number}: {number}\n" for number in range(100))).root

    assert root is not None
    assert isinstance(root.value, YamlMap)
    assert [Written(None, root.value.key_at(f"k{number}")).line for number in range(100)] == list(range(1, 101))


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]))


def json_of(text: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1)
    leaves = scalars | st.floats(allow_nan=False, allow_infinity=False) | text
    return st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=30)


@given(json_of(texts))
def test_json_is_yaml(value: object) -> None:
    assert value_of(json.dumps(value, ensure_ascii=False)) == value
    assert value_of(json.dumps(value, ensure_ascii=False, indent=2)) == value


@given(json_of(texts.filter(lambda text: isinstance(resolved(text), str))))
def test_what_pyyaml_writes_is_read_back(value: object) -> None:
    """PyYAML leaves `1e3` without quotes, since to YAML 1.1 it is text; texts that are numbers in 1.2 are left out."""
    assert value_of(yaml.safe_dump(value, allow_unicode=True)) == value


scalars = st.from_regex(r"[-+.0-9eExoa-fyntruls~]{1,8}", fullmatch=True)


@given(scalars)
def test_a_plain_scalar_means_what_the_core_schema_says(written: str) -> None:
    read = read_yaml(f"- {written}\n").root
    if read is None or not isinstance(read.value, YamlList) or len(read.value) != 1:
        return
    (value,) = read.value
    if isinstance(value, str):
        assert value == written
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        base = 8 if written.startswith("0o") else 16 if written.startswith("0x") else 0
        expected = (
            int(written[2:], base) if base else float(written.lower().replace(".inf", "inf").replace(".nan", "nan"))
        )
        assert value == expected or math.isnan(expected)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")))
def test_nothing_that_is_written_raises(data: bytes) -> None:
    document = read_yaml(data)

    assert document.root is not None or document.problems
    assert all(problem.line >= 1 and problem.column >= 1 and problem.message for problem in document.problems)


@given(
    st.lists(
        st.sampled_from(["a: 1", "b:", "- x", "  - y", "? [", "{{ v }}", "&a", "*a", "<<: *a", "|", "'", "\t", "!t"])
    )
)
def test_nothing_that_looks_like_yaml_raises(lines: list[str]) -> None:
    document = read_yaml("\n".join(lines))

    assert document.root is not None or document.problems
