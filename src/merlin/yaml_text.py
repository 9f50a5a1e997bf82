"""YAML as experiment files use it: text to nodes that know their lines, nodes to values, values to text.

It differs from PyYAML's default in what a word means: `5e-6`, `1e5` and `500_000` are numbers; only `true`
and `false` are truth values (`yes`, `no`, `on` and `off` are text); there are no dates and no numbers to the
base 60. Nothing in a file is ever executed: nodes are read by this module alone, and a tag such as
`!!python/name` is an error.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import yaml

LARGEST_FILE = 4 * 2**20
"""Bytes; an experiment file is written by hand, and a larger one is something else by mistake."""

MOST_NODES = 1_000_000
"""Values that a text may stand for once its anchors are filled in; a few lines can stand for billions."""

DEEPEST_NODE = 100
"""Levels that lists and mappings may be nested; no one means more."""

_NUMBERS = {
    "int": (re.compile(r"[-+]?(?:[0-9][0-9_]*|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+)$"), "-+0123456789"),
    "float": (
        re.compile(
            r"[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$"
            r"|[-+]?\.(?:inf|Inf|INF)$|\.(?:nan|NaN|NAN)$"
        ),
        "-+.0123456789",
    ),
    "bool": (re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
    "null": (re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    "merge": (re.compile(r"<<$"), "<"),
}
_BASES = {"0x": 16, "0o": 8, "0b": 2}


class YamlFault(Exception):
    """One thing that is wrong in a text, and its line (from 1)."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # the C parser where PyYAML was built with it
    yaml_implicit_resolvers: ClassVar[dict] = {}


class _Dumper(yaml.SafeDumper):
    """Quotes text that this module's reader or an ordinary one would take for something else."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def text(self, value: str) -> yaml.ScalarNode:
        """Represents text; quoted where a character breaks lines, which PyYAML overlooks for some of them."""
        style = None if value.isprintable() else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _Dumper.text)
for _tag, (_pattern, _first) in _NUMBERS.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", _pattern, list(_first))
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", _pattern, list(_first))


def compose(text: str) -> yaml.Node | None:
    """Returns the root node of a text, or None if it is empty or null.

    Raises:
        YamlFault: if it is not YAML.
    """
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
        if root is None or root.tag == "tag:yaml.org,2002:null":
            return None
        size, depth = _extent(root, {})
        if size > MOST_NODES:
            raise YamlFault(None, f"its anchors stand for more than {MOST_NODES:,} values")
        if depth > DEEPEST_NODE:
            raise RecursionError
        return root
    except yaml.MarkedYAMLError as error:
        raise _explained(error, text) from None
    except yaml.YAMLError as error:
        position = getattr(error, "position", None)
        line = None if position is None else text.count("\n", 0, position) + 1
        raise YamlFault(line, f"not YAML: {getattr(error, 'reason', error)}") from None
    except RecursionError:
        raise YamlFault(None, f"nested more than {DEEPEST_NODE} levels deep") from None


def parse_value(text: str) -> Any:
    """Returns the value that a text stands for, as in an experiment file.

    Raises:
        YamlFault: if it is not YAML.
    """
    node = compose(text)
    return None if node is None else value_of(node)


def value_of(node: yaml.Node) -> Any:
    """Returns the plain value of a node.

    Raises:
        YamlFault: if it is not plain data.
    """
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    match node, kind:
        case yaml.ScalarNode(), "str" | "merge":
            return node.value
        case yaml.ScalarNode(), "int" | "float" | "bool" | "null":
            return _scalar(node, kind)
        case yaml.SequenceNode(), "seq":
            return [value_of(item) for item in node.value]
        case yaml.MappingNode(), "map":
            return _mapping(node)
    tag = node.tag.replace("tag:yaml.org,2002:", "!!")
    raise YamlFault(line_of(node), f"the tag {tag} is not allowed: a file holds plain data only")


def line_of(node: yaml.Node) -> int:
    """Returns the line that a node begins on, from 1."""
    return node.start_mark.line + 1


def dump_value(value: Any) -> str:
    """Returns the YAML text of a value, on one line; reading it gives exactly the value again."""
    text = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=2**31, allow_unicode=True, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def in_words(values: Mapping[str, Any]) -> str:
    """Returns a mapping on one line, without signs between names and values: `frame_skip 4, sticky_actions 0.25`."""
    return ", ".join(f"{name} {dump_value(value)}" for name, value in values.items())


def _mapping(node: yaml.MappingNode) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
            raise YamlFault(line_of(key), "only names can stand before a colon here")
        if key.value in found:
            raise YamlFault(line_of(key), f"{key.value} is written twice")
        found[key.value] = value_of(value)
    return found


def _extent(node: yaml.Node, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Returns how many nodes a node stands for, and how deep they nest, anchors filled in."""
    if id(node) not in known:
        known[id(node)] = None
        children = node.value if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            children = [part for pair in node.value for part in pair]
        extents = [_extent(child, known) for child in children]
        known[id(node)] = (
            1 + sum(size for size, _ in extents),
            1 + max((depth for _, depth in extents), default=0),
        )
    extent = known[id(node)]
    if extent is None:
        raise YamlFault(line_of(node), "the anchor contains itself")
    return extent


def _scalar(node: yaml.ScalarNode, kind: str) -> Any:
    digits = node.value.replace("_", "").lower()
    try:
        match kind:
            case "int":
                sign = -1 if digits[0] == "-" else 1
                digits = digits.lstrip("+-")
                return sign * int(digits, _BASES.get(digits[:2], 10))
            case "float":
                return float(digits.replace(".inf", "inf").replace(".nan", "nan"))
            case "bool":
                return {"true": True, "false": False}[digits]
            case _:
                return None
    except (ValueError, KeyError, IndexError):
        raise YamlFault(line_of(node), f"{node.value!r} is not of the type {node.tag}") from None


def _explained(error: yaml.MarkedYAMLError, text: str) -> YamlFault:
    mark = error.problem_mark or error.context_mark
    rows = text.splitlines() or [""]
    line = None if mark is None else min(mark.line + 1, len(rows))
    if line and "\t" in rows[line - 1][: len(rows[line - 1]) - len(rows[line - 1].lstrip())]:
        return YamlFault(line, "not YAML: a line cannot be indented with tabs; use spaces")
    reasons = ", ".join(filter(None, (error.context, error.problem)))
    if error.context_mark is not None and error.context_mark.line + 1 != line:
        reasons += f" (begun on line {error.context_mark.line + 1})"
    return YamlFault(line, f"not YAML: {reasons}")
