"""Which folders are made, which are taken up, and which are refused."""

import os

import pytest

from merlin.errors import InputError, MerlinError
from merlin.launch.prepare import prepare
from merlin.run_folder import RunFolder
from merlin.training.status import conclude
from merlin.yaml_text import parse_value
from tests.launch.fakes import config


def test_a_folder_is_made_with_every_parameter_and_its_threads(tmp_path):
    [job] = prepare([config("dqn", 2)], tmp_path / "results", threads=3)
    assert job.folder.path == tmp_path / "results" / "fake" / "dqn" / "2"
    assert os.listdir(job.folder.path) == ["experiment.yaml"]
    assert os.listdir(job.folder.path.parent) == ["2"]
    values = parse_value(job.folder.experiment_yaml.read_text())
    assert values == config("dqn", 2).values | {"threads": 3, "device": "cpu"}
    assert not job.finished and job.label == "2@dqn" and job.episodes == 4


def test_threads_that_are_set_are_kept(tmp_path):
    [job] = prepare([config(threads=5)], tmp_path, threads=1)
    assert parse_value(job.folder.experiment_yaml.read_text())["threads"] == 5


def test_the_same_again_takes_the_folder_up_with_its_first_threads(tmp_path):
    prepare([config()], tmp_path, threads=3)
    [job] = prepare([config()], tmp_path, threads=1)
    assert parse_value(job.folder.experiment_yaml.read_text())["threads"] == 3
    assert not job.finished
    conclude(job.folder, "finished")
    job.folder.replay.mkdir()
    [job] = prepare([config()], tmp_path, threads=1)
    assert job.finished
    assert not job.folder.replay.exists(), "left by a worker that was killed between its last two lines"


def test_other_parameters_are_refused_with_their_difference_before_anything_is_made(tmp_path):
    prepare([config("one"), config("two")], tmp_path, threads=1)
    changed = [config("new"), config("one", episodes=9), config("two", seed=3, env_name="CartPole-v1")]
    with pytest.raises(InputError) as caught:
        prepare(changed, tmp_path, threads=1)
    message = str(caught.value)
    assert "episodes: 4 there, 9 now" in message
    assert "seed: 0 there, 3 now" in message
    assert "env_name: 'pong' there, 'CartPole-v1' now" in message
    assert str(tmp_path / "fake" / "one" / "0") in message and str(tmp_path / "fake" / "two" / "0") in message
    assert "Nothing was started" in message
    assert not (tmp_path / "fake" / "new").exists()


@pytest.mark.parametrize("values", [{"threads": 2}, {"device": "cpu"}])
def test_what_the_machine_fills_in_counts_only_if_it_is_asked_for(tmp_path, values):
    prepare([config(**values)], tmp_path, threads=1)
    prepare([config()], tmp_path, threads=1)
    [name] = values
    other = {"threads": 7, "device": "cuda"}[name]
    with pytest.raises(InputError, match=f"{name}: "):
        prepare([config(**{name: other})], tmp_path, threads=1)


def test_parameters_younger_than_the_folder_count_only_if_they_are_set(tmp_path):
    [job] = prepare([config()], tmp_path, threads=1)
    text = job.folder.experiment_yaml.read_text()
    job.folder.experiment_yaml.write_text("\n".join(line for line in text.splitlines() if "tail" not in line))
    prepare([config()], tmp_path, threads=1)
    with pytest.raises(InputError, match="tail: not set there, 7 now"):
        prepare([config(tail=7)], tmp_path, threads=1)


def test_files_that_were_moved_are_found_again(tmp_path):
    [job] = prepare([config(imports=["/old/my_net.py"])], tmp_path, threads=3)
    prepare([config(imports=["/new/my_net.py"])], tmp_path, threads=1)
    values = parse_value(job.folder.experiment_yaml.read_text())
    assert values["imports"] == ["/new/my_net.py"] and values["threads"] == 3
    with pytest.raises(InputError, match="imports"):
        prepare([config(imports=["/new/other_net.py"])], tmp_path, threads=1)


def test_a_folder_that_is_no_run_is_left_alone(tmp_path):
    path = tmp_path / "fake" / "finish" / "0"
    path.mkdir(parents=True)
    (path / "thesis.tex").touch()
    with pytest.raises(InputError, match="holds no run"):
        prepare([config()], tmp_path, threads=1)
    assert os.listdir(path) == ["thesis.tex"]


def test_a_folder_that_was_made_meanwhile_is_taken_up(tmp_path, monkeypatch):
    real = os.rename

    def too_late(source, target):
        monkeypatch.undo()
        prepare([config()], tmp_path, threads=2)
        real(source, target)

    monkeypatch.setattr(os, "rename", too_late)
    [job] = prepare([config()], tmp_path, threads=1)
    assert parse_value(job.folder.experiment_yaml.read_text())["threads"] == 2
    assert os.listdir(job.folder.path.parent) == ["0"]


def test_results_that_cannot_be_written(tmp_path):
    (tmp_path / "results").write_text("a file in their place")
    with pytest.raises(MerlinError, match=r"cannot write .*results"):
        prepare([config()], tmp_path / "results", threads=1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_results_without_the_right_to_write(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(MerlinError, match=r"Permission denied.*rights"):
        prepare([config()], tmp_path / "results", threads=1)


def test_a_damaged_experiment_yaml_is_named(tmp_path):
    [job] = prepare([config()], tmp_path, threads=1)
    job.folder.experiment_yaml.write_text("a: [1,")
    with pytest.raises(MerlinError, match=r"experiment\.yaml"):
        prepare([config()], tmp_path, threads=1)


def test_a_run_that_was_interrupted_or_failed_is_not_finished(tmp_path):
    [job] = prepare([config()], tmp_path, threads=1)
    for state in ("interrupted", "failed", "running"):
        conclude(RunFolder(job.folder.path), state)
        assert not prepare([config()], tmp_path, threads=1)[0].finished
