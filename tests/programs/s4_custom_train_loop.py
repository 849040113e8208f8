import minigraph as ms
# Source 4 (value_and_grad + @jit + ops.depend custom training loop).  Runs as published (device CPU).
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor
ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")


class SimpleNet(nn.Cell):
    def __init__(self):
        super(SimpleNet, self).__init__()
        self.fc = nn.Dense(10, 1)

    def construct(self, x):
        return self.fc(x)


rng = np.random.RandomState(0)
W0, B0 = (rng.randn(1, 10) * 0.3).astype(np.float32), np.zeros(1, np.float32)
batches = [(rng.randn(32, 10).astype(np.float32), rng.randn(32, 1).astype(np.float32)) for _ in range(5)]


def build(variant):
    net = SimpleNet()
    for p, v in zip(net.trainable_params(), (W0, B0)):
        p.set_data(Tensor(v))
    loss_fn = nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)

    def forward_fn(data, label):
        logits = net(data)
        loss = loss_fn(logits, label)
        return loss, logits

    grad_fn = ops.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    def step_depend(data, label):
        (loss, _), grads = grad_fn(data, label)
        loss = ops.depend(loss, optimizer(grads))
        return loss

    def step_plain(data, label):
        (loss, _), grads = grad_fn(data, label)
        optimizer(grads)
        return loss

    return net, {"jit+depend": ms.jit(step_depend), "jit, no depend": ms.jit(step_plain), "pynative": step_plain}[variant]


for variant in ("jit+depend", "jit, no depend", "pynative"):
    net, train_step = build(variant)
    losses = [float(train_step(Tensor(x), Tensor(y)).asnumpy()) for x, y in batches]
    print("%-15s" % variant, ["%.5f" % v for v in losses], np.round(net.fc.weight.asnumpy()[0, :3], 5), np.round(net.fc.bias.asnumpy(), 5))
