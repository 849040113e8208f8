"""The ``train`` namespace on real digits: one step as a Cell, in both modes."""

import numpy as np

from minigraph import GRAPH_MODE, PYNATIVE_MODE, Tensor, dataset, nn, ops, set_context, set_seed, train
from minigraph.dataset import load_digits
from tests.nn.cells import AttributeCell
from tests.tables import every


class Digits(AttributeCell):
    """8x8 images through a convolution with batch norm to ten scores."""

    def __init__(self):
        features = nn.SequentialCell(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2))
        super().__init__(features=features, head=nn.Dense(8 * 4 * 4, 10))

    def construct(self, images):
        return self.head(self.features(images.reshape(-1, 1, 8, 8)).flatten(1))


def step_of(net, optimizer):
    return train.TrainOneStepCell(train.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()


def losses(mode, steps, create):
    set_context(mode=mode)
    set_seed(1)
    net, digits = Digits(), load_digits()
    step = step_of(net, create(net.trainable_params()))
    batches = [slice(i * 32, i * 32 + 32) for i in range(steps)]
    result = [step(Tensor(digits.images[rows]), Tensor(digits.labels[rows])).item() for rows in batches]
    return result, [p.asnumpy().tobytes() for p in net.get_parameters()]


@every(create=[lambda p: nn.Momentum(p, 0.05, 0.9), lambda p: nn.Adam(p, 0.01)])
def test_a_small_network_learns_digits_bit_for_bit_the_same_in_both_modes(create):
    eager = losses(PYNATIVE_MODE, 25, create)
    assert np.mean(eager[0][-5:]) < 0.5 * eager[0][0]
    assert eager == losses(GRAPH_MODE, 25, create)


class Patches(nn.Cell):
    """A transformer block over image patches, with syntax that MindSpore 2.10 rejects in graph mode."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(1, 8, 4, stride=4, pad_mode="valid", has_bias=True)
        self.token = nn.Parameter(ops.zeros((1, 1, 8)))
        self.place = nn.Parameter(ops.zeros((1, 5, 8)))
        self.norm, self.qkv, self.head = nn.LayerNorm((8,)), nn.Dense(8, 24), nn.Dense(8, 10)

    def construct(self, images):
        batch = images.shape[0]
        patches = self.embed(images).flatten(2).transpose(0, 2, 1)
        x = ops.concat((self.token.expand(batch, -1, -1), patches), axis=1) + self.place
        q, k, v = self.qkv(self.norm(x)).reshape(batch, 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
        weights = ops.softmax(q @ k.transpose(-2, -1) * 4**-0.5)
        return self.head((x + (weights @ v).transpose(0, 2, 1, 3).reshape(batch, 5, 8))[:, 0])


def test_a_transformer_trains_from_a_dataset_of_pairs(mode):
    set_seed(1)
    digits, net = load_digits(), Patches()
    pairs = zip(Tensor(digits.images[:64].reshape(-1, 1, 8, 8)), Tensor(digits.labels[:64]), strict=True)
    data = dataset.GeneratorDataset(pairs, column_names=["image", "label"]).batch(32)
    step = step_of(net, nn.Adam(net.trainable_params(), learning_rate=0.02))
    epochs = [np.mean([step(image, label).item() for image, label in data]) for _ in range(12)]
    assert epochs[-1] < 0.7 * epochs[0]
    assert net.token.name == "token"


def test_train_and_nn_name_the_same_cells():
    for name in ("TrainOneStepCell", "WithEvalCell", "WithLossCell"):
        assert getattr(train, name) is getattr(nn, name)
