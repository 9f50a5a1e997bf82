"""What an experiment file can say about experience: the replay and the exploration."""

from typing import Literal, Self

from pydantic import Field, model_validator

from merlin.config import Parameters


class ReplayParameters(Parameters):
    """How play is kept and drawn again."""

    memory_size: int = Field(
        500_000, ge=2, description="Observations that the replay keeps, over all copies of the game."
    )
    batch_size: int = Field(32, ge=1, description="Transitions in the batch of one update.")
    n_step: int = Field(1, ge=1, description="Rewards summed, in agent steps, before the value of a state is trusted.")
    gamma: float = Field(0.99, ge=0, le=1, description="Discount of future rewards, per agent step.")
    sampling: Literal["uniform", "prioritized"] = Field(
        "uniform",
        description="How transitions are drawn: all alike, or by their last TD error (Schaul et al. 2016).",
    )
    priority_exponent: float = Field(
        0.6, ge=0, le=1, description="Power to which a TD error is raised as a priority; 0 draws all alike."
    )
    importance_exponent: float = Field(
        0.4,
        ge=0,
        le=1,
        description="Strength of the importance weights in the first episode; it rises to 1 in the last.",
    )
    learning_starts: int = Field(1000, ge=0, description="Agent steps before the first update, at least a batch.")
    train_every: int = Field(1, ge=1, description="Agent steps for each update.")

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        for name in ("batch_size", "n_step", "learning_starts"):
            if getattr(self, name) > self.memory_size:
                raise ValueError(
                    f"{name} is {getattr(self, name)}, but memory_size keeps only {self.memory_size} observations"
                )
        return self


class ExplorationParameters(Parameters):
    """How often a learning agent acts at random."""

    epsilon_decay_start: int = Field(
        1000, ge=0, description="Last episode with epsilon 1; it falls from the next one on. 0 means 1."
    )
    epsilon_step: float = Field(1e-3, ge=0, le=1, description="What epsilon falls by in each episode.")
    epsilon_min: float = Field(0.1, ge=0, le=1, description="Epsilon never falls below this.")
