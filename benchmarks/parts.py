"""The parts of the online benchmark. Each takes the plan, measures, and returns its result."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Result, Spread, ratios, seconds_of
from windows import Contestant, Report, alternate, rate

MB = 1e6


@dataclass(frozen=True)
class Plan:
    """How long and how large.

    Attributes:
        rounds: windows of each contestant.
        window_seconds: what a window is to take.
        threads: processor threads of a contestant.
        memory_size: observations that a replay keeps.
        decay_steps: agent steps after which `decay` measures again.
    """

    rounds: int
    window_seconds: float
    threads: int
    memory_size: int
    decay_steps: int


def settings(plan: Plan, name: str, **changes: Any) -> dict[str, Any]:
    """What both contestants are told: Pong, Nature CNN, batch 32, Adam, one update per four agent steps."""
    return {
        "name": name,
        "num_envs": 1,
        "threads": plan.threads,
        "batch_size": 32,
        "memory_size": plan.memory_size,
        "learning_starts": min(1_000, plan.memory_size // 2),
        "alpha": 1e-4,
        "seed": 0,
        "use_amp": False,
    } | changes


def merlin(plan: Plan, name: str, **changes: Any) -> Contestant:
    return Contestant("merlin_contestant.py", settings(plan, name, **changes))


def sb3(plan: Plan, name: str, **changes: Any) -> Contestant:
    return Contestant("sb3_contestant.py", settings(plan, name, **changes))


def sb3_ratio(plan: Plan) -> Result:
    """merlin in float32 and bf16 against Stable-Baselines3 (float32 only), with 1 and 8 environments."""
    rows, numbers = [], {}
    for num_envs in (1, 8):
        with ExitStack() as stack:
            rival, *ours = contestants = [
                stack.enter_context(sb3(plan, "SB3 float32", num_envs=num_envs)),
                stack.enter_context(merlin(plan, "merlin float32", num_envs=num_envs)),
                stack.enter_context(merlin(plan, "merlin bf16", num_envs=num_envs, use_amp=True)),
            ]
            steps = [each.steps_for(plan.window_seconds) for each in contestants]
            reports = alternate(contestants, steps, plan.rounds)
        rates = [[rate(report) for report in seen] for seen in reports]
        rows.append([str(num_envs), rival.name, Spread.of(rates[0]).show(), "1", "–"])
        for each, seen, ours_rates in zip(ours, reports[1:], rates[1:], strict=True):
            ratio = ratios(ours_rates, rates[0])
            share = Spread.of([update_share(report) for report in seen])
            rows.append([str(num_envs), each.name, Spread.of(ours_rates).show(), ratio.show(2), share.show(0, " %")])
            numbers[f"{each.name}, {num_envs} environments"] = {
                "ratio": ratio.median,
                "update_share": share.median,
            }
        numbers[f"windows, {num_envs} environments"] = dict(
            zip((each.name for each in contestants), reports, strict=True)
        )
    header = ["environments", "who", "agent steps/s", "× SB3", "share of time in the update"]
    title = f"Pong, Nature CNN, batch 32, Adam, an update per four agent steps, {plan.threads} threads"
    return Result(f"{title}: median (smallest–largest) of {plan.rounds} windows", header, rows, numbers)


def update_share(report: Report) -> float:
    """Percent of a window's time that the learner spent in updates."""
    return 100 * report["update_seconds"] / report["seconds"]


def memory(plan: Plan) -> Result:
    """Bytes of the replay against those of its single frames, and resident memory once the replay is full."""
    small = plan.memory_size // 4
    with merlin(plan, "merlin float32", num_envs=8, memory_size=small, learning_starts=small // 4) as contestant:
        ready = contestant.ready
        laps = [contestant.window(ready["replay_entries"]) for _ in range(4)]
    shares = ready["bytes_per_frame_byte"]
    resident = [lap["resident_bytes"] / MB for lap in laps]
    rows = [
        *([f"replay of {int(size):,}, of the bytes of its frames", f"{share:.3f}"] for size, share in shares.items()),
        [f"resident memory, replay of {small:,} just full", f"{resident[0]:.0f} MB"],
        *(
            [f"resident memory, overwritten {lap} time{'s' * (lap > 1)}", f"{size:.0f} MB"]
            for lap, size in enumerate(resident[1:], 1)
        ),
    ]
    numbers = {"replay_bytes_per_frame_byte": shares, "resident_mb": resident}
    return Result("Memory", ["what", "how much"], rows, numbers)


def decay(plan: Plan) -> Result:
    """Speed after many steps against speed after 10,000, windows of two processes alternating."""
    early_steps, late_steps = min(10_000, plan.decay_steps // 2), plan.decay_steps
    with merlin(plan, "early", num_envs=8) as early, merlin(plan, "late", num_envs=8) as late:
        late_reports = [late.window(late_steps // 20) for _ in range(20)]
        early.window(early_steps)
        steps = early.steps_for(plan.window_seconds)
        reports = alternate([early, late], [steps, steps], plan.rounds)
    rates = [[rate(report) for report in seen] for seen in reports]
    ratio = ratios(rates[1], rates[0])
    resident = [late_reports[-10]["resident_bytes"] / MB, reports[1][-1]["resident_bytes"] / MB]
    rows = [
        [f"after {early_steps:,} steps", Spread.of(rates[0]).show(), "1"],
        [f"after {late_steps:,} steps", Spread.of(rates[1]).show(), ratio.show(3)],
    ]
    numbers = {"ratio": ratio.median, "resident_mb_half_way_and_at_the_end": resident}
    title = f"Speed in the long run; resident half-way {resident[0]:.0f} MB, at the end {resident[1]:.0f} MB"
    return Result(title, ["when", "agent steps/s", "ratio"], rows, numbers)


def four_runs(plan: Plan) -> Result:
    """Four runs of one thread each on all cores, against one run confined to one core."""
    alone_rates, together_rates = [], []
    one_thread = {"threads": 1, "num_envs": 8}
    with ExitStack() as stack:
        alone = stack.enter_context(merlin(plan, "confined", cpus=[0], **one_thread))
        runs = [stack.enter_context(merlin(plan, f"run {number}", **one_thread)) for number in range(4)]
        steps = alone.steps_for(plan.window_seconds)
        for round_number in range(plan.rounds):
            alone_rates.append(rate(alone.window(steps)))
            for run in runs:
                run.start(steps // 2)
            together_rates.append(sum(rate(run.finish()) for run in runs))
            print(
                f"  round {round_number + 1} of {plan.rounds}, agent steps per second:"
                f" one run {alone_rates[-1]:.0f}, four runs {together_rates[-1]:.0f}",
                flush=True,
            )
    ratio = ratios(together_rates, alone_rates)
    rows = [
        ["one run confined to one core", Spread.of(alone_rates).show(), "1"],
        ["four runs together", Spread.of(together_rates).show(), ratio.show(2)],
    ]
    header = ["what", "agent steps/s", "ratio"]
    return Result("Several runs on one machine", header, rows, {"ratio": ratio.median})


def start_up(plan: Plan) -> Result:
    """`merlin --help` beside a Python that does nothing, alternating."""
    merlin_command = str(Path(sys.executable).with_name("merlin"))
    nothing, help_text = [], []
    for _ in range(4 * plan.rounds):
        nothing.append(seconds_of(lambda: _quietly([sys.executable, "-c", "pass"])))
        help_text.append(seconds_of(lambda: _quietly([merlin_command, "--help"])))
    more = Spread.of([ours - bare for ours, bare in zip(help_text, nothing, strict=True)])
    rows = [
        ["python -c pass", Spread.of(nothing).show(3, " s")],
        ["merlin --help", Spread.of(help_text).show(3, " s")],
        ["difference", more.show(3, " s")],
    ]
    return Result("Start-up", ["command", "seconds"], rows, {"difference_seconds": more.median})


def _quietly(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


PARTS: dict[str, Callable[[Plan], Result]] = {
    "sb3-ratio": sb3_ratio,
    "memory": memory,
    "decay": decay,
    "four-runs": four_runs,
    "help": start_up,
}
