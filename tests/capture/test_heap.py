"""Python state that a branch or loop on a tensor changes, local or outer, changes as in eager mode."""

import logging
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.capture.heap import Heap
from tests.same_as_eager import same_as_eager


class Bag:
    """A plain object."""

    def __init__(self):
        self.n, self.items = 0, []

    def bump(self, by):
        self.n += by


def outer_dict():
    log = {"up": 0}

    def fn(x):
        if x.max() > 2:
            log["up"] += 3
        return x + log["up"]

    return fn, lambda: log


def local_list():
    def fn(x):
        seen = []
        if x.max() > 2:
            seen.append(1)
        return x + len(seen)

    return fn


def local_list_in_a_loop():
    def fn(x):
        seen = []
        while x.sum() < 9:
            x = x + 1
            seen.append(1)
        return x, len(seen)

    return fn


def local_array():
    def fn(x):
        counts = np.zeros(2, np.float32)
        if x.max() > 2:
            counts[0] += 5
        return x + float(counts[0])

    return fn


def local_set_and_deque():
    def fn(x):
        seen, queue = set(), deque([1, 2])
        if x.max() > 2:
            seen.add(4)
            queue.popleft()
        return x + len(seen) + len(queue)

    return fn


def local_object():
    def fn(x):
        bag = Bag()
        if x.max() > 2:
            bag.n = 4
        return x + bag.n

    return fn


def outer_object_by_a_method():
    bag = Bag()

    def fn(x):
        if x.max() > 2:
            bag.bump(2)
        return x * bag.n

    return fn, lambda: bag


def local_iterator():
    def fn(x):
        numbers = iter([1, 2, 3])
        if x.max() > 2:
            next(numbers)
        return x * next(numbers)

    return fn


def local_generator():
    def fn(x):
        numbers = (k for k in [1, 2, 3])
        if x.max() > 2:
            next(numbers)
        return x * next(numbers)

    return fn


def add_to(where, value):
    where.append(value)


def helper_changes_a_list():
    def fn(x):
        seen = []
        if x.max() > 2:
            add_to(seen, 1)
        return x + len(seen)

    return fn


def helper_branches():
    def helper(seen, x):
        if x.max() > 2:
            seen.append(3)
        return seen

    def fn(x):
        return x + sum(helper([1], x))

    return fn


def nested_list_in_a_dict():
    table = {"a": [[]]}

    def fn(x):
        if x.max() > 2:
            table["a"][0].append(1)
        return x + len(table["a"][0])

    return fn, lambda: table


def outer_array():
    counts = np.zeros(2)

    def fn(x):
        if x.max() > 2:
            counts[0] += 1
        return x + float(counts[0])

    return fn, lambda: counts


def tensors_in_a_list():
    def fn(x):
        seen = []
        if x.max() > 2:
            seen.append(x * 2)
        return seen

    return fn


def outer_tensors_in_a_list():
    seen = []

    def fn(x):
        if x.max() > 2:
            seen.append(x * 2)
        return x

    return fn, lambda: seen


def condition_changes_a_list():
    def fn(x):
        seen = []
        return (x * 2 if x.max() > 2 and not seen.append(1) else x) + len(seen)

    return fn


def cond_of_ops():
    seen = []

    def then(x):
        seen.append(1)
        return x

    def fn(x):
        return ops.cond(x.max() > 2, then, lambda x: x * 2, x) + len(seen)

    return fn, lambda: seen


def while_loop_of_ops():
    seen = []

    def body(x):
        seen.append(1)
        return x + 1

    def fn(x):
        return ops.while_loop(lambda x: x.sum() < 9, body, x)

    return fn, lambda: seen


def tensor_range():
    def fn(x):
        seen = []
        for k in range(x.sum().astype(x.dtype).astype(Tensor(1).dtype)):
            seen.append(k)
        return x, len(seen)

    return fn


def function_attribute():
    def helper(x):
        helper.calls += 1
        return x

    helper.calls = 0

    def fn(x):
        if x.max() > 2:
            x = helper(x)
        return x + helper.calls

    return fn, lambda: helper.calls


def default_argument():
    def fn(x, seen=[]):  # noqa: B006
        if x.max() > 2:
            seen.append(1)
        return x + len(seen)

    return fn


def container_subclass():
    class Log(list):
        pass

    def fn(x):
        log = Log()
        table = OrderedDict(a=1)
        if x.max() > 2:
            log.append(1)
            table.move_to_end("a")
            table["b"] = 2
        return x + len(log) + len(table)

    return fn


def class_attribute():
    class Counter:
        n = 0

    def fn(x):
        if x.max() > 2:
            Counter.n += 1
        return x + Counter.n

    return fn, lambda: Counter.n


COUNT = 0


def global_variable():
    global COUNT
    COUNT = 0

    def fn(x):
        global COUNT
        if x.max() > 2:
            COUNT += 1
        return x + COUNT

    return fn, lambda: COUNT


def nonlocal_variable():
    count = 0

    def fn(x):
        nonlocal count
        if x.max() > 2:
            count += 1
        return x + count

    return fn, lambda: count


def bytes_and_views():
    def fn(x):
        data = bytearray(b"ab")
        view = memoryview(data)
        if x.max() > 2:
            view[0] = 5
        return x + data[0]

    return fn


def early_return():
    seen = []

    def fn(x):
        if x.max() > 2:
            seen.append(1)
            return x * 2
        seen.append(2)
        return x

    return fn, lambda: seen


def list_that_a_body_makes():
    def fn(x):
        if x.max() > 2:
            parts = []
            for k in range(3):
                parts.append(x * k)
            x = sum(parts)
        return x

    return fn


test_state_of_branches_and_loops = same_as_eager(
    outer_dict, local_list, local_list_in_a_loop, local_array, local_set_and_deque, local_object,
    outer_object_by_a_method, local_iterator, local_generator, helper_changes_a_list, helper_branches,
    nested_list_in_a_dict, outer_array, tensors_in_a_list, outer_tensors_in_a_list, condition_changes_a_list,
    cond_of_ops, while_loop_of_ops, tensor_range, function_attribute, default_argument, container_subclass,
    class_attribute, global_variable, nonlocal_variable, bytes_and_views, early_return, list_that_a_body_makes,
)  # fmt: skip


def test_state_of_libraries_that_the_code_does_not_name_is_left_alone():
    """Another thread changes it during capture; restoring it would break an executor, a cluster or a log."""

    class Trainer:
        def __init__(self):
            self.pool, self.log, self.scale = ThreadPoolExecutor(1), logging.getLogger("test_heap"), 2.0

        def loss(self, x):
            return x * self.scale

    trainer = Trainer()
    heap = Heap(trainer.loss)
    with trainer.pool:
        trainer.pool.submit(int).result()  # starts a thread, which is kept in a set of the pool
        trainer.log.setLevel(logging.WARNING)
        trainer.log.isEnabledFor(logging.ERROR)  # fills a dict of the logger
        assert not heap.changes()
        trainer.scale = 3.0
        assert [str(change) for change in heap.changes()] == ["'__dict__' of a Trainer is set"]


def test_attributes_of_libraries_that_the_code_names_are_restored():
    log = logging.getLogger("test_heap")

    def quiet(x):
        log.level = logging.ERROR
        return x

    log.level = logging.INFO
    heap = Heap(quiet)
    quiet(1)
    assert [str(change) for change in heap.changes()] == ["the variable 'level' is set"]
    heap.undo()
    assert log.level == logging.INFO


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_contents_of_a_fixed_size_and_of_an_array_that_becomes_read_only_are_restored(mode):
    shown, array = bytearray(b"a"), np.zeros(2)
    view = memoryview(shown)

    def counts(x):
        shown[0] += 1
        return x * shown[0] + view[0]

    def closes(x):
        array[0] += 1.0
        array.flags.writeable = False
        return x * array[0]

    compiled = jit(counts, capture_mode=mode)
    assert [compiled(Tensor([1.0])).item() for _ in range(3)] == [2 * 98.0, 2 * 99.0, 2 * 100.0]
    assert jit(closes, capture_mode=mode)(Tensor([1.0])).item() == 1.0
    assert array.tolist() == [1.0, 0.0] and not array.flags.writeable
