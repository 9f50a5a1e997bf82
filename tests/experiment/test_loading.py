"""From files to runs: merging, naming, numbering, origins, and that a run's own file repeats it."""

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from merlin.errors import InputError
from merlin.experiment import load_experiments, load_run, make_config
from tests.fakes import load, registries, write

DOCUMENT = """---
max_episodes: 1000
variants:
  - {}
  - alpha: 0.01243
  - max_episodes: 333
    variants:
      - gamma: 0.5
        memory_size: 99000
      - batch_size: 64
"""


def by_variant(configs):
    return {config.values["variant"]: config for config in configs}


def test_the_first_example_of_the_document(tmp_path):
    configs = load(tmp_path, "---\nmax_episodes: 1000\nagent_name: dueling_dqn\nalpha: 0.05\n")
    assert [config.values["run"] for config in configs] == [0, 1, 2]
    for config in configs:
        assert config.values["experiment"] == "experiment_one"
        assert config.values["variant"] == "default"
        assert (config.values["episodes"], config.values["alpha"], config.values["dueling"]) == (
            1000,
            0.05,
            True,
        )
        assert config.values["run_count"] == 1


def test_the_nested_example_of_the_document(tmp_path):
    variants = by_variant(load(tmp_path, DOCUMENT))
    assert list(variants) == [
        "default",
        "alpha=0.01243",
        "episodes=333,gamma=0.5,memory_size=99000",
        "episodes=333,batch_size=64",
    ]
    wanted = [
        (1000, 5e-6, 0.99, 500_000, 32),
        (1000, 0.01243, 0.99, 500_000, 32),
        (333, 5e-6, 0.5, 99_000, 32),
    ]
    wanted.append((333, 5e-6, 0.99, 500_000, 64))
    names = ("episodes", "alpha", "gamma", "memory_size", "batch_size")
    assert [tuple(config.values[name] for name in names) for config in variants.values()] == wanted


def test_three_runs_of_each_variant(tmp_path):
    assert len(load(tmp_path, DOCUMENT)) == 4 * 3


def test_runs_are_numbered_from_run_on(tmp_path):
    configs = load(tmp_path, "run: 5\nrun_count: 2\n")
    assert [(config.values["run"], config.values["run_count"]) for config in configs] == [(5, 1), (6, 1)]


def test_origins(tmp_path):
    config = by_variant(load(tmp_path, DOCUMENT, "gamma=0.7"))["episodes=333,batch_size=64"]
    path = tmp_path / "experiment_one.yaml"
    assert config.origins["episodes"] == f"variant {path}:6"
    assert config.origins["batch_size"] == f"variant {path}:10"
    assert config.origins["gamma"] == "command line"
    assert config.origins["alpha"] == "default"
    assert config.values["gamma"] == 0.7
    assert load(tmp_path, DOCUMENT)[0].origins["episodes"] == f"file {path}:2"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{}", "default"),
        ("alpha: 1e-4", "alpha=0.0001"),
        ("alpha: 0.00001", "alpha=1.0e-05"),
        ("{alpha: 0.5, gamma: 1}", "alpha=0.5,gamma=1"),
        ("double: true", "double=true"),
        ("clip: null", "clip=null"),
        ("env_name: ALE/Breakout-v5", "env_name=ALE-Breakout-v5"),
        ("{net_name: cnn, features: [8, 8, 16]}", "net_name=cnn,features=8-8-16"),
        ("{alpha: 0.5, variant: mine}", "mine"),
        ("{variant: big, variants: [{alpha: 0.5}]}", "big,alpha=0.5"),
        ("{variant: big, variants: [{}]}", "big"),
        ("{alpha: 0.5, variants: [{alpha: 0.25}]}", "alpha=0.25"),
        ("{alpha: 0.5, variants: [{variant: deep}]}", "deep"),
        ("{run_count: 1}", "run_count=1"),
    ],
)
def test_variants_are_named_by_what_they_override(tmp_path, text, name):
    [variant] = by_variant(load(tmp_path, f"episodes: 7\nvariants: [{text}]"))
    assert variant == name


def test_a_long_name_is_cut_to_what_a_folder_may_have(tmp_path):
    features = ", ".join(["1234567"] * 60)
    [variant] = by_variant(load(tmp_path, f"variants: [{{net_name: cnn, features: [{features}]}}]"))
    assert len(variant) <= 200


def test_the_experiment_is_named_after_its_file_unless_it_says_so(tmp_path):
    assert load(tmp_path, "seed: 1", name="pong.v2.yaml")[0].values["experiment"] == "pong.v2"
    assert load(tmp_path, "experiment: mine")[0].values["experiment"] == "mine"


def test_a_variant_may_belong_to_another_experiment(tmp_path):
    configs = load(tmp_path, "run_count: 1\nvariants: [{experiment: a}, {experiment: b}]")
    assert [config.values["experiment"] for config in configs] == ["a", "b"]


def test_merge_keys_and_anchors(tmp_path):
    text = """
variants:
  - &base {alpha: 0.5, episodes: 9}
  - <<: *base
    alpha: 0.25
  - <<: [*base]
    max_episodes: 8
"""
    variants = by_variant(load(tmp_path, text))
    assert [(c.values["alpha"], c.values["episodes"]) for c in variants.values()] == [
        (0.5, 9),
        (0.25, 9),
        (0.5, 8),
    ]


def test_only_what_a_run_uses_is_in_its_settings(tmp_path):
    variants = by_variant(load(tmp_path, "alpha: 0.5\nnet_name: cnn\nvariants: [{}, {agent_name: random_walker}]"))
    walker = variants["agent_name=random_walker"].values
    assert not {"alpha", "memory_size", "net_name", "features"} & walker.keys()
    assert variants["default"].values["features"] == [32, 64, 64, 512]


def test_a_preset_gives_defaults_that_a_file_overrides(tmp_path):
    assert load(tmp_path, "agent_name: double_dqn")[0].values["double"] is True
    assert load(tmp_path, "agent_name: double_dqn\ndouble: false")[0].values["double"] is False


def test_a_resolved_environment_is_called_by_its_one_name(tmp_path):
    values = load(tmp_path, "env_name: Breakout")[0].values
    assert (values["env_name"], values["game"]) == ("ALE/Breakout-v5", "breakout")


def test_the_command_line_wins_and_tells_variants_apart_no_more(tmp_path):
    configs = load(tmp_path, DOCUMENT, "max_episodes=5", "clip=null", "env_name=Breakout", "seed=500_000")
    assert {config.values["episodes"] for config in configs} == {5}
    assert configs[0].values["clip"] is None
    with pytest.raises(InputError, match="has a variant 'alpha=0\\.5' already"):
        load(tmp_path, "variants: [{alpha: 0.1}, {alpha: 0.2}]", "alpha=0.5")


@pytest.mark.parametrize(
    "text",
    [DOCUMENT, "agent_name: random_walker\nseed: 3", "env_name: Breakout\nnet_name: cnn\nalpha: 0.1e-7"],
)
def test_the_file_of_a_run_repeats_exactly_that_run(tmp_path, text):
    for config in load(tmp_path, text, "gamma=0.30000000000000004" if "walker" not in text else "run=2"):
        folder = tmp_path / "results"
        folder.mkdir(exist_ok=True)
        again = load_run(write(folder, config.to_yaml(), "experiment.yaml"), registries())
        assert again == config
        assert again.to_yaml() == config.to_yaml()
        assert set(again.origins.values()) - {"default"} == {again.origins[name] for name in again.values}, (
            "every parameter is in the file"
        )


def test_the_file_of_a_run_says_what_its_parameters_mean(tmp_path):
    text = load(tmp_path, "alpha: 1e-6")[0].to_yaml()
    assert "alpha: 1.0e-06" in text
    assert "# Learning rate." in text


def test_files_of_several_runs_of_one_variant_go_together(tmp_path):
    runs = load(tmp_path, "alpha: 0.5")
    paths = [write(tmp_path, run.to_yaml(), f"run{index}.yaml") for index, run in enumerate(runs)]
    assert load_experiments(paths, registries=registries()) == runs


def test_a_file_given_twice_counts_once(tmp_path):
    path = write(tmp_path, "run_count: 1")
    assert len(load_experiments([path, tmp_path / "." / path.name], registries=registries())) == 1


def test_files_in_order(tmp_path):
    paths = [write(tmp_path, "run_count: 1", name) for name in ("b.yaml", "a.yaml")]
    configs = load_experiments(paths, registries=registries())
    assert [config.values["experiment"] for config in configs] == ["b", "a"]


def test_load_run_wants_one_run(tmp_path):
    with pytest.raises(InputError, match="defines 3"):
        load_run(write(tmp_path, "seed: 1"), registries())


def test_settings_from_python():
    config = make_config({"max_episodes": 9, "features": (8, 8, 8)}, registries(), net_name="cnn")
    assert (config.values["episodes"], config.values["features"], config.values["run_count"]) == (
        9,
        [8, 8, 8],
        1,
    )
    with pytest.raises(InputError, match="alfa: 1: there is no such parameter; did you mean 'alpha'"):
        make_config(registries=registries(), alfa=1)


NET = """
from merlin.config import Parameters
class MyNet:
    name = "my_net"
    class Parameters(Parameters):
        depth: int = 3
import builtins
builtins.merlin_test_registries.nets.register(MyNet)
"""


def test_imports_are_relative_to_the_file_and_become_absolute(tmp_path, monkeypatch):
    known = registries()
    monkeypatch.setattr("builtins.merlin_test_registries", known, raising=False)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    net = write(folder, NET, "my_net.py")
    path = write(folder, "imports: [my_net.py]\nnet_name: my_net\ndepth: 4\nrun_count: 1")
    [config] = load_experiments([path], registries=known)
    assert config.values["imports"] == [str(net)]
    assert config.values["depth"] == 4
    again = write(tmp_path, config.to_yaml(), "experiment.yaml")
    assert load_experiments([again], registries=known) == [config]


_SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "alpha": st.sampled_from([0.25, 1e-6]),
        "episodes": st.integers(1, 10**6),
        "clip": st.none() | st.just(2.5),
        "env_name": st.sampled_from(["pong", "Breakout"]),
    },
)
_TREES = st.recursive(
    _SETTINGS,
    lambda inner: st.builds(
        lambda own, below: {**own, "variants": [{**each, "seed": n} for n, each in enumerate(below)]},
        _SETTINGS,
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


def merged(tree: dict, above: dict | None = None) -> list[dict]:
    """The plain way: returns what each leaf of a tree sets."""
    own = {**(above or {}), **{name: value for name, value in tree.items() if name != "variants"}}
    return [leaf for each in tree.get("variants", []) for leaf in merged(each, own)] or [own]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(_TREES)
def test_any_nesting_gives_what_plain_merging_gives(tmp_path, tree):
    text = yaml.safe_dump({**tree, "run_count": 1})
    wanted = merged(tree)
    try:
        configs = load(tmp_path, text)
    except InputError as error:
        # Two leaves override the same things by the same values; seeds tell only those of one list apart.
        assert "already" in str(error)
        return
    assert len(configs) == len(wanted)
    for config, leaf in zip(configs, wanted, strict=True):
        leaf = {**leaf, "env_name": "ALE/Breakout-v5"} if leaf.get("env_name") == "Breakout" else leaf
        assert {name: config.values[name] for name in leaf} == leaf
        for name, default in {"alpha": 5e-6, "episodes": 5000, "clip": 1.0, "seed": 0}.items():
            if name not in leaf:
                assert config.values[name] == default
                assert config.origins[name] == "default"
