"""What observers keep over a resume, by name."""

from merlin.training.observers import Observer, gather_state, restore_state


class Silent(Observer):
    name = "silent"


class Counter(Observer):
    name = "counter"
    count = 0

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, state):
        self.count = state["count"]


def test_states_find_their_observers_whoever_else_is_there():
    one = Counter()
    one.count = 3
    states = gather_state([Silent(), one])
    assert states == {"counter": {"count": 3}}
    other = Counter()
    restore_state([other, Silent()], states)
    assert other.count == 3
    restore_state([Silent()], states)
