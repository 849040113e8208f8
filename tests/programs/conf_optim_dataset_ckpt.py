import minigraph as ms
# Optimizer formulas (every "formula" line must end in True), TrainOneStepCell, dataset and checkpoint behaviour.
import os
import numpy as np
nn, ops, Tensor, Parameter = ms.nn, ms.ops, ms.Tensor, ms.Parameter
G = [np.array([.1, -.2, .3], np.float32) * k for k in (1, 2, 3)]
W = np.array([1., 2., 3.])


def run(make, grads=G):
    p = Parameter(Tensor(W.astype(np.float32)), name="w")
    o = make([p])
    for g in grads:
        r = o((Tensor(g.astype(np.float32)),))
    return p.asnumpy(), r, [q.name for q in o.get_parameters()]


def momentum(wd=0.0):
    w, v = W.copy(), 0
    for g in G:
        v = 0.9 * v + (g + wd * w)
        w = w - 0.1 * v
    return w


def adam(grads, lr):
    w, m, v = W.copy(), 0, 0
    for t, g in enumerate(grads, 1):
        m, v = .9 * m + .1 * g, .999 * v + .001 * g * g
        w = w - lr * np.sqrt(1 - .999 ** t) / (1 - .9 ** t) * m / (np.sqrt(v) + 1e-8)     # eps beside sqrt(v), not sqrt(vhat)
    return w


def line(name, got, want, tol=1e-5):
    print("%-34s formula %s" % (name, bool(np.allclose(got, want, rtol=tol, atol=tol))))


p, r, names = run(lambda ps: nn.Momentum(ps, 0.1, 0.9))
line("Momentum v=mu*v+g; w-=lr*v", p, momentum())
print(r, names)
p, _, _ = run(lambda ps: nn.Momentum(ps, 0.1, 0.9, weight_decay=0.01))
line("Momentum weight_decay=0.01", p, momentum(0.01))
p, _, names = run(lambda ps: nn.Adam(ps))
line("Adam defaults", p, adam(G, 1e-3))
print(names)
tiny = [g * 1e-8 for g in G]
p, _, _ = run(lambda ps: nn.Adam(ps, learning_rate=0.1), tiny)
line("Adam, |g|~1e-8: eps placement", p, adam(tiny, 0.1), 1e-4)
p, _, _ = run(lambda ps: nn.SGD(ps, 0.1))
line("SGD (momentum 0)", p, W - 0.1 * sum(G))
for name, f in (("no params", lambda: nn.SGD([], 0.1)), ("momentum=1 (int)", lambda: nn.Momentum([Parameter(Tensor([1.0]), name="a")], 0.1, 1)),
                ("same name twice", lambda: nn.SGD([Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([1.0]), name="a")], 0.1))):
    try:
        f()
        print(name, "OK")
    except Exception as e:
        print("%-18s %s: %s" % (name, type(e).__name__, str(e)[:70]))
net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
step.set_train()
a, t = Tensor(np.arange(6).reshape(2, 3).astype(np.float32)), Tensor(np.ones((2, 2), np.float32))
print("TrainOneStepCell", [round(float(step(a, t).asnumpy()), 4) for _ in range(3)], [q.name for q in opt.parameters])
imgs, labs = np.arange(12).reshape(6, 2).astype(np.float32), np.arange(6).astype(np.int32)
GD = ms.dataset.GeneratorDataset
pairs = lambda: list(zip(imgs, labs))
d = GD(zip(Tensor(imgs), Tensor(labs)), column_names=["image", "label"])
print("zip source replays each epoch (and is shuffled)", [sorted(int(r[1].asnumpy()) for r in d) for _ in range(2)], d.get_dataset_size(), d.get_col_names())
d = GD(pairs(), ["image", "label"], shuffle=False)
for row in d:
    print(type(row).__name__, [(type(v).__name__, v.shape, str(v.dtype)) for v in row])
    break
print("default shuffles a random-access source:", sorted(int(r[1].asnumpy()) for r in GD(pairs(), ["a", "b"])))
print("batch(4)", [(r[0].shape, r[1].asnumpy().tolist()) for r in GD(pairs(), ["a", "b"], shuffle=False).batch(4)])
print("drop_remainder", [r[1].asnumpy().tolist() for r in GD(pairs(), ["a", "b"], shuffle=False).batch(4, drop_remainder=True)])
print("batch(2).shuffle(100)", sorted(r[1].asnumpy().tolist() for r in GD(pairs(), ["a", "b"], shuffle=False).batch(2).shuffle(100)))
print("dict iterator", [sorted(r) for r in GD(pairs(), ["a", "b"], shuffle=False).create_dict_iterator()][:1],
      "numpy tuples", [type(r[0]).__name__ for r in GD(pairs(), ["a", "b"], shuffle=False).create_tuple_iterator(output_numpy=True)][:1])
for name, f in (("no column_names", lambda: GD(pairs())), ("shuffle(1)", lambda: GD(pairs(), ["a", "b"]).shuffle(1))):
    try:
        f()
        print(name, "OK")
    except Exception as e:
        print("%-18s %s: %s" % (name, type(e).__name__, str(e)[:80]))
ms.save_checkpoint(net, "tmp_net")                      # ".ckpt" is appended
ck = ms.load_checkpoint("tmp_net.ckpt")
fresh = nn.Dense(3, 2)
print(type(ck).__name__, {k: (type(v).__name__, v.shape) for k, v in ck.items()}, ms.load_param_into_net(fresh, ck), bool(np.array_equal(fresh.weight.asnumpy(), net.weight.asnumpy())))
try:
    ms.load_checkpoint("missing.ckpt")
except Exception as e:
    print(type(e).__name__)
os.chmod("tmp_net.ckpt", 0o600)
os.remove("tmp_net.ckpt")
