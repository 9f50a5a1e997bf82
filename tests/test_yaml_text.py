"""What the words of an experiment file mean, and that values survive being written and read."""

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from merlin.yaml_text import YamlFault, compose, dump_value, parse_value

WORDS = {
    "5e-6": 5e-6,
    "1e-4": 1e-4,
    "1e5": 1e5,
    "1E+5": 1e5,
    "-1.5": -1.5,
    ".5": 0.5,
    "1.": 1.0,
    "500_000": 500_000,
    "1_0.5": 10.5,
    "+3": 3,
    "007": 7,
    "0x1F": 31,
    "0o17": 15,
    "0b11": 3,
    ".inf": math.inf,
    "true": True,
    "False": False,
    "yes": "yes",
    "no": "no",
    "on": "on",
    "off": "off",
    "y": "y",
    "null": None,
    "~": None,
    "": None,
    "''": "",
    "'1e5'": "1e5",
    '"true"': "true",
    "1:30": "1:30",
    "2024-01-01": "2024-01-01",
    "1.5.2": "1.5.2",
    "=": "=",
    "[1, 2e3, a]": [1, 2000.0, "a"],
    "{a: 1, b: [x]}": {"a": 1, "b": ["x"]},
}


@pytest.mark.parametrize(("text", "value"), WORDS.items())
def test_words_mean_what_they_look_like(text, value):
    found = parse_value(text)
    assert found == value
    assert type(found) is type(value)


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(_PLAIN)
def test_values_survive_being_written_and_read(value):
    found = parse_value(dump_value(value))
    assert found == value
    assert repr(found) == repr(value)  # also tells 1 from 1.0 and from true


@given(st.floats(allow_nan=False) | st.text() | st.booleans() | st.integers())
def test_an_ordinary_yaml_reader_sees_the_same_values(value):
    assert yaml.safe_load(dump_value(value)) == value


@pytest.mark.parametrize(
    "word", ["1e5", "5e-6", "true", "yes", "1:30", "null", "0o17", "<<", "2024-01-01", "- a", "a: b", "#", ""]
)
def test_text_that_looks_like_something_else_is_quoted(word):
    assert parse_value(dump_value(word)) == word
    assert yaml.safe_load(dump_value(word)) == word


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb:\n\tc: 1", 3, "tabs"),
        ("a: [1\nb: 2", 2, "not YAML"),
        ("a: b: c", 1, "not YAML"),
        ("a: 1\n--- \nb: 1", 2, "single document"),
        ("a: *nothing", 1, "undefined alias"),
        ("a: \x01", None, "not YAML"),
        ("&a [*a]", 1, "contains itself"),
        ("a: 1\nb: !!python/object/apply:os.system ['touch hacked']", 2, "!!python/object/apply:os.system"),
        ("!mine 3", 1, "!mine"),
        ("!!int x", 1, "not of the type"),
        ("{a: 1, a: 2}", 1, "twice"),
        ("[" * 100_000, None, "nest"),
        ("- " * 100_000 + "a", None, "nest"),
    ],
)
def test_what_is_no_plain_data_is_refused_with_its_line(text, line, words):
    with pytest.raises(YamlFault) as fault:
        parse_value(text)
    assert words in fault.value.message
    if line is not None:
        assert fault.value.line == line


@pytest.mark.parametrize("depth", [90, 110, 300, 990])
def test_the_depth_of_nesting_is_limited(depth):
    text = "[" * depth + "]" * depth
    if depth < 100:
        assert dump_value(parse_value(text)) == text
        return
    with pytest.raises(YamlFault, match="more than 100 levels"):
        parse_value(text)


def test_anchors_that_stand_for_billions_of_values_are_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(YamlFault, match="more than 1,000,000 values"):
        compose("\n".join(lines))
