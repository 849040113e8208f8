"""The speed of the simulator: simulated instructions per second, and whole networks by either engine."""

import time

from benchmarks.ascend.jobs import B1, lanes, matmul
from benchmarks.ascend.networks import NETWORKS
from minigraph.npu import simulate
from minigraph.npu.engine import queues
from minigraph.npu.engine.lower import program_of
from minigraph.npu.measure import ENGINES, cost_of
from minigraph.npu.tiling.layout import layout_of

ROUNDS = 5


def lines():
    """The results as lines: CPU seconds of this process, the best of ``ROUNDS`` rounds."""
    for name, job in (("8192^3 product", matmul(8192, 8192, 8192)), ("addition", lanes(1 << 30, 2, 1, {"simple": 1}))):
        program = program_of(layout_of(job, B1).plans[0], B1)
        seconds, run = best(lambda program=program: queues.run(program, B1, extrapolate=False))
        rate = len(run.spans) / seconds / 1e6
        yield f"event engine, every instruction of a {name} stepped: {rate:.2f} M instructions/s ({len(run.spans):,})"
    for name, build in NETWORKS.items():
        graph = build()
        for engine in ENGINES:
            seconds, report = best(lambda graph=graph, engine=engine: simulate_uncached(graph, engine))
            tasks = f"{len(report.rows)} tasks in {seconds:.2f} s"
            yield f"{name}, {engine} engine: {tasks} ({report.us / 1e3:.2f} ms on the chip)"


def simulate_uncached(graph, engine):
    """A simulation with empty caches."""
    cost_of.cache_clear()
    layout_of.cache_clear()
    return simulate(graph, engine=engine)


def best(call):
    """The minimum CPU seconds of a few calls, and the result of the last one."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        result = call()
        seconds.append(time.process_time() - start)
    return min(seconds), result
