"""The commands: what they call, print and return, and that they start fast."""

import subprocess
import sys
from pathlib import Path

import pytest

import merlin
from merlin import cli
from merlin.errors import InputError, MerlinError

CARTPOLE = "env_name: CartPole-v1\nepisodes: 3\nrun_count: 2\nnet_name: fc\nmemory_size: 1000\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A project folder with one small experiment, as the current one."""
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "small.yaml").write_text(CARTPOLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def started(monkeypatch):
    """What the launcher and the analysis were called with; neither does anything."""
    calls: dict = {"analyzed": [], "code": 0}

    def start(configs, results, workers):
        calls.update(configs=configs, results=results, workers=workers)
        return calls["code"]

    def analyze(path):
        calls["analyzed"].append(path)
        return f"analysis of {path}"

    monkeypatch.setattr("merlin.launch.start", start)
    monkeypatch.setattr("merlin.analysis.analyze", analyze)
    return calls


def python(code: str, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_train_takes_every_experiment_and_analyses_it(folder, started, capsys):
    (folder / "experiments" / "another.yaml").write_text(CARTPOLE)
    (folder / "experiments" / "notes.txt").write_text("not an experiment")
    assert cli.main(["train"]) == 0
    assert [config.values["experiment"] for config in started["configs"]] == ["another"] * 2 + ["small"] * 2
    assert (started["results"], started["workers"]) == (Path("results"), None)
    assert started["analyzed"] == [Path("results/another"), Path("results/small")]
    assert "analysis of results/small" in capsys.readouterr().out


def test_train_with_everything_given(folder, started):
    code = cli.main(
        "train experiments/small.yaml --results out --workers 2 --set max_episodes=9 --set alpha=1e-3".split()
    )
    assert code == 0
    assert (started["results"], started["workers"]) == (Path("out"), 2)
    values = started["configs"][0].values
    assert (values["episodes"], values["alpha"]) == (9, 1e-3)


def test_files_may_stand_before_and_after_options(folder, started):
    (folder / "b.yaml").write_text(CARTPOLE)
    cli.main("train experiments/small.yaml --workers 1 b.yaml".split())
    assert {config.values["experiment"] for config in started["configs"]} == {"small", "b"}


@pytest.mark.parametrize(("code", "analyzed"), [(0, 1), (1, 1), (130, 0)])
def test_the_exit_code_of_the_launcher_is_kept(folder, started, code, analyzed):
    started["code"] = code
    assert cli.main(["train"]) == code
    assert len(started["analyzed"]) == analyzed


def test_an_analysis_that_fails_is_told(folder, started, monkeypatch, capsys):
    def analyze(path):
        raise MerlinError(f"{path} cannot be written")

    monkeypatch.setattr("merlin.analysis.analyze", analyze)
    assert cli.main(["train"]) == 1
    assert "results/small cannot be written" in capsys.readouterr().err


def test_replays_that_do_not_fit_are_refused_before_anything_starts(folder, started, monkeypatch, capsys):
    monkeypatch.setattr("merlin.experience.memory.free_memory", lambda: 1_000_000)
    assert cli.main(["train", "--set", "memory_size=50_000_000"]) == 1
    assert "memory_size" in capsys.readouterr().err
    assert "configs" not in started
    assert not (folder / "results").exists()


def test_a_dry_run_shows_every_run_and_starts_nothing(folder, started, capsys):
    assert cli.main(["train", "--dry-run", "--set", "seed=7"]) == 0
    out = capsys.readouterr().out
    assert "configs" not in started
    assert sorted(path.name for path in folder.iterdir()) == ["experiments"]
    lines = {tuple(line.split()[:2]): line.rstrip() for line in out.splitlines()}
    assert lines["seed", "7"].endswith("command line")
    assert "file experiments/small.yaml:2" in lines["episodes", "3"]
    assert lines["alpha", "5.0e-06"].split()[2] == "default"
    assert "runs 0, 1; replay:" in out
    assert " bytes (" in out
    assert "2 runs in all. Nothing was started." in out


def test_a_wrong_file_is_a_message_and_exit_code_2_and_nothing_is_created(folder, capsys):
    (folder / "experiments" / "wrong.yaml").write_text("alfa: 1\nepisodes: -3\n")
    assert cli.main(["train"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "experiments/wrong.yaml:1: alfa: 1: there is no such parameter; did you mean 'alpha'?" in captured.err
    assert "experiments/wrong.yaml:2: episodes: -3 is not allowed" in captured.err
    assert "Traceback" not in captured.err
    assert sorted(path.name for path in folder.iterdir()) == ["experiments"]


def test_no_experiments_at_all(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["train"]) == 2
    assert "no file matches experiments/*.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"), [(MerlinError("world"), 1), (InputError("user"), 2), (KeyboardInterrupt(), 130)]
)
def test_foreseen_errors_are_messages(folder, monkeypatch, capsys, error, code):
    def fail(*arguments):
        raise error

    monkeypatch.setattr("merlin.launch.start", fail)
    assert cli.main(["train"]) == code
    captured = capsys.readouterr()
    assert str(error) in captured.err
    assert "Traceback" not in captured.err


def test_an_unforeseen_error_keeps_its_traceback(folder, monkeypatch):
    monkeypatch.setattr("merlin.launch.start", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.main(["train"])


@pytest.mark.parametrize(
    "arguments",
    [[], ["trian"], ["train", "--workers", "0"], ["train", "--wrokers", "1"], ["analyze"], ["show", "x"]],
)
def test_wrong_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    assert end.value.code == 2
    assert "usage: merlin" in capsys.readouterr().err


def test_analyze(folder, started, capsys):
    assert cli.main(["analyze", "results/a", "results/b"]) == 0
    assert started["analyzed"] == [Path("results/a"), Path("results/b")]


def test_analyze_nothing(folder, capsys):
    assert cli.main(["analyze", "nowhere"]) != 0
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize(("script", "command"), [(cli.train_main, "train"), (cli.analyze_main, "analyze")])
def test_the_short_scripts_are_the_commands(monkeypatch, capsys, script, command):
    monkeypatch.setattr(sys, "argv", [command, "--help"])
    with pytest.raises(SystemExit) as end:
        script()
    assert end.value.code == 0
    assert f"usage: merlin {command}" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out.strip() == f"merlin {merlin.__version__}"


@pytest.mark.parametrize("command", ["train", "analyze", "show", "doctor"])
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([command, "--help"])
    assert end.value.code == 0
    assert command in capsys.readouterr().out


def test_import_and_help_load_nothing_heavy():
    code = """
import sys, merlin.cli
try:
    merlin.cli.main(["--help"])
except SystemExit:
    pass
heavy = {"torch", "numpy", "pydantic", "rich", "yaml", "matplotlib", "pandas", "plotly", "gymnasium"}
print("loaded:", *sorted(heavy & set(sys.modules)))
"""
    result = python(code)
    assert result.stdout.splitlines()[-1].strip() == "loaded:", result.stdout + result.stderr


def test_output_to_a_reader_that_has_gone_gives_no_traceback():
    code = "import sys; from merlin.cli import main; sys.exit(main(['show', 'parameters']))"
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(60) == 1, errors
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors


def test_a_terminal_without_the_characters_gets_others():
    code = """
import sys
from merlin.cli import main
sys.stdout.reconfigure(encoding="ascii")
main(["show", "parameters", "gamma"])
"""
    result = python(code)
    assert result.returncode == 0, result.stderr
    assert "gamma" in result.stdout
