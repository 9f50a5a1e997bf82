"""Worker processes: each on its own, stopped together, none left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil

from merlin.launch.local import run_all
from merlin.run_folder import RunFolder
from tests.launch.fakes import SilentView, command, jobs, starts, wait_until


def fates(outcomes) -> dict[str, str]:
    return {outcome.job.variant: outcome.fate for outcome in outcomes}


def test_one_that_fails_stops_no_other(tmp_path):
    view = SilentView()
    outcomes = run_all(jobs(tmp_path, "bug", "finish", "fault", "crash", "exit", "full"), 2, command, view)
    assert fates(outcomes) == {"finish": "finished"} | dict.fromkeys(
        ["bug", "fault", "crash", "exit", "full"], "failed"
    )
    by_name = {outcome.job.variant: outcome for outcome in outcomes}

    def log(variant):
        return by_name[variant].job.folder.error_log.read_text()

    assert by_name["bug"].message == "ValueError: something is wrong here"
    assert "Traceback" in log("bug") and "fake_worker.py" in log("bug")
    assert by_name["fault"].message == "no such game: Pnog" and log("fault") == "no such game: Pnog\n"
    assert "SIGSEGV" in by_name["crash"].message and "last words" in log("crash")
    assert "exit code 7" in by_name["exit"].message
    assert "disk is full" in by_name["full"].message and "train_log.csv" in by_name["full"].message
    assert "Traceback" not in log("full")
    for outcome in outcomes:
        assert outcome.job.folder.state() == outcome.fate
        if outcome.fate == "failed":
            assert outcome.job.folder.read_status()["message"] == outcome.message
    console = by_name["bug"].job.folder.console_log.read_text()
    assert console.endswith(">>> fake | 0@bug | failed: ValueError: something is wrong here\n")
    assert view.events[:2] == [("started", "bug"), ("started", "finish")]


def test_only_what_is_missing_runs_again(tmp_path):
    run_all(jobs(tmp_path, "finish", "bug"), 2, command, SilentView())
    outcomes = run_all(jobs(tmp_path, "finish", "bug"), 2, command, SilentView())
    assert fates(outcomes) == {"finish": "skipped", "bug": "failed"}
    assert [starts(outcome.job.folder) for outcome in outcomes] == [1, 2]
    assert not outcomes[0].job.folder.replay.exists()


def test_a_second_start_clears_the_errors_of_the_first(tmp_path):
    [job] = jobs(tmp_path, "finish")
    job.folder.error_log.write_text("of the first")
    run_all([job], 1, command, SilentView())
    assert not job.folder.error_log.exists()


def test_no_more_than_so_many_at_a_time(tmp_path):
    view = SilentView()
    run_all(jobs(tmp_path, "finish", "bug", "fault", "full"), 1, command, view)
    assert [kind for kind, _ in view.events] == ["started", "ended"] * 4


def test_a_worker_with_much_to_say_does_not_get_stuck(tmp_path):
    assert fates(run_all(jobs(tmp_path, "chatty"), 1, command, SilentView())) == {"chatty": "finished"}


def test_a_folder_held_by_somebody_else_is_left_alone(tmp_path):
    [job] = jobs(tmp_path, "finish")
    with job.folder.lock():
        [outcome] = run_all([job], 1, command, SilentView())
    assert outcome.fate == "held" and str(os.getpid()) in outcome.message
    assert starts(job.folder) == 0
    assert sorted(os.listdir(job.folder.path)) == [".lock", "experiment.yaml"]


def interrupt_when(condition, times=1, number=signal.SIGINT) -> threading.Thread:
    def send():
        wait_until(condition)
        for _ in range(times):
            os.kill(os.getpid(), number)
            time.sleep(1.3)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def test_ctrl_c_lets_the_runs_write_their_checkpoints(tmp_path):
    todo = jobs(tmp_path, "wait", "setup", "finish")
    view = SilentView()
    thread = interrupt_when(lambda: all(starts(job.folder) for job in todo[:2]))
    begun = time.monotonic()
    outcomes = run_all(todo, 2, command, view)
    thread.join()
    assert time.monotonic() - begun < 15
    assert set(fates(outcomes).values()) == {"interrupted"}
    assert (todo[0].folder.path / "checkpointed").exists()
    assert starts(todo[2].folder) == 0
    assert [job.folder.state() for job in todo] == ["interrupted", "interrupted", "waiting"]
    assert any("checkpoints" in text for kind, text in view.events if kind == "note")


def test_a_second_ctrl_c_ends_the_runs_at_once(tmp_path):
    todo = jobs(tmp_path, "deaf")
    thread = interrupt_when(lambda: starts(todo[0].folder), times=2, number=signal.SIGTERM)
    outcomes = run_all(todo, 1, command, SilentView())
    thread.join()
    assert fates(outcomes) == {"deaf": "interrupted"}
    assert todo[0].folder.state() == "interrupted"


PARENT = """
import sys
from pathlib import Path
from merlin.launch.local import run_all
from tests.launch.fakes import SilentView, command, jobs
run_all(jobs(Path(sys.argv[1]), "wait", "deaf"), 2, command, SilentView())
"""
ROOT = Path(__file__).parents[2]


def test_a_kill_of_the_parent_leaves_no_orphan(tmp_path):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], cwd=ROOT)
    folders = [RunFolder(tmp_path / "fake" / variant / "0") for variant in ("wait", "deaf")]
    wait_until(lambda: all(starts(folder) for folder in folders))
    workers = [psutil.Process(int((folder.path / "starts").read_text())) for folder in folders]
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(worker.is_running() for worker in workers), seconds=5)
    assert [folder.state() for folder in folders] == ["interrupted", "interrupted"]
