"""The Atari games: one specification, lives, frames, cut-offs and films."""

import subprocess
import sys

import numpy as np
import pytest
from pydantic import ValidationError

from merlin.envs import AtariEnv, env_registry
from merlin.errors import InputError, MerlinError


def test_the_specification_says_everything(build):
    env = build("BreakoutNoFrameskip-v4", num_envs=2)
    ale_py = pytest.importorskip("ale_py")
    assert env.spec == {
        "environment": "ALE/Breakout-v5",
        "rom": "breakout",
        "ale_py": ale_py.__version__,
        "frame_skip": 4,
        "sticky_actions": 0.25,
        "action_set": "minimal",
        "actions": ["NOOP", "FIRE", "RIGHT", "LEFT"],
        "noop_max": 0,
        "fire_on_reset": False,
        "life_loss_terminal": False,
        "max_frames_per_episode": 108_000,
        "maxpool": True,
        "num_stacked_frames": 4,
        "frame": "grey, whole screen resized to 84x84",
    }
    assert env.reset().shape == (2, 84, 84)
    assert env.frame_dtype == np.uint8


def test_all_spellings_have_one_specification(build):
    assert build("pong-v5").spec == build("PongDeterministic-v4").spec == build("ALE/Pong-v5").spec


def test_action_sets(build):
    assert build("Breakout").action_meanings == ("NOOP", "FIRE", "RIGHT", "LEFT")
    full = build("Breakout", full_action_space=True)
    assert full.num_actions == 18
    assert full.spec["action_set"] == "full"


def play_to_the_end(env, action=lambda step: step):
    env.reset()
    steps = []
    while not steps or not steps[-1].episodes:
        env.send(np.array([action(len(steps)) % env.num_actions]))
        steps.append(env.recv())
    return steps


def test_lives_and_their_loss(build):
    plain = play_to_the_end(build("Breakout"))
    assert not any(step.life_lost[0] for step in plain)
    as_ends = play_to_the_end(build("Breakout", life_loss_terminal=True))
    assert sum(int(step.life_lost[0]) for step in as_ends) == 5
    # The parameter is for learning alone: the game itself is the same, and goes on after a lost life.
    assert len(as_ends) == len(plain)
    assert [step.terminated[0] for step in as_ends] == [step.terminated[0] for step in plain]
    assert as_ends[-1].terminated[0]


@pytest.mark.parametrize(("limit", "last"), [(40, 4), (41, 1), (43, 3)])
def test_a_cut_off_episode_is_truncated_and_counts_its_frames(build, limit, last):
    steps = play_to_the_end(build("Breakout", max_frames_per_episode=limit))
    assert [int(step.frames[0]) for step in steps] == [4] * (len(steps) - 1) + [last]
    episode = steps[-1].episodes[0]
    assert (episode.frames, episode.truncated, episode.terminated) == (limit, True, False)


def test_frame_skip_is_the_whole_skip(build):
    for skip in (1, 3):
        steps = play_to_the_end(build("Breakout", frame_skip=skip, max_frames_per_episode=30))
        assert len(steps) == 30 // skip


def test_rewards_are_the_games_own(build):
    """Seaquest pays 20 a hit; clipping is for learning, elsewhere."""
    env = build("Seaquest", clip_rewards=True, max_frames_per_episode=4000)
    rewards = {step.reward[0] for step in play_to_the_end(env, lambda step: (step * 7) // 5)}
    assert max(rewards) >= 20


@pytest.mark.parametrize("parameters", [{}, {"noop_max": 30, "fire_on_reset": True}])
def test_a_film_earns_the_same_rewards(build, parameters):
    """An emulator set as for the film earns what the episode earned, sticky actions and all."""
    env = build("Breakout", **parameters)
    episode = play_to_the_end(env)[-1].episodes[0]
    assert episode.terminated
    single = build("Breakout", frame_skip=1, maxpool=False, **parameters)
    single._seed_of = lambda env_index, episode_index: episode.seed
    single.reset()
    total, frames = 0.0, 0
    for action in np.repeat(episode.actions, 4):
        single.send(np.array([action]))
        step = single.recv()
        total, frames = total + step.reward[0], frames + 1
        if step.terminated[0]:
            break
    assert (total, frames) == (episode.reward, episode.frames)
    pictures = list(env.replay(episode.seed, episode.actions))
    assert len(pictures) == episode.frames + 1
    assert pictures[0].shape == (210, 160, 3)
    assert env.frames_per_second == 60
    assert len(np.unique(pictures[-1].reshape(-1, 3), axis=0)) > 5, "colours"


def test_films_have_the_native_size(build):
    env = build("AirRaid", max_frames_per_episode=8)
    episode = play_to_the_end(env)[-1].episodes[0]
    assert next(env.replay(episode.seed, episode.actions)).shape == (250, 160, 3)


def test_a_wrong_game_and_wrong_values_are_refused():
    with pytest.raises(InputError, match="not an Atari game"):
        AtariEnv(AtariEnv.Parameters(env_name="Nonsense"), lambda env_index, episode_index: 0)
    with pytest.raises(ValidationError):
        AtariEnv.Parameters(sticky_actions=1.5)


def test_a_missing_package_is_named(build, monkeypatch):
    monkeypatch.setitem(sys.modules, "ale_py", None)
    for name in ("Breakout", "pong"):
        assert env_registry.find(name)
        with pytest.raises(MerlinError, match=r"merlin-rl\[atari\]"):
            build(name)


def test_plain_environments_need_no_atari_package():
    code = (
        "import sys; sys.modules['ale_py'] = sys.modules['cv2'] = None\n"
        "from merlin.envs import env_registry\n"
        "entry = env_registry.find('CartPole-v1')\n"
        "env = entry.cls(entry.cls.Parameters(env_name=entry.name), lambda env, episode: 0)\n"
        "print(env.reset().shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "(1, 4)\n", done.stderr
