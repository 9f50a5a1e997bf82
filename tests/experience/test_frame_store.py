from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from merlin.errors import MerlinError
from merlin.experience.frame_store import CUT, GOES_ON, TERMINAL, FrameStore, Layout
from tests.experience.naive_play import NaivePlay

layouts = st.builds(
    Layout,
    num_envs=st.integers(1, 4),
    window=st.integers(1, 40),
    stack=st.integers(1, 4),
    frame_shape=st.sampled_from([(3,), (2, 3), (2, 2, 2)]),
    frame_dtype=st.sampled_from([np.uint8, np.float32]),
    slack=st.integers(0, 10),
)


@settings(deadline=None, max_examples=150)
@given(
    layout=layouts,
    ticks=st.integers(0, 120),
    end_chance=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    n_step=st.integers(1, 6),
    gamma=st.sampled_from([0.0, 0.5, 0.99, 1.0]),
    seed=st.integers(0, 100),
)
def test_equals_a_plain_list_of_transitions(layout, ticks, end_chance, n_step, gamma, seed):
    play = NaivePlay(layout, ticks, end_chance, seed)
    places = sorted(play.drawable(n_step))
    states = play.store.state()
    for env in range(layout.num_envs):
        np.testing.assert_array_equal(states[env], play.state(env, ticks))
    if not places:
        return
    row, env = (np.array(part) for part in zip(*places, strict=True))
    assert play.store.acted(row, env).all()
    found_row, found_env = play.store.locate(play.store.index(row, env))
    np.testing.assert_array_equal(found_row, row)
    np.testing.assert_array_equal(found_env, env)
    observation, action, reward, following, discount = play.store.gather(row, env, n_step, gamma)
    assert observation.dtype == following.dtype == torch.from_numpy(np.zeros(1, layout.frame_dtype)).dtype
    assert (action.dtype, reward.dtype, discount.dtype) == (torch.int64, torch.float32, torch.float32)
    for i, (tick, stream) in enumerate(places):
        expected = play.transition(stream, tick, n_step, gamma)
        np.testing.assert_array_equal(observation[i], expected[0])
        assert action[i] == expected[1]
        np.testing.assert_allclose(reward[i], expected[2], rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(following[i], expected[3])
        np.testing.assert_allclose(discount[i], expected[4], rtol=1e-6)


def _store(ends: list[int], stack: int = 2) -> FrameStore:
    """One stream of observations 10, 11, 12, … with rewards 1, 2, 4, … and these ends."""
    store = FrameStore(Layout(1, 20, stack, (1,), np.uint8))
    store.begin(np.array([[10]]))
    was_end = GOES_ON
    for i, end in enumerate(ends):
        acted = was_end == GOES_ON
        store.record(
            np.array([i]),
            np.array([2.0**i]),
            np.array([end]),
            np.array([acted]),
            np.array([[11 + i]]),
            np.array([not acted]),
        )
        was_end = end if acted else GOES_ON
    return store


def test_a_cut_episode_bootstraps_from_its_own_last_observation():
    store = _store([GOES_ON, CUT, GOES_ON, GOES_ON, GOES_ON])
    observation, _, reward, following, discount = store.gather(np.array([0, 1]), np.array([0, 0]), 3, 0.5)
    assert observation.tolist() == [[0, 10], [10, 11]]
    assert reward.tolist() == [1 + 0.5 * 2, 2]
    assert following.tolist() == [[11, 12], [11, 12]]
    assert discount.tolist() == [0.25, 0.5]


def test_a_finished_game_is_worth_nothing_more():
    store = _store([GOES_ON, TERMINAL, GOES_ON, GOES_ON, GOES_ON])
    _, _, reward, _, discount = store.gather(np.array([0, 1]), np.array([0, 0]), 3, 0.5)
    assert reward.tolist() == [2, 2]
    assert discount.tolist() == [0, 0]


def test_a_stack_never_reaches_into_the_episode_before():
    store = _store([GOES_ON, CUT, GOES_ON, GOES_ON], stack=3)
    observation, *_ = store.gather(np.array([3]), np.array([0]), 1, 1.0)
    assert observation.tolist() == [[0, 0, 13]]


def test_the_files_outlive_the_store(tmp_path):
    layout = Layout(2, 5, 2, (3,), np.float32, slack=4)
    store = FrameStore(layout, tmp_path)
    store.begin(np.full((2, 3), 7.0))
    for i in range(6):
        store.record(
            np.array([i, i]),
            np.array([i, -i]),
            np.zeros(2),
            np.ones(2, bool),
            np.full((2, 3), i),
            np.zeros(2, bool),
        )
    store.flush()
    saved, expected = store.state_dict(), store.gather(np.array([3, 4]), np.array([0, 1]), 2, 0.9)
    # What is written after the checkpoint, up to the slack, leaves what the checkpoint needs untouched.
    for _ in range(4):
        store.record(np.zeros(2), np.zeros(2), np.zeros(2), np.ones(2, bool), np.full((2, 3), 99), np.zeros(2, bool))
    again = FrameStore(layout, tmp_path, resume=True)
    again.load_state_dict(saved)
    for one, other in zip(again.gather(np.array([3, 4]), np.array([0, 1]), 2, 0.9), expected, strict=True):
        assert torch.equal(one, other)
    assert again.oldest == 2


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"short")])
def test_frames_that_are_gone_are_not_taken_for_black_ones(tmp_path, damage):
    layout = Layout(1, 10, 1, (1,), np.uint8)
    FrameStore(layout, tmp_path)
    damage(tmp_path / "frame.bin")
    with pytest.raises(MerlinError, match=r"frame\.bin has \d bytes where the checkpoint needs 10"):
        FrameStore(layout, tmp_path, resume=True)


def test_without_a_checkpoint_old_files_are_made_anew(tmp_path):
    layout = Layout(1, 10, 1, (1,), np.uint8)
    (tmp_path / "frame.bin").write_bytes(b"x" * 10)
    assert FrameStore(layout, tmp_path)._frames.sum() == 0


def test_a_disk_without_room_is_met_before_the_first_step(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(MerlinError, match=r"frame\.bin: the replay needs .* memory_size"):
        FrameStore(Layout(1, 10, 1, (1,), np.uint8), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_bytes_are_those_of_single_frames_and_little_more():
    layout = Layout(8, 12_500, 4, (84, 84), np.uint8, slack=500)
    frames = layout.rows * layout.num_envs * 84 * 84
    assert frames <= layout.bytes <= 1.01 * frames
    assert layout.bytes <= 1.05 * 100_000 * 84 * 84
