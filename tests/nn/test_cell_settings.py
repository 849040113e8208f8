import pytest

import minigraph as ms
from minigraph import Tensor, nn
from minigraph.nn.cell_settings import RETURN_NONE, RETURN_SELF
from tests.tables import error_cases


def test_settings_without_effect_are_accepted():
    net = nn.ReLU()
    assert all(getattr(net, name)(1) is net for name in RETURN_SELF.split())
    assert all(getattr(net, name)(1) is None for name in RETURN_NONE.split())


def test_a_phase_a_prefix_and_a_scope_are_names_of_a_cell():
    net = nn.SequentialCell(nn.ReLU(), nn.SequentialCell(nn.Tanh()))
    phases = [net.phase, net.set_train(False).phase, net.set_train().phase]
    net.phase = "own"
    assert phases == ["train", "predict", "train"] and net.phase == "own" and net[0].phase == "train"
    net.update_cell_prefix()
    net[1].generate_scope()
    net.generate_scope()
    cells = [cell for _, cell in net.cells_and_names()]
    assert [cell.param_prefix for cell in cells] == ["", "0", "1", "1.0"]
    assert [cell.get_scope() for cell in cells] == [
        None,
        "Default/0-ReLU",
        "Default/1-SequentialCell",
        "Default/0-Tanh",
    ]
    net.update_cell_type("quant")
    assert net.cell_type == "quant"


def test_a_phase_that_compiled_code_reads_is_guarded():
    class Net(nn.Cell):
        def construct(self, x):
            return x + 1 if self.phase == "train" else x

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    assert [net(Tensor(1.0)).item(), net.set_train(False)(Tensor(1.0)).item()] == [2.0, 1.0]


def test_settings_of_the_compiler_are_kept_once():
    net = nn.ReLU()
    assert net.jit_config_dict == {} and not net.bprop_debug
    for level in ("O1", "O0"):
        net.set_jit_config(ms.JitConfig(level))
    net.bprop_debug = True
    assert net.jit_config_dict["jit_level"] == "O1" and net.bprop_debug
    assert net.set_boost("less_bn") is net


def assign(name, value):
    setattr(nn.ReLU(), name, value)


test_errors = error_cases(
    (lambda: assign("phase", 3), TypeError, "must be string type"),
    (lambda: assign("bprop_debug", 1), TypeError, "must be bool type"),
    (lambda: nn.ReLU().set_boost("other"), ValueError, "must be 'less_bn'"),
)


def test_flags_are_attributes_of_one_cell_or_of_all_below():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    assert net.add_flags(foo=1) is net and (net.get_flags(), net.foo, net[0].get_flags()) == ({"foo": 1}, 1, {})
    net.add_flags_recursive(bar=2)
    assert net[0].get_flags() == {"bar": 2} and net.get_flags() == {"foo": 1, "bar": 2}
    assert (net.cls_name, net.param_prefix) == ("SequentialCell", "")


def test_buffers_are_tensors_by_path_and_no_parameters():
    inner = nn.ReLU()
    inner.register_buffer("seen", Tensor([1.0]))
    net = nn.SequentialCell(inner)
    net.register_buffer("total", Tensor([2.0]))
    net.register_buffer("total", Tensor([3.0]))
    net.register_buffer("none", None)
    assert [(name, buffer.tolist()) for name, buffer in net.named_buffers()] == [("total", [3.0]), ("0.seen", [1.0])]
    assert [buffer.tolist() for buffer in net.buffers(recurse=False)] == [[3.0]]
    assert net.get_buffer("0.seen") is inner.seen and not list(net.get_parameters())


@pytest.mark.parametrize(("name", "value", "error", "text"), [
    ("a.b", Tensor(1.0), KeyError, 'buffer name can\'t contain "."'),
    ("construct", Tensor(1.0), KeyError, "has an attribute 'construct'"),
    ("c", 3, TypeError, "cannot assign '<class 'int'>' object to buffer 'c'"),
])  # fmt: skip
def test_wrong_buffers_are_refused(name, value, error, text):
    with pytest.raises(error, match=text):
        nn.ReLU().register_buffer(name, value)
    with pytest.raises(AttributeError, match="ReLU has no attribute `zz`"):
        nn.ReLU().get_buffer("zz")


def test_small_names():
    assert nn.MatMul(True)(Tensor([[1.0], [2.0]]), Tensor([[3.0], [4.0]])).tolist() == [[11.0]]
    p = ms.Parameter(Tensor([1.0]), name="p")
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        assert nn.ParameterUpdate(p)(Tensor([9.0 + mode])).tolist() == p.value().tolist() == [9.0 + mode]
    with pytest.raises(TypeError, match="'param' must be 'Parameter'"):
        nn.ParameterUpdate(3)

    class Inlined(nn.Cell):
        @ms.lazy_inline
        def __init__(self):
            super().__init__()

        def construct(self, x):
            return x

    assert Inlined()(Tensor(1.0)).item() == ms.train.MAE()(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])) == 1.0
