import minigraph as ms
# NOT a target to match: things real @jit (ast mode) silently gets different from eager.  Columns: eager | jit.
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor


def X():
    return Tensor([1.0, 2.0, 3.0], ms.float32)


def S(r):
    return tuple(map(S, r)) if isinstance(r, (tuple, list)) else r.asnumpy().tolist() if isinstance(r, Tensor) else r


LOG, COUNT, SCALE = [], 0, 2.0


def append(x):
    LOG.append(1)
    return x


def count(x):
    global COUNT
    COUNT = COUNT + 1
    return x + COUNT


def scale(x):
    return x * SCALE


def rnd(x):
    return x * 0 + float(np.random.rand())


def setitem(x):
    x[0] = 100.0
    return x


def iadd(x):
    x += 1
    return x


def alias(x):
    y = x
    y[0] = 7.0
    return x, y


def transpose2d(m):
    return m.transpose(-2, -1)


def ragged(x):
    if x.sum() > 0:
        y = (x, x)
    else:
        y = (x,)
    return y


def same_twice(x):
    return ms.grad(mul, (0, 1))(x, x)


def mul(a, b):
    return a * b


def arg_append(x, l):
    l.append(x)
    return x


for f in (append, count, scale, rnd, setitem, iadd, alias, ragged, same_twice):
    row = []
    for g in (f, ms.jit(f)):
        LOG.clear()
        COUNT, SCALE = 0, 2.0
        np.random.seed(0)
        a = X()
        r1, SCALE, b = S(g(a)), 5.0, -X()
        r2 = S(g(b))
        if f is rnd:
            r1, r2 = "1st==2nd call: %s" % (r1 == r2), ""
        row.append("%s %s arg_after=%s log=%s count=%s" % (r1, r2, S(a), LOG, COUNT))
    print("%-11s eager %s\n%-11s jit   %s%s" % (f.__name__, row[0], "", row[1], "" if row[0] == row[1] else "   <-- differs"))
m = Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float32)
print("transpose(-2,-1) of 2-D: eager", S(transpose2d(m)), "jit", S(ms.jit(transpose2d)(m)))
l1, l2 = [X()], [X()]
arg_append(X(), l1)
ms.jit(arg_append)(X(), l2)
print("list argument length after append: eager", len(l1), "jit", len(l2))
