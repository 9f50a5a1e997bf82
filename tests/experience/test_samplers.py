import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merlin.experience.frame_store import GOES_ON, FrameStore, Layout
from merlin.experience.samplers import PrioritizedSampler, UniformSampler
from tests.experience.naive_play import NaivePlay

cases = given(
    num_envs=st.integers(1, 3),
    window=st.integers(1, 20),
    slack=st.integers(0, 5),
    ticks=st.integers(0, 60),
    end_chance=st.sampled_from([0.0, 0.3, 1.0]),
    n_step=st.integers(1, 4),
    seed=st.integers(0, 50),
)


@settings(deadline=None, max_examples=80)
@cases
def test_uniform_draws_all_complete_transitions_and_no_others(num_envs, window, slack, ticks, end_chance, n_step, seed):
    play = NaivePlay(Layout(num_envs, window, 2, (1,), np.uint8, slack), ticks, end_chance, seed)
    sampler = UniformSampler(play.store, n_step, np.random.default_rng(seed))
    drawable = play.drawable(n_step)
    if not drawable:
        with pytest.raises(ValueError, match="complete"):
            sampler.sample(4, 1.0)
        return
    drawn = set()
    for _ in range(40):
        row, env, weight = sampler.sample(64, 1.0)
        assert weight.tolist() == [1.0] * 64
        drawn |= set(zip(row.tolist(), env.tolist(), strict=True))
    assert drawn == drawable


@settings(deadline=None, max_examples=80)
@cases
def test_priorities_lie_on_all_complete_transitions_and_no_others(
    num_envs, window, slack, ticks, end_chance, n_step, seed
):
    play = NaivePlay(Layout(num_envs, window, 2, (1,), np.uint8, slack), 0, end_chance, seed)
    rng = np.random.default_rng(seed)
    sampler = PrioritizedSampler(play.store, n_step, 0.6, rng)
    for _ in range(ticks):
        play.tick()
        sampler.advance()
        drawable = play.drawable(n_step)
        places = np.flatnonzero(sampler._tree.values)
        assert set(zip(*(part.tolist() for part in play.store.locate(places)), strict=True)) == drawable
        assert sampler._count == len(drawable)
        if drawable:
            row, env, weight = sampler.sample(8, 0.5)
            assert set(zip(row.tolist(), env.tolist(), strict=True)) <= drawable
            assert 0 < weight.min() <= weight.max() == 1.0
            sampler.update(play.store.index(row, env), np.abs(rng.normal(size=8)))


def _ten() -> FrameStore:
    store = FrameStore(Layout(1, 20, 1, (1,), np.uint8))
    store.begin(np.zeros((1, 1)))
    return store


def _grow(store: FrameStore) -> None:
    store.record(np.zeros(1), np.zeros(1), np.array([GOES_ON]), np.ones(1, bool), np.zeros((1, 1)), np.zeros(1, bool))


def test_draws_follow_the_priorities_and_weights_undo_that():
    store = _ten()
    sampler = PrioritizedSampler(store, 1, 0.5, np.random.default_rng(0))
    for _ in range(4):
        _grow(store)
        sampler.advance()
    sampler.update(np.array([0, 1, 2, 3]), np.array([1.0, 4.0, 9.0, 16.0]))  # square roots: 1, 2, 3, 4
    counts, weights = np.zeros(4), np.zeros(4)
    for _ in range(2000):
        row, _, weight = sampler.sample(10, 1.0)
        np.add.at(counts, row, 1)
        weights[row] = weight
    np.testing.assert_allclose(counts / counts.sum(), [0.1, 0.2, 0.3, 0.4], atol=0.01)
    np.testing.assert_allclose(weights, [1, 1 / 2, 1 / 3, 1 / 4], rtol=1e-5)


def test_importance_exponent_zero_weighs_all_alike():
    store = _ten()
    sampler = PrioritizedSampler(store, 1, 1.0, np.random.default_rng(0))
    for _ in range(5):
        _grow(store)
        sampler.advance()
    sampler.update(np.arange(5), np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert sampler.sample(5, 0.0)[2].tolist() == [1.0] * 5


def test_a_new_transition_gets_the_highest_priority_so_far():
    store = _ten()
    sampler = PrioritizedSampler(store, 1, 1.0, np.random.default_rng(0))
    _grow(store)
    sampler.advance()
    sampler.update(np.array([0]), np.array([7.0]))
    _grow(store)
    sampler.advance()
    assert sampler._tree.values[1] == pytest.approx(7.0)


@pytest.mark.parametrize("prioritized", [False, True])
def test_a_restored_sampler_draws_the_same(prioritized):
    def make():
        store = _ten()
        generator = np.random.default_rng(3)
        return store, PrioritizedSampler(store, 2, 0.6, generator) if prioritized else UniformSampler(
            store, 2, generator
        )

    store, sampler = make()
    for i in range(30):
        _grow(store)
        sampler.advance()
        if i > 4:
            row, env, _ = sampler.sample(4, 1.0)
            sampler.update(store.index(row, env), row / 10.0)
    other_store, other = make()
    for _ in range(30):
        _grow(other_store)
    other.load_state_dict(sampler.state_dict())
    for one, two in zip(sampler.sample(6, 0.7), other.sample(6, 0.7), strict=True):
        np.testing.assert_array_equal(one, two)
