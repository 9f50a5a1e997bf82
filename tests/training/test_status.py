"""status.json: how a run stands."""

from merlin.run_folder import RunFolder
from merlin.training.record import Progress
from merlin.training.status import Status, conclude
from tests.training.records import record

SPEC = {"environment": "ALE/Pong-v5", "frame_skip": 4}


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def test_it_is_written_at_most_once_a_second(tmp_path):
    folder, clock, writes = RunFolder(tmp_path), Clock(), []
    folder.write_status = writes.append  # ty: ignore[invalid-assignment]
    status = Status(folder, SPEC, clock)
    status.on_start(Progress(0, 1000))
    for episode in range(1, 101):
        clock.now += 0.1
        status.on_episode(record(episode))
    assert 10 <= len(writes) <= 12


def test_what_it_says(tmp_path):
    folder, clock = RunFolder(tmp_path), Clock()
    status = Status(folder, SPEC, clock)
    status.on_start(Progress(0, 150))
    assert folder.read_status()["episode"] == 0 and folder.read_status()["mean_reward"] is None
    for episode in range(1, 151):
        clock.now += 0.5
        status.on_episode(record(episode, epsilon=0.5, updates=episode))
    status.close()
    said = folder.read_status()
    assert said["state"] == "running"
    assert (said["episode"], said["episodes"], said["agent_steps"], said["frames"]) == (150, 150, 1500, 6000)
    assert (said["updates"], said["epsilon"], said["seconds"]) == (150, 0.5, 75.0)
    assert said["mean_reward"] == sum(range(-150, -50)) / 100
    assert said["steps_per_second"] == 20.0
    assert {"pid", "host", "started", "updated", "message"} <= said.keys()


def test_a_resume_goes_on_with_its_mean_and_its_seconds(tmp_path):
    clock = Clock()
    first = Status(RunFolder(tmp_path), SPEC, clock)
    first.on_start(Progress(0, 10))
    for episode in (1, 2, 3):
        clock.now += 1
        first.on_episode(record(episode))
    state = first.state_dict()
    clock.now += 1000
    second = Status(RunFolder(tmp_path), SPEC, clock)
    second.load_state_dict(state)
    second.on_start(Progress(3, 10, env_steps=30))
    clock.now += 2
    second.on_episode(record(4))
    said = RunFolder(tmp_path).read_status()
    assert (said["mean_reward"], said["seconds"], said["steps_per_second"]) == (-2.5, 5.0, 5.0)


def test_the_end_is_kept(tmp_path):
    folder = RunFolder(tmp_path)
    status = Status(folder, SPEC)
    status.on_start(Progress(0, 10))
    status.on_episode(record(1))
    status.close()
    conclude(folder, "failed", "disk is full")
    status.close()
    said = folder.read_status()
    assert (said["state"], said["message"], said["episode"]) == ("failed", "disk is full", 1)


def test_a_run_that_never_began_says_nothing(tmp_path):
    Status(RunFolder(tmp_path), SPEC).close()
    assert RunFolder(tmp_path).read_status() == {}


def test_a_long_episode_is_followed_while_it_lasts(tmp_path):
    folder, now = RunFolder(tmp_path), [0.0]
    status = Status(folder, SPEC, clock=lambda: now[0])
    status.on_start(Progress(0, 10))
    assert not status.due
    now[0] = 1.5
    assert status.due
    status.on_progress(Progress(0, 10, env_steps=300, frames=1200, updates=50))
    assert not status.due
    found = folder.read_status()
    assert (found["agent_steps"], found["updates"], found["steps_per_second"]) == (300, 50, 200.0)
    assert found["environment"] == SPEC
