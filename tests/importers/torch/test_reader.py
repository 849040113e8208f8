"""``from_torch``: names, weights, gradients, lines, scopes, buffers, branches and errors of small programs."""

import numpy as np
import pytest

import minigraph as ms
from minigraph.core.errors import ModelError, UnknownNameError
from minigraph.importers.torch.reader import dtype_of
from minigraph.ir.verify import verify
from tests.tables import error_cases

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
test_refusals_without_torch = error_cases(
    (
        lambda: dtype_of("torch.float8_e5m2", "node 'x'"),
        ModelError,
        "node 'x': no dtype 'float8_e5m2'.*convert the module",
    ),
)


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def block(torch):
    """A module with a residual, a normalisation with buffers, a shared weight and a layer that is called twice."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4))
            self.relu = nn.ReLU()
            self.head = nn.Linear(4, 4, bias=False)
            self.tied = nn.Linear(4, 4, bias=False)
            self.tied.weight = self.head.weight

        def forward(self, x):
            y = self.relu(self.layers(x))
            y = self.relu(y - y.mean((2, 3), keepdim=True))
            return self.tied(self.head(y.amax((2, 3)))), y

    torch.manual_seed(0)
    return Block


def export(torch, module, *args, **options):
    return torch.export.export(module, args, **options)


def images(torch):
    return torch.randn(2, 3, 5, 4, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("call", [lambda net: net, ms.jit], ids=["eager", "graph"])
def test_results_are_torchs(torch, block, call):
    module, x = block().eval(), images(torch)
    results = call(ms.from_torch(export(torch, module, x)))(ms.Tensor(x.numpy()))
    for result, expected in zip(results, module(x), strict=True):
        np.testing.assert_allclose(result.asnumpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_weights_are_parameters_with_the_modules_names_and_memory(torch, block):
    module = block().eval()
    net = ms.from_torch(export(torch, module, images(torch)))
    named = {p.name: p for p in net.get_parameters()}
    trained = {name for name, _ in module.named_parameters()}
    assert trained == {p.name for p in net.trainable_params()} == {*named} - {
        "layers.1.running_mean", "layers.1.running_var", "layers.1.num_batches_tracked"
    }  # fmt: skip
    weight = named["head.weight"].asnumpy()
    assert np.shares_memory(weight, module.head.weight.detach().numpy())
    assert "tied.weight" not in named


def test_gradients_are_torchs(torch, block):
    module, x = block().eval(), images(torch)
    net = ms.from_torch(export(torch, module, x))
    (module(x)[0] ** 2).sum().backward()
    weights = net.trainable_params()
    _, gradients = ms.value_and_grad(lambda x: (net(x)[0] ** 2).sum(), None, weights)(ms.Tensor(x.numpy()))
    expected = dict(module.named_parameters())
    for weight, gradient in zip(weights, gradients, strict=True):
        reference = expected[weight.name].grad.numpy()
        np.testing.assert_allclose(gradient.asnumpy(), reference, rtol=1e-3, atol=1e-4 * abs(reference).max() + 1e-6)


def test_nodes_have_the_users_lines_and_the_modules_as_scopes(torch, block):
    net = ms.from_torch(export(torch, block().eval(), images(torch)))
    graph = ms.jit(net).graph(ms.Tensor(images(torch).numpy()), pipeline=())
    verify(graph)
    locs = {str(graph.op(node)): graph.loc(node)[0] for node in graph if not graph.op(node).is_leaf}
    assert {loc.file for loc in locs.values()} == {__file__}
    assert (locs["conv2d"].text, locs["conv2d"].function) == ("y = self.relu(self.layers(x))", "forward")
    scopes = {graph.loc(node)[0].scope for node in graph if graph.loc(node)}
    within = {scope.partition("/")[2] for scope in scopes}
    assert {"layers/0", "layers/1", "relu", "relu#2", "head", "tied"} <= within


def test_checkpoints_and_training(torch, block, tmp_path):
    module, x = block().eval(), ms.Tensor(images(torch).numpy())
    net = ms.from_torch(export(torch, module, images(torch)))
    before = net(x)[0].asnumpy()
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
    step = ms.jit(lambda x: optimizer(ms.grad(lambda x: net(x)[0].sum(), None, optimizer.parameters)(x)))
    step(x)
    assert not np.allclose(before, net(x)[0].asnumpy())
    ms.load_param_into_net(net, ms.load_checkpoint(str(tmp_path / "net.ckpt")))
    np.testing.assert_array_equal(before, net(x)[0].asnumpy())


def test_buffers_are_updated_in_training_mode(torch, block):
    module, x = block().train(), images(torch)
    net = ms.from_torch(export(torch, module, x))
    result = net(ms.Tensor(x.numpy()))[0].asnumpy()
    np.testing.assert_allclose(result, module(x)[0].detach().numpy(), rtol=1e-3, atol=1e-4)
    buffers = dict(module.named_buffers())
    for parameter in net.get_parameters():
        if parameter.name in buffers:
            np.testing.assert_allclose(parameter.asnumpy(), buffers[parameter.name].numpy(), rtol=1e-5)


@pytest.mark.parametrize("call", [lambda net: net, ms.jit], ids=["eager", "graph"])
@pytest.mark.parametrize("persistent", [True, False])
def test_a_buffers_old_value_is_returned_at_every_call(torch, call, persistent):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(3), persistent=persistent)

        def forward(self, x):
            old = self.count.clone()
            self.count.add_(x)
            return old, old.view(3, 1), self.count, self.count.view(3, 1)

    net = ms.from_torch(export(torch, Counter(), torch.ones(3)))
    call = call(net)
    results = [call(ms.Tensor([1.0, 2.0, 3.0])) for _ in range(3)]
    for number, (old, old_view, new, new_view) in enumerate(results):
        for result, times in ((old, number), (old_view, number), (new, number + 1), (new_view, number + 1)):
            np.testing.assert_array_equal(result.reshape(-1).asnumpy(), np.array([1.0, 2.0, 3.0]) * times)
    assert [(p.name, p.requires_grad, p.tolist()) for p in net.get_parameters()] == [("count", False, [3.0, 6.0, 9.0])]


def gradients(torch, network, x):
    """Ours of an exported network, of that network decomposed by the user, and torch's of both."""
    program = export(torch, network, torch.ones(2))
    for form in (program, program.run_decompositions()):
        peer = torch.tensor(x, requires_grad=True)
        form.module()(peer).sum().backward()
        yield ms.grad(ms.from_torch(form))(ms.Tensor(x)).tolist(), peer.grad.tolist()


def test_detached_values_have_no_gradient_unless_the_user_decomposes_the_program(torch):
    class Detached(torch.nn.Module):
        def forward(self, x):
            return x.detach() * x

    forms = [*gradients(torch, Detached(), [2.0, 3.0])]
    assert forms == [([2.0, 3.0], [2.0, 3.0]), ([4.0, 6.0], [4.0, 6.0])]  # torch decomposes detach to alias


def test_gradients_pass_through_an_index_of_everything(torch):
    class Everything(torch.nn.Module):
        def forward(self, x):
            return x[...] * x[()] * x[:]

    for actual, peers in gradients(torch, Everything(), [2.0, 3.0]):
        assert actual == peers == [12.0, 27.0]


def test_fixed_results_have_names_of_their_own(torch):
    class Fixed(torch.nn.Module):
        def forward(self, constant_0, y):
            return constant_0 + y, 3

    net = ms.from_torch(export(torch, Fixed(), torch.ones(2), torch.ones(2)))
    total, three = net(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.0]))
    assert total.tolist() == [2.0, 4.0] and three.item() == 3


def test_sizes_may_be_symbolic(torch):
    class Flat(torch.nn.Module):
        def forward(self, x):
            return x.reshape(x.shape[0] * 3, -1) * x.shape[0]

    batch = torch.export.Dim("batch", min=2, max=64)
    program = export(torch, Flat(), torch.ones(4, 6), dynamic_shapes={"x": {0: batch}})
    net = ms.from_torch(program)
    assert net(ms.Tensor(np.ones((5, 6), np.float32))).tolist() == np.full((15, 2), 5.0).tolist()


def test_branches_become_regions(torch):
    class Branch(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    net = ms.jit(ms.from_torch(export(torch, Branch(), torch.ones(2))))
    assert net(ms.Tensor([1.0, 2.0])).tolist() == [2.0, 3.0]
    assert net(ms.Tensor([-1.0, -2.0])).tolist() == [-2.0, -3.0]
    graph = net.graph(ms.Tensor([1.0, 2.0]))
    assert "cond" in {str(graph.op(node)) for node in graph}


def test_loops_become_regions(torch):
    class Loop(torch.nn.Module):
        def forward(self, x):
            step = lambda i, x: (i + 1, x * 1.5)  # noqa: E731
            return torch._higher_order_ops.while_loop(lambda i, x: i < 5, step, (torch.tensor(0), x))

    net = ms.from_torch(export(torch, Loop(), torch.ones(2)))
    count, x = ms.jit(net, fullgraph=True)(ms.Tensor(np.ones(2, np.float32)))
    assert count.item() == 5 and x.tolist() == [1.5**5] * 2


def test_checks_that_torch_orders_by_tokens_are_left_to_the_operators(torch):
    class Inverse(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.inv(x).sum() + torch.linalg.det(x) + torch.logdet(x)

    x = torch.eye(3) * 2 + 0.1
    net = ms.from_torch(export(torch, Inverse(), x))
    np.testing.assert_allclose(net(ms.Tensor(x.numpy())).asnumpy(), Inverse()(x).numpy(), rtol=1e-5)


def test_an_unknown_operator_is_refused_with_node_line_and_nearest_name(torch):
    class Rare(torch.nn.Module):
        def forward(self, x):
            return torch.special.i1(x)

    with pytest.raises(
        UnknownNameError, match=r"no ATen operator 'special_i1' at node 'special_i1' of Rare \(test_reader"
    ):
        ms.from_torch(export(torch, Rare(), torch.ones(2)))


def test_bfloat16_keeps_its_bits(torch):
    pytest.importorskip("ml_dtypes")
    torch.manual_seed(0)
    module, x = torch.nn.Linear(2, 2).bfloat16(), torch.ones(1, 2).bfloat16()
    net = ms.from_torch(export(torch, module, x))
    result = net(ms.Tensor([[1.0, 1.0]], ms.bfloat16))
    assert result.dtype is ms.bfloat16
    np.testing.assert_allclose(result.astype(ms.float32).asnumpy(), module(x).float().detach().numpy(), atol=2e-2)


def test_a_dtype_that_minigraph_lacks_is_refused(torch):
    class Small(torch.nn.Module):
        def forward(self, x):
            return x.to(torch.float8_e5m2).float()

    with pytest.raises(ModelError, match=r"no dtype 'float8_e5m2'"):
        ms.from_torch(export(torch, Small(), torch.ones(1, 2)))
