"""Experiment files as trees of settings that know where they are written; no declaration is looked at yet."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from merlin.config import OTHER_NAMES
from merlin.yaml_text import LARGEST_FILE, YamlFault, compose, dump_value, line_of, value_of


@dataclass(frozen=True, order=True)
class Place:
    """Where something is written: a line of a file, or the command line."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong, and where."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True)
class Setting:
    """A parameter with a value, as written."""

    name: str
    value: Any
    place: Place
    spelled: str
    """The name as written, which may be another name of the same parameter."""


@dataclass(eq=False)
class Node:
    """A mapping of an experiment file: settings, and the variants below them."""

    place: Place
    settings: dict[str, Setting] = field(default_factory=dict)
    variants: list["Node"] = field(default_factory=list)
    whole: bool = True
    """False if some of it could not be read, so that nothing can be said about what is missing below it."""

    def walk(self) -> Iterator["Node"]:
        """Yields this node and all below it."""
        yield self
        for variant in self.variants:
            yield from variant.walk()

    def lineages(self, above: tuple["Node", ...] = ()) -> Iterator[tuple["Node", ...]]:
        """Yields the way down to each leaf: each is one variant that is run."""
        way = (*above, self)
        if not self.variants:
            yield way
        for variant in self.variants:
            yield from variant.lineages(way)


def read(path: Path, faults: list[Fault]) -> Node | None:
    """Reads one experiment file; adds what is wrong with it to `faults`, and returns None if it is no use."""
    place = Place(str(path))
    try:
        text = _text(path)
        root = compose(text)
        if root is None:
            raise YamlFault(
                None,
                "the file is empty; an experiment holds at least one parameter, such as `episodes: 1000`",
            )
        if not isinstance(root, yaml.MappingNode):
            found = "a list" if isinstance(root, yaml.SequenceNode) else "a single value"
            raise YamlFault(line_of(root), f"the file must hold parameters, `name: value` line by line, not {found}")
        return _node(root, place, faults)
    except YamlFault as fault:
        faults.append(Fault(dataclasses.replace(place, line=fault.line or 0), fault.message))
    return None


def shown(value: Any) -> str:
    """Returns a value as it would be written, shortened, for messages."""
    text = dump_value(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            raise YamlFault(None, f"this is a folder; name the files in it, such as {path / '*.yaml'}")
        if path.exists() and not path.is_file():
            raise YamlFault(None, "this is not a file")
        if path.stat().st_size > LARGEST_FILE:
            raise YamlFault(None, f"more than {LARGEST_FILE:,} bytes: this is not an experiment file")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise YamlFault(line, "not text in UTF-8; save the file with that encoding") from None
    except FileNotFoundError:
        raise YamlFault(None, "there is no such file") from None
    except OSError as error:
        raise YamlFault(None, f"the file cannot be read: {error.strerror}") from None
    except ValueError as error:  # a name that no file can have
        raise YamlFault(None, f"the file cannot be read: {error}") from None


def _node(mapping: yaml.MappingNode, file: Place, faults: list[Fault]) -> Node:
    node = Node(dataclasses.replace(file, line=line_of(mapping)))
    for key, value in _pairs(mapping, file, faults):
        place = dataclasses.replace(file, line=line_of(key))
        if key.value == "variants":
            before = len(faults)
            node.variants = _variants(value, place, faults)
            node.whole = len(faults) == before
            continue
        name = OTHER_NAMES.get(key.value, key.value)
        if name in node.settings:
            first = node.settings[name]
            faults.append(
                Fault(
                    place,
                    f"{key.value}: `{first.spelled}` on line {first.place.line} is the same; keep one",
                )
            )
            continue
        try:
            node.settings[name] = Setting(name, value_of(value), place, key.value)
        except YamlFault as fault:
            faults.append(Fault(dataclasses.replace(file, line=fault.line or 0), f"{key.value}: {fault.message}"))
    return node


def _variants(sequence: yaml.Node, place: Place, faults: list[Fault]) -> list[Node]:
    if not isinstance(sequence, yaml.SequenceNode) or not sequence.value:
        faults.append(
            Fault(
                place,
                "variants: a list with at least one variant is needed, such as `- alpha: 0.1` or `- {}`",
            )
        )
        return []
    nodes = []
    for item in sequence.value:
        here = dataclasses.replace(place, line=line_of(item))
        if isinstance(item, yaml.MappingNode):
            nodes.append(_node(item, dataclasses.replace(place, line=0), faults))
        else:
            faults.append(
                Fault(
                    here,
                    f"variants: {_plain_text(item)} is not a variant; write parameters, or `{{}}` for none",
                )
            )
    return nodes


def _pairs(mapping: yaml.MappingNode, file: Place, faults: list[Fault]) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """Returns the keys and values of a mapping; those taken over with `<<` last, where it has no own."""
    own: dict[str, tuple[yaml.ScalarNode, yaml.Node]] = {}
    taken_over: list[tuple[yaml.ScalarNode, yaml.Node]] = []
    for key, value in mapping.value:
        place = dataclasses.replace(file, line=line_of(key))
        if key.tag == "tag:yaml.org,2002:merge":
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for source in sources:
                if isinstance(source, yaml.MappingNode):
                    taken_over += _pairs(source, file, faults)
                else:
                    faults.append(Fault(place, "<<: only parameters can be taken over, such as `<<: *name`"))
        elif not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
            faults.append(Fault(place, f"{_plain_text(key)}: the name of a parameter is needed before the colon"))
        elif key.value in own:
            first = line_of(own[key.value][0])
            faults.append(Fault(place, f"{key.value}: written twice; it is on line {first} already"))
        else:
            own[key.value] = (key, value)
    meant = {OTHER_NAMES.get(name, name) for name in own}
    for key, value in taken_over:
        if (name := OTHER_NAMES.get(key.value, key.value)) not in meant:
            own[key.value] = (key, value)
            meant.add(name)
    return list(own.values())


def _plain_text(node: yaml.Node) -> str:
    try:
        return shown(value_of(node))
    except YamlFault:
        return "this"
