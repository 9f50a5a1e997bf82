"""What the names of environments stand for."""

import gymnasium
import pytest

from merlin.envs import AtariEnv, GymnasiumEnv, PongEnv, env_registry, names
from merlin.errors import InputError


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("Pong", "ALE/Pong-v5"),
        ("pong-v5", "ALE/Pong-v5"),
        ("ALE/Pong-v5", "ALE/Pong-v5"),
        ("Pong-v0", "ALE/Pong-v5"),
        ("PongNoFrameskip-v4", "ALE/Pong-v5"),
        ("PongDeterministic-v4", "ALE/Pong-v5"),
        ("ms_pacman", "ALE/MsPacman-v5"),
        ("MsPacman", "ALE/MsPacman-v5"),
        ("mspacman", "ALE/MsPacman-v5"),
        ("MsPacmanNoFrameskip-v4", "ALE/MsPacman-v5"),
        ("UpNDown", "ALE/UpNDown-v5"),
        ("Pitfall2", "ALE/Pitfall2-v5"),
        ("tic_tac_toe_3d", "ALE/TicTacToe3D-v5"),
        ("blackjack", "ALE/Blackjack-v5"),
    ],
)
def test_spellings_of_atari_games(spelling, canonical):
    entry = env_registry.find(spelling)
    assert (entry.cls, entry.name, dict(entry.defaults)) == (AtariEnv, canonical, {})


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("CartPole-v1", "CartPole-v1"),
        ("CartPole", "CartPole-v1"),
        ("Blackjack-v1", "Blackjack-v1"),
        ("tabular/CliffWalking-v0", "tabular/CliffWalking-v0"),
    ],
)
def test_ids_of_gymnasium(spelling, canonical):
    entry = env_registry.find(spelling)
    assert (entry.cls, entry.name) == (GymnasiumEnv, canonical)


def test_the_registered_pong_comes_first():
    assert env_registry.find("pong").cls is PongEnv


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("pnog", "pong"),
        ("Brekout", "Breakout"),
        ("ALE/Brekout-v5", "ALE/Breakout-v5"),
        ("CartPol-v1", "CartPole-v1"),
        ("CartPole-v7", "CartPole-v1"),
    ],
)
def test_unknown_names_get_a_suggestion(wrong, meant):
    with pytest.raises(InputError, match=f"'{meant}'"):
        env_registry.find(wrong)


@pytest.mark.parametrize(
    "name", ["", "Pong-ram-v4", "Pong-v7", "ALE/", "Pong v5", "-v5", "a:b:c", "no_such_module:X-v0"]
)
def test_what_stands_for_nothing(name):
    with pytest.raises(InputError):
        env_registry.find(name)


def test_an_id_may_name_the_module_that_registers_it(tmp_path, monkeypatch):
    source = "import gymnasium\ngymnasium.register('Own-v3', 'gymnasium.envs.classic_control:CartPoleEnv')\n"
    (tmp_path / "module_of_own.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        assert env_registry.find("module_of_own:Own-v3").name == "module_of_own:Own-v3"
    finally:
        gymnasium.registry.pop("Own-v3", None)


def test_the_list_of_games_is_that_of_ale_py():
    roms = pytest.importorskip("ale_py.roms")
    for_two = {"combat", "joust", "maze_craze", "warlords"}
    assert set(names.GAMES) == set(roms.get_all_rom_ids()) - for_two


def test_what_ale_py_registers_is_left_to_the_emulator():
    ale_py = pytest.importorskip("ale_py")
    gymnasium.register_envs(ale_py)
    assert env_registry.find("Pong-v4").cls is AtariEnv
    assert env_registry.find("ALE/Breakout-v5").cls is AtariEnv
