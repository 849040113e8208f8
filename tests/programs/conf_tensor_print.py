import minigraph as ms
# str/repr of Tensor, Parameter, dtype, Cell; dtype inference of Tensor(...) and of mixed arithmetic.
import numpy as np
nn, ops, Tensor, Parameter = ms.nn, ms.ops, ms.Tensor, ms.Parameter
for t in (Tensor(1.0), Tensor(1), Tensor(True), Tensor([1, 2]), Tensor([0.1, 0.2]), Tensor(np.ones((2, 2))), Tensor(np.ones((1, 2), np.float32)),
          Tensor([[True, False]]), Tensor(3, ms.float16), Tensor([1.5, -2.0], ms.float16), Tensor([1e-10, 1.0, 1e10]), Tensor([np.nan, np.inf]), Tensor([]),
          Tensor(np.zeros((2, 0, 3), np.float32)), Tensor(Tensor([1, 2]), ms.float32)):
    print(str(t), "|", repr(t), "|", t.shape, t.dtype)
print(ms.float32, repr(ms.float32), str(ms.int64), ms.float32 == Tensor([1.0]).dtype)
p = Parameter(Tensor([1.0, 2.0], ms.float32), name="w")
print(p, "|", repr(p), "|", p.value(), "|", type(p + 1).__name__, isinstance(p, Tensor))
print(nn.Dense(3, 2), "|", nn.ReLU(), "|", nn.MSELoss(), "|", nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()))
print((Tensor([1.0]), [Tensor(2)], {"a": Tensor([3])}))
i, f, h, b = Tensor([3]), Tensor([1.5]), Tensor([1.0], ms.float16), Tensor([True])
for e in ("i+1", "i+1.5", "i+f", "h+1.5", "h+f", "i+h", "b+1", "b*1.5", "b+b", "i/2", "i//2", "-i//2", "i%2", "i**2", "f**2", "2**f", "f-1", "1-f",
          "1/f", "f==1.5", "f>1", "i+[1]", "f@f", "ops.add(i,1)", "ops.mul(f,2.0)", "i.mean()", "i.sum()", "f.mean()",
          "Tensor([1],ms.int8)+Tensor([1],ms.uint8)", "Tensor([1],ms.int32)+i"):
    r = eval(e)
    print("%-42s %s %s" % (e, r.dtype, r))
for e in ("f+np.ones(1)", "f+None", "f+'a'", "Tensor('a')", "Tensor([[1,2],[3]])", "bool(Tensor([1,2]))",
          "len(Tensor(1))", "Tensor([1.,2.]).item()", "f[5]", "f.requires_grad", "f.grad", "f.name", "ops.softmax(i)", "ops.tanh(1.0)", "f'{f:.2f}'",
          "Tensor([1.,2.])+Tensor([1.,2.,3.])"):     # last: MindSpore may raise this error AGAIN inside a later, unrelated op
    try:
        print("%-36s OK %r" % (e, eval(e)))
    except Exception as ex:
        print("%-36s %s: %s" % (e, type(ex).__name__, str(ex).split("\n")[0][:150]))
