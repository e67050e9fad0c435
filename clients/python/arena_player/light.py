"""The names of `typing` that the kit needs. The import of `typing` would take as long as that of the whole kit.

Checkers of types see those of `typing`. At run time, `NamedTuple` makes named tuples, and the other names do nothing.
"""

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeVar
else:

    class _Name:
        """A name that can have parameters in an annotation."""

        def __class_getitem__(cls, _item: object) -> type:
            return cls

    Any = Self = object
    IO = ClassVar = Generic = Literal = Protocol = _Name

    def TypeVar(_name: str, **_options: object) -> type:  # noqa: D103, N802 - as in `typing`
        return object

    _OF_THE_CLASS = ("__module__", "__qualname__", "__annotate_func__", "__classcell__", "__classdictcell__")

    class _Fields(type):
        """Makes a named tuple from a class with annotations, as `typing.NamedTuple` does."""

        def __new__(cls, name: str, _bases: tuple[type, ...], body: dict[str, Any]) -> type:
            # From Python 3.14 on, the body has a function that returns the annotations; 1 asks for their values.
            annotate = body.get("__annotate_func__")
            fields = list(annotate(1) if annotate else body.get("__annotations__", ()))
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            for key, value in body.items():
                if key not in fields and key not in _OF_THE_CLASS:
                    setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_Fields, "NamedTuple", (), {})

__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "ClassVar",
    "Generic",
    "Literal",
    "NamedTuple",
    "Protocol",
    "Self",
    "TypeVar",
]
