"""A program: a module's text that defines ``step`` or the Cell ``net``, and ``calls(call)``, which calls it."""

import ast
from typing import NamedTuple

CAPTURE_MODES = ("ast", "trace")
CONTEXT_MODES = ("PYNATIVE_MODE", "GRAPH_MODE")
FORMS = ("function", "cell")
IMPORTS = """
import collections
import contextlib
import contextvars
import dataclasses
import functools
import io
import itertools
import logging
import os
import queue
import random
import sys
import threading
import types
from pathlib import Path
import numpy as np
import minigraph as ms
from minigraph import Parameter, Tensor, nn, ops
"""


class Setting(NamedTuple):
    """How a program runs: capture mode, context mode, a function or a Cell, and whether it is differentiated."""

    capture_mode: str = "ast"
    context_mode: str = "PYNATIVE_MODE"
    form: str = "function"
    gradient: str = "no"

    def __str__(self):
        return f"capture_mode={self.capture_mode} mode={self.context_mode} form={self.form} gradient={self.gradient}"


class Program(NamedTuple):
    """A text with its setting; ``families`` are the families of the constructs that the generator inserted."""

    text: str
    setting: Setting = Setting()
    families: tuple[str, ...] = ()

    def __str__(self):
        return f"# setting: {self.setting}\n{self.text.strip()}\n"


def read_program(text):
    """The program of a file: a comment has its setting, and may be missing."""
    lines = [line for line in text.splitlines() if line.startswith("# setting:")]
    setting = Setting(*(word.partition("=")[2] for word in lines[0].split()[2:])) if lines else Setting()
    code = [line for line in text.splitlines() if not line.startswith("#")]
    return Program("\n".join(code), setting)


def remove_unused_definitions(text):
    """The text without the module's functions, classes and variables that nothing reads."""
    tree = ast.parse(text)
    while True:
        loaded = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        loaded |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}  # globals()["name"]
        kept = [node for node in tree.body if _is_needed(node, loaded | {"step", "net", "calls"})]
        if len(kept) == len(tree.body):
            return ast.unparse(tree)
        tree.body = kept


def _is_needed(node, names):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name in names
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id in names
    return True
