"""console.log: lines for people."""

from merlin.training.console import Console, format_line
from merlin.training.record import Progress
from tests.training.records import record


def test_the_line_of_an_episode_has_all_that_is_asked_for():
    line = format_line(
        record(7, epsilon=0.25, reward=-21.0, mean_loss=0.0123, steps=812, seconds=3.4), "pong | 2@dqn", 5000
    )
    assert line == (
        "episode    7/5000 | pong | 2@dqn | epsilon 0.250 | reward   -21.00 | loss    0.0123 | steps   812"
        " |    3.40 s\n"
    )


def test_lines_align_whatever_the_numbers(tmp_path):
    lines = [
        format_line(record(1), "a | 0@b", 300),
        format_line(record(300, reward=123.5, mean_loss=1.5e-7, epsilon=0.1, steps=500, seconds=61.25), "a | 0@b", 300),
    ]
    assert len(lines[0]) == len(lines[1])
    assert [i for i, c in enumerate(lines[0]) if c == "|"] == [i for i, c in enumerate(lines[1]) if c == "|"]


def test_events_are_marked_and_a_resume_is_told(tmp_path):
    path = tmp_path / "console.log"
    first = Console(path, "pong", "dqn", 0)
    first.on_start(Progress(0, 10))
    first.event("model saved:\nmodel/final.pt")
    first.close()
    second = Console(path, "pong", "dqn", 0)
    second.on_start(Progress(episode=4, episodes=10, env_steps=12345, frames=4, updates=99))
    second.on_episode(record(5))
    second.close()
    second.close()
    lines = path.read_text().splitlines()
    assert lines[0] == ">>> pong | 0@dqn | model saved: model/final.pt"
    assert lines[1] == ">>> pong | 0@dqn | resumed after episode 4 of 10, step 12,345, update 99"
    assert lines[2].startswith("episode  5/10 | pong | 0@dqn |")
