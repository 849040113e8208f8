"""Parameters that are written over: all or none of them, and nobody who holds an old value sees it change."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, jit, nn, ops, trace
from minigraph.accel.schedule.commit import commit, places_for
from minigraph.execute.compile import compile_graph
from tests.execute import test_updating as plain
from tests.execute.test_updating import HALF, SIZE, counting, parameters, state, weights
from tests.nn.optim.test_optimizer import EVERY


@pytest.fixture(autouse=True)
def some_sizes(small_pieces):
    small_pieces(large=64)


def test_large_parameters_are_what_is_written_over():
    assert [*counting(weights()).plan.updated] == ["w0", "w2", "w4"]


# the same as of plain programs, of these
test_an_error_between_any_two_instructions = plain.test_an_error_between_any_two_instructions_leaves_all_old_or_all_new
test_a_signal_at_any_time = plain.test_a_signal_at_any_time_leaves_all_old_or_all_new
test_programs_in_other_threads = plain.test_programs_in_other_threads_see_all_old_or_all_new
test_threads_that_update_at_once = plain.test_threads_that_update_at_once_leave_a_whole_step
test_inf_and_nan = plain.test_inf_and_nan_are_values_here_too
test_every_optimizer = plain.test_every_optimizer_does_the_same_op_by_op_and_compiled
test_moving_statistics = plain.test_moving_statistics_are_those_of_eager_mode

# ---- in place ----------------------------------------------------------------------------------------


def test_parameters_are_written_over():
    ws = weights()
    program, ids = counting(ws), [id(w.array) for w in ws]
    for k in range(3):
        program(HALF)
        assert state(ws) == k + 1
    assert [id(ws[k].array) for k in (0, 2, 4)] == [ids[k] for k in (0, 2, 4)]


HOLDERS = {
    "the array": lambda w: w.array,
    "a view for the user": lambda w: w.asnumpy(),
    "a view of a part": lambda w: w.asnumpy()[1:, ::2],
    "memory": lambda w: np.frombuffer(memoryview(w.asnumpy()), np.float32),
    "a tensor": lambda w: w.value().array,
    "a tensor of a part": lambda w: w[1:].array,
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_what_somebody_holds_keeps_its_values(holder):
    ws = weights()
    program = counting(ws)
    held = holder(ws[0])
    before = held.copy()
    program(HALF)
    assert state(ws) == 1
    assert held.tobytes() == before.tobytes()
    again = ws[0].array
    del again
    program(HALF)
    assert state(ws) == 2 and held.tobytes() == before.tobytes()


def test_an_argument_and_a_result_keep_theirs():
    old = Parameter(ops.zeros((SIZE, SIZE)), name="old")

    def gives_old(x):
        before = old.T
        ops.assign(old, (old + x) + 1.0)
        return before

    program = compile_graph(trace(gives_old, Tensor(old.array)))
    assert program.plan.updated
    (first,) = program(old.array)
    assert not first.any() and (old.array == 1).all()
    (second,) = program(old.array)
    assert (first == 0).all() and (second == 1).all() and (old.array == 3).all()


def test_memory_that_is_not_a_parameters_own_is_left_alone():
    ws, block = weights(), np.zeros((2, SIZE, SIZE), np.float32)
    ws[0].array, ws[2].array = block[0], np.zeros((SIZE, SIZE), np.float32).T
    program = counting(ws)
    for k in range(3):
        program(HALF)
        assert state(ws) == k + 1
    assert not block.any()
    assert ws[2].array.flags.c_contiguous


def test_a_tape_differentiates_what_it_heard():
    ws = weights()
    program = counting(ws)

    def loss(x):
        y = (x * ws[0] * ws[0]).sum()
        program(HALF)
        return y

    found = ms.grad(loss, None, [ws[0]])(Tensor(np.ones((SIZE, SIZE), np.float32)))
    assert not np.asarray(ops.stack(list(found)) if isinstance(found, tuple) else found.array).any()
    assert state(ws) == 1


def test_a_place_is_the_tensors_own_or_a_new_one():
    tensors = [Tensor([1.0]), Tensor([2.0]), Tensor([3.0])]
    arrays = [tensor.array for tensor in tensors]
    seen = tensors[1].asnumpy()
    tensors[2].array = np.float32([4.0])  # meanwhile, by somebody else
    found = places_for(tensors, arrays, [0, 1, 2])
    assert [a is b for a, b in zip(found, arrays, strict=True)] == [True, False, False]
    assert seen.tolist() == [2.0]


def test_updates_come_first_and_all_else_is_given_behind_them():
    tensors, seen = [Tensor([1.0]), Tensor([2.0])], []
    updates = [map(seen.append, [tensors[0].item()])]
    commit(updates, tensors, [np.float32([3.0]), np.float32([4.0])])
    assert seen == [1.0] and [tensor.item() for tensor in tensors] == [3.0, 4.0]


# ---- optimizers --------------------------------------------------------------------------------------


@EVERY
def test_optimizers_write_over_what_they_update(make):
    ps = parameters()
    optimizer = make(ps)
    step = jit(lambda *grads: optimizer(grads))
    updated = step.program(*(Tensor(np.ones(p.shape, np.float32)) for p in ps)).plan.updated
    assert {"p0", "p2"} <= {*updated} or isinstance(optimizer, nn.Lamb | nn.SGD | nn.AdaMax)
