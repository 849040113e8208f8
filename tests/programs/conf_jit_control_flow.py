import minigraph as ms
# Control flow, returns and arguments that @jit accepts; eager and jitted results must agree.
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor
x = Tensor([1.0, 2.0, 3.0], ms.float32)


def S(r):
    if isinstance(r, Tensor):
        return str(r.asnumpy().tolist())
    if isinstance(r, (tuple, list)):
        return type(r).__name__ + "(" + ", ".join(map(S, r)) + ")"
    if isinstance(r, dict):
        return "{" + ", ".join(k + ": " + S(v) for k, v in r.items()) + "}"
    return repr(r)


def if_tensor(x):
    if x.sum() > 0:
        return x * 2
    return x * 3


def if_shapes(x):
    if x.sum() > 0:
        y = x
    else:
        y = x[0]
    return y


def ternary(x):
    return x * 2 if x.sum() > 0 else x * 3


def if_static(x):
    if x.shape[0] == 3:
        return x * 2
    return x


def while_value(x):
    while x.sum() < 20:
        x = x * 2
    return x


def while_break(x):
    while x.sum() < 20:
        x = x * 2
        if x.sum() > 15:
            break
    return x


def for_continue(x):
    for i in range(3):
        if i == 1:
            continue
        x = x + i
    return x


def for_tensor(x):
    s = 0
    for e in x:
        s = s + e
    return s


def comprehension(x):
    return [i * x for i in range(3)]


def nested_ret(x):
    return x, [x + 1, {"k": x + 2}], None, 3, "s", x.shape


def inner(x):
    def g(a):
        return a * x
    return g(x)


def py_recursion(x, n):
    if n <= 0:
        return x
    return py_recursion(x, n - 1) * 2


def kwargs(x, y=2.0, *, z=1.0):
    return x * y + z


for f, args in ((if_tensor, (x,)), (if_tensor, (-x,)), (if_shapes, (x,)), (if_shapes, (-x,)), (ternary, (x,)), (ternary, (-x,)), (if_static, (x,)),
                (while_value, (x,)), (while_value, (x * 10,)), (while_break, (x,)), (for_continue, (x,)), (for_tensor, (x,)), (comprehension, (x,)),
                (nested_ret, (x,)), (inner, (x,)), (py_recursion, (x, 3))):
    e, j = S(f(*args)), S(ms.jit(f)(*args))
    print("%-14s %-5s %s" % (f.__name__, e == j, j))
jk = ms.jit(kwargs)
print("kwargs", S(jk(x)), S(jk(x, 3.0)), S(jk(x, z=5.0)), S(jk(x, y=Tensor(1.0), z=0.0)))
loop = ops.WhileLoop()


def cond_fn(v):
    return v < 10


def body_fn(v):
    return v * 2


print("ops.WhileLoop", S(loop(cond_fn, body_fn, Tensor(1))))
print("ops.cond is the matrix condition number:", round(float(ops.cond(Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()), 3), "| ops.while_loop exists:", hasattr(ops, "while_loop"))


def try_stmt(x):
    try:
        return x
    except ValueError:
        return -x


def import_stmt(x):
    import math
    return x * math.pi


def walrus(x):
    if (n := x.shape[0]) > 2:
        return x * n
    return x


def join_dtype(x):
    if x.sum() > 0:
        y = x
    else:
        y = Tensor([1, 2, 3])
    return y


def unbound(x):
    if x.sum() > 0:
        z = x
    return z


def vector_cond(x):
    if x > 1:
        return x
    return -x


for f in (try_stmt, import_stmt, walrus, join_dtype, unbound, vector_cond):
    try:
        print("%-12s OK %s" % (f.__name__, S(ms.jit(f)(x))))
    except Exception as ex:
        print("%-12s %s: %s" % (f.__name__, type(ex).__name__, str(ex).split("\n")[0][:110]))
