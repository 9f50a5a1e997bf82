"""How fast merlin learns Pong online, beside Stable-Baselines3's DQN, and what else a run costs.

    make bench                                  all parts but `decay`, about ten minutes
    make bench ARGS="--only sb3-ratio"          one part
    make bench ARGS="--only decay --long"       200,000 steps first, a quarter of an hour
    make bench ARGS="--quick"                   tiny windows, to try the benchmark; its numbers mean nothing

Prints a table per part and writes benchmarks/results/online.json and online.md; parts that were not run keep
what those files say of them. Nothing else should run on the machine meanwhile; where something does, only the
ratios mean anything.
"""

import argparse
import dataclasses
import json
from pathlib import Path

import measure
import parts

RESULTS = Path(__file__).with_name("results")


def main() -> None:
    options = arguments()
    chosen = options.only or [name for name in parts.PARTS if name != "decay" or options.long]
    plan = parts.Plan(
        rounds=2 if options.quick else options.rounds,
        window_seconds=1.0 if options.quick else options.window_seconds,
        threads=options.threads,
        memory_size=1_000 if options.quick else 20_000,
        decay_steps=200_000 if options.long else 12_000,
    )
    found = {}
    for name in chosen:
        print(f"== {name}", flush=True)
        found[name] = parts.PARTS[name](plan)
        print("\n" + found[name].markdown(), flush=True)
    if not options.quick:
        save(found, plan)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(parts.PARTS), action="append", help="run this part (repeatable)")
    parser.add_argument("--long", action="store_true", help="`decay` too, with 200,000 steps instead of 12,000")
    parser.add_argument("--quick", action="store_true", help="try the benchmark itself; saves nothing")
    parser.add_argument("--rounds", type=int, default=5, help="windows of each contestant (default 5)")
    parser.add_argument("--window-seconds", type=float, default=10.0, help="aim for a window (default 10)")
    parser.add_argument("--threads", type=int, default=2, help="processor threads of each contestant (default 2)")
    return parser.parse_args()


def save(found: dict[str, measure.Result], plan: parts.Plan) -> None:
    """Writes the results beside those of parts that were not run now."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / "online.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    machine = measure.machine()
    for name, result in found.items():
        known[name] = {**dataclasses.asdict(result), "plan": dataclasses.asdict(plan), "machine": machine}
    file.write_text(json.dumps(known, indent=1) + "\n")

    texts = []
    for name in parts.PARTS:
        if name in known:
            shown = {key: known[name][key] for key in ("title", "header", "rows")}
            on = known[name]["machine"]
            where = f"{on['processor']}, {on['cores']} cores, torch {on['packages']['torch']}, {on['date']}"
            texts.append(f"{measure.Result(**shown).markdown()}\n{where}\n")
    (RESULTS / "online.md").write_text("\n".join(texts))
    print(f"saved in {file} and {RESULTS / 'online.md'}")


if __name__ == "__main__":
    main()
