"""What can be written on the command line. The standard library alone, so that it loads at once."""

import argparse
from collections.abc import Callable
from pathlib import Path

from merlin import __version__


def make_parser(**functions: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
    """Returns the parser. What it reads has, as `command`, the function given for the command's name."""
    parser = argparse.ArgumentParser(
        prog="merlin",
        allow_abbrev=False,
        description="Deep reinforcement-learning experiments from YAML files: train, film, compare.",
        epilog="examples:\n"
        "  merlin train                                  everything in experiments/\n"
        "  merlin train experiments/pong_taste.yaml --dry-run  what would run, with every value and its origin\n"
        "  merlin show agents double_dqn                 what can be set for an agent\n"
        "  merlin doctor                                 what this machine offers\n"
        "\n`merlin COMMAND --help` says more about a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"merlin {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    added = {
        "train": _add_train(commands),
        "analyze": _add_analyze(commands),
        "show": _add_show(commands),
        "doctor": _add_doctor(commands),
    }
    for name, command in added.items():
        command.set_defaults(command=functions[name])
    return parser


def _add_train(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    command = commands.add_parser(
        "train",
        help="train what experiment files define, or go on with it",
        description="Trains what experiment files define. All files are checked before anything starts.\n"
        "Runs that are finished are skipped, runs that were interrupted go on, and the results are analysed\n"
        "at the end.",
        epilog="examples:\n"
        "  merlin train\n"
        "  merlin train experiments/atari/pong.yaml --workers 2\n"
        "  merlin train experiments/quickstart.yaml --set episodes=100 --set agent_name=dqn --dry-run\n"
        "\nexit codes: 0 all runs finished, 1 some failed, 2 a file or an argument is wrong and nothing was "
        "started,\n130 interrupted: the same command goes on",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="experiment files (default: experiments/*.yaml)"
    )
    command.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="where results go (default: results)",
    )
    command.add_argument(
        "--workers",
        type=_positive,
        metavar="N",
        help="runs at one time (default: as many as the cores allow)",
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a parameter for all runs, whatever the files say; may be given several times",
    )
    command.add_argument(
        "--dry-run", action="store_true", help="show every run and where its values come from; start nothing"
    )
    return command


def _add_analyze(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    command = commands.add_parser(
        "analyze",
        help="make the tables and plots of a results folder",
        description="Makes the tables and plots of a results folder, in its subfolder analysis/.\n"
        "Training does this at its end.",
        epilog="example:\n  merlin analyze results/pong",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="an experiment's folder in results/")
    return command


def _add_show(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    command = commands.add_parser(
        "show",
        help="print what can be written in an experiment file",
        description="Prints what can be written in an experiment file, from the declarations themselves.",
        epilog="examples:\n"
        "  merlin show parameters\n"
        "  merlin show parameters gamma\n"
        "  merlin show agents double_dqn\n"
        "  merlin show envs Breakout\n"
        "  merlin show nets --imports my_net.py",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("what", choices=("parameters", "agents", "nets", "envs"), help="what to print")
    command.add_argument("name", nargs="?", metavar="NAME", help="only this one, with all that belongs to it")
    command.add_argument(
        "--imports",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file with classes of your own",
    )
    return command


def _add_doctor(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    return commands.add_parser(
        "doctor",
        help="check this machine and say what to do about what is missing",
        description="Checks what this machine offers and says what to do about what is missing.",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_positive.__name__ = "number of runs"  # what argparse calls it: "invalid number of runs value: '0'"
