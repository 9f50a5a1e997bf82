"""What can be written in a file, as `merlin show` and `merlin train --dry-run` print it."""

import pytest

from merlin.commands.dry_run import show_runs
from merlin.commands.show import show
from merlin.errors import InputError
from tests.fakes import load, registries


def printed(capsys, what, name=None) -> str:
    show(what, name, registries=registries())
    return capsys.readouterr().out


def row(out: str, first: str) -> str:
    [line] = [line for line in out.splitlines() if line.split()[:1] == [first]]
    return line


def test_all_parameters_with_default_range_and_meaning(capsys):
    out = printed(capsys, "parameters")
    assert row(out, "gamma").split("  ")[0] == "gamma"
    for words in ("0.99", "a number ≥ 0 and ≤ 1", "Discount of future rewards."):
        assert words in row(out, "gamma")
    assert "5.0e-06" in row(out, "alpha")
    assert "null" in row(out, "threads")
    for title in ("every run", "agents double_dqn, dqn, dueling_dqn", "net cnn", "env pong"):
        assert title in out.splitlines()
    assert "max_episodes (for episodes)" in out


def test_one_parameter_and_what_has_it(capsys):
    out = printed(capsys, "parameters", "double")
    assert "agents double_dqn, dqn, dueling_dqn" in out
    assert "true or false" in row(out, "double")
    assert row(out, "double_dqn").split() == ["double_dqn", "true"]


def test_another_name_of_a_parameter(capsys):
    assert "Episodes to train for" in row(printed(capsys, "parameters", "max_episodes"), "episodes")


@pytest.mark.parametrize("what", ["agents", "nets", "envs"])
def test_all_of_a_kind(capsys, what):
    out = printed(capsys, what)
    names = {"agents": ["double_dqn", "random_walker"], "nets": ["cnn"], "envs": ["pong"]}[what]
    for name in names:
        assert row(out, name)


def test_a_preset_shows_its_own_defaults(capsys):
    assert row(printed(capsys, "agents", "double_dqn"), "double").split()[1] == "true"
    assert row(printed(capsys, "agents", "dqn"), "double").split()[1] == "false"


def test_an_agent_shows_what_belongs_to_it(capsys):
    out = printed(capsys, "agents", "dqn")
    assert row(out, "memory_size")
    assert "no parameters" in printed(capsys, "agents", "random_walker")


def test_an_environment_under_any_of_its_names(capsys):
    out = printed(capsys, "envs", "Breakout")
    assert "ALE/Breakout-v5" in out
    assert row(out, "lives")


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [
        ("agents", "dobule_dqn", "Did you mean 'double_dqn'?"),
        ("nets", "cn", "Did you mean 'cnn'?"),
        ("envs", "pnog", "Did you mean 'pong'?"),
        ("parameters", "gama", "Did you mean 'gamma'?"),
    ],
)
def test_unknown_names(what, name, words):
    with pytest.raises(InputError) as error:
        show(what, name, registries=registries())
    assert words in str(error.value)


def test_everything_registered_can_be_shown(capsys):
    """The battery over what merlin comes with: every declaration says what it means."""
    from merlin.experiment.components import Registries

    known = Registries.default()
    show("parameters", None, registries=known)
    for what in ("agents", "nets", "envs"):
        show(what, None, registries=known)
        for entry in getattr(known, what):
            show(what, entry.name, registries=known)
            assert entry.cls.__doc__
            for name, info in entry.cls.Parameters.model_fields.items():
                assert info.description, f"{entry.name}: {name}"
    assert "a value" not in capsys.readouterr().out


def test_a_dry_run_says_once_what_is_shared(tmp_path, capsys):
    text = "episodes: 9\nrun_count: 2\nvariants:\n - {}\n - alpha: 0.5\n - agent_name: random_walker\n"
    configs = load(tmp_path, text)
    show_runs(configs, lambda config: ({"environment": "Pong"}, config.values.get("memory_size", 0) * 10))
    out = capsys.readouterr().out
    assert "experiment_one: 3 variants, 6 runs" in out
    assert row(out, "episodes").endswith("experiment_one.yaml:1")
    assert row(out, "gamma").split() == ["gamma", "0.99", "default"]
    first, second, third = out.split("\nvariant ")[1:]
    assert first.startswith("default\nruns 0, 1; replay: 5,000,000 bytes (4.8 MiB) each\nenvironment Pong\n")
    assert row(second, "alpha").endswith("experiment_one.yaml:5")
    assert "gamma" in row(third, "has")
    assert "gamma" not in first


def test_a_dry_run_of_one_variant_is_one_table(tmp_path, capsys):
    show_runs(load(tmp_path, "run_count: 1\nexperiment: '[bold]'"), lambda config: ({"environment": "[i]"}, 5))
    out = capsys.readouterr().out
    assert "[bold]: 1 variant, 1 run" in out
    assert out.count("gamma") == 1
    assert "run 0; replay: 5 bytes (0.0 MiB)\nenvironment '[i]'\n" in out


def test_games_and_ids_that_are_not_registered_one_by_one_are_listed(capsys):
    show("envs", None)
    out = " ".join(capsys.readouterr().out.split())
    assert "any Atari game: Adventure, AirRaid, Alien," in out
    assert "CartPole-v1" in out.split("any Gymnasium id: ")[1]
    assert "ALE/" not in out
