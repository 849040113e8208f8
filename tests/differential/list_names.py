"""Print MindSpore's public names by module, for the table ``names.txt``; runs in an interpreter that has MindSpore.

A name whose documentation lists platforms without a CPU ends in ``!``.
"""

import importlib
import inspect
import re
import sys
import textwrap
import warnings

MODULES = {
    "": ("",), "nn": ("nn",), "ops": ("ops.function", "ops.operations"), "mint": ("mint",), "mint.nn": ("mint.nn",),
    "mint.nn.functional": ("mint.nn.functional",), "mint.optim": ("mint.optim",), "mint.linalg": ("mint.linalg",),
    "mint.special": ("mint.special",), "numpy": ("numpy",), "train": ("train", "train.amp", "train.callback"),
    "amp": ("amp",), "dataset": ("dataset",), "dataset.transforms": ("dataset.transforms",),
    "dataset.vision": ("dataset.vision",), "dataset.text": ("dataset.text",), "dataset.audio": ("dataset.audio",),
    "common.initializer": ("common.initializer",), "context": ("context",), "runtime": ("runtime",),
    "communication": ("communication",), "mindrecord": ("mindrecord",), "Tensor": ("Tensor",),
    "Parameter": ("Parameter",), "nn.Cell": ("nn.Cell",), "experimental.optim": ("experimental.optim",),
    "experimental.optim.lr_scheduler": ("experimental.optim.lr_scheduler",), "dataset.config": ("dataset.config",),
}  # fmt: skip
INNER = ("mint.nn", "mint.nn.functional", "mint.optim", "mint.distributed")  # modules whose names mint lists, too

UNLISTED = {  # functions and classes that MindSpore documents, but leaves out of ``__all__``
    "mint": "addcmul clip equal fix ge item linspace trunc unique",
    "mint.nn": "CrossEntropyLoss Dropout Dropout2d Embedding GLU LayerNorm MaxPool2d NLLLoss Softshrink",
    "mint.nn.functional": ("hardshrink hardsigmoid hardswish l1_loss mish selu smooth_l1_loss softplus softshrink"),
}


def names_in(path):
    """The public names of a module or class of MindSpore: its ``__all__``, or its own classes and functions."""
    owner = importlib.import_module("mindspore")
    for part in filter(None, path.split(".")):
        owner = getattr(owner, part, None) or importlib.import_module(f"mindspore.{path}")
    listed = {*getattr(owner, "__all__", ()), *UNLISTED.get(path, "").split()}
    if not listed:
        listed = {name for name in dir(owner) if isinstance(owner, type) or callable(getattr(owner, name, None))}
    public = {name for name in listed if not name.startswith("_") and hasattr(owner, name)}
    values = {name: getattr(owner, name) for name in public if not inspect.ismodule(getattr(owner, name))}
    return values if isinstance(owner, type) or hasattr(owner, "__all__") else defined_in(owner.__name__, values)


def defined_in(module, values):
    """The values that a module or one below it defines: without ``__all__`` it has the names that it imports, too.

    >>> list(defined_in("tests", {"mark": mark, "wrap": textwrap.wrap}))
    ['mark']
    """
    homes = {name: f"{getattr(value, '__module__', None)}." for name, value in values.items()}
    return {name: value for name, value in values.items() if homes[name].startswith(f"{module}.")}


def mark(name, value):
    """The name, and ``!`` if its documentation lists platforms without a CPU."""
    documentation = "" if isinstance(value, int | str) else inspect.getdoc(value) or ""
    platforms = re.search(r"Supported Platforms:\s*\n\s*(.*)", documentation)
    return f"{name}!" if platforms and "CPU" not in platforms[1] else name


def main():
    """Print ``[module]`` and the names of each module."""
    warnings.simplefilter("ignore")
    inner = {name for path in INNER for name in names_in(path)}
    for module, paths in MODULES.items():
        names = {name: value for path in paths for name, value in names_in(path).items()}
        kept = sorted(mark(name, value) for name, value in names.items() if module != "mint" or name not in inner)
        print(f"[{module}]", *textwrap.wrap(" ".join(kept), 118), sep="\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
