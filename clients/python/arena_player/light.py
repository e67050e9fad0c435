"""The names of `typing`, `contextlib`, `functools` and `types` that the kit needs, without the time of their import.

The import of `typing` alone would take as long as that of the whole kit. Checkers of types see the real names. At run
time, `NamedTuple`, `contextmanager` and `cached_property` do what the kit needs of theirs, and the names of types do
nothing.
"""

import sys
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import contextmanager
    from functools import cached_property
    from types import ModuleType
    from typing import IO, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeVar
else:

    class _Name:
        """A name that can have parameters in an annotation."""

        def __class_getitem__(cls, _item: object) -> type:
            return cls

    Any = Self = object
    ModuleType = type(sys)
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

    class cached_property:  # noqa: N801 - as in `functools`
        """A value that is computed once for each object, and stored in its dictionary in place of the method."""

        def __init__(self, compute: Any) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, _owner: type, name: str) -> None:
            self._name = name

        def __get__(self, thing: Any, _owner: Any = None) -> Any:
            if thing is None:
                return self
            value = thing.__dict__[self._name] = self._compute(thing)
            return value

    class _Block:
        """A `with` block around the `yield` of a generator."""

        def __init__(self, steps: Any) -> None:
            self._steps = steps

        def __enter__(self) -> Any:
            return next(self._steps)

        def __exit__(self, _kind: Any, error: BaseException | None, _traceback: Any) -> bool:
            if error is None:
                next(self._steps, None)
                return False
            try:
                self._steps.throw(error)
            except StopIteration:
                return True
            except BaseException as raised:
                # A generator turns a StopIteration that it did not raise into a RuntimeError.
                if raised is error or (isinstance(error, StopIteration) and raised.__cause__ is error):
                    return False
                raise
            raise RuntimeError("the block goes on after an exception")

    def contextmanager(function: Any) -> Any:  # noqa: D103 - as in `contextlib`
        def made(*values: Any, **named: Any) -> _Block:
            return _Block(function(*values, **named))

        made.__name__, made.__qualname__, made.__doc__ = function.__name__, function.__qualname__, function.__doc__
        return made

    NamedTuple = type.__new__(_Fields, "NamedTuple", (), {})

__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "ClassVar",
    "Generic",
    "Literal",
    "ModuleType",
    "NamedTuple",
    "Protocol",
    "Self",
    "TypeVar",
    "cached_property",
    "contextmanager",
]
