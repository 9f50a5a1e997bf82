"""What holds for every environment: it is a function of seeds and actions, whatever is stepped beside it."""

import copy
import dataclasses
import itertools

import numpy as np
import pytest

from merlin.errors import MerlinError

ENVS = {
    "cartpole": ("CartPole-v1", {}),
    "lake": ("FrozenLake-v1", {"frame_skip": 2}),
    "pong": ("pong", {"max_frames_per_episode": 300}),
    "breakout": ("Breakout", {"max_frames_per_episode": 402, "life_loss_terminal": True, "noop_max": 30}),
}
TICKS = 190  # more than one episode of each


@pytest.fixture(params=ENVS)
def spec(request):
    name, parameters = ENVS[request.param]
    return name, parameters


def test_a_copy_plays_the_same_whatever_is_beside_it(spec, build, player):
    name, parameters = spec
    alone = player(build(name, **parameters)).reset().play(TICKS)
    assert alone.episodes
    for threads, num_envs in ((1, 2), (2, 3)):
        among = player(build(name, threads, num_envs=num_envs, **parameters)).reset().play(TICKS)
        assert among.lines[0] == alone.lines[0]
        assert among.lines[0] != among.lines[1]


def test_seeds_matter_and_follow_the_episode(spec, build, player):
    name, parameters = spec
    record = player(build(name, num_envs=2, **parameters)).reset().play(TICKS)
    for episode in record.episodes:
        assert episode.seed == 1000 * episode.env_index + episode.episode_index
    of_first = [episode.episode_index for episode in record.episodes if episode.env_index == 0]
    assert of_first == list(range(len(of_first)))


def test_episodes_add_up_to_the_steps(spec, build, player):
    name, parameters = spec
    record = player(build(name, num_envs=2, **parameters)).reset().play(TICKS)
    for index in range(2):
        played = [episode for episode in record.episodes if episode.env_index == index]
        ends = [t for t, step in enumerate(record.steps) if step.terminated[index] or step.truncated[index]]
        starts = [-1, *(t for t, step in enumerate(record.steps) if step.first[index])]
        assert len(played) == len(ends)
        for episode, start, end in zip(played, starts, ends, strict=False):
            steps = record.steps[start + 1 : end + 1]
            assert episode.steps == len(steps) == len(episode.actions)
            assert episode.reward == sum(step.reward[index] for step in steps)
            assert episode.frames == sum(step.frames[index] for step in steps)
            assert episode.terminated == steps[-1].terminated[index]
            assert episode.truncated == steps[-1].truncated[index]
        # The tick after an end, and no other, is a reset, and it pays nothing.
        assert [start - 1 for start in starts[1:]] == [end for end in ends if end < TICKS - 1]
        for start in starts[1:]:
            assert record.steps[start].reward[index] == 0
            assert record.steps[start].frames[index] == 0


def test_never_a_frame_of_the_episode_before(spec, build, player):
    name, parameters = spec
    record = player(build(name, num_envs=2, **parameters)).reset().play(TICKS)
    step_of_reset = next(step for step in record.steps if step.first[0])
    fresh = build(name, **parameters)
    fresh._seed_of = lambda env_index, episode_index: 1  # that of copy 0's second episode
    np.testing.assert_array_equal(step_of_reset.observation[0], fresh.reset()[0])


def test_observations_are_not_written_into_again(spec, build, player):
    name, parameters = spec
    record = player(build(name, num_envs=2, **parameters)).reset().play(3)
    kept = record.steps[0].observation
    before = kept.copy()
    record.play(5)
    np.testing.assert_array_equal(kept, before)
    assert kept.dtype == record.env.frame_dtype
    assert kept.shape == (2, *record.env.frame_shape)


def test_a_restored_environment_goes_on_as_if_nothing_had_happened(spec, build, player):
    """At an arbitrary moment, right after an end (the copy is still to be reset) and right after a reset."""
    name, parameters = spec
    whole = player(build(name, num_envs=2, **parameters)).reset()
    states, generators, ended = [], [], None
    while ended is None or len(states) < ended + 30:
        states.append(whole.env.state_dict())
        generators.append(copy.deepcopy(whole.generators))
        whole.play(1)
        if ended is None and whole.episodes:
            ended = len(states)
    whole.play(30)
    restored = player(build(name, 2, num_envs=2, **parameters))
    for moment in sorted({0, max(0, ended - 3), ended, ended + 1, ended + 29}):
        restored.generators = copy.deepcopy(generators[moment])
        restored.lines = [lines[: moment + 1] for lines in whole.lines]
        restored.episodes = []
        observation = restored.env.load_state_dict(states[moment])
        np.testing.assert_array_equal(observation, states[moment]["observation"])
        restored.play(30)
        assert restored.lines == [lines[: moment + 31] for lines in whole.lines]
        expected = [step.episodes for step in whole.steps[moment : moment + 30]]
        for one, other in zip(restored.episodes, itertools.chain.from_iterable(expected), strict=True):
            np.testing.assert_equal(dataclasses.asdict(one), dataclasses.asdict(other))


def test_taking_the_state_changes_nothing(spec, build, player):
    name, parameters = spec
    plain = player(build(name, **parameters)).reset().play(60)
    watched = player(build(name, **parameters)).reset()
    for _ in range(6):
        watched.play(10).env.state_dict()
    assert plain.lines == watched.lines


def test_a_state_that_cannot_be_reached_again_is_refused(spec, build, player):
    name, parameters = spec
    env = player(build(name, num_envs=2, **parameters)).reset().play(5).env
    state = env.state_dict()
    state["reward"] = state["reward"] + 1
    with pytest.raises(MerlinError, match="does not repeat itself"):
        env.load_state_dict(state)


def test_a_film_shows_the_episode(spec, build, player):
    name, parameters = spec
    if name in ("CartPole-v1", "FrozenLake-v1"):
        pytest.importorskip("pygame", reason="Gymnasium draws these with pygame")
    env = build(name, **parameters)
    record = player(env).reset().play(TICKS)
    before = env.state_dict()
    for episode in record.episodes[:2]:
        pictures = list(env.replay(episode.seed, episode.actions))
        assert len(pictures) == episode.frames + 1
        assert {picture.shape for picture in pictures} == {pictures[0].shape}
        assert pictures[0].dtype == np.uint8
        assert pictures[0].shape[2] == 3
        again = itertools.islice(env.replay(episode.seed, episode.actions), 5)
        assert all((one == other).all() for one, other in zip(pictures, again, strict=False))
    after = env.state_dict()
    np.testing.assert_array_equal(before["observation"], after["observation"])
