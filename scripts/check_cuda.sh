#!/usr/bin/env bash
# Says what this machine and its PyTorch know of CUDA. Exit code 0: PyTorch can use a GPU; 1: it cannot.
#   scripts/check_cuda.sh            PYTHON=python3.12 scripts/check_cuda.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z "${PYTHON:-}" ]]; then
    if [[ -x .venv/bin/python ]]; then PYTHON=.venv/bin/python; else PYTHON=python3; fi
fi

echo "== driver (nvidia-smi)"
if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=index,name,driver_version,memory.total,compute_cap --format=csv ||
        echo "nvidia-smi failed: the driver is installed, but it does not answer"
else
    echo "nvidia-smi is not there: no NVIDIA driver on this machine"
fi

echo "== toolkit (nvcc; merlin does not need it)"
if command -v nvcc >/dev/null; then nvcc --version | tail -n 2; else echo "nvcc is not there"; fi

echo "== environment"
echo "CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES-(not set: all GPUs)}"

echo "== PyTorch ($PYTHON)"
"$PYTHON" - <<'PYTHON_CODE'
import sys

try:
    import torch
except ImportError as error:
    sys.exit(f"PyTorch cannot be imported: {error}. Run `make setup` first.")

print("torch", torch.__version__, "built for CUDA", torch.version.cuda or "no (a CPU build)")
if not torch.cuda.is_available():
    sys.exit("PyTorch cannot use a GPU here; merlin trains on the CPU.")
print("cuDNN", torch.backends.cudnn.version())
for index in range(torch.cuda.device_count()):
    device = torch.cuda.get_device_properties(index)
    print(
        f"cuda:{index} {device.name}, {device.total_memory / 2**30:.1f} GiB,"
        f" compute capability {device.major}.{device.minor}"
    )
left = torch.randn(512, 512, device="cuda")
error = ((left @ left).cpu() - left.cpu() @ left.cpu()).abs().max().item()
print(f"a 512x512 product on the GPU differs from the CPU's by at most {error:.1e}")
print("bf16", "yes" if torch.cuda.is_bf16_supported() else "no")
PYTHON_CODE
