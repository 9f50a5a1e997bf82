"""PyTorch's own generators, for layers that draw from them and offer no other (dropout)."""

from typing import Any

import torch


class TorchRandom:
    """Gives PyTorch's generators a seed of the run's own, and saves and restores where they are.

    They belong to the process, which is the run's alone. Nothing of merlin draws from them while it trains.
    """

    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)

    def state_dict(self) -> dict[str, Any]:
        """Returns where the generators of the processor and of all CUDA devices are."""
        return {
            "cpu": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Sets them back."""
        torch.set_rng_state(state["cpu"])
        if state["cuda"]:
            torch.cuda.set_rng_state_all(state["cuda"])
