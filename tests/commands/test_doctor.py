"""What the machine offers."""

import sys

import pytest

from merlin.commands import doctor
from merlin.commands.doctor import Finding, examine


def test_this_machine_can_train(capsys):
    assert examine() == 0
    out = capsys.readouterr().out
    for subject in (
        "Python",
        "torch",
        "device",
        "bf16",
        "cores",
        "memory",
        "ALE",
        "ROMs",
        "encoder",
    ):
        assert subject in out
    assert "merlin can train here." in out


def test_something_required_is_missing(capsys):
    checks = [
        lambda: Finding("torch", "missing", "none", "pip install torch"),
        lambda: Finding("av", "ok", "there"),
    ]
    assert examine(checks) == 1
    out = capsys.readouterr().out
    assert "pip install torch" in out
    assert "merlin cannot work without: torch" in out


def test_something_optional_is_missing(capsys):
    assert examine([lambda: Finding("av", "optional", "none", "pip install av")]) == 0
    assert "pip install av" in capsys.readouterr().out


def test_a_check_that_fails_leaves_the_others_alone(capsys):
    def broken() -> Finding:
        raise OSError("libcuda is broken")

    assert examine([broken, lambda: Finding("av", "ok", "there")]) == 0
    out = capsys.readouterr().out
    assert "OSError: libcuda is broken" in out
    assert "there" in out


@pytest.mark.parametrize(
    ("module", "check", "state"),
    [
        ("torch", doctor._torch, "missing"),
        ("torch", doctor._device, "missing"),
        ("gymnasium", doctor._packages, "missing"),
        ("ale_py", doctor._atari, "optional"),
        ("cv2", doctor._atari, "optional"),
        ("ale_py.roms", doctor._roms, "optional"),
        ("av", doctor._encoder, "optional"),
    ],
)
def test_a_package_that_is_not_there(monkeypatch, module, check, state):
    monkeypatch.setitem(sys.modules, module, None)
    finding = check()
    assert finding.state == state
    assert finding.advice
