"""Errors of MindRecord files: MindSpore's names and form, and Python's classes."""

import copy
import pickle

from minigraph.core.errors import MinigraphError
from minigraph.mindrecord.errors import MindRecordException, MRMAddSchemaError, ParamTypeError


def test_errors_have_the_form_of_mindspores_and_survive_copies() -> None:
    error = ParamTypeError("'columns' expect list type.")
    text = "[ParamTypeError]: Invalid parameter type. 'columns' expect list type."
    for restored in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (type(restored), str(restored)) == (ParamTypeError, text)
    assert isinstance(error, TypeError)
    assert isinstance(MRMAddSchemaError("no"), ValueError | MindRecordException)
    assert issubclass(MindRecordException, MinigraphError)
