import minigraph as ms
# What grad / value_and_grad / GradOperation return, eager and jitted.  Same output expected in both columns.
nn, ops, Tensor, Parameter = ms.nn, ms.ops, ms.Tensor, ms.Parameter
x, y = Tensor([1.0, 2.0], ms.float32), Tensor([3.0, 4.0], ms.float32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0, 6.0], ms.float32), name="w")
        self.b = Parameter(Tensor([0.5, 0.5], ms.float32), name="b")

    def construct(self, x, y):
        return x * y * self.w + self.b


net = Net()
W = net.trainable_params()
W0 = W[0]
NONE = None


def one(x, y): return x * y


def two(x, y): return x * y, x + y


def lst(x, y): return [x * y, x + y]


def dct(x, y): return {"a": x * y, "b": x}


def wnet(x, y): return net(x, y)


def wnet2(x, y): return net(x, y), x


def S(r):
    if isinstance(r, Tensor):
        return str([round(float(v), 3) for v in r.asnumpy().reshape(-1)])
    if isinstance(r, tuple):
        return "(" + ", ".join(map(S, r)) + ("," if len(r) == 1 else "") + ")"
    if isinstance(r, list):
        return "L[" + ", ".join(map(S, r)) + "]"
    if isinstance(r, dict):
        return "{" + ", ".join(k + ": " + S(v) for k, v in r.items()) + "}"
    return repr(r)


CASES = """grad(one)
grad(one, (0,))
grad(one, (0, 1))
grad(two)
grad(two, 0, None, True)
grad(lst)
grad(dct, (0, 1))
grad(wnet, None, W)
grad(wnet, None, W0)
grad(wnet, None, [W0])
grad(wnet, 0, W)
grad(wnet, 0, W0)
grad(wnet, (0, 1), W)
grad(wnet2, 0, W, True)
grad(wnet2, None, W, True)
value_and_grad(one)
value_and_grad(one, (0,))
value_and_grad(one, (0, 1))
value_and_grad(two)
value_and_grad(two, 0, None, True)
value_and_grad(lst)
value_and_grad(dct)
value_and_grad(wnet, None, W)
value_and_grad(wnet, None, W0)
value_and_grad(wnet, (0, 1), W)
value_and_grad(wnet2, None, W, True)
value_and_grad(wnet2, 0, W, True)
value_and_grad(net, 0, W)
grad(one, 0, return_ids=True)
grad(one, (0, 1), return_ids=True)
grad(wnet, 0, W, return_ids=True)
value_and_grad(wnet, None, W, return_ids=True)""".split("\n")
env = dict(globals(), grad=ms.grad, value_and_grad=ms.value_and_grad)
GF = {c: eval(c, env) for c in CASES}
for c in CASES:
    print("%-46s %s" % (c, S(GF[c](x, y))))
SENS = Tensor([10.0, 100.0], ms.float32)
print("sens_param positional ", S(ms.grad(one, 0, sens_param=True)(x, y, SENS)))
print("sens_param keyword    ", S(ms.grad(one, 0, sens_param=True)(x, y, sens=SENS)))
for kw in ({}, {"get_all": True}, {"get_by_list": True}, {"get_all": True, "get_by_list": True},
           {"sens_param": True}, {"get_all": True, "sens_param": True}):
    op = ops.GradOperation(**kw)
    g = op(net, ms.ParameterTuple(W)) if kw.get("get_by_list") else op(net)
    print("GradOperation(%s)" % ",".join(sorted(kw)), S(g(x, y, SENS) if kw.get("sens_param") else g(x, y)))


def cube(a): return a ** 3


dcube = ms.grad(cube)
print("nested", S(ms.grad(dcube)(x)))
bad = [("neither position nor weights", lambda: ms.grad(one, None)(x, y)),
       ("position -1", lambda: ms.grad(one, -1)(x, y)),
       ("position [0]", lambda: ms.grad(one, [0])(x, y)),
       ("position out of range", lambda: ms.grad(one, 2)(x, y)),
       ("has_aux, single output", lambda: ms.grad(one, 0, None, True)(x, y))]
for name, f in bad:
    try:
        print(name, S(f()))
    except Exception as e:
        print("%-30s %s: %s" % (name, type(e).__name__, str(e).split("\n")[0]))


@ms.jit
def jitted(x, y):
    return (ms.grad(wnet2, 0, W, True)(x, y), ms.value_and_grad(wnet, None, W)(x, y), ms.grad(one, (0,))(x, y))


print("jit", S(jitted(x, y)))
