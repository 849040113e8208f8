import minigraph as ms
# Every optimizer: its state, what three steps do, groups of parameters, decay, schedules, mistakes.
import numpy as np
nn, ops, Tensor, Parameter = ms.nn, ms.ops, ms.Tensor, ms.Parameter
GRADS = [np.array([.1, -.2, .3, 0.]) * k for k in (1, -2, 3)]


def params():
    return [Parameter(Tensor([1., -2., 3., .5], ms.float32), name="w"), Parameter(Tensor([[.1, .2]], ms.float32), name="bn.gamma"),
            Parameter(Tensor([.7], ms.float32), name="fc.bias")]


def report(label, make):
    ps = params()
    try:
        opt = make(ps)
    except Exception as e:
        print(label, "->", type(e).__name__, str(e).splitlines()[0][:110])
        return
    print(label, type(opt).__name__)
    print("  state", [(p.name, p.shape, str(p.dtype)) for p in opt.get_parameters()])
    for g in GRADS:
        r = opt((Tensor(g, ms.float32), Tensor([g[:2]], ms.float32), Tensor(g[2:3], ms.float32)))
    print("  returned", r, [p.name for p in opt.parameters], "step", opt.global_step.asnumpy())
    for p in ps:
        print("  ", label, p.name, ["%.6f" % v for v in p.asnumpy().ravel()])
    lr = opt.get_lr()
    print("  lr", ["%.6f" % float(x.asnumpy().ravel()[0]) for x in (lr if isinstance(lr, tuple) else (lr,))])


report("SGD", lambda ps: nn.SGD(ps, 0.1))
report("SGD defaults", lambda ps: nn.SGD(ps))
report("SGD momentum", lambda ps: nn.SGD(ps, 0.1, momentum=0.9))
report("SGD momentum dampening", lambda ps: nn.SGD(ps, 0.1, momentum=0.9, dampening=0.3))
report("SGD nesterov", lambda ps: nn.SGD(ps, 0.1, momentum=0.9, nesterov=True))
report("SGD weight_decay", lambda ps: nn.SGD(ps, 0.1, weight_decay=0.1))
report("SGD momentum weight_decay", lambda ps: nn.SGD(ps, 0.1, momentum=0.9, weight_decay=0.1))
report("SGD loss_scale", lambda ps: nn.SGD(ps, 0.1, loss_scale=4.0))
report("Momentum", lambda ps: nn.Momentum(ps, 0.1, 0.9))
report("Momentum weight_decay", lambda ps: nn.Momentum(ps, 0.1, 0.9, weight_decay=0.1))
report("Momentum loss_scale", lambda ps: nn.Momentum(ps, 0.1, 0.9, 0.0, 4.0))
report("Momentum nesterov", lambda ps: nn.Momentum(ps, 0.1, 0.9, use_nesterov=True))
report("Adam", lambda ps: nn.Adam(ps, 0.1))
report("Adam weight_decay", lambda ps: nn.Adam(ps, 0.1, weight_decay=0.1))
report("Adam nesterov", lambda ps: nn.Adam(ps, 0.1, use_nesterov=True))
report("Adam amsgrad", lambda ps: nn.Adam(ps, 0.1, use_amsgrad=True))
report("Adam betas", lambda ps: nn.Adam(ps, 0.1, 0.8, 0.99, 1e-3))
report("Adam loss_scale", lambda ps: nn.Adam(ps, 0.1, loss_scale=4.0))
report("AdamWeightDecay", lambda ps: nn.AdamWeightDecay(ps, 0.1))
report("AdamWeightDecay decay", lambda ps: nn.AdamWeightDecay(ps, 0.1, weight_decay=0.1))
report("RMSProp", lambda ps: nn.RMSProp(ps, 0.1))
report("RMSProp momentum", lambda ps: nn.RMSProp(ps, 0.1, momentum=0.5))
report("RMSProp centered", lambda ps: nn.RMSProp(ps, 0.1, decay=0.8, momentum=0.1, centered=True))
report("RMSProp weight_decay", lambda ps: nn.RMSProp(ps, 0.1, weight_decay=0.1))
report("lr list", lambda ps: nn.Momentum(ps, [0.1, 0.2, 0.3, 0.4], 0.9))

report("lr tensor", lambda ps: nn.SGD(ps, Tensor([0.1, 0.2, 0.3, 0.4], ms.float32)))
report("lr scalar tensor", lambda ps: nn.SGD(ps, Tensor(0.1, ms.float32)))
report("lr schedule", lambda ps: nn.Adam(ps, nn.ExponentialDecayLR(0.1, 0.5, 1)))
report("lr int", lambda ps: nn.SGD(ps, 1))
report("decay schedule", lambda ps: nn.Adam(ps, 0.1, weight_decay=nn.PolynomialDecayLR(0.1, 0.01, 4, 1.0)))
report("groups", lambda ps: nn.Momentum([{"params": ps[:1], "lr": 0.01}, {"params": ps[1:], "weight_decay": 0.1}], 0.1, 0.9))
report("groups with order", lambda ps: nn.Momentum([{"params": ps[1:], "weight_decay": 0.1}, {"params": ps[:1], "lr": 0.01}, {"order_params": ps}], 0.1, 0.9))
report("groups in Adam", lambda ps: nn.Adam([{"params": ps[:1], "lr": 0.01, "weight_decay": 0.2}, {"params": ps[1:]}], 0.1, weight_decay=0.05))
report("groups with lists", lambda ps: nn.SGD([{"params": ps[:1], "lr": [0.1, 0.2, 0.3, 0.4]}, {"params": ps[1:], "lr": [0.3, 0.2, 0.1, 0.0]}], [0.1, 0.2, 0.3, 0.4]))
report("groups with schedule", lambda ps: nn.SGD([{"params": ps[:1], "lr": nn.ExponentialDecayLR(0.1, 0.5, 1)}, {"params": ps[1:]}], 0.1))
report("groups with centralization", lambda ps: nn.SGD([{"params": ps[:2], "grad_centralization": True}, {"params": ps[2:]}], 0.1))
report("iterator", lambda ps: nn.SGD(iter(ps), 0.1))
report("tuple", lambda ps: nn.SGD(tuple(ps), 0.1))
report("one parameter", lambda ps: nn.SGD(ps[0], 0.1))
report("no params", lambda ps: nn.SGD([], 0.1))
report("a network", lambda ps: nn.SGD(nn.Dense(2, 1), 0.1))
report("a tensor", lambda ps: nn.SGD([Tensor([1.0])], 0.1))
report("same name", lambda ps: nn.SGD([ps[0], Parameter(Tensor([1.0]), name="w")], 0.1))
report("same parameter in groups", lambda ps: nn.SGD([{"params": ps}, {"params": ps[:1]}], 0.1))
report("group without params", lambda ps: nn.SGD([{"lr": 0.1}], 0.1))
report("group with empty params", lambda ps: nn.SGD([{"params": []}], 0.1))
report("group with a wrong key", lambda ps: nn.SGD([{"params": ps, "learning": 0.1}], 0.1))
report("momentum int", lambda ps: nn.Momentum(ps, 0.1, 1))
report("momentum negative", lambda ps: nn.Momentum(ps, 0.1, -0.5))
report("SGD momentum int", lambda ps: nn.SGD(ps, 0.1, momentum=1))
report("SGD nesterov without momentum", lambda ps: nn.SGD(ps, 0.1, nesterov=True))
report("SGD nesterov dampening", lambda ps: nn.SGD(ps, 0.1, 0.9, 0.1, nesterov=True))
report("SGD dampening negative", lambda ps: nn.SGD(ps, 0.1, 0.9, -0.1))
report("lr negative", lambda ps: nn.SGD(ps, -0.1))
report("lr str", lambda ps: nn.SGD(ps, "0.1"))
report("lr None", lambda ps: nn.SGD(ps, None))

report("weight_decay negative", lambda ps: nn.SGD(ps, 0.1, weight_decay=-1.0))
report("weight_decay str", lambda ps: nn.SGD(ps, 0.1, weight_decay="1"))
report("weight_decay int", lambda ps: nn.SGD(ps, 0.1, weight_decay=1))
report("loss_scale 0", lambda ps: nn.SGD(ps, 0.1, loss_scale=0.0))
report("loss_scale int", lambda ps: nn.Momentum(ps, 0.1, 0.9, loss_scale=4))
report("beta1 of 1", lambda ps: nn.Adam(ps, beta1=1.0))
report("beta1 int", lambda ps: nn.Adam(ps, beta1=0))
report("eps 0", lambda ps: nn.Adam(ps, eps=0.0))
report("eps int", lambda ps: nn.Adam(ps, eps=1))
report("use_nesterov int", lambda ps: nn.Momentum(ps, 0.1, 0.9, use_nesterov=1))


def call(label, grads):
    ps = params()
    opt = nn.Momentum(ps, 0.1, 0.9)
    try:
        print(label, opt(grads))
        print("  ", [p.asnumpy().tolist() for p in ps])
    except Exception as e:
        print(label, "->", type(e).__name__, str(e).splitlines()[0][:110])
    print("   unchanged", bool(np.array_equal(ps[0].asnumpy(), params()[0].asnumpy())))


g = (Tensor([1., 1., 1., 1.]), Tensor([[1., 1.]]), Tensor([1.]))
call("tuple", g)
call("list", list(g))
call("too few", g[:2])
call("wrong shape", (g[1], g[0], g[2]))
call("wrong dtype", (g[0].astype(ms.float16), g[1], g[2]))
