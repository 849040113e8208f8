import minigraph as ms
# Training loops: losses, optimizers, groups, schedules of rates, clipping, accumulation, freezing, custom ones.
import numpy as np
from parts import fill, part, show
from minigraph import Parameter, ParameterTuple, Tensor, dataset as ds, nn, ops, train
from minigraph.experimental import optim
from minigraph.nn.learning_rate_schedule import LearningRateSchedule

rng = np.random.RandomState(0)
X = rng.rand(8, 4).astype(np.float32)
Y = (X @ rng.rand(4, 2).astype(np.float32))


def net_of(seed=1):
    return fill(nn.SequentialCell(nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 2)), seed, 0.5)


def weights_of(net):
    return list(filter(lambda p: "weight" in p.name, net.trainable_params()))


def biases_of(net):
    return list(filter(lambda p: "bias" in p.name, net.trainable_params()))


def steps(net, optimizer, n=3):
    loss_fn = nn.MSELoss()
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    out = []
    for _ in range(n):
        loss, grads = grad_fn(Tensor(X), Tensor(Y))
        optimizer(grads)
        out.append(round(float(loss.asnumpy()), 4))
    return out


@part
def optimizers():
    for name, more in (("SGD", {}), ("Momentum", {"momentum": 0.9}), ("Adam", {}), ("AdamWeightDecay", {}), ("RMSProp", {}), ("Adagrad", {}), ("LARS", None), ("Rprop", {}), ("Adamax" if hasattr(nn, "Adamax") else "AdaMax", {}),
                       ("Adadelta", {}), ("FTRL", {}), ("LazyAdam", {}), ("ProximalAdagrad", {}), ("ASGD", {}), ("AdamOffload", {})):
        net = net_of()
        if more is None:
            continue
        try:
            opt = getattr(nn, name)(net.trainable_params(), learning_rate=0.05, **more)
            print(name, steps(net, opt))
        except Exception as e:
            print(name, type(e).__name__, str(e)[:60])
    net = net_of()
    opt = nn.SGD(net.trainable_params(), 0.1, momentum=0.9, weight_decay=0.01, nesterov=True, dampening=0.0)
    print(steps(net, opt), opt.get_lr(), opt.learning_rate.asnumpy() if hasattr(opt.learning_rate, "asnumpy") else opt.learning_rate, opt.global_step, opt.parameters[0].name)


@part
def rates():
    print(nn.piecewise_constant_lr([2, 4], [0.1, 0.05]), show(nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1), 5), show(nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2), 5), show(nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5), 5),
          show(nn.warmup_lr(0.1, 6, 2, 2), 5), show(nn.inverse_decay_lr(0.1, 0.5, 6, 1, 1, True), 5), show(nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, True), 5))
    step = Tensor(2, ms.int32)
    for schedule in (nn.CosineDecayLR(0.01, 0.1, 4), nn.ExponentialDecayLR(0.1, 0.9, 4), nn.InverseDecayLR(0.1, 0.9, 4, True), nn.NaturalExpDecayLR(0.1, 0.9, 4, True), nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5), nn.WarmUpLR(0.2, 10)):
        print(type(schedule).__name__, show(schedule(step), 5))
        net = net_of()
        print(steps(net, nn.Momentum(net.trainable_params(), schedule, 0.9)))

    class MyRate(LearningRateSchedule):
        def __init__(self, base):
            super().__init__()
            self.base = base

        def construct(self, global_step):
            return self.base / (global_step.astype(ms.float32) + 1)

    net = net_of()
    opt = nn.SGD(net.trainable_params(), learning_rate=MyRate(0.1))
    print(steps(net, opt), show(opt.get_lr(), 5), opt.global_step.asnumpy())
    net = net_of()
    opt = nn.SGD(net.trainable_params(), learning_rate=[0.1, 0.05, 0.01, 0.01])
    print(steps(net, opt), show(opt.get_lr(), 5))
    opt = nn.SGD(net.trainable_params(), learning_rate=0.1)
    ops.assign(opt.learning_rate, Tensor(0.01))
    print(opt.learning_rate.asnumpy(), steps(net, opt))


@part
def groups():
    net = net_of()
    weights = [p for p in net.trainable_params() if "weight" in p.name]
    others = [p for p in net.trainable_params() if "weight" not in p.name]
    opt = nn.Momentum([{"params": weights, "weight_decay": 0.01, "lr": 0.01}, {"params": others, "lr": nn.ExponentialDecayLR(0.1, 0.9, 4)}, {"order_params": net.trainable_params()}], learning_rate=0.1, momentum=0.9)
    print(steps(net, opt), opt.is_group, opt.is_group_lr, [p.name for p in opt.parameters])
    net = net_of()
    opt = nn.SGD([{"params": weights_of(net), "weight_decay": 0.1}, {"params": biases_of(net)}], 0.1)
    print(steps(net, opt), show(opt.get_weight_decay()))


@part
def experimental():
    net = net_of()
    opt = optim.Adam(net.trainable_params(), lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)
    for _ in range(3):
        print(steps(net, opt, 1), show(opt.param_groups[0]["lr"].value(), 5))
        scheduler.step()
    print(scheduler.get_last_lr())
    opt = optim.SGD([{"params": weights_of(net)}, {"params": biases_of(net), "lr": 0.01}], lr=0.1)
    for s in (optim.lr_scheduler.CosineAnnealingLR(opt, 4), optim.lr_scheduler.LambdaLR(opt, lambda e: 0.5 ** e), optim.lr_scheduler.PolynomialLR(opt)):
        s.step()
        print(type(s).__name__, [round(float(g["lr"].asnumpy()), 5) for g in opt.param_groups])
    print(opt)
    print(optim.AdamW(net.trainable_params()))


@part
def losses():
    logits, target = Tensor(rng.randn(4, 3).astype(np.float32)), Tensor(rng.randint(0, 3, 4).astype(np.int32))
    dense = Tensor(rng.rand(4, 3).astype(np.float32))
    for loss in (nn.L1Loss(), nn.MSELoss(), nn.SmoothL1Loss(), nn.MAELoss(), nn.RMSELoss(), nn.HuberLoss(), nn.L1Loss("sum"), nn.MSELoss("none"), nn.KLDivLoss(), nn.BCEWithLogitsLoss(), nn.DiceLoss(), nn.CosineEmbeddingLoss() if False else nn.PoissonNLLLoss(), nn.MultiLabelSoftMarginLoss()):
        print(type(loss).__name__, show(loss(logits, dense)))
    print(show(nn.BCELoss()(ops.sigmoid(logits), dense)), show(nn.CrossEntropyLoss()(logits, target)), show(nn.NLLLoss()(ops.log_softmax(logits, 1), target)), show(nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")(logits, target)),
          show(nn.SoftmaxCrossEntropyWithLogits()(logits, dense)), show(nn.FocalLoss(gamma=2.0)(logits, target.astype(ms.int32))) if False else "", show(nn.CrossEntropyLoss(label_smoothing=0.1, weight=Tensor([1., 2., 3.]))(logits, target)), show(nn.SampledSoftmaxLoss) if False else "")
    print(show(nn.CrossEntropyLoss(ignore_index=1, reduction="sum")(logits, target)), show(nn.CrossEntropyLoss()(logits, dense)), show(ops.cross_entropy(logits, target)), show(nn.TripletMarginLoss()(dense, logits, dense * 2, Tensor(1.0))) if False else "")


@part
def custom():
    class MAE(nn.LossBase):
        def __init__(self, reduction="mean"):
            super().__init__(reduction)
            self.abs = ops.Abs()

        def construct(self, base, target):
            return self.get_loss(self.abs(base - target))

    print(MAE()(Tensor([1., 2.]), Tensor([3., 5.])), MAE("sum")(Tensor([1., 2.]), Tensor([3., 5.])), MAE("none")(Tensor([1.]), Tensor([3.])), MAE()(Tensor([1.]), Tensor([3.])))

    class WeightedMAE(nn.LossBase):
        def construct(self, base, target, weights=2.0):
            return self.get_loss(ops.abs(base - target), weights)

    print(WeightedMAE()(Tensor([1., 2.]), Tensor([3., 5.])))

    class MomentumOpt(nn.Optimizer):
        def __init__(self, params, learning_rate, momentum=0.9):
            super().__init__(learning_rate, params)
            self.momentum = Parameter(Tensor(momentum, ms.float32), name="momentum")
            self.moments = self.parameters.clone(prefix="moments", init="zeros")

        def construct(self, gradients):
            lr = self.get_lr()
            params = self.parameters
            for i in range(len(params)):
                ops.assign(self.moments[i], self.moments[i] * self.momentum + gradients[i])
                ops.assign(params[i], params[i] - self.moments[i] * lr)
            return params

    net = net_of()
    opt = MomentumOpt(net.trainable_params(), 0.05)
    print(steps(net, opt), [p.name for p in opt.moments], opt.momentum)
    print(steps(net_of(), nn.Momentum(net_of().trainable_params(), 0.05, 0.9), 1))


clip_grad = ops.MultitypeFuncGraph("clip_grad")


@clip_grad.register("Number", "Number", "Tensor")
def _clip_grad(clip_type, clip_value, g):
    if clip_type not in (0, 1):
        return g
    return ops.clip_by_value(g, -clip_value, clip_value) if clip_type == 0 else nn.ClipByNorm()(g, Tensor(clip_value, ms.float32))


@part
def clipping():
    grads = (Tensor([3., -4.]), Tensor([[0.1, 20.]]))
    hyper = ops.HyperMap()
    print(hyper(ops.partial(clip_grad, 0, 1.0), grads), show(hyper(ops.partial(clip_grad, 1, 1.0), grads)))
    print(show(ops.clip_by_global_norm(grads, 1.0)), show(ops.clip_by_norm(grads[0], 1.0)), show(nn.ClipByNorm()(grads[0], Tensor([1.0]))), ops.HyperMap()(ops.Square(), grads), ops.Map()(ops.Square(), grads))
    print(show(ops.clip_by_value(grads, Tensor(-1.), Tensor(1.))) if False else "", ms.ops.composite.clip_ops.get_square_sum(grads[0]) if False else "")


@part
def accumulation():
    net = net_of()
    opt = nn.SGD(net.trainable_params(), 0.05)
    inner = opt.parameters.clone(prefix="accum_", init="zeros")
    zeros = opt.parameters.clone(prefix="zeros_", init="zeros")
    counter = Parameter(Tensor(1, ms.int32), "counter_")
    hyper, loss_fn = ops.HyperMap(), nn.MSELoss()

    def forward(x, y):
        return loss_fn(net(x), y) / 2

    grad_fn = ms.value_and_grad(forward, None, opt.parameters)

    @ms.jit
    def step(x, y):
        loss, grads = grad_fn(x, y)
        hyper(ops.partial(ops.assign_add), inner, grads)
        if counter % 2 == 0:
            opt(inner)
            hyper(ops.partial(ops.assign), inner, zeros)
        ops.assign_add(counter, Tensor(1, ms.int32))
        return loss

    print([show(step(Tensor(X[i:i + 2]), Tensor(Y[i:i + 2])), 4) for i in range(0, 8, 2)], counter.asnumpy(), show([p.value() for p in net.trainable_params()]))


@part
def finetune():
    net = net_of()
    for p in net[0].get_parameters():
        p.requires_grad = False
    before = net[0].weight.asnumpy().copy()
    print(steps(net, nn.SGD(net.trainable_params(), 0.1)), np.array_equal(before, net[0].weight.asnumpy()), len(net.trainable_params()))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)).set_train()
    print(show(step(Tensor(X), Tensor(Y)), 4), show(step(Tensor(X), Tensor(Y)), 4))
    ema = [Parameter(p.clone(), name="ema." + p.name) for p in net.trainable_params()] if False else ParameterTuple(net.trainable_params()).clone("ema", "same")
    for e, p in zip(ema, net.trainable_params()):
        e.set_data(e * 0.9 + p * 0.1)
    print([e.name for e in ema], show(ema[1].value()))
