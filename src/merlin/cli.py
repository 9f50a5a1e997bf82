"""The commands. Each reads its arguments, calls one function of another room and prints what comes back.

Nothing heavy is imported before it is known to be needed, so that `merlin --help` answers at once.
"""

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from merlin.commands.arguments import make_parser
from merlin.errors import InputError, MerlinError

if TYPE_CHECKING:
    from merlin.config import Config

_INTERRUPTED = 130
_UNPRINTABLE = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code; every foreseen error becomes a message."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a question mark
    options = _options(arguments)
    try:
        code = options.command(options)
        sys.stdout.flush()
        return code
    except MerlinError as error:
        print(f"merlin: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("merlin: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except OSError as error:
        if error.errno not in _UNPRINTABLE or error.filename is not None:
            raise
        if error.errno != errno.EPIPE:  # the reader has left, as in `merlin show parameters | head`: no fault
            print(f"merlin: cannot print: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def train_main() -> int:
    """`train …` is `merlin train …`."""
    return main(["train", *sys.argv[1:]])


def analyze_main() -> int:
    """`analyze …` is `merlin analyze …`."""
    return main(["analyze", *sys.argv[1:]])


def train(options: argparse.Namespace) -> int:
    """Trains what the files define, or shows what would be trained; then analyses the results."""
    from merlin.experiment import load_experiments
    from merlin.training.feasible import misfits

    configs = load_experiments(options.files or _all_experiments(), options.set, misfits=misfits)
    if options.dry_run:
        from merlin.commands.dry_run import show_runs

        show_runs(configs)
        return 0
    from merlin.launch import start

    _check_feasible(configs, options)
    code = start(configs, options.results, options.workers)
    if code == _INTERRUPTED:
        return code
    experiments = dict.fromkeys(config.values["experiment"] for config in configs)
    return max([code, *(_analyze(options.results / experiment) for experiment in experiments)])


def analyze(options: argparse.Namespace) -> int:
    """Makes the tables and plots of results folders."""
    return max(_analyze(folder) for folder in options.folders)


def show(options: argparse.Namespace) -> int:
    """Prints what can be written in an experiment file."""
    from merlin.commands.show import show as print_declarations

    print_declarations(options.what, options.name, options.imports)
    return 0


def doctor(options: argparse.Namespace) -> int:
    """Prints what this machine offers; 1 if something is missing that nothing works without."""
    from merlin.commands.doctor import examine

    return examine()


def _all_experiments() -> list[Path]:
    found = sorted(Path("experiments").glob("*.yaml"))
    if not found:
        raise InputError(
            f"There is nothing to train: no file matches experiments/*.yaml in {Path.cwd()}. Write one, "
            "such as experiments/first.yaml with the lines `env_name: CartPole-v1` and `episodes: 300`, "
            "or name files: merlin train FILE…"
        )
    return found


def _check_feasible(configs: "Sequence[Config]", options: argparse.Namespace) -> None:
    """Makes sure that the runs that are left can be trained here."""
    from merlin.launch.prepare import folder_of
    from merlin.machine import count_cores
    from merlin.run_folder import RunFolder
    from merlin.training.feasible import check

    states = [RunFolder(folder_of(config, options.results)).state() for config in configs]
    left = [config for config, state in zip(configs, states, strict=True) if state != "finished"]
    check(left, options.workers or count_cores())


def _analyze(folder: Path) -> int:
    from merlin.analysis import analyze

    try:
        print(analyze(folder), end="\n\n")
    except MerlinError as error:
        print(f"merlin: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the arguments; files may also stand after options, which argparse alone does not allow."""
    parser = make_parser(train=train, analyze=analyze, show=show, doctor=doctor)
    options, left = parser.parse_known_args(arguments)
    if left and (options.command is not train or any(each.startswith("-") for each in left)):
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    if left:
        options.files += map(Path, left)
    return options


if __name__ == "__main__":
    sys.exit(main())
