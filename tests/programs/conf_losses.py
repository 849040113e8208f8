import minigraph as ms
# Every loss: how it prints, what it computes and its gradient, and what is refused.
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor
rng = np.random.RandomState(0)
a, b = (Tensor(rng.randn(4, 3).astype(np.float32)) for _ in range(2))
p, q = (Tensor(rng.uniform(0.05, 0.95, (4, 3)).astype(np.float32)) for _ in range(2))
w = Tensor(np.array([0.5, 2.0, 1.5], np.float32))
pw = Tensor(np.array([2.0, 0.5, 1.0], np.float32))
labels = Tensor(np.array([0, 2, 1, 0], np.int32))
signs = Tensor(np.array([[1., -1., 1.], [-1., -1., 1.], [1., 1., -1.], [-1., 1., 1.]], np.float32))
dense = Tensor(rng.randn(2, 3, 4).astype(np.float32))
dense_labels = Tensor(np.array([[0, 1, 2, 0], [2, 2, 1, 0]], np.int32))
shares = Tensor((p.asnumpy() / p.asnumpy().sum(1, keepdims=True)).astype(np.float32))
onehot = Tensor(np.eye(3, dtype=np.float32)[labels.asnumpy()])


def numbers(x):
    return ["%.5f" % v for v in x.asnumpy().ravel()[:6]]


def tell(loss, *inputs):
    out = loss(*inputs)
    print(loss, out.shape, numbers(out))
    print("   gradient", numbers(ms.grad(lambda x: loss(x, *inputs[1:]).sum())(inputs[0])))


def refused(loss, logits, labels):
    types = "logits %s %s, labels %s %s" % (logits.dtype, logits.shape, labels.dtype, labels.shape)
    try:
        print(loss, types, "accepted", numbers(loss(logits, labels)))
    except Exception as e:
        print(loss, types, "refused", [kind.__name__ for kind in (ValueError, TypeError, IndexError) if isinstance(e, kind)])


for r in ("mean", "sum", "none"):
    print("--", r)
    tell(nn.MSELoss(r), a, b)
    tell(nn.L1Loss(r), a, b)
    tell(nn.SmoothL1Loss(0.7, r), a, b)
    tell(nn.HuberLoss(r, 0.7), a, b)
    tell(nn.BCELoss(reduction=r), p, q)
    tell(nn.BCELoss(p, r), p, q)
    tell(nn.BCEWithLogitsLoss(r), a, q)
    tell(nn.BCEWithLogitsLoss(r, p, pw), a, q)
    tell(nn.NLLLoss(reduction=r), a, labels)
    tell(nn.NLLLoss(w, 2, r), a, labels)
    tell(nn.NLLLoss(w, reduction=r), dense, dense_labels)
    tell(nn.CrossEntropyLoss(reduction=r), a, labels)
    tell(nn.CrossEntropyLoss(w, 2, r), a, labels)
    tell(nn.CrossEntropyLoss(w, reduction=r, label_smoothing=0.1), a, labels)
    tell(nn.CrossEntropyLoss(reduction=r, label_smoothing=0.2), a, labels)
    tell(nn.CrossEntropyLoss(reduction=r), a, shares)
    tell(nn.CrossEntropyLoss(w, reduction=r, label_smoothing=0.1), a, shares)
    tell(nn.CrossEntropyLoss(w, reduction=r), dense, dense_labels)
    tell(nn.KLDivLoss(r), a, p)
    tell(nn.HingeEmbeddingLoss(0.8, r), a, signs)
    tell(nn.MarginRankingLoss(0.3, r), a, b, signs)
    tell(nn.CosineEmbeddingLoss(0.2, r), a, b, Tensor(np.array([1, -1, 1, -1], np.int32)))
    tell(nn.SoftmaxCrossEntropyWithLogits(reduction=r), a, onehot)
    tell(nn.SoftmaxCrossEntropyWithLogits(True, r), a, labels)
    tell(nn.PoissonNLLLoss(reduction=r), a, p)
print("-- others")
tell(nn.SmoothL1Loss(), a, b)
tell(nn.KLDivLoss("batchmean"), a, p)
tell(nn.MSELoss(), a, b[:1])
tell(nn.MSELoss(), a, labels.astype(ms.float32).reshape(4, 1))
tell(nn.L1Loss(), a.astype(ms.float16), b)
print("-- mistakes")
refused(nn.MSELoss(), a, b[:2])
refused(nn.BCELoss(), p, q[:2])
refused(nn.BCELoss(), p, q[:, :1])
refused(nn.BCELoss(), p, labels)
refused(nn.BCEWithLogitsLoss(), a, q[:2])
refused(nn.KLDivLoss(), a, p[:2])
refused(nn.NLLLoss(), a, labels[:2])
refused(nn.NLLLoss(), a, labels.astype(ms.int64))
refused(nn.CrossEntropyLoss(), a, labels[:2])
refused(nn.CrossEntropyLoss(), a, labels.astype(ms.int64))
refused(nn.CrossEntropyLoss(), a[0], labels[0])
refused(nn.CrossEntropyLoss(), labels, labels)
refused(nn.SmoothL1Loss(), a, b[:2])
refused(nn.HuberLoss(), a, b[:2])
refused(nn.SoftmaxCrossEntropyWithLogits(), a, labels)
