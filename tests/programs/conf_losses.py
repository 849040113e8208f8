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


def report(loss, *inputs):
    out = loss(*inputs)
    print(loss, out.shape, numbers(out))
    print("   gradient", numbers(ms.grad(lambda x: loss(x, *inputs[1:]).sum())(inputs[0])))


def report_refusal(loss, logits, labels):
    types = "logits %s %s, labels %s %s" % (logits.dtype, logits.shape, labels.dtype, labels.shape)
    try:
        print(loss, types, "accepted", numbers(loss(logits, labels)))
    except Exception as e:
        print(loss, types, "refused", [kind.__name__ for kind in (ValueError, TypeError, IndexError) if isinstance(e, kind)])


for r in ("mean", "sum", "none"):
    print("--", r)
    report(nn.MSELoss(r), a, b)
    report(nn.L1Loss(r), a, b)
    report(nn.SmoothL1Loss(0.7, r), a, b)
    report(nn.HuberLoss(r, 0.7), a, b)
    report(nn.BCELoss(reduction=r), p, q)
    report(nn.BCELoss(p, r), p, q)
    report(nn.BCEWithLogitsLoss(r), a, q)
    report(nn.BCEWithLogitsLoss(r, p, pw), a, q)
    report(nn.NLLLoss(reduction=r), a, labels)
    report(nn.NLLLoss(w, 2, r), a, labels)
    report(nn.NLLLoss(w, reduction=r), dense, dense_labels)
    report(nn.CrossEntropyLoss(reduction=r), a, labels)
    report(nn.CrossEntropyLoss(w, 2, r), a, labels)
    report(nn.CrossEntropyLoss(w, reduction=r, label_smoothing=0.1), a, labels)
    report(nn.CrossEntropyLoss(reduction=r, label_smoothing=0.2), a, labels)
    report(nn.CrossEntropyLoss(reduction=r), a, shares)
    report(nn.CrossEntropyLoss(w, reduction=r, label_smoothing=0.1), a, shares)
    report(nn.CrossEntropyLoss(w, reduction=r), dense, dense_labels)
    report(nn.KLDivLoss(r), a, p)
    report(nn.HingeEmbeddingLoss(0.8, r), a, signs)
    report(nn.MarginRankingLoss(0.3, r), a, b, signs)
    report(nn.CosineEmbeddingLoss(0.2, r), a, b, Tensor(np.array([1, -1, 1, -1], np.int32)))
    report(nn.SoftmaxCrossEntropyWithLogits(reduction=r), a, onehot)
    report(nn.SoftmaxCrossEntropyWithLogits(True, r), a, labels)
    report(nn.PoissonNLLLoss(reduction=r), a, p)
print("-- others")
report(nn.SmoothL1Loss(), a, b)
report(nn.KLDivLoss("batchmean"), a, p)
report(nn.MSELoss(), a, b[:1])
report(nn.MSELoss(), a, labels.astype(ms.float32).reshape(4, 1))
report(nn.L1Loss(), a.astype(ms.float16), b)
print("-- mistakes")
report_refusal(nn.MSELoss(), a, b[:2])
report_refusal(nn.BCELoss(), p, q[:2])
report_refusal(nn.BCELoss(), p, q[:, :1])
report_refusal(nn.BCELoss(), p, labels)
report_refusal(nn.BCEWithLogitsLoss(), a, q[:2])
report_refusal(nn.KLDivLoss(), a, p[:2])
report_refusal(nn.NLLLoss(), a, labels[:2])
report_refusal(nn.NLLLoss(), a, labels.astype(ms.int64))
report_refusal(nn.CrossEntropyLoss(), a, labels[:2])
report_refusal(nn.CrossEntropyLoss(), a, labels.astype(ms.int64))
report_refusal(nn.CrossEntropyLoss(), a[0], labels[0])
report_refusal(nn.CrossEntropyLoss(), labels, labels)
report_refusal(nn.SmoothL1Loss(), a, b[:2])
report_refusal(nn.HuberLoss(), a, b[:2])
report_refusal(nn.SoftmaxCrossEntropyWithLogits(), a, labels)
