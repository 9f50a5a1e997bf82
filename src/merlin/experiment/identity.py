"""Which runs a variant has, and whether two variants claim the same folder."""

from collections.abc import Iterable
from typing import Any

from merlin.config import Config
from merlin.experiment.file import Fault
from merlin.experiment.resolution import Resolved


def runs_of(variant: Resolved) -> list[Config]:
    """Returns the settings of each run of a variant: `run` is its number, `run_count` is 1."""
    first, count = variant.values["run"], variant.values["run_count"]
    return [
        Config({**variant.values, "run": run, "run_count": 1}, variant.origins, variant.models)
        for run in range(first, first + count)
    ]


def duplicates(variants: Iterable[Resolved]) -> list[Fault]:
    """Returns a fault for each variant whose name another one of the same experiment has already.

    Files that hold different runs of one variant, such as the `experiment.yaml` of several run folders, go
    together.
    """
    faults, taken = [], {}
    for variant in variants:
        experiment, name = variant.values.get("experiment"), variant.values.get("variant")
        if experiment is None or name is None:
            continue
        earlier = taken.setdefault((experiment.casefold(), name.casefold()), [])
        for other in earlier:
            if not _go_together(variant, other):
                faults.append(
                    Fault(
                        variant.place_of("variant") if "variant" in variant.way[-1].settings else variant.place,
                        f"variant: experiment '{experiment}' has a variant '{name}' already, at "
                        f"{other.place}; "
                        "give one of them a `variant` name of its own, or its file another `experiment`",
                    )
                )
                break
        earlier.append(variant)
    return faults


def _go_together(one: Resolved, other: Resolved) -> bool:
    if one.way[0] is other.way[0] or not (one.complete and other.complete):
        return False
    return _alike(one) == _alike(other) and not set(_numbers(one)) & set(_numbers(other))


def _alike(variant: Resolved) -> dict[str, Any]:
    return {name: value for name, value in variant.values.items() if name not in ("run", "run_count")}


def _numbers(variant: Resolved) -> range:
    run, count = variant.values.get("run", 0), variant.values.get("run_count", 1)
    return range(run, run + count)
