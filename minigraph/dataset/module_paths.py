"""The modules ``transforms`` in which MindSpore has the operations of ``vision``, ``text`` and ``audio``, too.

>>> from minigraph.dataset.text.transforms import ToNumber
"""

from minigraph.core.module_paths import add_module_path

PACKAGES = ("audio", "text", "transforms", "vision")  # imported before this module

for package in PACKAGES:
    add_module_path(f"minigraph.dataset.{package}", "transforms")
