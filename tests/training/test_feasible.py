"""What is told of runs before they start."""

import pytest

from merlin import cli
from merlin.errors import MerlinError
from merlin.experiment import make_config
from merlin.training.feasible import check, misfits


def test_what_fits_is_not_mentioned():
    assert list(misfits(make_config(env_name="CartPole-v1", net_name="fc"))) == []
    assert list(misfits(make_config(env_name="CartPole-v1", agent_name="random_walker"))) == []


def test_a_net_for_images_does_not_take_vectors():
    [(name, message)] = misfits(make_config(env_name="CartPole-v1", net_name="cnn"))
    assert name == "net_name"
    assert message.startswith("net_name: cnn needs images")
    assert "fc" in message


def test_an_environment_that_cannot_be_opened():
    [(name, message)] = misfits(make_config(env_name="FrozenLake-v1", net_name="fc", env_kwargs={"map_name": "7x7"}))
    assert name == "env_name"
    assert message.startswith("env_name: FrozenLake-v1: ")


FAULTY = """\
env_name: CartPole-v1
net_name: cnn
epsiodes: 3
variants:
  - agent_name: dqn
  - net_name: fc
    gamma: 3
  - env_name: Nothing-v3
"""


@pytest.mark.parametrize("dry_run", [["--dry-run"], []])
def test_faults_of_all_kinds_are_listed_at_once(dry_run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty.yaml").write_text(FAULTY)
    assert cli.main(["train", "faulty.yaml", *dry_run]) == 2
    message = capsys.readouterr().err
    for line, start in ((2, "net_name: cnn needs"), (3, "epsiodes"), (7, "gamma: 3"), (8, "env_name: Unknown env")):
        assert f"faulty.yaml:{line}: {start}" in message
    assert [each.name for each in tmp_path.iterdir()] == ["faulty.yaml"]


def test_a_network_that_memory_cannot_hold_is_refused(monkeypatch):
    monkeypatch.setattr("merlin.training.feasible.free_memory", lambda: 2**20)
    check([make_config(env_name="CartPole-v1", net_name="fc", features=[32])], 1)
    with pytest.raises(MerlinError, match=r"has 1,0\d\d,\d\d\d weights here"):
        check([make_config(env_name="CartPole-v1", net_name="fc", features=[1000, 1000])], 1)


def test_a_network_beyond_counting_is_a_misfit():
    [(name, message)] = misfits(make_config(env_name="CartPole-v1", net_name="fc", features=[2**40, 2**40]))
    assert name == "net_name"
    assert message.startswith("net_name: fc cannot be built")
