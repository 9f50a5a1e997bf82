"""One run, from its folder to its trained agent."""

import shutil
from collections.abc import Callable
from contextlib import ExitStack

from merlin import seeding
from merlin.agents import BaseAgent
from merlin.config import Config, RunParameters
from merlin.envs import BaseEnv
from merlin.experience import memory
from merlin.run_folder import RunFolder
from merlin.training import checkpoint
from merlin.training.assembly import make_agent, make_env, make_source
from merlin.training.console import Console
from merlin.training.csv_log import CsvLog
from merlin.training.loop import train
from merlin.training.models import Models
from merlin.training.observers import Observer, gather_state, restore_state
from merlin.training.recorder import Recorder
from merlin.training.state_images import StateImages
from merlin.training.status import Status
from merlin.training.torch_random import TorchRandom
from merlin.training.video import Video
from merlin.yaml_text import in_words


def run(folder: RunFolder, config: Config, should_stop: Callable[[], bool]) -> bool:
    """Trains what a run's folder describes, going on from its newest checkpoint if there is one.

    Args:
        folder: the run's folder, which this process holds.
        config: what its experiment.yaml says.
        should_stop: asked between two steps; once it says yes, a checkpoint is written and the run ends.

    Returns:
        whether the run came to its end.

    Raises:
        MerlinError: something of the user's or the world's is wrong, such as a full disk.
    """
    parameters = config.part(RunParameters)
    with ExitStack() as closing:
        console = Console(folder.console_log, parameters.experiment, parameters.variant, parameters.run)
        closing.callback(console.close)
        env = make_env(config)
        closing.callback(env.close)
        state = checkpoint.load(folder.checkpoint, warn=console.event)
        if state is None:
            # Frames that no checkpoint refers to are worth nothing.
            shutil.rmtree(folder.replay, ignore_errors=True)
            console.event(f"environment: {in_words(env.spec)}")
        source = make_source(config, env, folder.replay, resume=state is not None)
        agent = make_agent(config, source.store.layout.state_shape, env.num_actions)
        recorder = Recorder(agent, source, parameters.episodes, with_states=parameters.save_state_img)
        status = Status(folder, env.spec)
        observers = [
            console,
            status,
            *_writers(folder, config, env, agent, source.store.layout.state_shape, console, should_stop),
        ]
        for observer in observers:
            closing.callback(observer.close)
        parts = {
            "torch": TorchRandom(seeding.integer(parameters.seed, parameters.run, "torch")),
            "agent": agent,
            "source": source,
            "recorder": recorder,
        }
        if state is None:
            source.begin()
        else:
            for name, part in parts.items():
                part.load_state_dict(state[name])
            restore_state(observers, state["observers"])
            del state
        for observer in observers:
            observer.on_start(recorder.progress)
        interval = memory.checkpoint_ticks(config, env.layout)
        saved_at = source.store.head

        def save() -> None:
            nonlocal saved_at
            source.store.flush()
            states = {name: part.state_dict() for name, part in parts.items()}
            states["observers"] = gather_state(observers)
            checkpoint.save(folder.checkpoint, source.agent_steps, states)
            saved_at = source.store.head
            for observer in observers:
                observer.on_checkpoint()

        def between_steps() -> None:
            if source.store.head - saved_at >= interval:
                save()
            if status.due:
                status.on_progress(recorder.progress)

        finished = train(agent, source, recorder, observers, between_steps, should_stop)
        if finished:
            for observer in observers:
                observer.on_end()
        elif source.store.head > saved_at:
            save()
        return finished


def _writers(
    folder: RunFolder,
    config: Config,
    env: BaseEnv,
    agent: BaseAgent,
    state_shape: tuple[int, ...],
    console: Console,
    should_stop: Callable[[], bool],
) -> list[Observer]:
    """Returns the observers that write what stays of a run, in the order in which they are told."""
    parameters = config.part(RunParameters)
    about = {
        "parameters": dict(config.values),
        "num_actions": env.num_actions,
        "state_shape": list(state_shape),
        "environment": env.spec,
    }
    writers: list[Observer] = [
        CsvLog(folder.train_log),
        Models(folder.model, parameters.model_save_interval, agent.weights, about, console.event),
        Video(
            folder.video,
            parameters.video_record_interval,
            env.replay,
            env.frames_per_second,
            console.event,
            should_stop,
            parameters.threads or 1,
        ),
    ]
    if parameters.save_state_img:
        writers.append(StateImages(folder.img, console.event))
    return writers
