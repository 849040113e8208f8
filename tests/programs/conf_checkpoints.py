import minigraph as ms
# Checkpoints: what is saved, what is loaded, what is refused.
import os
import tempfile
import numpy as np
nn, Tensor, Parameter = ms.nn, ms.Tensor, ms.Parameter
os.chdir(tempfile.mkdtemp())


def report(label, fn):
    try:
        print(label, fn())
    except Exception:
        print(label, "-> refused")


class Net(nn.Cell):
    def __init__(self, out=2):
        super().__init__()
        self.fc = nn.Dense(3, out, weight_init="ones", bias_init="zeros")
        self.bn = nn.BatchNorm1d(out)
        self.scale = Parameter(Tensor([1.5], ms.float16), requires_grad=False)

    def construct(self, x):
        return self.bn(self.fc(x)) * self.scale


def show(d):
    return [(k, type(p).__name__, p.shape, str(p.dtype), p.name) for k, p in d.items()]


net = Net()
report("save", lambda: (ms.save_checkpoint(net, "a"), sorted(os.listdir("."))))
report("save with ending", lambda: (ms.save_checkpoint(net, "b.ckpt"), sorted(os.listdir("."))))
report("load", lambda: show(ms.load_checkpoint("a.ckpt")))
report("save safetensors", lambda: (ms.save_checkpoint(net, "c", format="safetensors"), sorted(os.listdir("."))))
report("load safetensors", lambda: sorted(k for k in ms.load_checkpoint("c.safetensors", format="safetensors")))
report("save list", lambda: (ms.save_checkpoint([{"name": "x", "data": Tensor([1, 2])}, {"name": "y", "data": Parameter(Tensor(3.5), name="other")}], "d"), show(ms.load_checkpoint("d.ckpt"))))
report("save dict", lambda: (ms.save_checkpoint({"x": Tensor([1.0, 2.0])}, "dd"), show(ms.load_checkpoint("dd.ckpt"))))
report("append_dict", lambda: (ms.save_checkpoint(net, "e", append_dict={"epoch": 3, "lr": 0.1, "done": True, "t": Tensor([1.0])}), show(ms.load_checkpoint("e.ckpt"))[-4:]))
report("append_dict values", lambda: [ms.load_checkpoint("e.ckpt")[k].asnumpy().tolist() for k in ("epoch", "lr", "done", "t")])
report("append_dict text", lambda: (ms.save_checkpoint(net, "f", append_dict={"note": "hello"}), ms.load_checkpoint("f.ckpt")["note"]))
report("choice_func", lambda: (ms.save_checkpoint(net, "g", choice_func=lambda name: name.startswith("fc.")), list(ms.load_checkpoint("g.ckpt"))))
report("choice_func none", lambda: (ms.save_checkpoint(net, "gg", choice_func=lambda name: False), os.path.exists("gg.ckpt")))
report("load choice_func", lambda: list(ms.load_checkpoint("a.ckpt", choice_func=lambda name: name.endswith("bias"))))
report("load filter_prefix", lambda: list(ms.load_checkpoint("a.ckpt", filter_prefix="bn")))
report("load filter_prefixes", lambda: list(ms.load_checkpoint("a.ckpt", filter_prefix=["bn", "fc.w"])))
report("load specify_prefix", lambda: list(ms.load_checkpoint("a.ckpt", specify_prefix="fc")))
report("load filter all", lambda: list(ms.load_checkpoint("a.ckpt", specify_prefix="zz")))
report("crc", lambda: (ms.save_checkpoint(net, "h", crc_check=True), list(ms.load_checkpoint("h.ckpt", crc_check=True))[:2]))
fresh = Net()
fresh.fc.weight.set_data(Tensor(np.zeros((2, 3), np.float32)))
report("into net", lambda: (ms.load_param_into_net(fresh, ms.load_checkpoint("a.ckpt")), fresh.fc.weight.asnumpy().tolist()))
report("load with net", lambda: (list(ms.load_checkpoint("a.ckpt", net=Net()))[:1],))
part = {k: v for k, v in ms.load_checkpoint("a.ckpt").items() if k.startswith("fc")}
report("into net, some", lambda: ms.load_param_into_net(Net(), part))
report("into net, unknown", lambda: ms.load_param_into_net(Net(), {"zz": Parameter(Tensor([1.0]), name="zz"), **part}))
report("into net, prefix", lambda: ms.load_param_into_net(nn.SequentialCell(Net().fc), {"net.0.weight": Parameter(Tensor(np.zeros((2, 3), np.float32)), name="net.0.weight")}))
report("into net, one more prefix", lambda: ms.load_param_into_net(nn.Dense(3, 2), part))
report("into net, shape", lambda: ms.load_param_into_net(Net(4), part))
report("into net, dtype", lambda: (lambda n: (ms.load_param_into_net(n, {"fc.bias": Parameter(Tensor([1.0, 2.0], ms.float64), name="fc.bias")}), str(n.fc.bias.dtype)))(Net()))
report("into net, dtype strict", lambda: ms.load_param_into_net(Net(), {"fc.bias": Parameter(Tensor([1.0, 2.0], ms.float64), name="fc.bias")}, strict_load=True))
report("into net, float16", lambda: (lambda n: (ms.load_param_into_net(n, {"fc.bias": Parameter(Tensor([1.0, 2.0], ms.float16), name="fc.bias")}), str(n.fc.bias.dtype)))(Net()))
report("into net, int", lambda: (lambda n: (ms.load_param_into_net(n, {"fc.bias": Parameter(Tensor([1, 2], ms.int32), name="fc.bias")}), str(n.fc.bias.dtype)))(Net()))
opt = nn.Adam(net.trainable_params())
report("optimizer", lambda: (ms.save_checkpoint(opt, "o"), list(ms.load_checkpoint("o.ckpt"))))
report("into optimizer", lambda: ms.load_param_into_net(nn.Adam(Net().trainable_params()), ms.load_checkpoint("o.ckpt")))
print("-- mistakes")
report("no such file", lambda: ms.load_checkpoint("zz.ckpt"))
report("wrong ending", lambda: (open("t.txt", "w").write("x"), ms.load_checkpoint("t.txt"))[1])
report("name int", lambda: ms.load_checkpoint(3))
report("empty file", lambda: (open("n.ckpt", "w").close(), ms.load_checkpoint("n.ckpt"))[1])
report("text file", lambda: (open("p.ckpt", "w").write("not a checkpoint"), ms.load_checkpoint("p.ckpt"))[1])
report("cut file", lambda: (open("q.ckpt", "wb").write(open("a.ckpt", "rb").read()[:-20]), ms.load_checkpoint("q.ckpt"))[1])
report("save int", lambda: ms.save_checkpoint(3, "z"))
report("save list of tensors", lambda: ms.save_checkpoint([Tensor([1.0])], "z"))
report("save name int", lambda: ms.save_checkpoint(net, 3))
report("save empty name", lambda: ms.save_checkpoint(net, ""))
report("save format", lambda: ms.save_checkpoint(net, "z", format="zip"))
report("save append_dict list", lambda: ms.save_checkpoint(net, "z", append_dict=[1]))
report("save append_dict key", lambda: ms.save_checkpoint(net, "z", append_dict={1: 2}))
report("save append_dict value", lambda: ms.save_checkpoint(net, "z", append_dict={"a": [1]}))
report("save choice_func", lambda: ms.save_checkpoint(net, "z", choice_func=3))
report("into int", lambda: ms.load_param_into_net(3, part))
report("into net list", lambda: ms.load_param_into_net(net, [1]))
report("into net tensors", lambda: ms.load_param_into_net(net, {"fc.bias": Tensor([1.0, 2.0])}))
report("strict int", lambda: ms.load_param_into_net(net, part, strict_load=1))
report("no z", lambda: [f for f in sorted(os.listdir(".")) if f.startswith("z")])
