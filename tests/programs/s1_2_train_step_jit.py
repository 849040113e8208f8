import minigraph as ms
# Source 1, listing 3 (PyNative + jitted train step).  Runs as published on CPU; ms.numpy.randn exists and
# Tensor(Tensor, dtype) is accepted.  Here: numpy data + fixed weights so that the losses are comparable.
import time
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor
ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")


class SimpleNet(nn.Cell):
    def __init__(self):
        super(SimpleNet, self).__init__()
        self.fc = nn.Dense(1024, 1024)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.fc(x))


net = SimpleNet()
rng = np.random.RandomState(0)
for p in net.trainable_params():
    p.set_data(Tensor((rng.randn(*p.shape) * 0.03).astype(np.float32)))
loss_fn = nn.MSELoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)


@ms.jit
def train_step(data, label):
    def forward_fn(data, label):
        logits = net(data)
        loss = loss_fn(logits, label)
        return loss, logits

    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)
    (loss, _), grads = grad_fn(data, label)
    optimizer(grads)                          # no ops.depend: the update is kept
    return loss


input_data = Tensor(rng.randn(32, 1024), ms.float32)
label_data = Tensor(rng.randn(32, 1024), ms.float32)
t = Tensor(ms.numpy.randn(32, 1024), ms.float32)     # the seed's own spelling
print(t.shape, t.dtype)
print("Start warmup (Graph Compilation)...")
print("loss 0: %.5f" % train_step(input_data, label_data).asnumpy())
print("Warmup done.")
start = time.time()
for i in range(100):
    loss = train_step(input_data, label_data)
    if i in (0, 1, 9, 99):
        print("loss %d: %.5f" % (i + 1, loss.asnumpy()))
assert time.time() > start
