#!/usr/bin/env bash
# Atari ROMs need no installation any more: the package ale-py ships them. This script installs that
# package if it is missing, and checks that the emulator starts Pong.
#   scripts/install_atari.sh         PYTHON=python3.12 scripts/install_atari.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z "${PYTHON:-}" ]]; then
    if [[ -x .venv/bin/python ]]; then PYTHON=.venv/bin/python; else PYTHON=python3; fi
fi

if ! "$PYTHON" -c "import ale_py" 2>/dev/null; then
    echo "ale-py is not installed in the environment of $PYTHON: installing it"
    "$PYTHON" -m pip install --quiet -c constraints.txt ale-py opencv-python-headless
fi

"$PYTHON" - <<'PYTHON_CODE'
import ale_py
from ale_py import roms

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
emulator = ale_py.ALEInterface()
emulator.loadROM(roms.get_rom_path("pong"))
print(
    f"ale-py {ale_py.__version__} ships the ROMs of {len(roms.get_all_rom_ids())} games;"
    f" Pong starts and has {len(emulator.getMinimalActionSet())} actions. Nothing is left to install."
)
PYTHON_CODE
