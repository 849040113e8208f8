import minigraph as ms
# Static graphs: jit of functions and Cells, control flow, containers, constants, classes, Print, numpy, custom operators.
import numpy as np
from parts import fill, part, show
from minigraph import Parameter, Tensor, jit, jit_class, mutable, nn, numpy as mnp, ops
from minigraph.ops import constexpr, operations as P
from minigraph.ops import functional as F
from minigraph.ops import composite as C

X = Tensor([[1., -2.], [3., 4.]])


def helper_of(x):
    return x + 1


@part
def functions():
    @jit
    def mul(x, y):
        return x * y

    print(mul(X, X))

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name="w")

        @jit
        def construct(self, x):
            return x * self.w

        @jit
        def other(self, x):
            return x + self.w

    net = Net()
    print(net(X), net.other(X), ms.grad(net)(X))

    class Whole(nn.Cell):
        def construct(self, x):
            return self.helper(x) + 1

        def helper(self, x):
            return ops.relu(x)

    ms.set_context(mode=ms.GRAPH_MODE)
    print(Whole()(X), ms.get_context("mode") == ms.GRAPH_MODE)
    ms.set_context(mode=ms.PYNATIVE_MODE)


@part
def branches():
    @jit
    def sign(x, y):
        if x > y:
            m = x - y
        elif x == y:
            m = x * 0
        else:
            m = y - x
        return m

    print(sign(Tensor(4.), Tensor(2.)), sign(Tensor(1.), Tensor(2.)), sign(Tensor(1.), Tensor(1.)), sign(3, 2))

    @jit
    def ternary(x):
        a = x if x.sum() > 100 else -x
        b = 1 if a.shape[0] == 2 else 5
        return a, b

    print(ternary(X))

    @jit
    def logical(x, y):
        return (x > 0 and y > 0), (x > 0 or y > 0), not (x > 0)

    print(logical(Tensor(1.), Tensor(-1.)), logical(1, 2))

    @jit
    def early(x):
        if x.sum() > 0:
            return x
        return -x

    print(early(X), early(-X))


@part
def loops():
    @jit
    def count(x):
        total = Tensor(0.)
        for i in range(3):
            if i == 1:
                continue
            total = total + x.sum() * i
        while total > 3:
            total = total - 2
            if total < 1:
                break
        return total

    print(count(X))

    @jit
    def over(x, items):
        out = x
        for item in items:
            out = out + item
        for i, item in enumerate(items):
            out = out * (i + 1)
        for a, b in zip(items, items):
            out = out + a * b
        return out

    print(over(Tensor([1.]), (Tensor([1.]), Tensor([2.]))), over(Tensor([1.]), (1, 2)))

    @jit
    def dynamic(n):
        i, s = Tensor(0), Tensor(0)
        while i < n:
            i = i + 1
            s = s + i
        return s

    print(dynamic(Tensor(4)), dynamic(Tensor(10)))

    class Repeated(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([nn.Dense(2, 2, weight_init="ones", bias_init="zeros") for _ in range(3)])
            self.acc = Parameter(Tensor([0.0]), name="acc")

        @jit
        def construct(self, x):
            for layer in self.layers:
                x = layer(x)
                self.acc += x.sum()
            return x

    net = Repeated()
    print(net(X), net.acc.asnumpy().copy(), ms.grad(net, None, net.trainable_params())(X)[0].shape)


@part
def containers():
    @jit
    def lists(x):
        a = [1, 2, x]
        a.append(4)
        a[0] = 5
        b = [i * 2 for i in range(3)]
        d = {"a": x, "b": 2}
        d["c"] = x + 1
        t = (1, x)
        first, *rest = (1, 2, 3) if False else (1, [2, 3])
        return a, b, d["c"], len(d), t[1:], len(a), max(b), sum((1, 2)), isinstance(x, Tensor)

    print(lists(Tensor([1.])))

    @jit
    def strings(x):
        s = "a" + "b"
        return x + len(s), s, f"{3}"

    print(strings(Tensor([1.])))

    @jit
    def with_mutable(t):
        return t[0] + t[1]

    print(with_mutable(mutable((Tensor([1.]), Tensor([2.])))), with_mutable(mutable([1, 2])), mutable(3))

    @jit
    def slices(x):
        y = x[0]
        z = x[:, 1:]
        y, z = y * 1, z * 1
        x[0, 0] = 9.0
        return y, z, x[..., -1], x

    print(slices(Tensor([[1., 2.], [3., 4.]])))

    @jit
    def unpack(*args, **kwargs):
        return args[0] + kwargs["k"]

    print(unpack(Tensor([1.]), k=Tensor([2.])))

    @jit
    def builtins(x):
        return abs(x), min(3, 2), int(3.7), float(2), bool(1), str(3), list((1, 2)), tuple([1]), pow(2, 3), round(2.6), all([True, False]), any([True]), list(map(lambda v: v + 1, (1, 2))), divmod(7, 2)

    print(builtins(Tensor([-1.])))


@part
def constants():
    @constexpr
    def compute(n):
        return tuple(i * i for i in range(n))

    @jit
    def use(x):
        return x * compute(4)[3]

    print(use(Tensor([2.])))

    @jit_class
    class Scale:
        value = Tensor([3.0])

        def __init__(self, k):
            self.k = k

        def __call__(self, x):
            return x * self.k

        def add(self, x):
            return x + self.value

    scale = Scale(2)

    @jit
    def with_class(x):
        return scale(x), scale.add(x), Scale(4)(x)

    print(with_class(Tensor([1.])))

    @jit
    def asserted(x):
        assert x.shape[0] == 1
        return x

    print(asserted(Tensor([1.])))

    @jit
    def raising(x):
        if x.sum() > 0:
            raise ValueError("x is positive")
        return x

    for v in (-1., 1.):
        try:
            print(raising(Tensor([v])))
        except ValueError as e:
            print("ValueError", str(e).splitlines()[0])

    @jit
    def printing(x):
        print("x")
        return x

    print(printing(Tensor([1.])))

    @jit(backend="ms_backend")
    def backend(x):
        return x + 1

    @jit(capture_mode="ast", jit_level="O0")
    def level(x):
        return x + 1

    @jit(dynamic=1)
    def dynamic(x):
        return x.sum()

    print(backend(Tensor([1.])), level(Tensor([1.])), [show(dynamic(Tensor(np.ones(n, np.float32)))) for n in (1, 2, 3)])


@part
def dynamic_shapes():
    class Net(nn.Cell):
        def construct(self, x):
            return x.sum(0), x.shape[0]

    net = Net()
    net.set_inputs(Tensor(shape=[None, 2], dtype=ms.float32))
    ms.set_context(mode=ms.GRAPH_MODE)
    print(net(X), net(ops.ones((3, 2))))
    ms.set_context(mode=ms.PYNATIVE_MODE)


@part
def primitives():
    print(P.Add()(X, X), P.ReLU()(X), P.MatMul(transpose_b=True)(X, X), P.ReduceSum(keep_dims=True)(X, 1), P.Concat(1)((X, X)), P.Cast()(X, ms.int32), P.OneHot()(Tensor([0, 1], ms.int32), 2, Tensor(1.), Tensor(0.)))
    print(F.add(X, 1), F.tensor_add(X, 1) if hasattr(F, "tensor_add") else "", F.partial(F.add, X)(1), C.HyperMap()(F.add, (X,), (X,)), P.Shape()(X), P.Rank()(X), P.DType()(X), P.Fill()(ms.float32, (2,), 1), P.Eye()(2, 2, ms.float32), P.ZerosLike()(X))
    print(P.ArgMaxWithValue(1)(X), P.TopK()(X, 1), P.Tile()(X, (1, 2)), P.Transpose()(X, (1, 0)), P.Split(0, 2)(X), P.Pack(0)((X, X)) if hasattr(P, "Pack") else "", P.Stack(0)((X, X)).shape, P.Unstack(0)(X), P.GatherNd()(X, Tensor([[0, 1]])), P.Gather()(X, Tensor([1]), 0), P.Select()(X > 0, X, -X), P.L2Normalize(1)(X))
    assign = Parameter(Tensor([1.0]), name="v")
    print(P.Assign()(assign, Tensor([5.])), P.AssignAdd()(assign, Tensor([1.])), assign.asnumpy(), P.Depend()(X, assign).shape if hasattr(P, "Depend") else "", P.Softmax()(X), P.ReduceMean()(X), P.Maximum()(X, 0), P.LogicalAnd()(X > 0, X < 4), P.Greater()(X, 2))

    class MyPrimitive(ops.PrimitiveWithInfer):
        @ops.prim_attr_register
        def __init__(self, k):
            pass

        def infer_shape(self, x):
            return x

        def infer_dtype(self, x):
            return x

    prim = MyPrimitive(3)
    print(prim.k, prim.name, prim)
    add = ops.MultitypeFuncGraph("add")

    @add.register("Number", "Number")
    def add_scalar(x, y):
        return x + y

    @add.register("Tensor", "Tensor")
    def add_tensor(x, y):
        return x * y

    print(add(1, 2), add(X, X), ops.HyperMap(add)((1, 2), (3, 4)), ops.HyperMap()(add, ((X, 1),), ((X, 2),)))


@part
def custom_operators():
    def twice(x):
        return x * 2

    op = ops.Custom(twice, out_shape=lambda x: x, out_dtype=lambda x: x, func_type="pyfunc")
    print(op(X))

    def infer(x):
        return x

    def bprop(x, out, dout):
        return (dout * 7,)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = ops.Custom(twice, infer, infer, "pyfunc", bprop=bprop)

        def construct(self, x):
            return self.op(x)

    print(ms.grad(Net())(X))


@part
def numpy_like():
    print(mnp.array([1, 2, 3]), mnp.zeros((2, 2)), mnp.ones(2, mnp.int32), mnp.arange(0, 5, 2), mnp.linspace(0, 1, 5), mnp.eye(2), mnp.full((2,), 3), mnp.asarray([1.0]), mnp.asfarray([1, 2]))
    a = mnp.array([[1.0, 2.0], [3.0, 4.0]])
    print(a.shape, mnp.mean(a), mnp.sum(a, axis=0), mnp.dot(a, a), mnp.matmul(a, a), mnp.transpose(a), mnp.reshape(a, (4,)), mnp.concatenate((a, a), 1), mnp.where(a > 2, a, 0), mnp.sqrt(a), mnp.max(a), mnp.argmax(a), mnp.std(a), mnp.var(a), mnp.cumsum(a, 0))
    print(mnp.expand_dims(a, 0).shape, mnp.squeeze(a[None]).shape, mnp.stack([a, a]).shape, mnp.split(a, 2), mnp.tile(a, (1, 2)), mnp.flip(a), mnp.unique(mnp.array([1, 1, 2])), mnp.meshgrid(mnp.arange(2), mnp.arange(2)), mnp.diag(a), mnp.trace(a), mnp.outer(a[0], a[1]), mnp.tensordot(a, a, 1), mnp.clip(a, 1, 2), mnp.isnan(a), mnp.broadcast_to(a[0], (2, 2)), mnp.logical_and(a > 1, a < 4))
    print(mnp.randn(2, 3).shape, mnp.rand(2).shape, mnp.randint(0, 5, (3,)).shape, mnp.pad(a, 1), mnp.roll(a, 1), mnp.hstack((a, a)), mnp.vstack((a, a)).shape, mnp.average(a, weights=a), mnp.nanmean(a), mnp.histogram(a, 2), mnp.polyadd(mnp.array([1]), mnp.array([1, 2])) if hasattr(mnp, "polyadd") else "", mnp.pi, mnp.inf)
