"""Loading values into a network: by name, all checked before the first Parameter changes."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, nn
from tests.nn.cells import AttributeCell
from tests.tables import cases, every


def check_refusal(error, text, values, **options):
    """Loading into a layer raises the error, and changes nothing."""
    net = nn.Dense(2, 1)
    before = [p.asnumpy().tobytes() for p in net.get_parameters()]
    with pytest.raises(error, match=text):
        ms.load_param_into_net(net, values, **options)
    assert [p.asnumpy().tobytes() for p in net.get_parameters()] == before


def test_names_not_loaded_and_names_not_used():
    net = nn.SequentialCell(nn.Dense(2, 1), nn.BatchNorm1d(1))
    values = {"0.weight": Tensor([[1.0, 2.0]]), "1.gamma": Parameter(Tensor([3.0])), "2.gamma": Tensor([3.0])}
    missing, unused = ms.load_param_into_net(net, values)
    assert missing == [p.name for p in net.get_parameters() if p.name not in values]
    assert "0.bias" in missing
    assert unused == ["2.gamma"]
    assert (net[0].weight.asnumpy().tolist(), net[1].gamma.asnumpy().tolist()) == ([[1.0, 2.0]], [3.0])


def test_the_network_gets_copies_and_compiled_programs_see_them():
    # the network gets copies
    net, value = nn.Dense(2, 1), Tensor([[1.0, 2.0]])
    ms.load_param_into_net(net, {"weight": value})
    value.asnumpy()[0, 0] = 9.0
    assert net.weight.asnumpy().tolist() == [[1.0, 2.0]]
    # compiled programs see the new values
    net = nn.Dense(2, 1, has_bias=False)
    run = ms.jit(lambda x: net(x))
    x = Tensor([[1.0, 1.0]])
    run(x)
    ms.load_param_into_net(net, {"weight": Tensor([[1.0, 2.0]])})
    assert run(x).item() == 3.0


WEIGHT = {"weight": Tensor([[1.0, 2.0]])}


@cases(
    (Tensor([1.0, 2.0]), r"'bias' of Dense is f32\[1\], the checkpoint has f32\[2\]"),
    (Tensor([[1.0]]), r"'bias' of Dense is f32\[1\], the checkpoint has f32\[1,1\]"),
    (Tensor([1]), r"'bias' of Dense is f32\[1\], the checkpoint has i64\[1\]"),
)
def test_one_incompatible_value_changes_nothing(bias, text):
    check_refusal(RuntimeError, text, WEIGHT | {"bias": bias})


@every(values=[WEIGHT, WEIGHT | {"b": Tensor(1.0)}])
def test_strict_loading_needs_all_names(values):
    check_refusal(ms.errors.CheckpointError, r"the checkpoint lacks \['bias'\]", values, strict_load=True)


@cases(
    ("net", {}, "'net' should be a Cell, but got <class 'str'>"),
    (nn.Dense(2, 1), [], "'parameter_dict' should be a dict, but got list"),
    (nn.Dense(2, 1), {"bias": 3.0}, "'bias' is a float"),
    (nn.Dense(2, 1), {"bias": np.ones(1)}, "'bias' is a ndarray"),
    (nn.Dense(2, 1), {"bias": "text"}, "'bias' is a str"),
)
def test_other_objects_are_refused(net, values, text):
    with pytest.raises(TypeError, match=text):
        ms.load_param_into_net(net, values)


@cases(
    (ms.float32, Tensor([0.5, 1.5], ms.float64), True),
    (ms.float16, Tensor([0.5, 1.5], ms.float32), True),
    (ms.int64, Tensor([3, -4], ms.int8), True),
    (ms.int8, Tensor([3, -4], ms.int64), True),
    (ms.int8, Tensor([3, 300], ms.int64), False),
    (ms.float32, Tensor([3, 4], ms.int32), False),
    (ms.int32, Tensor([3.0, 4.0]), False),
    (ms.bool_, Tensor([1, 0]), False),
    (ms.uint8, Tensor([3, 4]), True),
)
def test_values_are_cast_if_that_keeps_them_unless_loading_is_strict(kind, value, fits):
    net = AttributeCell(p=Parameter(Tensor([1, 2], kind)))
    for strict in (True, False):
        if fits and not strict:
            assert ms.load_param_into_net(net, {"p": value}, strict) == ([], [])
            assert (net.p.dtype, net.p.asnumpy().tolist()) == (kind, value.asnumpy().tolist())
        else:
            with pytest.raises(ms.errors.CheckpointError, match="'p' of AttributeCell is .*, the checkpoint has"):
                ms.load_param_into_net(net, {"p": value}, strict)


def test_strings_of_a_checkpoint_are_ignored_and_strict_load_is_a_bool():
    assert ms.load_param_into_net(nn.Dense(2, 1), {"note": "warm start"}) == (["weight", "bias"], [])
    check_refusal(TypeError, "the type of 'strict_load' should be 'bool', but got type 'int'", {}, strict_load=1)
