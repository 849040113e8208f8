import minigraph as ms
# train.Model, its callbacks and metrics, WithLossCell, TrainOneStepCell: what they return, print and refuse.
import os
import tempfile
import numpy as np
nn, ops, Tensor, Parameter, train, ds = ms.nn, ms.ops, ms.Tensor, ms.Parameter, ms.train, ms.dataset
rng = np.random.RandomState(0)
X = rng.randn(10, 3).astype(np.float32)
Y = (X @ np.array([[1.], [2.], [-1.]], np.float32) + 0.5).astype(np.float32)
C = (Y[:, 0] > 0).astype(np.int32)


def net(out=1):
    cell = nn.Dense(3, out)
    r = np.random.RandomState(1)
    cell.weight.set_data(Tensor(r.randn(out, 3).astype(np.float32)))
    cell.bias.set_data(Tensor(r.randn(out).astype(np.float32)))
    return cell


def rows(target=Y, batch=4):
    return ds.GeneratorDataset(list(zip(X, target)), ["x", "y"], shuffle=False).batch(batch)


def report(label, fn):
    try:
        print(label, fn())
    except Exception as e:
        print(label, "->", type(e).__name__, str(e).splitlines()[0][:130])


def show(x):
    if isinstance(x, (tuple, list)):
        return [show(i) for i in x]
    if isinstance(x, dict):
        return {k: show(v) for k, v in x.items()}
    return np.round(x.asnumpy(), 5).tolist() if isinstance(x, Tensor) else round(x, 5) if isinstance(x, float) else x


n = net()
loss_cell = nn.WithLossCell(n, nn.MSELoss())
print(loss_cell)
print(show(loss_cell(Tensor(X), Tensor(Y))), loss_cell.backbone_network is n)
eval_cell = nn.WithEvalCell(n, nn.MSELoss())
print(eval_cell)
print(show(eval_cell(Tensor(X[:2]), Tensor(Y[:2]))))
for kind in ({}, {"sens": 2.0}, {"return_grad": True}):
    n = net()
    step = nn.TrainOneStepCell(nn.WithLossCell(n, nn.MSELoss()), nn.SGD(n.trainable_params(), 0.1), **kind).set_train()
    print(kind, show(step(Tensor(X), Tensor(Y))), show(step(Tensor(X), Tensor(Y))), show(n.weight.value()))
print([p.name for p in step.get_parameters()], step.network.training)


class EventRecorder(train.Callback):
    def __init__(self, quiet=()):
        super().__init__()
        self.quiet = quiet

    def note(self, what, run_context):
        args = run_context.original_args()
        if what not in self.quiet:
            print("  ", what, args.cur_epoch_num, args.cur_step_num, args.epoch_num, args.batch_num, args.mode, show(args.get("net_outputs") if "step" in what or "end" in what else None))

    def on_train_begin(self, run_context):
        print("   train begin", run_context.original_args().cur_step_num)

    def on_train_epoch_begin(self, run_context):
        self.note("epoch begin", run_context)

    def on_train_step_end(self, run_context):
        self.note("step end", run_context)

    def on_train_epoch_end(self, run_context):
        self.note("epoch end", run_context)

    def on_train_end(self, run_context):
        self.note("train end", run_context)

    def on_eval_begin(self, run_context):
        print("   eval begin")

    def on_eval_end(self, run_context):
        print("   eval end", {k: round(v, 5) for k, v in run_context.original_args().metrics.items()})


n = net()
model = train.Model(n, nn.MSELoss(), nn.Momentum(n.trainable_params(), 0.05, 0.9), metrics={"mse": train.MSE(), "mae": train.MAE(), "loss": train.Loss()})
report("train", lambda: model.train(2, rows(), callbacks=[EventRecorder()], dataset_sink_mode=False))
report("eval", lambda: show(model.eval(rows(), callbacks=EventRecorder(), dataset_sink_mode=False)))
report("predict", lambda: show(model.predict(Tensor(X[:2]))))
report("fit", lambda: model.fit(2, rows(), rows(batch=5), callbacks=[EventRecorder(("train begin", "epoch begin", "step end"))], dataset_sink_mode=False, valid_dataset_sink_mode=False))
report("fit every second", lambda: model.fit(3, rows(), rows(), valid_frequency=2, callbacks=[train.LossMonitor(3)], dataset_sink_mode=False, valid_dataset_sink_mode=False))
report("fit in listed epochs", lambda: model.fit(4, rows(), rows(), valid_frequency=[1, 4], callbacks=[train.LossMonitor(3)], dataset_sink_mode=False, valid_dataset_sink_mode=False))
report("train from an epoch", lambda: model.train(4, rows(), callbacks=[train.LossMonitor()], dataset_sink_mode=False, initial_epoch=2))
print(model.train_network.training, type(model.train_network).__name__, type(model.eval_network).__name__, model.predict_network is n)


class Stopping(train.Callback):
    def step_end(self, run_context):
        if run_context.original_args().cur_step_num == 2:
            run_context.request_stop()


report("stopped", lambda: model.train(5, rows(), callbacks=[Stopping(), train.LossMonitor()], dataset_sink_mode=False))

n = net(2)
model = train.Model(n, nn.CrossEntropyLoss(), nn.Adam(n.trainable_params(), 0.05), metrics={"accuracy", "loss"})
model.train(3, rows(C), dataset_sink_mode=False)
report("classes", lambda: sorted(show(model.eval(rows(C), dataset_sink_mode=False)).items()))

print("-- metrics")
scores = Tensor(np.array([[.2, .5, .3], [.9, .05, .05], [.1, .3, .6], [.4, .35, .25]], np.float32))
truth = Tensor(np.array([1, 0, 1, 2], np.int32))
for metric in (train.Accuracy(), train.Precision(), train.Recall(), train.F1(), train.Fbeta(2.0), train.TopKCategoricalAccuracy(2), train.Top1CategoricalAccuracy()):
    metric.clear()
    metric.update(scores, truth)
    result = metric.eval()
    print(type(metric).__name__, np.round(result, 5).tolist() if isinstance(result, np.ndarray) else round(float(result), 5))
m = train.Accuracy("multilabel")
m.clear()
m.update(Tensor(np.array([[0, 1, 1], [1, 0, 1]], np.float32)), Tensor(np.array([[0, 1, 1], [1, 1, 1]], np.float32)))
print("multilabel", m.eval())
report("no update", lambda: train.Accuracy().eval())
report("wrong shapes", lambda: train.Accuracy().update(scores, scores[:2]))
report("no metric", lambda: train.Model(net(), nn.MSELoss(), metrics={"foo"}))
report("names", lambda: sorted(train.names())[:3])

print("-- schedules of callbacks")
folder = tempfile.mkdtemp()
n = net()
opt = nn.SGD(n.trainable_params(), 0.1)
model = train.Model(n, nn.MSELoss(), opt, metrics={"loss"})
config = train.CheckpointConfig(save_checkpoint_steps=2, keep_checkpoint_max=2)
history = train.History()
report("checkpoints", lambda: model.train(2, rows(), callbacks=[train.ModelCheckpoint(prefix="m", directory=folder, config=config), history], dataset_sink_mode=False))
print(sorted(os.listdir(folder)))
print({k: np.round(v, 4).tolist() for k, v in history.epoch.items()} if isinstance(history.epoch, dict) else history.epoch, sorted(history.history))
report("rates", lambda: model.train(2, rows(), callbacks=[train.LearningRateScheduler(lambda lr, step: lr * 0.5)], dataset_sink_mode=False))
print("%.6f" % float(opt.learning_rate.asnumpy()))
report("lambda", lambda: model.train(1, rows(), callbacks=[train.LambdaCallback(on_train_epoch_end=lambda c: print("   lambda", c.original_args().cur_epoch_num))], dataset_sink_mode=False))
report("early", lambda: model.fit(6, rows(), rows(), callbacks=[train.EarlyStopping(monitor="loss", patience=1, min_delta=10.0, verbose=True)], dataset_sink_mode=False, valid_dataset_sink_mode=False))
report("plateau", lambda: model.fit(3, rows(), rows(), callbacks=[train.ReduceLROnPlateau(monitor="loss", patience=1, factor=0.1, min_delta=10.0)], dataset_sink_mode=False, valid_dataset_sink_mode=False))
print("%.6f" % float(opt.learning_rate.asnumpy()))

print("-- mistakes")
good = (net(), nn.MSELoss())
report("network", lambda: train.Model(3))
report("optimizer", lambda: train.Model(*good, optimizer=3))
report("metrics", lambda: train.Model(*good, metrics=3))
report("eval without metrics", lambda: train.Model(*good).eval(rows()))
report("epoch 0", lambda: model.train(0, rows()))
report("epoch str", lambda: model.train("2", rows()))
report("dataset", lambda: model.train(1, [1, 2]))
report("callbacks", lambda: model.train(1, rows(), callbacks=[3]))
report("initial_epoch", lambda: model.train(1, rows(), initial_epoch=2))
report("LossMonitor", lambda: train.LossMonitor(-1))
report("predict", lambda: model.predict(3))
report("valid_frequency", lambda: model.fit(1, rows(), rows(), valid_frequency="a"))
report("TrainOneStepCell", lambda: nn.TrainOneStepCell(good[0], good[1]))
