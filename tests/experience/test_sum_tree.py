import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from merlin.experience.sum_tree import SumTree

values = st.floats(0, 1e6, allow_subnormal=False)


@settings(deadline=None)
@given(st.lists(values, min_size=1, max_size=70), st.data())
def test_finds_what_a_plain_running_sum_finds(leaves, data):
    tree = SumTree(len(leaves))
    tree.fill(np.array(leaves))
    changes = data.draw(st.lists(st.tuples(st.integers(0, len(leaves) - 1), values), max_size=20))
    for index, value in changes:
        tree.set(np.array([index]), value)
        leaves[index] = value
    np.testing.assert_array_equal(tree.values, leaves)
    np.testing.assert_allclose(tree.total, sum(leaves))
    if tree.total == 0:
        return
    mass = np.array(data.draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=10))) * tree.total
    ends = np.cumsum(leaves)
    for found, m in zip(tree.find(mass), mass, strict=True):
        assert leaves[found] > 0
        tolerance = 1e-9 * tree.total
        assert ends[found] - leaves[found] - tolerance <= m <= ends[found] + tolerance


def test_shares_by_hand():
    tree = SumTree(5)
    tree.set(np.arange(5), np.array([1.0, 0.0, 3.0, 0.0, 2.0]))
    assert tree.total == 6.0
    assert tree.find(np.array([0.0, 0.99, 1.0, 3.99, 4.0, 5.99, 6.5])).tolist() == [0, 0, 2, 2, 4, 4, 4]


@given(st.lists(st.tuples(st.integers(0, 30), values), max_size=50))
def test_changed_step_by_step_equals_built_at_once(changes):
    tree, again = SumTree(31), SumTree(31)
    for index, value in changes:
        tree.set(np.array([index]), value)
    again.fill(tree.values)
    assert tree._nodes.tolist() == again._nodes.tolist()


def test_many_changes_at_once_equal_one_by_one():
    rng = np.random.default_rng(0)
    at_once, singly = SumTree(100), SumTree(100)
    for _ in range(20):
        index, value = rng.permutation(100)[:17], rng.random(17)
        at_once.set(index, value)
        for i, v in zip(index, value, strict=True):
            singly.set(np.array([i]), v)
    assert at_once._nodes.tolist() == singly._nodes.tolist()
