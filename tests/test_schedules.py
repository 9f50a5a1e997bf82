from hypothesis import given
from hypothesis import strategies as st
from pytest import approx, mark

from merlin.schedules import epsilon, linear


@mark.parametrize(
    ("episode", "expected"),
    [
        (1, 1.0),
        (999, 1.0),
        (1000, 1.0),
        (1001, 0.999),
        (1002, 0.998),
        (1899, 0.101),
        (1900, 0.1),
        (5000, 0.1),
    ],
)
def test_epsilon_with_the_default_parameters(episode, expected):
    assert epsilon(episode, decay_start=1000, step=1e-3, minimum=0.1) == approx(expected, abs=1e-12)


@mark.parametrize("decay_start", [0, 1])
def test_the_first_episode_is_always_random(decay_start):
    values = [epsilon(episode, decay_start, step=0.25, minimum=0.0) for episode in range(1, 7)]
    assert values == [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]


def test_epsilon_is_exactly_one_before_and_the_minimum_after():
    assert epsilon(7, decay_start=7, step=0.3, minimum=0.05) == 1.0
    assert epsilon(12, decay_start=7, step=0.3, minimum=0.05) == 0.05


def test_without_a_step_epsilon_stays_at_one():
    assert epsilon(10**9, decay_start=0, step=0.0, minimum=0.1) == 1.0


@given(
    episode=st.integers(1, 10**7),
    decay_start=st.integers(0, 10**5),
    step=st.floats(0, 1),
    minimum=st.floats(0, 1),
)
def test_epsilon_never_rises_and_is_a_probability(episode, decay_start, step, minimum):
    now, later = (epsilon(each, decay_start, step, minimum) for each in (episode, episode + 1))
    assert minimum <= later <= now <= 1.0


@mark.parametrize(("progress", "expected"), [(-0.5, 0.4), (0, 0.4), (0.25, 0.55), (0.5, 0.7), (1, 1.0), (3, 1.0)])
def test_linear_rises_from_start_to_end_and_stays_there(progress, expected):
    assert linear(progress, start=0.4, end=1.0) == approx(expected, abs=1e-15)


@given(start=st.floats(-1e6, 1e6), end=st.floats(-1e6, 1e6))
def test_linear_is_exact_at_both_ends(start, end):
    assert linear(0.0, start, end) == start
    assert linear(1.0, start, end) == end
