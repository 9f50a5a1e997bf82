"""From experiment files to runs: variants merged, every value checked, every fault listed at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from merlin.config import OTHER_NAMES, Config, plain
from merlin.errors import InputError, MerlinError
from merlin.experiment.components import Registries, owners
from merlin.experiment.extensions import load_extensions
from merlin.experiment.file import Fault, Node, Place, Setting, read, shown
from merlin.experiment.identity import duplicates, runs_of
from merlin.experiment.resolution import Resolved, resolve
from merlin.registry import nearest
from merlin.yaml_text import YamlFault, parse_value


def load_experiments(
    paths: Iterable[Path],
    overrides: Sequence[str] = (),
    registries: Registries | None = None,
    misfits: Callable[[Config], Iterable[tuple[str, str]]] = lambda config: (),
) -> list[Config]:
    """Returns the settings of all runs that some experiment files define, in the order of the files.

    Args:
        paths: the files.
        overrides: `key=value` each; they win over everything that the files say.
        registries: what the files may name; merlin's own if not given.
        misfits: looks at a run of each variant whose values are all allowed, and yields what is wrong nevertheless:
            a parameter and a message.

    Raises:
        InputError: if anything is wrong; it lists every fault of every file.
    """
    registries = registries or Registries.default()
    faults: list[Fault] = []
    above = _overrides(overrides, faults)
    trees = {path: read(path, faults) for path in _distinct(paths)}
    top = Node(Place("command line"), above, whole=all(trees.values()))
    _run_imports([(Path.cwd(), top), *_with_folders(trees)], faults)
    resolved: list[Resolved] = []
    nodes: list[tuple[Node, list[Resolved]]] = []
    for path, tree in trees.items():
        if tree is None:
            continue
        leaves = [resolve(path, way, above, registries, faults) for way in tree.lineages()]
        below: dict[int, list[Resolved]] = {}
        for leaf in leaves:
            for node in leaf.way:
                below.setdefault(id(node), []).append(leaf)
        nodes += [(node, below[id(node)]) for node in tree.walk()]
        resolved += leaves
    _report_unused([*nodes, (top, resolved)], registries, faults)
    faults += duplicates(resolved)
    for leaf in resolved:
        if leaf.sound:
            faults += [Fault(leaf.place_of(name), message) for name, message in misfits(runs_of(leaf)[0])]
    if faults:
        raise InputError(_listed(faults))
    return [config for leaf in resolved for config in runs_of(leaf)]


def load_run(path: Path, registries: Registries | None = None) -> Config:
    """Returns the settings of the one run that a file defines, such as a run folder's `experiment.yaml`.

    Raises:
        InputError: if anything is wrong, or if the file defines several runs.
    """
    configs = load_experiments([path], registries=registries)
    if len(configs) != 1:
        raise InputError(f"{path}: one run is needed, but the file defines {len(configs)}; set `run_count: 1`.")
    return configs[0]


def make_config(
    values: Mapping[str, Any] = MappingProxyType({}), registries: Registries | None = None, **more: Any
) -> Config:
    """Returns the settings of one run from Python, with defaults for what is not given.

    Raises:
        InputError: if anything is wrong.
    """
    given = {OTHER_NAMES.get(name, name): plain(value) for name, value in {"run_count": 1, **values, **more}.items()}
    registries = registries or Registries.default()
    place = Place("the given values")
    node = Node(place, {name: Setting(name, value, place, name) for name, value in given.items()})
    faults: list[Fault] = []
    _run_imports([(Path.cwd(), node)], faults)
    leaf = resolve(Path("experiment"), (node,), {}, registries, faults)
    _report_unused([(node, [leaf])], registries, faults)
    if faults:
        raise InputError(_listed(faults))
    return runs_of(leaf)[0]


def _overrides(texts: Sequence[str], faults: list[Fault]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for text in texts:
        place = Place(f"--set {text}")
        spelled, equals, value = text.partition("=")
        name = OTHER_NAMES.get(spelled.strip(), spelled.strip())
        if not equals or not name or name == "variants":
            faults.append(
                Fault(place, "write it as key=value, such as --set episodes=100; variants belong into a file")
            )
        elif name in found:
            faults.append(Fault(place, f"{name}: set twice on the command line; keep one"))
        else:
            try:
                found[name] = Setting(name, parse_value(value), place, spelled.strip())
            except YamlFault as fault:
                faults.append(Fault(place, fault.message))
    return found


def _distinct(paths: Iterable[Path]) -> list[Path]:
    return list({path.resolve(): path for path in reversed(list(paths))}.values())[::-1]


def _with_folders(trees: Mapping[Path, Node | None]) -> list[tuple[Path, Node]]:
    return [(path.parent, node) for path, tree in trees.items() if tree for node in tree.walk()]


def _run_imports(nodes: Iterable[tuple[Path, Node]], faults: list[Fault]) -> None:
    """Runs the files that `imports` names anywhere, and puts absolute paths in place of those written."""
    for folder, node in nodes:
        setting = node.settings.get("imports")
        if setting is None or not isinstance(setting.value, list):
            continue
        for index, each in enumerate(setting.value):
            if not isinstance(each, str):
                continue
            try:
                [setting.value[index]] = load_extensions([each], folder)
            except MerlinError as error:
                faults.append(Fault(setting.place, f"imports: {shown(each)}: {error}"))


def _report_unused(nodes: Iterable[tuple[Node, list[Resolved]]], registries: Registries, faults: list[Fault]) -> None:
    known: dict[str, str] = {}
    for node, leaves in nodes:
        used = {name for leaf in leaves for name in leaf.used}
        for setting in node.settings.values():
            if setting.name in used:
                continue
            known = known or owners(registries)
            text = f"{setting.spelled}: {shown(setting.value)}: "
            if holders := known.get(setting.name):
                if node.whole and leaves and all(leaf.complete for leaf in leaves):
                    text += f"no run that it is meant for uses it; it belongs to {holders}"
                    faults.append(Fault(setting.place, text))
                continue
            near = nearest(setting.spelled, [*used, *OTHER_NAMES, "variants"]) or nearest(setting.spelled, known)
            hint = f"; did you mean {near}?" if near else "; see `merlin show parameters`"
            faults.append(Fault(setting.place, f"{text}there is no such parameter{hint}"))


def _listed(faults: list[Fault]) -> str:
    lines = sorted(set(faults))
    if len(lines) == 1:
        return str(lines[0])
    return "\n".join([f"{len(lines)} faults:", *(f"  {fault}" for fault in lines)])
