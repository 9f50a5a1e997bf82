"""One update of an agent as one graph on the GPU, so that its many small kernels cost one launch."""

from collections.abc import Callable

import torch
from torch import Tensor

from merlin.experience.batch import Batch

Learn = Callable[[Batch], tuple[Tensor, Tensor]]

EAGER_UPDATES = 3
"""Updates made one kernel at a time first: they allocate the optimizer's state and the libraries' workspaces."""


def capture(learn: Learn, device: torch.device) -> Learn:
    """Returns `learn` as it is on a processor, and as a captured graph on CUDA.

    Args:
        learn: makes one update from a batch on the device; touches nothing but tensors there, and never waits for them.
        device: where it runs.
    """
    return CapturedUpdate(learn, CudaGraph()) if device.type == "cuda" else learn


class CudaGraph:
    """What `CapturedUpdate` needs of CUDA."""

    def __init__(self) -> None:
        self._stream = torch.cuda.Stream()
        self._graph = torch.cuda.CUDAGraph()

    def eager(self, function: Callable[[], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        """Calls the function on a stream of its own, as a capture asks of the calls before it."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            result = function()
        torch.cuda.current_stream().wait_stream(self._stream)
        return result

    def capture(self, function: Callable[[], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        """Records what the function does, without doing it, and returns the tensors that `replay` will fill."""
        with torch.cuda.graph(self._graph):
            return function()

    def replay(self) -> None:
        """Does what was recorded."""
        self._graph.replay()


class CapturedUpdate:
    """Copies each batch into the same place and replays the update that was recorded there."""

    def __init__(self, learn: Learn, graph: CudaGraph) -> None:
        self._learn, self._graph = learn, graph
        self._calls = 0
        self._batch: Batch | None = None
        self._result: tuple[Tensor, Tensor] | None = None

    def __call__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        self._calls += 1
        if self._calls <= EAGER_UPDATES:
            return self._graph.eager(lambda: self._learn(batch))
        if self._batch is None or self._result is None:
            self._batch = Batch(*(part.clone() for part in batch))
            static = self._batch
            self._result = self._graph.capture(lambda: self._learn(static))
        else:
            for place, part in zip(self._batch, batch, strict=True):
                place.copy_(part, non_blocking=True)
        self._graph.replay()
        loss, td_error = self._result
        return loss.clone(), td_error.clone()
