"""Files and packages that extend merlin."""

import importlib.metadata
import sys

import pytest

from merlin.errors import InputError, MerlinError
from merlin.experiment import extensions
from merlin.experiment.extensions import load_extensions, load_plugins


def test_a_file_runs_once_and_may_import_its_neighbours(tmp_path):
    (tmp_path / "neighbour_of_mine.py").write_text("depth = 3")
    (tmp_path / "mine.py").write_text(
        "import builtins, neighbour_of_mine as mine\n"
        "builtins.merlin_count = getattr(builtins, 'merlin_count', 0) + mine.depth\n"
    )
    try:
        paths = load_extensions(["mine.py"], tmp_path)
        assert paths == [str(tmp_path / "mine.py")]
        assert load_extensions(paths, tmp_path / "elsewhere") == paths
        import builtins

        assert builtins.merlin_count == 3  # ty: ignore[missing-attribute]
        del builtins.merlin_count  # ty: ignore[missing-attribute]
    finally:
        sys.modules.pop("neighbour_of_mine", None)
    assert str(tmp_path) not in sys.path


def test_two_files_of_one_name(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "net.py").write_text(f"where = '{name}'")
    load_extensions(["a/net.py", "b/net.py"], tmp_path)
    found = {module.where for name, module in sys.modules.items() if name.startswith("merlin_extension_net_")}
    assert {"a", "b"} <= found


def test_a_file_that_failed_is_tried_again(tmp_path):
    path = tmp_path / "fails_first.py"
    path.write_text("1 / 0")
    with pytest.raises(InputError, match="line 1: ZeroDivisionError"):
        load_extensions([path.name], tmp_path)
    path.write_text("fine = 1  # longer than before, so that no cached bytecode is taken")
    load_extensions([path.name], tmp_path)


@pytest.mark.parametrize(("name", "words"), [("nothing.py", "there is no file"), ("net.txt", "must end in .py")])
def test_what_is_no_python_file(tmp_path, name, words):
    (tmp_path / "net.txt").write_text("x = 1")
    with pytest.raises(InputError, match=words):
        load_extensions([name], tmp_path)


def entry_points(monkeypatch, *values: str) -> None:
    points = [importlib.metadata.EntryPoint("mine", value, extensions.GROUP) for value in values]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)
    monkeypatch.setattr(extensions, "_loaded_plugins", set())


def test_installed_packages_register_by_module_or_function(tmp_path, monkeypatch):
    (tmp_path / "plugin_of_mine.py").write_text("calls = []\ndef register():\n    calls.append(1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    entry_points(monkeypatch, "plugin_of_mine", "plugin_of_mine:register")
    load_plugins()
    load_plugins()
    assert sys.modules["plugin_of_mine"].calls == [1]


def test_an_installed_package_that_fails_is_named(monkeypatch):
    entry_points(monkeypatch, "no_such_module_of_mine")
    with pytest.raises(MerlinError, match=r"extension 'mine' \(no_such_module_of_mine\) fails: ModuleNotFoundError"):
        load_plugins()
