"""How fast the simulator is: instructions stepped per second, and whole networks by either engine."""

import time

from benchmarks.ascend.jobs import B1, lanes, matmul
from benchmarks.ascend.networks import NETWORKS
from minigraph.npu import simulate
from minigraph.npu.engine import queues
from minigraph.npu.engine.lower import program_of
from minigraph.npu.job_cost import ENGINES, cost_of
from minigraph.npu.tiling.layout import layout_of

ROUNDS = 5


def lines():
    """What was measured, line by line: processor seconds of this process, the best of a few rounds."""
    for name, job in (("8192^3 product", matmul(8192, 8192, 8192)), ("addition", lanes(1 << 30, 2, 1, {"simple": 1}))):
        program = program_of(layout_of(job, B1).plans[0], B1)
        seconds, run = best(lambda program=program: queues.run(program, B1, extrapolate=False))
        rate = len(run.spans) / seconds / 1e6
        yield f"event engine, every instruction of a {name} stepped: {rate:.2f} M instructions/s ({len(run.spans):,})"
    for name, made in NETWORKS.items():
        graph = made()
        for engine in ENGINES:
            seconds, report = best(lambda graph=graph, engine=engine: fresh(graph, engine))
            told = f"{len(report.rows)} tasks in {seconds:.2f} s"
            yield f"{name}, {engine} engine: {told} ({report.us / 1e3:.2f} ms on the chip)"


def fresh(graph, engine):
    """A simulation that finds nothing priced before."""
    cost_of.cache_clear()
    layout_of.cache_clear()
    return simulate(graph, engine=engine)


def best(call):
    """The fewest processor seconds of a few calls, and what the last one returned."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        found = call()
        seconds.append(time.process_time() - start)
    return min(seconds), found
