"""The picture of all runs."""

import io

from rich.console import Console

from merlin.launch.job import Job, Outcome
from merlin.launch.live_view import LiveView, Row, duration, picture
from merlin.run_folder import RunFolder


def drawn(rows, height=30) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(picture(rows, begun=0.0, now=100.0, height=height))
    return console.file.getvalue()  # ty: ignore[missing-attribute]


def job(run, folder="nowhere") -> Job:
    return Job(RunFolder(folder), "pong", "dqn", run, 200)


def test_rates_and_time_left():
    status = {"episode": 60, "mean_reward": -20.345, "steps_per_second": 1234.5}
    rows = [
        Row(job(0), "running", status, first_episode=10, first_seen=50.0),
        Row(job(1), "waiting"),
        Row(job(2), "finished"),
    ]
    lines = drawn(rows).splitlines()
    assert lines[1].split()[:3] == ["pong", "0@dqn", "running"]
    assert lines[1].split()[-4:] == ["60/200", "-20.34", "1,234", "2:20"]
    assert lines[-1].rstrip() == "3 runs: 1 running, 1 waiting, 1 finished; 1:40 so far, 11:20 left"


def test_more_runs_than_fit():
    rows = [Row(job(run), "waiting") for run in range(100)]
    text = drawn(rows, height=10)
    assert len(text.splitlines()) == 12
    assert "100 runs: 100 waiting (90 not shown)" in text


def test_duration():
    assert [duration(None), duration(0.4), duration(75), duration(3661)] == ["-", "0:00", "1:15", "1:01:01"]


def test_a_resume_below_the_last_episode_is_no_negative_progress(tmp_path):
    folder = RunFolder(tmp_path)
    one = Job(folder, "pong", "dqn", 0, 200)
    console = Console(file=io.StringIO(), force_terminal=True, width=120, height=40)
    view = LiveView([one], console)
    view.started(one)
    for episode in (50, 40, 45):
        folder.write_status({"state": "running", "episode": episode})
        view._draw()
    assert view._rows[one].first_episode == 40
    folder.write_status({"state": "failed", "episode": 45, "message": "why"})
    view.ended(Outcome(one, "failed", "why"))
    view.close()
    assert "failed" in console.file.getvalue()  # ty: ignore[missing-attribute]
