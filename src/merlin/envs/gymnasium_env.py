"""Any environment that Gymnasium knows by an id."""

from typing import Any

import gymnasium
from pydantic import Field

from merlin.envs.gym_env import BaseGymEnv
from merlin.envs.names import gymnasium_id
from merlin.errors import InputError, MerlinError


class GymnasiumEnv(BaseGymEnv):
    """An environment by its Gymnasium id, such as `CartPole-v1`, with the time limit that comes with it."""

    name = "gymnasium"

    class Parameters(BaseGymEnv.Parameters):
        env_name: str = Field("CartPole-v1", description="The environment's id in Gymnasium.")
        env_kwargs: dict[str, Any] = Field(
            {}, description="More arguments for `gymnasium.make`, such as `{map_name: 8x8}`."
        )

    parameters: Parameters

    def make_env(self, render_mode: str | None) -> gymnasium.Env:
        env_id = gymnasium_id(self.parameters.env_name)
        if env_id is None:
            raise InputError(f"Gymnasium knows no environment '{self.parameters.env_name}'")
        try:
            return gymnasium.make(
                env_id, render_mode=render_mode, disable_env_checker=True, **self.parameters.env_kwargs
            )
        except gymnasium.error.DependencyNotInstalled as error:
            raise MerlinError(f"environment {env_id} needs a package that is not installed: {error}") from error
        except Exception as error:  # whatever its constructor raises, it is about what the user asked for
            raise InputError(
                f"environment {env_id} cannot be made with env_kwargs {self.parameters.env_kwargs}: {error} "
                "(an environment of your own has to accept render_mode)"
            ) from error
