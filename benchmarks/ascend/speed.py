"""The speed of the simulator: simulated instructions per second, and whole networks by either engine."""

import time

from benchmarks.ascend.jobs import B1, elementwise, matmul
from benchmarks.ascend.networks import NETWORKS
from minigraph.npu import simulate
from minigraph.npu.engine import queues
from minigraph.npu.engine.lower import program_of
from minigraph.npu.job_cost import ENGINES, cost_of
from minigraph.npu.tiling.layout import layout_of

ROUNDS = 5  # timed calls of each measurement


def lines():
    """The measurements as lines of text: processor seconds of this process, best of ``ROUNDS``."""
    addition = elementwise(1 << 30, 2, 1, {"simple": 1})
    for name, job in (("8192^3 product", matmul(8192, 8192, 8192)), ("addition", addition)):
        program = program_of(layout_of(job, B1).plans[0], B1)
        seconds, run = best_of_rounds(lambda program=program: queues.run(program, B1, extrapolate=False))
        rate = len(run.spans) / seconds / 1e6
        yield f"event engine, all instructions of a {name} stepped: {rate:.2f} M instructions/s ({len(run.spans):,})"
    for name, network in NETWORKS.items():
        graph = network()
        for engine in ENGINES:
            seconds, report = best_of_rounds(lambda graph=graph, engine=engine: uncached_simulation(graph, engine))
            result = f"{len(report.rows)} tasks in {seconds:.2f} s"
            yield f"{name}, {engine} engine: {result} ({report.us / 1e3:.2f} ms on the chip)"


def uncached_simulation(graph, engine):
    """A simulation with empty cost caches."""
    cost_of.cache_clear()
    layout_of.cache_clear()
    return simulate(graph, engine=engine)


def best_of_rounds(call):
    """The fewest processor seconds of ``ROUNDS`` calls, and the result of the last one."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        value = call()
        seconds.append(time.process_time() - start)
    return min(seconds), value
