"""The errors of MindRecord files, with the names that MindSpore's have."""

from __future__ import annotations

from minigraph.core.errors import MinigraphError


class MindRecordException(MinigraphError):
    """The base class; its name is MindSpore's. Fix: the text says what to pass."""

    text = "{}"

    def __init__(self, detail: str) -> None:
        super().__init__(f"[{type(self).__name__}]: {self.text.format(detail)}")

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), str(self))


class ParamTypeError(MindRecordException, TypeError):
    """An argument of another type than the one in the text."""

    text = "Invalid parameter type. {}"


class ParamValueError(MindRecordException, ValueError):
    """An argument with a value that is not allowed."""

    text = "Invalid parameter value. {}"


class PathNotExistsError(MindRecordException, ValueError):
    """A file that a folder lacks."""

    text = "Invalid path. {}"


class MRMInvalidSchemaError(MindRecordException, ValueError):
    """A schema that is no dict from field to ``{"type": ..., "shape": ...}``."""

    text = "Schema format is error. Detail: {}"


class MRMBuildSchemaError(MindRecordException, ValueError):
    """A shape with several unknown sizes."""

    text = "Failed to build schema. {}"


class MRMAddSchemaError(MindRecordException, ValueError):
    """A second schema; a file has one."""

    text = "Failed to add schema. {}"


class MRMGetMetaError(MindRecordException, RuntimeError):
    """An index before the schema; call ``add_schema`` first."""

    text = "Failed to get meta info. {}"


class MRMDefineIndexError(MindRecordException, ValueError):
    """An index of a field that holds bytes or an array."""

    text = "Failed to define index field. Detail: {}"


class MRMUnsupportedSchemaError(MindRecordException, RuntimeError):
    """An array in a file that does not fit the shape in its schema."""

    text = "Schema is not supported. {}"


class MRMDefineCategoryError(MindRecordException, ValueError):
    """A category that is no index field of the file."""

    text = "Failed to define category field. Detail: {}"


def _restore(kind: type[MindRecordException], text: str) -> MindRecordException:
    error = kind.__new__(kind)
    error.args = (text,)
    return error
