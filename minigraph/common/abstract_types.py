"""Types of objects that are not numbers, such as lists: what ``get_py_obj_dtype`` returns for them."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import UnknownNameError
from minigraph.core.types import DType, int8, int16, int32, int64

INTS = {8: int8, 16: int16, 32: int32, 64: int64}


class AbstractType:
    """A type that no tensor has; it prints like a dtype."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"mindspore.{self._name}"


class _TypeMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, DType | AbstractType)


class Type(metaclass=_TypeMeta):
    """The class of all dtypes and of the types below, for ``isinstance``.

    >>> isinstance(int8, Type), isinstance(list_, Type), isinstance(3, Type)
    (True, True, False)
    """


class _IntMeta(_TypeMeta):
    def __instancecheck__(cls, instance: object) -> bool:
        return instance in INTS.values()

    def __call__(cls, bits: int) -> DType:
        if bits not in INTS:
            raise UnknownNameError(f"Int: no signed integer has {bits} bits; there are {list(INTS)}")
        return INTS[bits]


class Int(Type, metaclass=_IntMeta):
    """The class of signed integer dtypes; ``Int(32)`` is ``int32``. Raises ``UnknownNameError`` for other sizes.

    >>> isinstance(int8, Int), Int(32)
    (True, mindspore.int32)
    """


class TensorType(AbstractType):
    """The type of a tensor with elements of a dtype, or of any tensor.

    >>> TensorType(int8), TensorType()
    (mindspore.tensor[int8], mindspore.tensor)
    """

    def __init__(self, element: DType | None = None) -> None:
        suffix = "" if element is None else f"[{element}]"
        super().__init__(f"Tensor{suffix}", f"tensor{suffix.lower()}")
        self.element = element

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and other.element == self.element

    def __hash__(self) -> int:
        return hash(self.element)


number, string, list_, tuple_ = (
    AbstractType(*names)
    for names in (("Number", "number"), ("String", "string_"), ("List", "list_"), ("Tuple", "tuple_"))
)
type_none, tensor_type = AbstractType("None", "type_none"), TensorType()
TYPE_OF_CLASS: dict[Any, AbstractType] = {str: string, list: list_, tuple: tuple_, type(None): type_none}
