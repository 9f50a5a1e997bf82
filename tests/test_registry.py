"""Names and the classes that they stand for."""

from abc import ABC, abstractmethod

import pytest

from merlin.errors import InputError, MerlinError
from merlin.registry import Family, Registry, name_of, nearest


class Plain:
    name = "plain"


class DocumentStyle:
    """Named as the document of MERLIn shows it; Python 3.13 no longer evaluates this."""

    @classmethod  # ty: ignore[invalid-argument-type]
    @property
    def name(cls) -> str:
        return "document_style"


class AsMethod:
    @classmethod
    def name(cls) -> str:
        return "as_method"


class AsProperty:
    @property
    def name(self) -> str:
        return "as_property"


class Derived(DocumentStyle):
    pass


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (Plain, "plain"),
        (DocumentStyle, "document_style"),
        (AsMethod, "as_method"),
        (AsProperty, "as_property"),
        (Derived, "document_style"),
    ],
)
def test_every_way_of_giving_a_name(cls, name):
    assert name_of(cls) == name
    assert Registry("net", [cls]).find(name).cls is cls


@pytest.mark.parametrize("name", [None, "", 3, lambda cls: None])
def test_a_class_without_a_name_is_told_so(name):
    with pytest.raises(MerlinError, match="has no name"):
        name_of(type("Nameless", (), {"name": name}))


def test_register_is_a_decorator_and_append_is_the_same():
    registry = Registry("agent")

    @registry.register
    class One:
        name = "one"

    registry.append(Plain)
    assert registry.find("one").cls is One
    assert registry.names() == ["one", "plain"]
    assert "plain" in registry


def test_registering_twice_is_harmless_but_two_classes_of_one_name_are_not():
    registry = Registry("agent", [Plain])
    registry.register(Plain)
    with pytest.raises(MerlinError, match="'plain'"):
        registry.register(type("Other", (), {"name": "plain"}))


def test_presets_have_defaults_of_their_own():
    registry = Registry("agent", [Plain])
    registry.preset("fancy", Plain, double=True)
    assert registry.find("fancy").defaults == {"double": True}
    assert registry.find("fancy").cls is Plain


def test_an_abstract_class_is_refused_with_what_it_lacks():
    class Abstract(ABC):
        name = "abstract"

        @abstractmethod
        def act(self): ...

    with pytest.raises(MerlinError, match="still has to define: act"):
        Registry("agent", [Abstract])


def test_an_instance_is_refused():
    with pytest.raises(MerlinError, match="not a class"):
        Registry("net").register(Plain())  # ty: ignore[invalid-argument-type]


def test_unknown_names_get_the_nearest_one_and_all_of_them():
    registry = Registry("agent", [Plain, Derived])
    with pytest.raises(
        InputError, match=r"Unknown agent 'plian'\. Did you mean 'plain'\? Known: document_style, plain\."
    ):
        registry.find("plian")
    with pytest.raises(InputError) as error:
        registry.find("zzz")
    assert "Did you mean" not in str(error.value)


def test_names_that_are_not_registered_may_be_resolved():
    registry = Registry(
        "env",
        [],
        resolve=lambda name: (Plain, "Full-v1", {"game": "full"}) if name == "full" else None,
        other_names=lambda: ["full"],
        families={"full games": Family(Plain, lambda: ["full"])},
    )
    entry = registry.find("full")
    assert (entry.name, entry.cls, entry.defaults) == ("Full-v1", Plain, {"game": "full"})
    with pytest.raises(InputError, match="Did you mean 'full'"):
        registry.find("fulll")
    assert registry.classes() == [("full games", Plain)]


@pytest.mark.parametrize(
    ("word", "known"),
    [("ALPHA", "alpha"), ("batchsize", "batch_size"), ("Batch-Size", "batch_size"), ("alhpa", "alpha")],
)
def test_the_nearest_name(word, known):
    assert nearest(word, ["alpha", "batch_size", "gamma"]) == f"'{known}'"
