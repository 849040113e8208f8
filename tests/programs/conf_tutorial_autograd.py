import minigraph as ms
# Differentiation: functions, Cells, auxiliary results, stop_gradient, hooks, custom gradients, higher orders, vmap.
import numpy as np
from parts import fill, part, show
from minigraph import Parameter, ParameterTuple, Tensor, grad, jacfwd, jacrev, jvp, nn, ops, value_and_grad, vjp, vmap

x = ops.ones(5, ms.float32)
y = ops.zeros(3, ms.float32)
rng = np.random.RandomState(0)
w = Parameter(Tensor(rng.randn(5, 3), ms.float32), name="w")
b = Parameter(Tensor(rng.randn(3), ms.float32), name="b")


def function(x, y, w, b):
    z = ops.matmul(x, w) + b
    return ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))


@part
def functions():
    print(show(function(x, y, w, b)))
    print(show(grad(function, (2, 3))(x, y, w, b)))

    def with_logits(x, y, w, b):
        z = ops.matmul(x, w) + b
        return ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z)), z

    def with_stop(x, y, w, b):
        loss, z = with_logits(x, y, w, b)
        return loss, ops.stop_gradient(z)

    print(show(grad(with_logits, (2, 3))(x, y, w, b)))
    print(show(grad(with_stop, (2, 3))(x, y, w, b)))
    print(show(grad(with_logits, (2, 3), has_aux=True)(x, y, w, b)))
    print(show(value_and_grad(function, (0, 2))(x, y, w, b)))


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = w
        self.b = b

    def construct(self, x):
        return ops.matmul(x, self.w) + self.b


@part
def cells():
    model = Network()
    loss_fn = nn.BCEWithLogitsLoss()

    def forward_fn(x, y):
        return loss_fn(model(x), y)

    grad_fn = value_and_grad(forward_fn, None, weights=model.trainable_params())
    print(show(grad_fn(x, y)))
    print(show(grad(model, 0, model.trainable_params())(x)))
    print(show(grad(model, None, w, return_ids=True)(x)))
    ids = grad(model, (0,), model.trainable_params(), return_ids=True)(x)
    print(show(ms.get_grad(ids, w)), show(ms.get_grad(ids, 0)))


@part
def polynomials():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.z = Parameter(Tensor(np.array([1.0], np.float32)), name="z")

        def construct(self, x, y):
            return x * x * y * self.z

    net, a, c = Net(), Tensor([3.0]), Tensor([5.0])
    print(grad(net)(a, c), grad(net, 1)(a, c), grad(net, (0, 1))(a, c), grad(net, grad_position=None, weights=net.z)(a, c))
    print(ops.GradOperation(get_all=True)(net)(a, c), ops.GradOperation(get_by_list=True)(net, ParameterTuple(net.trainable_params()))(a, c))
    print(ops.GradOperation(sens_param=True)(net)(a, c, Tensor([2.0])))

    class First(nn.Cell):
        def __init__(self, network):
            super().__init__()
            self.network, self.grad_op = network, ops.GradOperation()

        def construct(self, x, y):
            return self.grad_op(self.network)(x, y)

    print(First(net)(a, c), First(First(net))(a, c))
    print(grad(grad(lambda v: ops.sin(v) * v))(Tensor([1.0])), grad(grad(ops.tanh))(Tensor([0.5])))


@part
def jacobians():
    def forward(x, y):
        return x + y * x ** 2

    a, c = Tensor([[1., 2.], [3., 4.]]), Tensor([[1., 0.], [2., 1.]])
    out, tangent = jvp(forward, (a, c), (ops.ones_like(a), ops.ones_like(c)))
    print(show(out), show(tangent))
    out, vjp_fn = vjp(forward, a, c)
    print(show(out), show(vjp_fn(ops.ones_like(a))))

    def two(v):
        return v * 2, v ** 2

    print(show(vjp(two, a)[1](ops.ones_like(a), ops.ones_like(a))))
    print(show(jacfwd(forward, 0)(a, c)), show(jacrev(forward, (0, 1))(a, c)))

    def with_aux(v):
        return v.sum(), v * 2

    def cubes(v):
        return (v ** 3).sum()

    print(show(jacrev(with_aux, has_aux=True)(a)))
    print(show(jacrev(cubes)(Tensor([1., 2.]))), show(jacrev(ops.sin)(Tensor([0.1, 0.2]))), show(jvp(ops.sin, a, a)))


@part
def vmaps():
    a = Tensor([[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]])
    v = Tensor([1., 2., 3.])

    def dot(s, t):
        return (s * t).sum()

    def two(s):
        return s.sum(), s.max()

    def pair(d):
        return d[0] + d[1]

    print(vmap(ops.square)(a), vmap(dot, in_axes=(0, None))(a, v))
    print(vmap(ops.add, in_axes=(0, 1), out_axes=1)(a, a))
    print(show(vmap(vmap(ops.exp))(a)), vmap(two)(a))
    print(vmap(pair, in_axes=((0, None),))((a, v)))
    weights = Parameter(Tensor(rng.randn(3, 2).astype(np.float32)), name="weights")

    def loss(weights, sample, target):
        return ((ops.matmul(sample, weights) - target) ** 2).sum()

    samples, targets = Tensor(rng.randn(4, 3).astype(np.float32)), Tensor(rng.randn(4, 2).astype(np.float32))

    def total(u):
        return ((ops.matmul(samples, u) - targets) ** 2).sum()

    per_sample = vmap(grad(loss), in_axes=(None, 0, 0))(weights, samples, targets)
    print(show(per_sample), show(per_sample.sum(0) - grad(total)(weights)))
    nets = nn.CellList([fill(nn.Dense(3, 2), i) for i in range(3)])
    print(show(vmap(nets, in_axes=None)(samples)), show(vmap(nets, in_axes=0)(Tensor(rng.randn(3, 5, 3).astype(np.float32)))))


@part
def tensor_hooks():
    def hook_fn(grad_out):
        print("hook_fn print grad_out:", grad_out)
        return grad_out[0] * 2

    hook = ops.HookBackward(hook_fn)

    def hook_test(x, y):
        z = hook(x * y)
        return z * y

    print("net:", value_and_grad(hook_test, (0, 1))(Tensor(1, ms.float32), Tensor(2, ms.float32)))

    def with_register(x):
        z = x * x
        z.register_hook(lambda g: g * 10)
        return z.sum()

    print(grad(with_register)(Tensor([1., 2.])))


@part
def cell_hooks():
    def pre(cell, inputs):
        print("forward inputs:", inputs)

    def after(cell, inputs, output):
        print("forward output:", output)

    def backward(cell, grad_input, grad_output):
        print("backward", grad_input, grad_output)

    def backward_pre(cell, grad_output):
        print("backward pre", grad_output)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.relu = nn.ReLU()
            self.handles = [self.relu.register_forward_pre_hook(pre), self.relu.register_forward_hook(after), self.relu.register_backward_hook(backward), self.relu.register_backward_pre_hook(backward_pre)]

        def construct(self, x, y):
            return self.relu(x + y) * 2

    net = Net()
    print(grad(net, (0, 1))(Tensor([1.]), Tensor([2.])))
    for h in net.handles:
        h.remove()
    print(grad(net, (0, 1))(Tensor([1.]), Tensor([2.])))

    def change(cell, inputs):
        return (inputs[0] * 3,)

    net.relu.register_forward_pre_hook(change)
    print(net(Tensor([1.]), Tensor([2.])))


@part
def custom_gradient():
    class Mul(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return y * dout * 100, x * dout

    print(grad(Mul(), (0, 1))(Tensor([3.]), Tensor([4.])))

    class Mine(nn.Cell):
        def __init__(self):
            super().__init__()
            self.mul = Mul()

        def construct(self, x, y):
            return self.mul(x, y) + x

    print(value_and_grad(Mine(), (0, 1))(Tensor([3.]), Tensor([4.])))
    print(ops.clip_by_value(Tensor([-2., 0.5, 3.]), -1, 1), grad(lambda v: ops.clip_by_value(v, -1, 1).sum())(Tensor([-2., 0.5, 3.])))


@part
def mistakes():
    for wrong in (grad(function, (7,)), value_and_grad(function, 0, has_aux=True)):
        try:
            wrong(x, y, w, b)
            print("accepted")
        except Exception as e:
            print(type(e).__name__, str(e).splitlines()[0][:60])
    for arguments in ((function, None, None), (function, -1), (function, "a")):
        try:
            grad(*arguments)(x, y, w, b)
            print("accepted")
        except Exception as e:
            print(type(e).__mro__[-3].__name__, str(e).splitlines()[0][:40])
