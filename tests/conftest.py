"""The initial state of every test and doctest: default settings, fixed seeds, and the built-in registries."""

import errno
import gc
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
from minigraph.core import bytecode, context
from minigraph.core.autodiff.differentiability import GRADIENT_HOOKS
from minigraph.core.errors import VerifyError
from minigraph.core.op import TABLE
from minigraph.core.seams import is_available
from minigraph.dataset.config import DEFAULT_SEED
from minigraph.npu.chips.registry import CHIPS
from passes import PASSES, RULES, Options, Pass
from passes.core.pass_verifier import PassVerifier
from passes.rewrite.costs import COST_FUNCTIONS
from passes.validate.effect_order import first_lost_order, ordered_pairs
from tests.bytecode import reason_to_skip
from tests.rough.table import STRESS_ROW, stress_table

MAX_CHECKED_NODES = 5000  # the order of effects is checked in graphs of at most so many nodes
LATE = (TABLE, PASSES, RULES)
REGISTRIES: tuple[dict[str, Any], ...] = (*(table.data for table in LATE), COST_FUNCTIONS, CHIPS)

# A slow machine is not a failure, and the same checkout gives the same verdict twice.
hypothesis.settings.register_profile("project", deadline=None, derandomize=True)
hypothesis.settings.load_profile("project")


class EveryTest:
    """A plugin, not plain fixtures: doctests are outside of ``tests/``, where this file's fixtures do not apply."""

    @pytest.fixture(autouse=True)
    def fresh(self) -> Iterator[None]:
        context.reset()
        set_seed(DEFAULT_SEED)
        random.seed(0)
        np.random.seed(0)
        yield
        context.reset()
        GRADIENT_HOOKS.clear()

    @pytest.fixture(autouse=True)
    def registries(self) -> Iterator[None]:
        """Removes the registrations of a test or doctest, so that tests are independent of their order."""
        before = [dict(registry) for registry in REGISTRIES]
        yield
        for registry, entries in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(entries)


@pytest.fixture(params=[context.PYNATIVE_MODE, context.GRAPH_MODE])
def mode(request: pytest.FixtureRequest) -> int:
    """Runs a test once in each mode."""
    context.set_context(mode=request.param)
    return int(request.param)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files can be created, and written nothing to; what is buffered fails again when the file is closed."""

    def open_file(path: Path, mode: str) -> io.BufferedIOBase:
        file = _FullFile(path, mode.replace("b", ""))
        return io.BufferedRandom(file) if "+" in mode else io.BufferedWriter(file)

    for module in ("minigraph.core.files", "minigraph.npu.sweeps.table", "minigraph.mindrecord.shard_file"):
        monkeypatch.setattr(f"{module}.open", open_file, raising=False)


class _FullFile(io.FileIO):
    def write(self, data: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def with_effect_order_check(run: Callable[..., float]) -> Callable[..., float]:
    """``PassVerifier.run`` with one more check after every pass of every test: the order of effects is kept."""

    def run_and_check(guard: PassVerifier, step: Pass, options: Options) -> float:
        pairs = ordered_pairs(guard.graph) if len(guard.graph) <= MAX_CHECKED_NODES else set()
        seconds = run(guard, step, options)
        lost = first_lost_order(pairs, guard.graph)
        if lost is not None:
            raise VerifyError(f"pass '{step.name}' lost the order of %{lost[0]} and %{lost[1]}, both effects")
        return seconds

    return run_and_check


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "'off' runs everything without minigraph.accel (MINIGRAPH_ACCEL=0), and skips its own tests"
    parser.addoption("--accel", choices=("on", "off"), default="on", help=about)
    about = "'off' runs everything as on a Python whose instructions are not known, without the tests that need them"
    parser.addoption("--bytecode", choices=("on", "off"), default="on", help=about)
    about = "hours for each test of tests/rough (0: seconds, with few samples; else also 25 times the samples)"
    parser.addoption("--stress-hours", type=float, default=0.0, help=about)


def pytest_configure(config: pytest.Config) -> None:
    for table in LATE:  # load lazy entries now: ``registries`` would remove entries that a test loads first
        list(table.values())
    if config.getoption("accel") == "off" and is_available():
        raise pytest.UsageError("minigraph was imported before the option was read; write --accel=off")
    if config.getoption("bytecode") == "off":
        bytecode.IS_SUPPORTED = False
        config.addinivalue_line("filterwarnings", "ignore::minigraph.compilation.OpByOpWarning")  # more does
    PassVerifier.run = with_effect_order_check(PassVerifier.run)
    config.pluginmanager.register(EveryTest(), "every-test")


def pytest_collection_finish() -> None:
    """Hide the tests themselves from the garbage collector: there are thirty thousand, and many tests collect."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    passed = terminalreporter.getreports("passed")
    rows = [value for report in passed for name, value in report.user_properties if name == STRESS_ROW]
    if rows:
        terminalreporter.section("stress tests")
        terminalreporter.write_line(stress_table(rows))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items if not bytecode.IS_SUPPORTED else ():
        if reason := reason_to_skip(item.path.name, item.name):
            item.add_marker(pytest.mark.skip(reason=reason))
    if is_available():
        return
    root = Path(__file__).parents[1]
    for item in items:
        if {root / "tests" / "accel", root / "minigraph" / "accel"} & {*item.path.parents}:
            item.add_marker(pytest.mark.skip(reason="without the accelerator"))
