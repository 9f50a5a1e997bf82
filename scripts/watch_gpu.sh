#!/usr/bin/env bash
# Prints load, memory, temperature and power of every GPU, again and again, until Ctrl-C.
#   scripts/watch_gpu.sh [SECONDS]       (default 2)
set -euo pipefail

seconds="${1:-2}"
if ! [[ "$seconds" =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: $0 [SECONDS]   (a whole number from 1; got \"$seconds\")" >&2
    exit 2
fi
if ! command -v nvidia-smi >/dev/null; then
    echo "nvidia-smi is not there: no NVIDIA driver on this machine, so there is no GPU to watch" >&2
    exit 1
fi
exec nvidia-smi --loop="$seconds" --format=csv \
    --query-gpu=timestamp,index,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw
