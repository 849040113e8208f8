"""What every test and doctest starts from: default settings, fixed seeds, and what this repository registers."""

import errno
import io
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if "--accel=off" in sys.argv:  # before minigraph is imported, and for the processes of xdist
    os.environ["MINIGRAPH_ACCEL"] = "0"

import hypothesis
import numpy as np
import pytest

from minigraph.common.seed import set_seed
from minigraph.core import context
from minigraph.core.errors import VerifyError
from minigraph.core.op import TABLE
from minigraph.core.seams import is_available
from minigraph.dataset.config import DEFAULT_SEED
from passes import PASSES, RULES, Options, Pass
from passes.core.pass_verifier import PassVerifier
from passes.rewrite.costs import COSTS
from passes.validate.effect_order import first_lost, ordered_pairs

WATCHED = 5000  # nodes of a graph whose order of effects is looked at
LATE = (TABLE, PASSES, RULES)
REGISTRIES: tuple[dict[str, Any], ...] = (*(table.data for table in LATE), COSTS)

# A slow machine is not a failure, and the same checkout gives the same verdict twice.
hypothesis.settings.register_profile("project", deadline=None, derandomize=True)
hypothesis.settings.load_profile("project")


class EveryTest:
    """A plugin, not a plain fixture: doctests live outside of ``tests/``, where this file's fixtures end."""

    @pytest.fixture(autouse=True)
    def fresh(self) -> Iterator[None]:
        context.reset()
        set_seed(DEFAULT_SEED)
        random.seed(0)
        np.random.seed(0)
        yield
        context.reset()

    @pytest.fixture(autouse=True)
    def registries(self) -> Iterator[None]:
        """What a test or doctest registers is gone after it, so that no order of tests matters."""
        before = [dict(registry) for registry in REGISTRIES]
        yield
        for registry, entries in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(entries)


@pytest.fixture(params=[context.PYNATIVE_MODE, context.GRAPH_MODE])
def mode(request: pytest.FixtureRequest) -> int:
    """A test that asks for it runs once in each mode."""
    context.set_context(mode=request.param)
    return int(request.param)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files can be created, and written nothing to."""

    def opened(path: Path, mode: str) -> io.FileIO:
        return _FullFile(path, mode.replace("b", ""))

    for module in ("minigraph.core.files", "minigraph.npu.sweeps.table"):
        monkeypatch.setattr(f"{module}.open", opened, raising=False)


class _FullFile(io.FileIO):
    def write(self, data: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def watched(run: Callable[..., float]) -> Callable[..., float]:
    """``PassVerifier.run`` with one more check after every pass of every test: the order of effects is kept."""

    def checked(guard: PassVerifier, step: Pass, options: Options) -> float:
        pairs = ordered_pairs(guard.graph) if len(guard.graph) <= WATCHED else set()
        seconds = run(guard, step, options)
        lost = first_lost(pairs, guard.graph)
        if lost is not None:
            raise VerifyError(f"pass '{step.name}' lost the order of %{lost[0]} and %{lost[1]}, both effects")
        return seconds

    return checked


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "'off' runs everything without minigraph.accel (MINIGRAPH_ACCEL=0), and skips its own tests"
    parser.addoption("--accel", choices=("on", "off"), default="on", help=told)


def pytest_configure(config: pytest.Config) -> None:
    for table in LATE:  # what a test is the first to import would else be taken for its own, and removed after it
        list(table.values())
    if config.getoption("accel") == "off" and is_available():
        raise pytest.UsageError("minigraph was imported before the option was read; write --accel=off")
    PassVerifier.run = watched(PassVerifier.run)
    config.pluginmanager.register(EveryTest(), "every-test")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if is_available():
        return
    root = Path(__file__).parents[1]
    for item in items:
        if {root / "tests" / "accel", root / "minigraph" / "accel"} & {*item.path.parents}:
            item.add_marker(pytest.mark.skip(reason="without the accelerator"))
