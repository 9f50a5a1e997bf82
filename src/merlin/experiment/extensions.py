"""A user's own agents, nets and environments: files that an experiment names, and installed packages."""

import hashlib
import importlib.metadata
import importlib.util
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path

from merlin.errors import InputError, MerlinError

GROUP = "merlin.plugins"
"""Entry points of this group are loaded; each names a module that registers classes, or a function."""

_loaded_plugins: set[str] = set()


def load_extensions(imports: Iterable[str], relative_to: Path) -> list[str]:
    """Runs the Python files that an experiment names, each once in a process.

    Args:
        imports: paths of files.
        relative_to: the folder that they are relative to.

    Returns:
        their absolute paths.

    Raises:
        InputError: if one is missing or fails; with the line at fault.
    """
    paths = [(relative_to / Path(each).expanduser()).resolve() for each in imports]
    for path in paths:
        _run(path)
    return [str(path) for path in paths]


def load_plugins() -> None:
    """Loads the installed packages that extend merlin, each once in a process.

    Raises:
        MerlinError: if one fails.
    """
    for entry_point in importlib.metadata.entry_points(group=GROUP):
        if entry_point.value in _loaded_plugins:
            continue
        try:
            loaded = entry_point.load()
            if not isinstance(loaded, type) and callable(loaded):
                loaded()
        except Exception as error:
            raise MerlinError(
                f"The installed extension '{entry_point.name}' ({entry_point.value}) fails: "
                f"{_explained(error)}. "
                "Update or uninstall its package."
            ) from error
        _loaded_plugins.add(entry_point.value)


def _run(path: Path) -> None:
    name = f"merlin_extension_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))  # so that an extension can import its neighbours
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(f"{path} fails: {_explained(error, path)}") from error
    finally:
        sys.path.remove(str(path.parent))


def _explained(error: BaseException, path: Path | None = None) -> str:
    if isinstance(error, MerlinError):
        return str(error)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines = [error.lineno]
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"
