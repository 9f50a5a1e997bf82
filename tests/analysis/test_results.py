"""Folders → frames: what is found, and what of a log can be used."""

from pathlib import Path

import numpy as np
import pytest

from merlin.analysis.results import find_experiments, read_experiment, read_log, read_run
from merlin.errors import InputError
from merlin.run_folder import RunFolder
from tests.analysis.folders import HEADER, log_text, write_run


def test_any_folder_of_an_experiment_gives_the_experiment(tmp_path: Path):
    run = write_run(tmp_path / "pong", "dqn", 0)
    write_run(tmp_path / "cartpole", "dqn", 0)
    assert find_experiments(tmp_path) == [tmp_path / "cartpole", tmp_path / "pong"]
    for inside in (run, run.parent, run.parent.parent):
        assert find_experiments(inside) == [tmp_path / "pong"]


def test_a_relative_path_of_a_run_gives_the_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(write_run(tmp_path / "pong", "dqn", 0))
    assert find_experiments(Path(".")) == [(tmp_path / "pong").resolve()]


@pytest.mark.parametrize("make", ["nothing", "file", "empty", "only logs of others"])
def test_a_folder_without_runs_is_an_input_error(tmp_path: Path, make: str):
    path = tmp_path / "results"
    if make == "file":
        path.write_text("")
    elif make != "nothing":
        path.mkdir()
    if make == "only logs of others":
        (path / "a" / "b").mkdir(parents=True)
        (path / "a" / "b" / "train.log").write_text("")
    with pytest.raises(InputError, match=r"results: .*Expected the folder of one experiment") as error:
        find_experiments(path)
    assert str(path) in str(error.value)


def test_runs_are_ordered_by_number_and_variants_by_name(tmp_path: Path):
    for run in (10, 9, 0):
        write_run(tmp_path, "b", run)
    write_run(tmp_path, "a", 0)
    (tmp_path / "analysis").mkdir()
    (tmp_path / "a" / ".hidden").mkdir()
    found = read_experiment(tmp_path)
    assert {variant: [run.run for run in runs] for variant, runs in found.items()} == {
        "a": ["0"],
        "b": ["0", "9", "10"],
    }
    assert list(found) == ["a", "b"]


def test_a_log_becomes_a_frame(tmp_path: Path):
    file = tmp_path / "train_log.csv"
    file.write_text(log_text([-21.0, "", "nan", 3], steps=[5, 6, 7, 8], epsilons=[1, 0.5, "", 0.1]))
    log = read_log(file)
    assert list(log.columns) == ["episode", "epsilon", "reward", "steps"]
    np.testing.assert_array_equal(log["episode"], [1, 2, 3, 4])
    np.testing.assert_array_equal(log["reward"], [-21, np.nan, np.nan, 3])
    np.testing.assert_array_equal(log["epsilon"], [1, 0.5, np.nan, 0.1])
    np.testing.assert_array_equal(log["steps"], [5, 6, 7, 8])


def test_a_line_that_is_being_written_is_left_out_wherever_it_is_cut(tmp_path: Path):
    file = tmp_path / "train_log.csv"
    whole = log_text([1, -21])
    last_line = whole.rstrip("\n").rfind("\n") + 1
    for end in range(last_line, len(whole)):
        file.write_text(whole[:end])
        assert read_log(file)["reward"].to_list() == [1.0]
    file.write_text(whole)
    assert read_log(file)["reward"].to_list() == [1.0, -21.0]


@pytest.mark.parametrize("content", [None, "", "\n", HEADER[:9], HEADER, HEADER + "\n"])
def test_a_log_without_episodes_has_no_rows(tmp_path: Path, content: str | None):
    file = tmp_path / "train_log.csv"
    if content is not None:
        file.write_text(content)
    assert len(read_log(file)) == 0


def test_pieces_that_overlap_are_one_run_and_the_later_one_counts(tmp_path: Path):
    file = tmp_path / "train_log.csv"
    file.write_text(log_text([1, 2, 3]) + "2,1,1,,1,20,0,,,1,1,1\n3,1,1,,1,30,0,,,1,1,1\n")
    assert read_log(file)["reward"].to_list() == [1, 20, 30]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("time,score\n1,2\n", "reward"),
        (log_text([1, "high"]), "high"),
        (log_text([1]) + "2,3\x00,\n" + ",,,,,,,,,,,,,,,,,\n", "train_log.csv cannot be used"),
        (HEADER + "\n,1,1,,1,20,0,,,1,1,1\n", "no episode number"),
    ],
)
def test_a_damaged_log_is_said_and_not_raised(tmp_path: Path, content: str, message: str):
    run = read_run(write_run(tmp_path, "dqn", 0, log=content))
    assert message in run.problem
    assert len(run.log) == 0
    assert run.counts_as == "missing"


@pytest.mark.parametrize(
    ("yaml", "tail"),
    [
        ("tail: 7\n", 7),
        ("alpha: 1\n", 2000),
        ("tail: 0\n", 2000),
        ("tail: [\n", 2000),
        ("- 1\n", 2000),
        ("", 2000),
    ],
)
def test_tail_comes_from_the_experiment_file_or_is_the_default(tmp_path: Path, yaml: str, tail: int):
    folder = write_run(tmp_path, "dqn", 0)
    (folder / "experiment.yaml").write_text(yaml)
    run = read_run(folder)
    assert run.tail == tail
    assert bool(run.problem) == (yaml not in ("tail: 7\n", "alpha: 1\n"))
    assert len(run.log) == 3


def test_the_tail_is_never_more_than_the_run_has(tmp_path: Path):
    assert read_run(write_run(tmp_path, "a", 0, [1, 2, 3], tail=2)).tail_log["reward"].to_list() == [2, 3]
    assert read_run(write_run(tmp_path, "a", 1, [1, 2, 3], tail=5)).tail_log["reward"].to_list() == [1, 2, 3]


def test_states_are_those_of_the_folder(tmp_path: Path):
    assert read_run(write_run(tmp_path, "a", 0)).counts_as == "finished"
    assert read_run(write_run(tmp_path, "a", 1, state="failed", message="no ROM")).message == "no ROM"
    assert read_run(write_run(tmp_path, "a", 2, state="running")).counts_as == "interrupted"
    assert read_run(write_run(tmp_path, "a", 3, None, state=None)).counts_as == "missing"
    assert read_run(write_run(tmp_path, "a", 4, None, state="failed")).counts_as == "failed"
    held = write_run(tmp_path, "a", 5, None, state="running")
    with RunFolder(held).lock():
        assert read_run(held).counts_as == "running"
