"""Parameters: what they accept, and the settings of one run."""

from typing import Literal

import pydantic
import pytest
from pydantic import Field

from merlin.config import Config, Parameters, RunParameters, safe_name
from merlin.experiment.declaration import allowed


class Example(Parameters):
    whole: int = Field(1, ge=1, le=1_000_000, description="A whole number.")
    number: float = Field(0.5, gt=0, lt=1)
    perhaps: int | None = Field(None, ge=1)
    switch: bool = False
    choice: Literal["a", "b"] = "a"
    widths: tuple[int, ...] = Field((1, 2), min_length=1)
    free: float = 0.0
    mapping: dict[str, int] = Field({})


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("whole", 1e5, 100_000),
        ("free", 3, 3.0),
        ("widths", [4, 5], (4, 5)),
        ("perhaps", 2.0, 2),
        ("perhaps", None, None),
    ],
)
def test_spellings_of_one_value_are_accepted(name, given, value):
    found = getattr(Example(**{name: given}), name)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("whole", True),
        ("whole", 1.5),
        ("whole", "1"),
        ("whole", 0),
        ("whole", None),
        ("number", True),
        ("number", "0.1"),
        ("number", 1.0),
        ("number", float("nan")),
        ("free", float("inf")),
        ("switch", 1),
        ("switch", "true"),
        ("switch", "yes"),
        ("choice", "c"),
        ("widths", [1.5]),
        ("widths", []),
        ("widths", "12"),
        ("unknown", 1),
    ],
)
def test_wrong_types_and_ranges_are_refused(name, value):
    with pytest.raises(pydantic.ValidationError):
        Example(**{name: value})


def test_parameters_cannot_be_changed():
    with pytest.raises(pydantic.ValidationError):
        Example().whole = 3  # ty: ignore[invalid-assignment]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("whole", "a whole number ≥ 1 and ≤ 1,000,000"),
        ("number", "a number > 0 and < 1"),
        ("perhaps", "a whole number ≥ 1, or null"),
        ("switch", "true or false"),
        ("choice", "a or b"),
        ("widths", "a list of whole numbers with at least 1 of them"),
        ("free", "a number"),
        ("mapping", "a mapping such as {name: value}"),
    ],
)
def test_declarations_are_told_in_words(name, words):
    assert allowed(Example, name) == words


def test_the_table_of_the_document():
    run = RunParameters()
    assert (run.run, run.run_count, run.env_name, run.agent_name, run.net_name) == (
        0,
        3,
        "pong",
        "double_dqn",
        "linear_deep_net",
    )
    assert (run.episodes, run.model_save_interval, run.video_record_interval) == (5000, None, 2500)
    assert run.save_state_img is False


@pytest.mark.parametrize("name", ["a/b", "..", ".hidden", "", " a", "a\nb", "a\\b", "x" * 201, "analysis", "a:b"])
def test_names_that_cannot_be_folders_are_refused(name):
    with pytest.raises(pydantic.ValidationError):
        RunParameters(variant=name)


@pytest.mark.parametrize("text", ["ALE/Pong-v5", "..", "", "é" * 300, "a\x00b", "alpha=0.1,gamma=0.5", " . "])
def test_safe_names_are_accepted_and_stay(text):
    name = safe_name(text)
    assert RunParameters(experiment=name).experiment == name
    assert safe_name(name) == name


def test_a_part_picks_its_own_values():
    config = Config({"whole": 7, "episodes": 9, "widths": [3]})
    assert config.part(Example) == Example(whole=7, widths=(3,))
    assert config.part(RunParameters).episodes == 9


def test_other_values_leave_the_old_ones_alone():
    config = Config({"whole": 7})
    assert config.with_values(whole=8).values == {"whole": 8}
    assert config.values == {"whole": 7}
    with pytest.raises(KeyError, match="hole"):
        config.with_values(hole=8)
