"""Paths by which a function reaches an object: a global, an argument, an attribute, a closure, a name."""

from typing import NamedTuple


class Path(NamedTuple):
    """How an object is reached: ``setup`` makes it, ``inside`` names it in the function, ``outside`` elsewhere.

    ``{k}`` is the object's number, ``{c}`` the expression that makes it.
    """

    family: str
    setup: str
    inside: str
    outside: str
    parameter: str = ""  # of the function, with its default if any
    argument: str = ""  # in calls
    in_cell: str = ""  # a line of the Cell's ``__init__``
    local: str = ""  # a line of the function


PATHS = {
    "global": Path("1 state", "thing{k} = {c}", "thing{k}", "thing{k}"),
    "argument": Path("5 effects", "thing{k} = {c}", "a{k}", "thing{k}", "a{k}", "thing{k}"),
    "fresh argument": Path("5 effects", "def make{k}():\n    return {c}", "a{k}", "make{k}()", "a{k}", "make{k}()"),
    "attribute": Path("1 state", "world{k} = types.SimpleNamespace(it={c})", "world{k}.it", "world{k}.it"),
    "attribute of an argument": Path(
        "5 effects", "world{k} = types.SimpleNamespace(it={c})", "a{k}.it", "world{k}.it", "a{k}", "world{k}"
    ),
    "dict entry": Path("1 state", "table{k} = {'it': {c}}", "table{k}['it']", "table{k}['it']"),
    "list entry of an argument": Path("5 effects", "row{k} = [{c}, 0]", "a{k}[0]", "row{k}[0]", "a{k}", "row{k}"),
    "default": Path("4 special methods", "thing{k} = {c}", "a{k}", "thing{k}", "a{k}=thing{k}"),
    "function attribute": Path(
        "4 special methods", "def holder{k}(v):\n    return v\nholder{k}.it = {c}", "holder{k}.it", "holder{k}.it"
    ),
    "class attribute": Path("4 special methods", "class World{k}:\n    it = {c}", "World{k}.it", "World{k}.it"),
    "property": Path(
        "4 special methods",
        "class World{k}:\n    def __init__(self):\n        self.kept = {c}\n\n    @property\n    def it(self):\n"
        "        return self.kept\nworld{k} = World{k}()",
        "world{k}.it",
        "world{k}.it",
    ),
    "by __getattr__": Path(
        "4 special methods",
        "class World{k}:\n    def __init__(self):\n        self.kept = {'it': {c}}\n\n"
        "    def __getattr__(self, name):\n        return vars(self)['kept'][name]\nworld{k} = World{k}()",
        "world{k}.it",
        "world{k}.it",
    ),
    "getattr": Path(
        "4 special methods", "world{k} = types.SimpleNamespace(it={c})", 'getattr(world{k}, "i" + "t")', "world{k}.it"
    ),
    "vars": Path(
        "4 special methods", "world{k} = types.SimpleNamespace(it={c})", 'vars(world{k})["it"]', "world{k}.it"
    ),
    "globals": Path("4 special methods", "thing{k} = {c}", 'globals()["thing{k}"]', "thing{k}"),
    "closure": Path(
        "1 state",
        "def keep{k}(it):\n    def get():\n        return it\n    return get\nget{k} = keep{k}({c})",
        "get{k}()",
        "get{k}()",
    ),
    "module": Path(
        "4 special methods",
        'module{k} = types.ModuleType("settings")\nmodule{k}.it = {c}',
        "module{k}.it",
        "module{k}.it",
    ),
    "context variable": Path(
        "4 special methods",
        'variable{k} = contextvars.ContextVar("it{k}")\nvariable{k}.set({c})',
        "variable{k}.get()",
        "variable{k}.get()",
    ),
    "local": Path("1 state", "", "local{k}", "", local="local{k} = {c}"),
    "attribute of the Cell": Path("1 state", "", "self.it{k}", "net.it{k}", in_cell="self.it{k} = {c}"),
}
CELL_ONLY = {"attribute of the Cell"}
