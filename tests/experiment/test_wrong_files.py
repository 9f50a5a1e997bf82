"""A battery of wrong files: each fault is told once, with its file, line, key, value and what is allowed."""

import os

import pytest

from merlin.errors import InputError
from merlin.experiment import load_experiments
from tests.fakes import load, registries, write

# A text, and per fault the line that it is on (None: none) and words that its message must have.
WRONG = {
    "typo": ("alfa: 0.05", [(1, "alfa: 0.05: there is no such parameter; did you mean 'alpha'?")]),
    "nothing like it": ("xyzzy: 1", [(1, "see `merlin show parameters`")]),
    "hyphens": ("batch-size: 1", [(1, "did you mean 'batch_size'?")]),
    "text for a number": ("alpha: fast", [(1, "alpha: fast is not allowed; allowed: a number > 0")]),
    "quoted number": ("alpha: '1e-4'", [(1, "without quotes")]),
    "number for text": ("env_name: 3", [(1, "env_name: 3 is not allowed; allowed: text (put it in quotes)")]),
    "number for a switch": ("double: 1", [(1, "double: 1 is not allowed; allowed: true or false")]),
    "yes for a switch": ("double: yes", [(1, "allowed: true or false")]),
    "switch for a number": (
        "episodes: true",
        [(1, "episodes: true is not allowed; allowed: a whole number ≥ 1")],
    ),
    "fraction": ("episodes: 1.5", [(1, "a whole number")]),
    "nothing": ("episodes:", [(1, "episodes: null is not allowed")]),
    "infinite": ("alpha: .inf", [(1, "alpha: .inf is not allowed")]),
    "not a number": ("alpha: .nan", [(1, "alpha: .nan is not allowed")]),
    "list for a number": ("alpha: [1]", [(1, "alpha: [1] is not allowed")]),
    "mapping for a number": ("alpha: {a: 1}", [(1, "alpha: {a: 1} is not allowed")]),
    "number for a list": ("net_name: cnn\nfeatures: 3", [(2, "allowed: a list of whole numbers")]),
    "text in a list": ("net_name: cnn\nfeatures: [1, 2, x]", [(2, "features: [1, 2, x] is not allowed")]),
    "short list": ("net_name: cnn\nfeatures: [1]", [(2, "at least 3 of them")]),
    "too small": ("episodes: 0", [(1, "episodes: 0 is not allowed; allowed: a whole number ≥ 1")]),
    "too large": ("gamma: 1.01", [(1, "gamma: 1.01 is not allowed; allowed: a number ≥ 0 and ≤ 1")]),
    "other name": ("max_episodes: 0", [(1, "max_episodes: 0 is not allowed")]),
    "no such choice": ("loss: hubber", [(1, "loss: hubber is not allowed; allowed: huber or squared")]),
    "unknown agent": (
        "agent_name: dobule_dqn",
        [(1, "Unknown agent 'dobule_dqn'. Did you mean 'double_dqn'?")],
    ),
    "unknown net": ("net_name: cn", [(1, "Unknown net 'cn'. Did you mean 'cnn'?")]),
    "unknown environment": ("env_name: Brekout", [(1, "Unknown env 'Brekout'. Did you mean 'Breakout'?")]),
    "written twice": ("alpha: 0.1\nalpha: 0.2", [(2, "alpha: written twice; it is on line 1 already")]),
    "two names": (
        "episodes: 1\nmax_episodes: 1",
        [(2, "max_episodes: `episodes` on line 1 is the same")],
    ),
    "of another component": (
        "features: [1, 2, 3]",
        [(1, "no run that it is meant for uses it; it belongs to the net cnn")],
    ),
    "of no learner": (
        "agent_name: random_walker\nalpha: 0.1\nnet_name: cnn",
        [(2, "belongs to the agents double_dqn, dqn, dueling_dqn"), (3, "net_name: cnn: no run")],
    ),
    "used elsewhere only": (
        "variants:\n - net_name: cnn\n - features: [8, 8, 8]",
        [(3, "no run that it is meant for uses it")],
    ),
    "same variant": (
        "variants:\n - {}\n - {}",
        [
            (3, "has a variant 'default' already"),
        ],
    ),
    "same variant otherwise written": (
        "variants:\n - alpha: 1e-1\n - alpha: 0.1",
        [(3, "'alpha=0.1' already")],
    ),
    "same variant in other letters": (
        "variants:\n - variant: A\n - variant: a",
        [(3, "a variant 'a' already")],
    ),
    "name of the analysis": ("variant: Analysis", [(1, "for its statistics")]),
    "name that is a path": (
        "variant: ../../etc",
        [(1, "variant: ../../etc is not allowed: it becomes the name of a folder")],
    ),
    "name that is a path, above": (
        "variant: a/b\nvariants: [{gamma: 0.5}]",
        [(1, "variant: a/b is not allowed")],
    ),
    "variants are no list": (
        "variants: {alpha: 1}",
        [(1, "variants: a list with at least one variant is needed")],
    ),
    "no variants": ("variants: []", [(1, "at least one variant")]),
    "variants left empty": ("variants:", [(1, "at least one variant")]),
    "variant is no mapping": ("variants:\n - alpha\n - {}", [(2, "variants: alpha is not a variant")]),
    "variant left empty": ("variants:\n -\n - {}", [(2, "variants: null is not a variant")]),
    "batch larger than memory": (
        "batch_size: 64\nmemory_size: 32",
        [(2, "batch_size is 64, but memory_size only 32")],
    ),
    "batch larger than a variant's memory": (
        "batch_size: 64\nvariants: [{memory_size: 32}, {}]",
        [(2, "batch_size is 64, but memory_size only 32")],
    ),
    "memory of too many copies": (
        "num_envs: 100\nmemory_size: 300",
        [(2, "gives each of num_envs 100 copies 3 observations")],
    ),
    "number of the last run": ("run: 2147483647", [(1, "must stay below 2,147,483,648")]),
    "millions of runs": ("run_count: 1e9", [(1, "allowed: a whole number ≥ 1 and ≤ 10,000")]),
    "a list at the top": (
        "- alpha: 1",
        [(1, "the file must hold parameters, `name: value` line by line, not a list")],
    ),
    "a word at the top": ("alpha", [(1, "not a single value")]),
    "forgotten space": ("alpha:1", [(1, "not a single value")]),
    "empty": ("", [(None, "the file is empty")]),
    "only a comment": ("---\n# nothing\n", [(None, "the file is empty")]),
    "only null": ("---\nnull\n", [(None, "the file is empty")]),
    "two documents": ("alpha: 1\n---\nalpha: 2", [(2, "single document")]),
    "tab": ("variants:\n\t- alpha: 1", [(2, "tabs")]),
    "not closed": ("alpha: [1, 2\ngamma: 1", [(2, "not YAML")]),
    "code": (
        "alpha: !!python/object/apply:os.getcwd []",
        [(1, "the tag !!python/object/apply:os.getcwd is not allowed")],
    ),
    "anchor in itself": ("variants: &a\n - variants: *a", [(1, "contains itself")]),
    "merging no mapping": ("<<: 3\nalpha: 1", [(1, "only parameters can be taken over")]),
    "number as a key": ("1: 2", [(1, "1: the name of a parameter is needed")]),
    "list as a key": ("[a]: 2", [(1, "the name of a parameter is needed")]),
    "imports of nothing": ("imports: [nothing.py]", [(1, "there is no file")]),
    "imports are no list": (
        "imports: my_net.py",
        [(1, "imports: my_net.py is not allowed; allowed: a list of text")],
    ),
    "several at once": (
        "alfa: 1\nepisodes: 0\nagent_name: dqnn\nvariants:\n - gamma: 2\n - memory_size: x",
        # With an unknown agent nothing can be said of gamma and memory_size.
        [(1, "alfa"), (2, "episodes: 0"), (3, "dqnn")],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_message_says_where_and_what(tmp_path, name):
    text, faults = WRONG[name]
    with pytest.raises(InputError) as error:
        load(tmp_path, text)
    message = str(error.value)
    lines = message.splitlines()[1:] if len(faults) > 1 else message.splitlines()
    assert len(lines) == len(faults), message
    for line, (number, words) in zip(lines, faults, strict=True):
        place = f"{tmp_path / 'experiment_one.yaml'}" + (f":{number}: " if number else ": ")
        assert line.strip().startswith(place), message
        assert words in line, message
    assert error.value.exit_code == 2


def test_one_fault_of_many_runs_is_told_once(tmp_path):
    variants = "\n".join(f" - alpha: 0.{n}" for n in range(1, 50))
    with pytest.raises(InputError) as error:
        load(tmp_path, f"gamma: 2\nvariants:\n{variants}")
    assert str(error.value).count("gamma") == 1


def test_a_wrong_value_that_every_variant_overrides_does_not_matter(tmp_path):
    assert load(tmp_path, "gamma: 0.5\nvariants: [{gamma: 1}]")


def test_the_faults_of_all_files_and_of_the_command_line_are_told_together(tmp_path):
    paths = [write(tmp_path, "alfa: 1", "a.yaml"), write(tmp_path, "[", "b.yaml"), tmp_path / "c.yaml"]
    with pytest.raises(InputError) as error:
        load_experiments(paths, ["gama=1", "episodes"], registries())
    message = str(error.value)
    for words in (
        "5 faults",
        "a.yaml:1: alfa",
        "b.yaml:1: not YAML",
        "c.yaml: there is no such file",
        "--set gama=1",
        "--set episodes: ",
    ):
        assert words in message


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("alfa=1", "did you mean 'alpha'"),
        ("alpha", "key=value"),
        ("=1", "key=value"),
        ("variants=[{}]", "variants belong into a file"),
        ("alpha=-1", "alpha: -1 is not allowed"),
        ("alpha=[", "not YAML"),
        ("features=[8, 8, 8]", "it belongs to the net cnn"),
    ],
)
def test_wrong_settings_of_the_command_line(tmp_path, override, words):
    with pytest.raises(InputError) as error:
        load(tmp_path, "seed: 1", override)
    assert str(error.value).startswith(f"--set {override}: ")
    assert words in str(error.value)


def test_a_parameter_set_twice_on_the_command_line(tmp_path):
    with pytest.raises(InputError, match="twice"):
        load(tmp_path, "seed: 1", "episodes=1", "max_episodes=2")


@pytest.mark.parametrize(
    ("texts", "same"),
    [
        (("experiment: x", "experiment: x\nalpha: 0.5"), True),
        (("experiment: x", "experiment: X"), True),
        (("experiment: x\nrun_count: 1", "experiment: x\nrun_count: 1\nrun: 1\nalpha: 0.5"), True),
        (("experiment: x\nrun_count: 1", "experiment: x\nrun_count: 1\nrun: 1"), False),
        (("experiment: x", "experiment: x\nvariant: other"), False),
    ],
)
def test_two_files_with_one_variant_of_one_experiment(tmp_path, texts, same):
    paths = [write(tmp_path, text, f"{index}.yaml") for index, text in enumerate(texts)]
    if not same:
        assert load_experiments(paths, registries=registries())
        return
    with pytest.raises(
        InputError, match=r"1\.yaml:1: variant: experiment '.' has a variant 'default' already, at .*0\.yaml"
    ):
        load_experiments(paths, registries=registries())


def raw(folder, content: bytes):
    path = folder / "experiment.yaml"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: raw(folder, b"seed: 1\nalpha: \xff\xfe"), "experiment.yaml:2: not text in UTF-8"),
        (lambda folder: raw(folder, "seed: 1".encode("utf-16")), "not text in UTF-8"),
        (lambda folder: raw(folder, b"\x00\x01\x02"), "not YAML"),
        (lambda folder: raw(folder, b"a: " + b"[" * 5_000_000), "not an experiment file"),
        (lambda folder: folder, "this is a folder"),
        (lambda folder: folder / "nothing.yaml", "there is no such file"),
        (lambda folder: folder / "nothing.yaml" / "below", "there is no such file"),
        (lambda folder: folder / ("x" * 300), "cannot be read"),
        (lambda folder: os.mkfifo(folder / "pipe") or folder / "pipe", "this is not a file"),
    ],
)
def test_what_cannot_be_read(tmp_path, make, words):
    with pytest.raises(InputError) as error:
        load_experiments([make(tmp_path)], registries=registries())
    assert words in str(error.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    path = write(tmp_path, "seed: 1")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        load_experiments([path], registries=registries())


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    path = raw(tmp_path, b"\xef\xbb\xbf---\r\nmax_episodes: 7\r\nalpha: 0.5\r\n")
    assert load_experiments([path], registries=registries())[0].values["episodes"] == 7


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1\nraise RuntimeError('broken')", "line 2: RuntimeError: broken"),
        ("x = (", "line 1: SyntaxError"),
        ("import nothing_of_this_name", "line 1: ModuleNotFoundError"),
        ("import sys; sys.exit(3)", "SystemExit"),
    ],
)
def test_imports_that_fail(tmp_path, code, words):
    extension = write(tmp_path, code, f"broken_{len(code)}.py")
    with pytest.raises(InputError) as error:
        load(tmp_path, f"seed: 1\nimports: [{extension.name}]")
    assert "experiment_one.yaml:2: imports: " in str(error.value)
    assert words in str(error.value)
