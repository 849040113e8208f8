import minigraph as ms
# The first day: a pipeline of pictures, a network, training and testing loops, saving, Tensors.
import os
import tempfile
import numpy as np
from parts import fill, part, show
from minigraph import Parameter, Tensor, dtype, nn, ops
from minigraph.common.initializer import Normal, One, Zero, initializer
from minigraph.dataset import GeneratorDataset, transforms, vision

rng = np.random.RandomState(0)
pictures = rng.randint(0, 256, (64, 28, 28, 1)).astype(np.uint8)
labels = rng.randint(0, 10, 64).astype(np.int64)


class Digits:
    def __getitem__(self, i):
        return pictures[i], labels[i]

    def __len__(self):
        return len(labels)


def datapipe(dataset, batch_size):
    image_transforms = [vision.Rescale(1.0 / 255.0, 0), vision.Normalize(mean=(0.1307,), std=(0.3081,)), vision.HWC2CHW()]
    label_transform = transforms.TypeCast(ms.int32)
    dataset = dataset.map(image_transforms, "image")
    dataset = dataset.map(label_transform, "label")
    return dataset.batch(batch_size)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(28 * 28, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 10))

    def construct(self, x):
        x = self.flatten(x)
        return self.dense_relu_sequential(x)


train_dataset = datapipe(GeneratorDataset(Digits(), ["image", "label"], shuffle=False), 16)
test_dataset = datapipe(GeneratorDataset(Digits(), column_names=["image", "label"], shuffle=False), 32)


@part
def pipeline():
    print(train_dataset.get_col_names(), train_dataset.get_dataset_size(), train_dataset.get_batch_size())
    print(train_dataset.output_shapes(), [str(t) for t in train_dataset.output_types()])
    for image, label in test_dataset.create_tuple_iterator():
        print(f"Shape of image [N, C, H, W]: {image.shape} {image.dtype}")
        print(f"Shape of label: {label.shape} {label.dtype}")
        print(show(image), show(label[:8]))
        break
    for data in test_dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
        print(sorted(data), show(data["image"]))
        break


model = fill(Network(), 1, 0.05)
print(model)
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(model.trainable_params(), 1e-1)


def forward_fn(data, label):
    logits = model(data)
    loss = loss_fn(logits, label)
    return loss, logits


grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


def train_step(data, label):
    (loss, _), grads = grad_fn(data, label)
    optimizer(grads)
    return loss


def train(model, dataset):
    size = dataset.get_dataset_size()
    model.set_train()
    for batch, (data, label) in enumerate(dataset.create_tuple_iterator()):
        loss = train_step(data, label)
        if batch % 2 == 0:
            loss, current = loss.asnumpy(), batch
            print(f"loss: {loss:>.4f}  [{current:>3d}/{size:>3d}]")


def test(model, dataset, loss_fn):
    num_batches = dataset.get_dataset_size()
    model.set_train(False)
    total, test_loss, correct = 0, 0, 0
    for data, label in dataset.create_tuple_iterator():
        pred = model(data)
        total += len(data)
        test_loss += loss_fn(pred, label).asnumpy()
        correct += (pred.argmax(1) == label).asnumpy().sum()
    print(f"Test: \n Accuracy: {(100 * correct / total):>0.1f}%, Avg loss: {test_loss / num_batches:>.4f} \n")


@part
def training():
    for t in range(2):
        print(f"Epoch {t+1}\n-------------------------------")
        train(model, train_dataset)
        test(model, test_dataset, loss_fn)


@part
def saving():
    path = os.path.join(tempfile.mkdtemp(), "model.ckpt")
    print(ms.save_checkpoint(model, path))
    other = Network()
    param_dict = ms.load_checkpoint(path)
    print({k: (v.shape, str(v.dtype)) for k, v in param_dict.items()})
    param_not_load, ckpt_not_load = ms.load_param_into_net(other, param_dict)
    print(param_not_load, ckpt_not_load)
    other.set_train(False)
    for data, label in test_dataset:
        pred = other(data)
        predicted = pred.argmax(1)
        print(f'Predicted: "{predicted[:6]}", Actual: "{label[:6]}"')
        break
    print(type(param_dict).__name__, type(pred).__name__)


@part
def creation():
    x_data = Tensor([1, 0, 1, 0])
    print(x_data, x_data.shape, x_data.dtype)
    np_array = np.array([1, 0, 1, 0])
    x_np = Tensor(np_array)
    print(x_np, x_np.shape, x_np.dtype)
    tensor1 = Tensor(shape=(2, 2), dtype=ms.float32, init=One())
    print("tensor1:\n", tensor1.init_data())
    tensor2 = Tensor(shape=(2, 2), dtype=ms.float32, init=Normal())
    print(tensor2.shape, tensor2.dtype, tensor2.init_data().shape)
    print(initializer(Zero(), [2, 3], ms.float16).init_data(), initializer("ones", [2]).init_data())
    print(ops.ones_like(x_data), ops.zeros_like(x_data), Tensor(np.zeros([1, 2, 3]), dtype.float32))
    x = Tensor(np.array([[1, 2], [3, 4]]), ms.int32)
    for name in ("shape", "dtype", "itemsize", "nbytes", "ndim", "size", "strides"):
        print(f"{name}:", getattr(x, name))


@part
def indexing():
    tensor = Tensor(np.array([[0, 1], [2, 3]]).astype(np.float32))
    print("First row: {}".format(tensor[0]))
    print("value of bottom right corner: {}".format(tensor[1, 1]))
    print("Last column: {}".format(tensor[:, -1]))
    print("First column: {}".format(tensor[..., 0]), tensor[tensor > 1], tensor[None].shape, tensor[Tensor([1, 0])])


@part
def arithmetic():
    x, y = Tensor(np.array([1, 2, 3]), ms.float32), Tensor(np.array([4, 5, 6]), ms.float32)
    print("add:", x + y, "sub:", x - y, "mul:", x * y, "div:", y / x, "mod:", y % x, "floordiv:", y // x)
    data1, data2 = Tensor(np.array([[0, 1], [2, 3]]).astype(np.float32)), Tensor(np.array([[4, 5], [6, 7]]).astype(np.float32))
    print(ops.concat((data1, data2), axis=0), ops.concat((data1, data2), 0).shape)
    print(ops.stack([data1, data2]))
    t = Tensor([1., 1., 1., 1., 1.])
    print(f"t: {t}", type(t).__name__, f"n: {t.asnumpy()}", type(t.asnumpy()))
    n = np.ones(5)
    t = Tensor.from_numpy(n)
    np.add(n, 1, out=n)
    print(f"n: {n}", f"t: {t}")
    print(repr(Tensor(np.full(5, 2.0))), x @ y, x.astype(ms.int32), x.tolist(), x.sum().item(), -x, abs(-x), x ** 2, x > 2, bool(x[0] == 1), len(x))


@part
def sparse():
    indptr, indices = Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32)
    values = Tensor([1, 2], dtype=ms.float32)
    csr = ms.CSRTensor(indptr, indices, values, (2, 4))
    print(csr.astype(ms.float64).dtype, csr.shape, csr.values, csr.indptr, csr.indices, csr.itemsize, csr.size, csr.ndim)
    coo = ms.COOTensor(Tensor([[0, 1], [1, 2]], dtype=ms.int32), values, (3, 4))
    print(coo.values, coo.indices, coo.shape, coo.astype(ms.float64).dtype)
