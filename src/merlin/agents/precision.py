"""Which kinds of number a device computes fastest in."""

import torch


def autocast_type(device: torch.device) -> torch.dtype | None:
    """Returns bfloat16 where the device has instructions for it, else None."""
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else None
    return torch.bfloat16 if processor_has_bf16() else None


def processor_has_bf16() -> bool:
    """Returns whether this processor multiplies bfloat16 numbers in hardware."""
    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, probe, bool)() for probe in probes)
