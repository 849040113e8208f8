import minigraph as ms
# Model with callbacks, metrics and loss scales; mixed precision; checkpoints; export; summaries.
import os
import tempfile
import numpy as np
from parts import fill, part, show
from minigraph import Parameter, Tensor, amp, dataset as ds, nn, ops, train
from minigraph.train import (Accuracy, Callback, CheckpointConfig, LambdaCallback, LearningRateScheduler, Loss, LossMonitor, MAE, Metric, Model, ModelCheckpoint,
                             Precision, RunContext, TimeMonitor, rearrange_inputs)
from minigraph.train.amp import auto_mixed_precision
from minigraph.train.callback import History

rng = np.random.RandomState(0)
X = rng.rand(12, 4).astype(np.float32)
Y = (X @ rng.rand(4, 2).astype(np.float32))
folder = tempfile.mkdtemp()


def net_of(seed=1):
    return fill(nn.SequentialCell(nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 2)), seed, 0.5)


def data():
    return ds.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(4)


@part
def fitting():
    net = net_of()
    model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9), metrics={"mae": MAE(), "loss": Loss()})

    class StopAtStep(Callback):
        def __init__(self, threshold):
            super().__init__()
            self.threshold = threshold

        def on_train_begin(self, run_context):
            params = run_context.original_args()
            print("begin", params.epoch_num, params.batch_num, params.mode, params.list_callback is not None, params.train_network is not None)

        def on_train_step_end(self, run_context):
            params = run_context.original_args()
            loss = params.net_outputs
            print("step", params.cur_epoch_num, params.cur_step_num, show(loss, 3))
            if loss.asnumpy() < self.threshold:
                run_context.request_stop()

    history = History()
    model.train(3, data(), callbacks=[StopAtStep(0.6), history])
    print(sorted(history.history), len(history.epoch))
    print(show(model.eval(data())))
    model.fit(2, data(), data(), callbacks=[LossMonitor(9)])
    print(show(model.predict(Tensor(X[:2]))))
    print(model.train_network is not None, type(model.eval_network).__name__)


@part
def rate_schedulers():
    net = net_of()
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = Model(net, nn.MSELoss(), opt)

    def rule(lr, step):
        return lr * 0.5 if step % 2 == 0 else lr

    model.train(1, data(), callbacks=[LearningRateScheduler(rule), LambdaCallback(on_train_epoch_end=lambda c: print("epoch end", c.original_args().cur_epoch_num))], dataset_sink_mode=False)
    print(show(opt.learning_rate.value(), 5))


@part
def custom_metric():
    class MyMAE(Metric):
        def __init__(self):
            super().__init__()
            self.clear()

        def clear(self):
            self._abs_error_sum = 0
            self._samples_num = 0

        @rearrange_inputs
        def update(self, *inputs):
            y_pred = inputs[0].asnumpy()
            y = inputs[1].asnumpy()
            self._abs_error_sum += np.abs(y - y_pred).sum()
            self._samples_num += y.shape[0]

        def eval(self):
            return float(self._abs_error_sum / self._samples_num)

    metric = MyMAE()
    metric.clear()
    metric.update(Tensor([1., 2.]), Tensor([2., 4.]))
    print(metric.eval())
    metric = MyMAE().set_indexes([1, 0])
    metric.clear()
    metric.update(Tensor([1., 2.]), Tensor([2., 4.]))
    print(metric.eval(), metric.indexes)
    net = net_of()
    print(show(Model(net, nn.MSELoss(), metrics={"mine": MyMAE()}).eval(data())))
    acc = Accuracy("classification")
    acc.update(Tensor([[0.9, 0.1], [0.2, 0.8]]), Tensor([0, 0], ms.int32))
    print(acc.eval(), nn.get_metrics({"accuracy"}) is not None, sorted(train.names())[:4])
    p = Precision("classification")
    p.update(Tensor([[0.9, 0.1], [0.2, 0.8]]), Tensor([0, 0], ms.int32))
    print(p.eval())
    for m in (nn.MSE(), nn.Recall(), nn.Top5CategoricalAccuracy(), nn.ConfusionMatrix(2), nn.Perplexity(), nn.Dice(), nn.ROC(), nn.CosineSimilarity()):
        print(type(m).__name__)


@part
def multi_label():
    class TwoLabels(nn.LossBase):
        def construct(self, base, target1, target2):
            return self.get_loss(ops.abs(base - target1)) + self.get_loss(ops.abs(base - target2))

    class WithLoss(nn.Cell):
        def __init__(self, backbone, loss_fn):
            super().__init__(auto_prefix=False)
            self._backbone, self._loss_fn = backbone, loss_fn

        def construct(self, data, label1, label2):
            return self._loss_fn(self._backbone(data), label1, label2)

    class WithEval(nn.Cell):
        def __init__(self, network):
            super().__init__(auto_prefix=False)
            self.network = network

        def construct(self, data, label1, label2):
            out = self.network(data)
            return out, label1, label2

    net = net_of()
    three = ds.NumpySlicesDataset((X, Y, Y * 2), ["x", "y", "z"], shuffle=False).batch(4)
    model = Model(network=WithLoss(net, TwoLabels()), optimizer=nn.Momentum(net.trainable_params(), 0.05, 0.9), eval_network=WithEval(net), metrics={"mae1": MAE(), "mae2": MAE()})
    print([p.name for p in net.trainable_params()])
    model.train(2, three, callbacks=[LossMonitor(9)], dataset_sink_mode=False)
    m1, m2 = MAE(), MAE()
    m1.set_indexes([0, 1])
    m2.set_indexes([0, 2])
    model = Model(network=WithLoss(net, TwoLabels()), eval_network=WithEval(net), metrics={"mae1": m1, "mae2": m2})
    print(show(model.eval(ds.NumpySlicesDataset((X, Y, Y * 2), ["x", "y", "z"], shuffle=False).batch(4), dataset_sink_mode=False)))


@part
def mixed_precision():
    for level in ("O0", "O1", "O2", "O3"):
        net = amp.auto_mixed_precision(fill(nn.SequentialCell(nn.Dense(4, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Dense(5, 2)), 1), level) if level != "O0" else net_of()
        out = net(Tensor(X))
        print(level, out.dtype, [str(p.dtype) for p in net.trainable_params()], show(out, 2))
    net = net_of().to_float(ms.float16)
    print(net(Tensor(X)).dtype, net[0].weight.dtype)
    scaler = amp.DynamicLossScaler(scale_value=2 ** 10, scale_factor=2, scale_window=1)
    print(scaler.scale_value, scaler.scale(Tensor(2.0)), scaler.unscale((Tensor([1024.0]), Tensor([2.0]))), scaler.adjust(Tensor(True)), scaler.scale_value, scaler.adjust(Tensor(False)), scaler.scale_value)
    static = amp.StaticLossScaler(scale_value=4)
    print(static.scale(Tensor(2.0)), static.unscale(Tensor(2.0)), static.adjust(True))
    print(amp.all_finite((Tensor([1.0]), Tensor([np.inf]))), amp.all_finite([Tensor([1.0])]), amp.is_finite if hasattr(amp, "is_finite") else "")
    net, loss_fn = auto_mixed_precision(net_of(), "O3"), nn.MSELoss()
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)

    def forward_fn(x, y):
        logits = net(x)
        loss = loss_fn(logits.astype(ms.float32), y)
        return scaler.scale(loss), logits

    grad_fn = ms.value_and_grad(forward_fn, None, opt.parameters, has_aux=True)

    @ms.jit
    def step(x, y):
        (loss, _), grads = grad_fn(x, y)
        loss = scaler.unscale(loss)
        finite = amp.all_finite(grads)
        if finite:
            opt(scaler.unscale(grads))
        scaler.adjust(finite)
        return loss

    print([show(step(Tensor(X), Tensor(Y)), 2) for _ in range(3)], scaler.scale_value)


@part
def model_levels():
    for more in ({"amp_level": "O0", "loss_scale_manager": amp.FixedLossScaleManager(1024.0, False)},):
        net = net_of()
        opt = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=1024.0) if "loss_scale_manager" in more else nn.Momentum(net.trainable_params(), 0.05, 0.9)
        model = Model(net, nn.MSELoss(), opt, metrics={"loss"}, **more)
        model.train(2, data(), dataset_sink_mode=False)
        print(show(model.eval(data(), dataset_sink_mode=False), 2), type(model.train_network).__name__)
    net = net_of()
    step = amp.build_train_network(net, nn.Momentum(net.trainable_params(), 0.05, 0.9), nn.MSELoss(), level="O0")
    print(type(step).__name__, show(step(Tensor(X), Tensor(Y))), sorted(c.__name__ for c in amp.get_black_list())[:3])
    manager = amp.FixedLossScaleManager(8.0)
    print(manager.get_loss_scale(), manager.get_drop_overflow_update(), type(manager.get_update_cell()).__name__)
    dynamic = amp.DynamicLossScaleManager(4, 2, 3)
    dynamic.update_loss_scale(True)
    print(dynamic.get_loss_scale(), type(dynamic.get_update_cell()).__name__)


@part
def checkpoints():
    net = net_of()
    model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9))
    config = CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=2, append_info=["epoch_num", "step_num", {"extra": 3}])
    model.train(2, data(), callbacks=[ModelCheckpoint(prefix="net", directory=folder, config=config)], dataset_sink_mode=False)
    print(sorted(f for f in os.listdir(folder) if f.endswith("ckpt")))
    path = os.path.join(folder, sorted(f for f in os.listdir(folder) if f.endswith("ckpt"))[0])
    loaded = ms.load_checkpoint(path)
    print(sorted(loaded))
    other = net_of(9)
    print(ms.load_param_into_net(other, loaded, strict_load=False), np.allclose(other[0].weight.asnumpy(), loaded["0.weight"].asnumpy()))
    print(sorted(ms.load_checkpoint(path, choice_func=lambda name: name.startswith("0."))))
    ms.save_checkpoint([{"name": "a", "data": Tensor([1.0])}, {"name": "b", "data": Tensor([2], ms.int32)}], os.path.join(folder, "list.ckpt"))
    print(show({k: v.value() for k, v in ms.load_checkpoint(os.path.join(folder, "list.ckpt")).items()}))
    ms.save_checkpoint(net, os.path.join(folder, "info.ckpt"), append_dict={"lr": 0.1, "epoch": 3, "done": True, "note": "text"})
    print({k: v if isinstance(v, (str, int, float)) else show(v.value()) for k, v in ms.load_checkpoint(os.path.join(folder, "info.ckpt")).items() if "." not in k})
    ms.save_checkpoint(net, os.path.join(folder, "part.ckpt"), choice_func=lambda n: "bias" in n)
    print(sorted(ms.load_checkpoint(os.path.join(folder, "part.ckpt"))), sorted(ms.load_checkpoint(path, net_of())))
    for wrong in (lambda: ms.load_checkpoint("nothing.ckpt"), lambda: ms.load_param_into_net(3, {}), lambda: ms.save_checkpoint(3, "x.ckpt"), lambda: ms.load_checkpoint(os.path.join(folder, "x.txt"))):
        try:
            wrong()
            print("accepted")
        except Exception as e:
            print(type(e).__mro__[-3].__name__)


@part
def exports():
    net = net_of()
    ms.export(net, Tensor(X[:2]), file_name=os.path.join(folder, "model"), file_format="MINDIR")
    print(os.path.exists(os.path.join(folder, "model.mindir")))
    graph = ms.load(os.path.join(folder, "model.mindir"))
    cell = nn.GraphCell(graph)
    print(show(cell(Tensor(X[:2]))), show(net(Tensor(X[:2]))))


@part
def data_helpers():
    print(len(list(ms.DatasetHelper(data(), dataset_sink_mode=False))) if hasattr(ms, "DatasetHelper") else 0)
    helper = train.DatasetHelper(data(), dataset_sink_mode=False)
    for inputs in helper:
        print(show(list(inputs)))
        break
    print(RunContext is not None, TimeMonitor is not None)
