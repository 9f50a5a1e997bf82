"""Names of environments: the spellings of Atari games, and the ids of Gymnasium."""

import importlib
import re

import gymnasium
from gymnasium.envs.registration import find_highest_version, parse_env_id

from merlin.errors import InputError

GAMES = tuple(
    """
    adventure air_raid alien amidar assault asterix asteroids atlantis atlantis2 backgammon bank_heist
    basic_math battle_zone beam_rider berzerk blackjack bowling boxing breakout carnival casino centipede
    chopper_command crazy_climber crossbow darkchambers defender demon_attack donkey_kong double_dunk
    earthworld elevator_action enduro entombed et fishing_derby flag_capture freeway frogger frostbite
    galaxian gopher gravitar hangman haunted_house hero human_cannonball ice_hockey jamesbond journey_escape
    kaboom kangaroo keystone_kapers king_kong klax koolaid krull kung_fu_master laser_gates lost_luggage
    mario_bros miniature_golf montezuma_revenge mr_do ms_pacman name_this_game othello pacman phoenix pitfall
    pitfall2 pong pooyan private_eye qbert riverraid road_runner robotank seaquest sir_lancelot skiing solaris
    space_invaders space_war star_gunner superman surround tennis tetris tic_tac_toe_3d time_pilot trondead
    turmoil tutankham up_n_down venture video_checkers video_chess video_cube video_pinball wizard_of_wor
    word_zapper yars_revenge zaxxon
    """.split()
)
"""The games that one can play alone, by the names of their ROMs. Kept here so that names need no Atari
package.
"""

_GAME_OF_LETTERS = {game.replace("_", ""): game for game in GAMES}
_SPELLING = re.compile(r"(ALE/)?(?P<game>\w+?)(-?NoFrameskip|-?Deterministic)?(-v[045])?", re.IGNORECASE | re.ASCII)


def atari_game(name: str) -> str | None:
    """Returns the ROM that a name stands for, or None: `ALE/MsPacman-v5`, `MsPacmanNoFrameskip-v4`,
    `ms_pacman` …

    All spellings stand for the same thing. What the suffixes used to mean (frame skip, sticky actions) are
    parameters.
    """
    match = _SPELLING.fullmatch(name)
    return _GAME_OF_LETTERS.get(match["game"].lower().replace("_", "")) if match else None


def atari_id(game: str) -> str:
    """Returns the one name under which a game is printed and saved: `ms_pacman` gives `ALE/MsPacman-v5`."""
    return f"ALE/{_camel(game)}-v5"


def gymnasium_id(name: str) -> str | None:
    """Returns the full id of an environment that Gymnasium knows, or None; the newest version where none is
    given.

    `module:Name-v0` imports the module first, which registers its environments. Atari games are left to
    `atari_game`.

    Raises:
        InputError: the module cannot be imported.
    """
    module, colon, bare = name.rpartition(":")
    if colon:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise InputError(f"env_name '{name}': the module '{module}' cannot be imported: {error}") from error
    if bare not in gymnasium.registry:
        try:
            namespace, stem, version = parse_env_id(bare)
        except gymnasium.error.Error:
            return None
        newest = find_highest_version(namespace, stem) if version is None else None
        if newest is None:
            return None
        bare = f"{bare}-v{newest}"
    if str(gymnasium.registry[bare].entry_point).startswith("ale_py"):
        return None
    return f"{module}{colon}{bare}"


def atari_names() -> list[str]:
    """Returns all games in their short spelling, such as `MsPacman`."""
    return [_camel(game) for game in GAMES]


def gymnasium_ids() -> list[str]:
    """Returns the ids that Gymnasium has at hand, Atari games aside."""
    return sorted(name for name in gymnasium.registry if gymnasium_id(name))


def suggestions() -> list[str]:
    """Returns what may be meant by a name that nothing is known by: Atari games and Gymnasium's ids."""
    # Plain "Pong" is left out: whoever mistypes it most likely means the registered `pong`.
    plain = [_camel(game) for game in GAMES if game != "pong"]
    return [*plain, *map(atari_id, GAMES), *gymnasium.registry]


def _camel(game: str) -> str:
    return game.title().replace("_", "")
