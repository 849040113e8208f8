"""MindSpore's paths of operations."""

import importlib

import pytest

from minigraph.dataset import module_paths


@pytest.mark.parametrize("package", module_paths.PACKAGES)
def test_the_module_transforms_has_the_operations_of_its_package(package):
    parent = importlib.import_module(f"minigraph.dataset.{package}")
    assert importlib.import_module(f"minigraph.dataset.{package}.transforms") is parent.transforms
    assert vars(parent.transforms).keys() >= set(parent.__all__)
