"""What a parameter's declaration says, in words: which values it allows, where it is declared."""

import typing
from collections.abc import Iterable
from typing import Any

from pydantic.fields import FieldInfo

from merlin.config import Parameters

_WORDS = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
    type(None): "null",
    tuple: "a list",
    list: "a list",
    dict: "a mapping such as {name: value}",
}
_BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def allowed(model: type[Parameters], name: str) -> str:
    """Returns which values a parameter allows, such as "a whole number ≥ 1, or null"."""
    declared = model.model_fields[name]
    return _allowed(declared.annotation, bounds(declared.metadata))


def bounds(rules: Iterable[Any]) -> str:
    """Returns the range that a parameter's rules set, such as "≥ 0 and ≤ 1"; empty if they set none."""
    found = []
    for rule in rules:
        found += bounds(rule.metadata).split(" and ") if isinstance(rule, FieldInfo) else []
        for key, sign in _BOUNDS.items():
            if (limit := getattr(rule, key, None)) is not None:
                found.append(f"{sign} {limit:,}" if isinstance(limit, int) else f"{sign} {limit:g}")
        if (length := getattr(rule, "min_length", None)) is not None:
            found.append(f"with at least {length} of them")
    return " and ".join(filter(None, found))


def _allowed(annotation: Any, limits: str) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        words = [str(value) for value in arguments]
        return ", ".join(words[:-1]) + " or " + words[-1] if words[1:] else f"only {words[0]}"
    if origin is typing.Annotated:
        return _allowed(arguments[0], " and ".join(filter(None, (bounds(arguments[1:]), limits))))
    if origin in (tuple, list):
        element = next((each for each in arguments if each is not Ellipsis), Any)
        words = _allowed(element, "").replace("a whole number", "whole numbers").replace("a number", "numbers")
        return " ".join(filter(None, (f"a list of {words}", limits)))
    if arguments and origin is not dict:
        members = [_allowed(each, "" if each is type(None) else limits) for each in arguments]
        return ", or ".join(members)
    return " ".join(
        filter(None, (_WORDS.get(origin or annotation, getattr(annotation, "__name__", "a value")), limits))
    )
