import minigraph as ms
# Source 2 (official tutorial "dynamic and static graphs"), cells 1-6 and 8.  Run as published on 2.10 CPU.
# Cell 7 (bprop registration) does not: see s2_7_custom_bprop.py.
import numpy as np
nn, ops, Tensor, Parameter, mstype, context = ms.nn, ms.ops, ms.Tensor, ms.Parameter, ms.dtype, ms.context


class MyNet(nn.Cell):
    def __init__(self):
        super(MyNet, self).__init__()
        self.add = ops.Add()

    def construct(self, x, y):
        return self.add(x, y)


x = Tensor(np.array([1.0, 2.0, 3.0]).astype(np.float32))
y = Tensor(np.array([4.0, 5.0, 6.0]).astype(np.float32))
context.set_context(mode=context.GRAPH_MODE)
net = MyNet()
print(net(x, y))
context.set_context(mode=context.PYNATIVE_MODE)
net = MyNet()
print(net(x, y))
context.set_context(mode=context.GRAPH_MODE)


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.mul = ops.Mul()

    def construct(self, x, y):
        return self.mul(x, y)


net = Net()
print(net(x, y))
context.set_context(mode=context.PYNATIVE_MODE)
output = ops.mul(x, y)
print(output.asnumpy())


class Net2(nn.Cell):
    def __init__(self):
        super(Net2, self).__init__()
        self.matmul = ops.MatMul()
        self.z = Parameter(Tensor(np.array([1.0], np.float32)), name='z')

    def construct(self, x, y):
        x = x * self.z
        x = self.matmul(x, y)
        return x


class GradNetWrtX(nn.Cell):
    def __init__(self, net):
        super(GradNetWrtX, self).__init__()
        self.net = net
        self.grad_op = ops.GradOperation()

    def construct(self, x, y):
        gradient_function = self.grad_op(self.net)
        return gradient_function(x, y)


x = Tensor([[0.8, 0.6, 0.2], [1.8, 1.3, 1.1]], dtype=mstype.float32)
y = Tensor([[0.11, 3.3, 1.1], [1.1, 0.2, 1.4], [1.1, 2.2, 0.3]], dtype=mstype.float32)
output = GradNetWrtX(Net2())(x, y)
print(output)


class Net3(nn.Cell):
    def __init__(self):
        super(Net3, self).__init__()
        self.matmul = ops.MatMul()
        self.z = Parameter(Tensor(np.array([1.0], np.float32)), name='z')

    def construct(self, x):
        for _ in range(3):
            x = x + self.z
        return x


x = Tensor(np.array([1.0, 2.0, 3.0]).astype(np.float32))
net = Net3()
output = net(x)
print(output)
for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):      # every GradOperation form, both modes
    context.set_context(mode=mode)
    n2 = Net2()
    a = Tensor([[1.0, 2.0]], mstype.float32)
    b = Tensor([[1.0], [3.0]], mstype.float32)
    s = Tensor([[10.0]], mstype.float32)
    w = ms.ParameterTuple(n2.trainable_params())

    class G(nn.Cell):
        def __init__(self, **kw):
            super(G, self).__init__()
            self.net, self.kw, self.op, self.w = n2, kw, ops.GradOperation(**kw), w
            self.by_list, self.sens = kw.get("get_by_list", False), kw.get("sens_param", False)

        def construct(self, a, b, s):
            g = self.op(self.net, self.w) if self.by_list else self.op(self.net)
            return g(a, b, s) if self.sens else g(a, b)

    def show(r):
        return [show(i) for i in r] if isinstance(r, (tuple, list)) else np.round(r.asnumpy(), 4).tolist()
    for kw in ({}, {"get_all": True}, {"get_by_list": True}, {"get_all": True, "get_by_list": True},
               {"sens_param": True}, {"get_all": True, "get_by_list": True, "sens_param": True}):
        r = G(**kw)(a, b, s)
        print(sorted(kw), type(r).__name__, show(r))
