"""The whole analysis: what is written, what is said, and what may be wrong with a folder."""

import csv
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from merlin import run_folder
from merlin.analysis import analyze
from merlin.errors import InputError, MerlinError
from merlin.run_folder import RunFolder
from tests.analysis.folders import HEADER, write_run

FILES = ["pairwise.csv", "reward.png", "reward.svg", "reward_dist.png", "reward_dist.svg", "reward_stats.csv"]


def rows(folder: Path, name: str = "reward_stats.csv") -> list[dict[str, str]]:
    with (folder / "analysis" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def texts(svg: Path) -> str:
    assert svg.stat().st_size < 1_000_000
    return "\n".join("".join(element.itertext()) for element in ElementTree.parse(svg).iter() if "text" in element.tag)


def test_an_experiment_gives_tables_plots_and_words(tmp_path: Path):
    pong = tmp_path / "pong"
    for run, (good, bad) in enumerate([(20, -20), (19, -21), (21, -20)]):
        write_run(pong, "dqn", run, [good] * 4 + [good - 1])
        write_run(pong, "random_walker", run, [bad] * 5, epsilons=[""] * 5)
    summary = analyze(pong)
    assert sorted(path.name for path in (pong / "analysis").iterdir()) == FILES
    assert sorted(summary.written) == sorted(pong / "analysis" / name for name in FILES)
    first, second = rows(pong)
    assert (first["rank"], first["variant"], second["variant"]) == ("1", "dqn", "random_walker")
    assert (first["runs"], first["runs_used"], first["episodes_used"]) == ("3", "3", "15")
    assert float(first["run_reward_mean"]) == pytest.approx(19.8)
    assert float(first["reward_lower_95"]) == pytest.approx(19.8 - 4.302652730 / np.sqrt(3))
    assert float(first["episode_steps_mean"]) == 10
    assert first["ranked_by"] == "lower_95"
    [pair] = rows(pong, "pairwise.csv")
    assert (pair["first"], pair["second"], pair["runs_first"]) == ("dqn", "random_walker", "3")
    assert float(pair["difference"]) == pytest.approx(19.8 + 61 / 3)
    assert float(pair["p_holm"]) < 0.001
    for name in ("reward.svg", "reward_dist.svg"):
        for label in ("dqn", "random_walker", "pong"):
            assert label in texts(pong / "analysis" / name)
    assert "dqn (n = 3)" in texts(pong / "analysis" / "reward.svg")
    for words in (
        "dqn over random_walker",
        "Ranked by the lower bound.",
        "reward_stats.csv",
        "Fewer than 5 runs",
    ):
        assert words in str(summary)


def test_the_same_numbers_give_the_same_files(tmp_path: Path):
    write_run(tmp_path / "pong", "dqn", 0)
    analyze(tmp_path)
    first = {name: (tmp_path / "pong" / "analysis" / name).read_bytes() for name in FILES}
    analyze(tmp_path)
    assert first == {name: (tmp_path / "pong" / "analysis" / name).read_bytes() for name in FILES}


def test_several_experiments_are_analysed_each(tmp_path: Path):
    write_run(tmp_path / "pong", "dqn", 0)
    write_run(tmp_path / "cartpole", "dqn", 0)
    summary = analyze(str(tmp_path))
    assert [found.folder.name for found in summary.experiments] == ["cartpole", "pong"]
    assert len(rows(tmp_path / "pong")) == len(rows(tmp_path / "cartpole")) == 1


def test_one_run_alone_is_ranked_by_its_mean_and_the_table_says_so(tmp_path: Path):
    run = write_run(tmp_path / "pong", "dqn", 0, [7])
    summary = analyze(run)
    [row] = rows(tmp_path / "pong")
    assert (row["run_reward_mean"], row["reward_lower_95"], row["reward_upper_95"]) == ("7.0", "", "")
    assert (row["episode_reward_std"], row["ranked_by"]) == ("", "run_reward_mean")
    assert rows(tmp_path / "pong", "pairwise.csv") == []
    assert "Ranked by reward, since no variant has the two runs" in str(summary)
    assert "A variant with one run has no interval" in str(summary)


def test_a_mixture_of_one_and_more_runs_says_how_it_is_ranked(tmp_path: Path):
    write_run(tmp_path, "many", 0, [1])
    write_run(tmp_path, "many", 1, [2])
    write_run(tmp_path, "single", 0, [100])
    assert "Variants of one run have none and stand below" in str(analyze(tmp_path))
    assert [row["variant"] for row in rows(tmp_path)] == ["many", "single"]


def test_all_that_is_not_in_the_numbers_is_listed_and_nothing_counts_as_zero(tmp_path: Path):
    write_run(tmp_path, "dqn", 0, [10, 20])
    write_run(tmp_path, "dqn", 1, [10], "failed", "the disk is full")
    write_run(tmp_path, "dqn", 2, None, "failed", "the disk is full")
    write_run(tmp_path, "dqn", 3, [10], "interrupted")
    write_run(tmp_path, "dqn", 4, None, None)
    write_run(tmp_path, "dqn", 5, log=HEADER + "\n")
    write_run(tmp_path, "dqn", 6, log="no log\n")
    write_run(tmp_path, "gone", 0, None, "failed")
    live = write_run(tmp_path, "live", 0, [5], "running")
    with RunFolder(live).lock():
        summary = analyze(tmp_path)
    dqn, live_row, gone = rows(tmp_path)
    states = {name: dqn[name] for name in ("finished", "running", "interrupted", "failed", "missing", "runs")}
    assert states == {
        "finished": "1",
        "running": "0",
        "interrupted": "1",
        "failed": "2",
        "missing": "3",
        "runs": "7",
    }
    assert (dqn["run_reward_mean"], dqn["runs_used"]) == ("15.0", "1")
    assert (live_row["variant"], live_row["provisional"], live_row["running"]) == ("live", "yes", "1")
    assert (gone["variant"], gone["run_reward_mean"], gone["ranked_by"]) == ("gone", "", "")
    text = "\n".join(summary.warnings)
    for words in (
        "dqn: failed, and not in its numbers: runs 1 (1 of 100 episodes) and 2: the disk is full",
        "dqn: interrupted, and not in its numbers: run 3 (1 of 100 episodes)",
        "dqn: missing, for want of episodes or of a readable log: runs 4, 5 and 6",
        "dqn, run 6: train_log.csv cannot be used",
        "live: no run has finished; its numbers are those of unfinished runs so far.",
        "gone: no run with results, so it has no numbers.",
    ):
        assert words in text
    assert "1 of 7 (1 interrupted, 2 failed, 3 missing)" in str(summary)


def test_nothing_at_all_to_show_still_gives_files(tmp_path: Path):
    write_run(tmp_path, "dqn", 0, None, "failed", "no ROM")
    assert "no ROM" in str(analyze(tmp_path))
    assert "no run has an episode yet" in texts(tmp_path / "analysis" / "reward.svg")
    assert "no run with results" in texts(tmp_path / "analysis" / "reward_dist.svg")


def test_rewards_that_are_no_numbers_are_shown_and_said(tmp_path: Path):
    write_run(tmp_path, "dqn", 0, [1, "nan", 3])
    write_run(tmp_path, "dqn", 1, [1, 2, "inf"])
    summary = analyze(tmp_path)
    [row] = rows(tmp_path)
    assert row["run_reward_mean"] == "nan"
    assert "no finite number among its tail episodes (run 0: 1, run 1: 1)" in str(summary)


def test_unequal_lengths_and_tails_are_said(tmp_path: Path):
    write_run(tmp_path, "dqn", 0, [1, 2, 3], tail=2)
    write_run(tmp_path, "dqn", 1, [1, 2], tail=3)
    summary = analyze(tmp_path)
    assert "unequal lengths (2 to 3 episodes)" in str(summary)
    assert "unequal tails (2 to 3 episodes)" in str(summary)
    assert "the last 2 to 3 episodes of each run" in str(summary)
    assert "dqn (n = 2 → 1)" in texts(tmp_path / "analysis" / "reward.svg")


def test_forty_variants_are_all_in_table_and_plots(tmp_path: Path):
    rng = np.random.default_rng(0)
    for variant in range(40):
        for run in range(2):
            write_run(tmp_path, f"alpha=0.{variant:02}", run, rng.normal(variant, 3, 300).tolist(), tail=100)
    analyze(tmp_path)
    assert len(rows(tmp_path)) == 40
    assert len(rows(tmp_path, "pairwise.csv")) == 40 * 39 / 2
    for name in ("reward.svg", "reward_dist.svg"):
        shown = texts(tmp_path / "analysis" / name)
        assert all(f"alpha=0.{variant:02}" in shown for variant in range(40))


def test_odd_names_are_shown_as_they_are(tmp_path: Path):
    for name in ("_hidden", "cost=$1$", "a&b<c>", "学习"):
        write_run(tmp_path, name, 0)
    analyze(tmp_path)
    for name in ("reward.svg", "reward_dist.svg"):
        for label in ("_hidden", "cost=$1$", "a&b<c>", "学习"):
            assert label in texts(tmp_path / "analysis" / name)


def test_a_folder_that_cannot_be_written_is_a_message(tmp_path: Path):
    write_run(tmp_path, "dqn", 0)
    (tmp_path / "analysis").write_text("in the way")
    with pytest.raises(MerlinError, match=f"cannot write {tmp_path / 'analysis'}"):
        analyze(tmp_path)


def test_a_full_disk_is_a_message_and_leaves_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_run(tmp_path, "dqn", 0)
    analyze(tmp_path)
    before = {name: (tmp_path / "analysis" / name).read_bytes() for name in FILES}

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_folder.os, "fsync", full)
    with pytest.raises(MerlinError, match="disk is full"):
        analyze(tmp_path)
    assert {path.name: path.read_bytes() for path in (tmp_path / "analysis").iterdir()} == before


def test_a_folder_without_runs_is_an_input_error_and_nothing_is_made(tmp_path: Path):
    with pytest.raises(InputError):
        analyze(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_it_loads_no_torch_no_environment_and_no_training():
    code = "import sys, merlin.analysis; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    for module in ("torch", "gymnasium", "ale_py", "merlin.training", "matplotlib.pyplot", "scipy.stats"):
        assert module not in loaded
