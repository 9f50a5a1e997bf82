"""Names, as experiment files write them, and the classes that they stand for."""

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from merlin.errors import InputError, MerlinError

T = TypeVar("T", bound=type)


@dataclass(frozen=True)
class Entry:
    """What a name stands for: a class and the defaults that differ from those that the class declares."""

    name: str
    cls: Any
    defaults: Mapping[str, Any] = field(default_factory=dict)


class Family(NamedTuple):
    """A class that stands for many names, which are resolved and not registered one by one."""

    cls: Any
    names: Callable[[], Iterable[str]]


class Registry:
    """The agents, nets or environments that an experiment can name.

    Args:
        kind: what is registered, for messages: "agent", "net" or "env".
        classes: the first classes to register.
        resolve: finds what is not registered under a name, as (class, name to use from then on,
            defaults), or None.
        other_names: more spellings that `resolve` understands, for suggestions.
        families: what `resolve` gives, each under words that say for which names.
    """

    def __init__(
        self,
        kind: str,
        classes: Iterable[type] = (),
        *,
        resolve: Callable[[str], tuple[type, str, Mapping[str, Any]] | None] = lambda name: None,
        other_names: Callable[[], Iterable[str]] = tuple,
        families: Mapping[str, Family] = MappingProxyType({}),
    ) -> None:
        self.kind = kind
        self.families = families
        self._resolve = resolve
        self._other_names = other_names
        self._entries: dict[str, Entry] = {}
        for cls in classes:
            self.register(cls)

    def register(self, cls: T) -> T:
        """Registers a class under its own name; usable as a decorator.

        Raises:
            MerlinError: if it has no name, is abstract, or another class has the name already.
        """
        if not isinstance(cls, type):
            raise MerlinError(f"{cls!r} is not a class, so it cannot be registered as {_a(self.kind)}.")
        if inspect.isabstract(cls):
            missing = ", ".join(sorted(getattr(cls, "__abstractmethods__", ())))
            raise MerlinError(f"The {self.kind} class {cls.__qualname__} still has to define: {missing}.")
        self._add(Entry(name_of(cls), cls))
        return cls

    append = register  # a registry written as a list reads `net_registry.append(NewNet)`

    def preset(self, name: str, cls: type, **defaults: Any) -> None:
        """Registers another name for a class, with other defaults for some of its parameters."""
        self._add(Entry(name, cls, defaults))

    def find(self, name: str) -> Entry:
        """Returns what a name stands for.

        Raises:
            InputError: if it stands for nothing; with the nearest names and all names.
        """
        if entry := self._entries.get(name):
            return entry
        if resolved := self._resolve(name):
            cls, canonical, defaults = resolved
            return Entry(canonical, cls, defaults)
        near = nearest(name, [*self._entries, *self._other_names()])
        hint = f" Did you mean {near}?" if near else ""
        raise InputError(f"Unknown {self.kind} '{name}'.{hint} Known: {', '.join(self.names())}.")

    def names(self) -> list[str]:
        """Returns the registered names, sorted."""
        return sorted(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return (self._entries[name] for name in self.names())

    def classes(self) -> list[tuple[str, Any]]:
        """Returns all classes that a name can stand for, each with a name or words for several names."""
        families = ((title, family.cls) for title, family in self.families.items())
        return [*((entry.name, entry.cls) for entry in self), *families]

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def _add(self, entry: Entry) -> None:
        known = self._entries.get(entry.name)
        if known and known != entry:
            raise MerlinError(
                f"Two {self.kind} classes are named '{entry.name}': {_where(known.cls)} and "
                f"{_where(entry.cls)}. "
                "Give one of them another name."
            )
        self._entries[entry.name] = entry


def name_of(cls: type) -> str:
    """Returns the name that a class gives itself: a class attribute, or a property of the class.

    Python 3.13 no longer evaluates `@classmethod @property def name(cls)`, so the function is taken out of
    its wrappers.
    """
    name: Any = inspect.getattr_static(cls, "name", None)
    if isinstance(name, classmethod):
        name = name.__func__
    if isinstance(name, property):
        name = name.fget
    if inspect.isfunction(name):
        name = name(cls)
    if not isinstance(name, str) or not name:
        raise MerlinError(f'{_where(cls)} has no name: write `name = "…"` in the class.')
    return name


def nearest(word: str, known: Iterable[str], count: int = 1) -> str | None:
    """Returns the known words (as many as `count`) that a wrong one may stand for, or None."""
    spelled = {_letters(each): each for each in known}
    found = difflib.get_close_matches(_letters(word), spelled, n=count, cutoff=0.6)
    return " or ".join(f"'{spelled[each]}'" for each in found) or None


def _letters(word: str) -> str:
    return "".join(filter(str.isalnum, word.lower()))


def _where(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
