"""The commit of Parameters is atomic, and old values do not change."""

import gc
import sys
import threading
import warnings
from contextlib import suppress

import numpy as np

from minigraph import Parameter, Tensor, jit, nn, ops, trace
from minigraph.core.scope_guard import consume, parameter_lock
from minigraph.execute.commit import assignments, set_arrays
from minigraph.execute.compile import compile_graph
from tests.alarms import Alarm, needs_alarms
from tests.inspection import bits
from tests.nn.optim.test_optimizer import EVERY

SIZE = 8


def weights(size):
    """Parameters of zeros: some that the accelerator updates in place, some too small for that."""
    shapes = (size, size), (), (size, size), (1,), (size + 1, 4)
    return [Parameter(ops.zeros(shape), name=f"w{k}") for k, shape in enumerate(shapes)]


def counting_program(size=SIZE):
    """Parameters, and a program that adds 1 to all of them, in two steps each."""
    ws, half = weights(size), Tensor(0.5)

    def step(x):
        for w in ws:
            ops.assign(w, (w + half) + x)
        return x * 2.0

    return ws, compile_graph(trace(step, half))


def state(ws):
    """The common value of all elements; fails if they differ."""
    numbers = {float(number) for w in ws for number in w.array.ravel()}
    assert len(numbers) == 1, f"half of a step: {numbers}"
    return numbers.pop()


HALF = np.array(0.5, np.float32)


def test_parameters_get_new_arrays():
    ws, program = counting_program()
    before = [w.array for w in ws]
    for k in range(3):
        program(HALF)
        assert state(ws) == k + 1
    assert not any(array.any() for array in before)


def test_inf_and_nan_raise_no_warnings():
    ws, program = counting_program()
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        program(np.array(np.inf, np.float32))
        program(np.array(-np.inf, np.float32))
    assert all(np.isnan(w.array).all() for w in ws)


# ---- atomicity ---------------------------------------------------------------------------------------


class Stop(BaseException):
    """An error raised between two instructions."""


def interrupt_call(call, after):
    """Call, and raise an error after so many Python instructions in our code; returns whether it was raised."""
    count = 0

    def look(frame, event, arg):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        if count == after and event == "opcode":
            raise Stop
        return look

    before = sys.gettrace()
    gc.disable()  # instructions of finalizers would be counted, too
    sys._getframe().f_trace_opcodes = True  # 3.12 traces instructions only if some frame says so before
    sys.settrace(look)
    try:
        call()
    except Stop:
        return True
    finally:
        sys.settrace(before)
        gc.enable()
        _release()
    return False


def _release():
    """A tracer may raise an error in front of a lock's release, where no signal does."""
    with suppress(RuntimeError):
        while True:
            parameter_lock.release()


def test_an_error_between_any_two_instructions_leaves_all_old_or_all_new():
    (ws, program), seen, after = counting_program(), set(), 0
    program(HALF)
    before = state(ws)
    while interrupt_call(lambda: program(HALF), after := after + 1):
        seen.add(state(ws) - before)
        program(HALF)  # the next call finds its buffers: a tracer's error in an ``except`` would stay there
        before = state(ws)
    assert after > 200 and seen == {0.0, 1.0}


@needs_alarms
def test_a_signal_at_any_time_leaves_all_old_or_all_new():
    (ws, program), stops = counting_program(400), 0
    for k in range(100):
        try:
            with Alarm(1e-5 + k * 1e-5, Stop):
                for _ in range(100):
                    program(HALF)
        except Stop:
            stops += 1
        state(ws)
    assert stops > 50


def start_threads(*works):
    """Threads that run these functions."""
    threads = [threading.Thread(daemon=True, target=work) for work in works]
    for thread in threads:
        thread.start()
    return threads


def test_programs_in_other_threads_see_all_old_or_all_new():
    ws, program = counting_program(200)
    look = compile_graph(trace(lambda x: tuple(w.max() - x for w in ws) + tuple(w.min() - x for w in ws), Tensor(0.0)))
    wrong, finished = [], threading.Event()

    def watch():
        while not finished.is_set():
            if len({float(value) for value in look(np.float32(0.0))}) > 1:
                wrong.append(True)

    threads = start_threads(watch, watch)
    for _ in range(200):
        program(HALF)
    finished.set()
    for thread in threads:
        thread.join(60)
    assert not wrong and state(ws) == 200


def test_threads_that_update_at_once_leave_a_whole_step():
    ws, program = counting_program(200)
    for thread in start_threads(*[lambda: [program(HALF) for _ in range(50)]] * 3):
        thread.join(60)
    assert 50 <= state(ws) <= 150


# ---- helpers -----------------------------------------------------------------------------------------


def test_assignments_set_arrays_and_reset_forms_when_the_iterator_is_consumed():
    tensors = [Tensor([1.0]), Tensor([2.0])]
    _ = tensors[0] + tensors[1]
    iterator = assignments(tensors, [np.float32([3.0]), np.float32([4.0])])
    assert [tensor.item() for tensor in tensors] == [1.0, 2.0]
    consume(iterator)
    assert [tensor.item() for tensor in tensors] == [3.0, 4.0]
    set_arrays(tensors, [np.float32([3.0, 4.0]), np.float32([5.0, 6.0])])
    assert (tensors[0] * tensors[1]).tolist() == [15.0, 24.0]
    assert all(tensor.array_layout is None or tensor.array_layout.shape == (2,) for tensor in tensors)


# ---- optimizers --------------------------------------------------------------------------------------


def parameters():
    rng = np.random.default_rng(0)
    return [
        Parameter(Tensor(rng.normal(size=shape).astype(np.float32)), name=f"p{k}")
        for k, shape in enumerate([(SIZE, SIZE), (SIZE,), (3, SIZE)])
    ]


@EVERY
def test_every_optimizer_does_the_same_op_by_op_and_compiled(make):
    eager, compiled = parameters(), parameters()
    reference, optimizer = make(eager), make(compiled)
    step = jit(lambda *grads: optimizer(grads))
    rng = np.random.default_rng(1)
    for _ in range(4):
        grads = tuple(Tensor(rng.normal(size=p.shape).astype(np.float32)) for p in eager)
        reference(grads)
        step(*grads)
    assert bits(list(reference.get_parameters())) == bits(list(optimizer.get_parameters()))


def test_moving_statistics_equal_eager_mode():
    norm, clone = nn.BatchNorm1d(64), nn.BatchNorm1d(64)
    norm.set_train()
    clone.set_train()
    step = jit(lambda x: norm(x))
    for k in range(3):
        x = Tensor(np.random.default_rng(k).normal(size=(16, 64)).astype(np.float32))
        assert step(x).array.tobytes() == clone(x).array.tobytes()
    assert bits(list(norm.get_parameters())) == bits(list(clone.get_parameters()))
